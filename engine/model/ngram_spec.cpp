#include "model/ngram_spec.h"

#include <array>

#include "base/assert.h"

namespace hearth {

void ngram_rows(const NgramSpec& spec, std::span<const std::int32_t> latest,
                std::span<std::uint64_t> rows) {
    const auto size = static_cast<std::size_t>(spec.size);
    HEARTH_DCHECK(size <= NgramSpec::kMostSize && latest.size() == size);
    std::array<std::uint64_t, NgramSpec::kMostSize> counted{};
    counted[0] = static_cast<std::uint64_t>(latest[0]);
    bool ended = false;  // the token itself may be an end and does not hide what is before it
    for (std::size_t i = 1; i < size; ++i) {
        ended = ended || latest[i] == NgramSpec::kNoToken || latest[i] == spec.end_token;
        counted[i] = static_cast<std::uint64_t>(ended ? spec.end_token : latest[i]);
    }
    std::uint64_t mixed = counted[0] * spec.multipliers[0];
    std::size_t head = 0;
    for (std::size_t n = 1; n < size; ++n) {
        mixed ^= counted[n] * spec.multipliers[n];
        for (int i = 0; i < spec.n_heads_each; ++i, ++head) {
            rows[head] = spec.offsets[head] + mixed % spec.counts[head];
        }
    }
}

}  // namespace hearth
