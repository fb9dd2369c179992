#include "cpu/feed_forward/firing_notes.h"

#include <algorithm>
#include <bit>

namespace hearth {
namespace {

constexpr int kWordBits = 32;
static_assert(kBlockValues % kWordBits == 0);

}  // namespace

void FiringNotes::count_firing(SelfProfile* profile, std::span<const CpuLayer> layers) {
    profile_ = profile;
    fired_.clear();
    for (std::size_t i = 0; profile != nullptr && i < layers.size(); ++i) {
        fired_.emplace_back(
            static_cast<std::size_t>((layers[i].n_neurons + kWordBits - 1) / kWordBits));
    }
}

void FiringNotes::note(int layer, int first, int end, const std::uint16_t* index, int n_fired) {
    if (profile_ == nullptr) {
        return;
    }
    // Chunks begin at whole words, so that no two threads share one.
    std::vector<std::uint32_t>& words = fired_[static_cast<std::size_t>(layer)];
    std::fill(words.begin() + first / kWordBits, words.begin() + (end + kWordBits - 1) / kWordBits,
              0U);
    for (int i = 0; i < n_fired; ++i) {
        const int neuron = first + index[i];
        words[static_cast<std::size_t>(neuron / kWordBits)] |= 1U << (neuron % kWordBits);
    }
}

void FiringNotes::count_token(std::span<const CpuLayer> layers) const {
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const std::span<std::uint32_t> counters = profile_->fired(static_cast<int>(l));
        for (std::size_t w = 0; w < fired_[l].size(); ++w) {
            for (std::uint32_t bits = fired_[l][w]; bits != 0; bits &= bits - 1) {
                const int neuron = static_cast<int>(w) * kWordBits + std::countr_zero(bits);
                ++counters[static_cast<std::size_t>(layers[l].number(neuron))];
            }
        }
    }
}

}  // namespace hearth
