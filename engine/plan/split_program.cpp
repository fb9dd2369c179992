#include "plan/split_program.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <numeric>
#include <utility>

#include "base/assert.h"

namespace hearth {
namespace {

constexpr std::uint64_t kUnitsMax = std::uint64_t{1} << 14;
constexpr double kNever = std::numeric_limits<double>::infinity();

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    return a > kMost - b ? kMost : a + b;
}

// The least bytes of any choice, which all of them lose.
std::uint64_t take_certain(LayerChoices& layer) {
    const std::uint64_t least = *std::min_element(layer.bytes.begin(), layer.bytes.end());
    for (std::uint64_t& bytes : layer.bytes) {
        bytes -= least;
    }
    return least;
}

}  // namespace

SplitTable::SplitTable(std::vector<LayerChoices> in_ram, std::vector<LayerChoices> in_vram,
                       std::uint64_t bytes_max)
    : in_ram_(std::move(in_ram)), in_vram_(std::move(in_vram)) {
    HEARTH_ASSERT(in_ram_.size() == in_vram_.size());
    const std::size_t n_layer = in_ram_.size();
    certain_before_.assign(n_layer + 1, 0);
    certain_after_.assign(n_layer + 1, 0);
    for (std::size_t l = 0; l < n_layer; ++l) {
        certain_before_[l + 1] = add(certain_before_[l], take_certain(in_ram_[l]));
    }
    for (std::size_t l = n_layer; l-- > 0;) {
        certain_after_[l] = add(certain_after_[l + 1], take_certain(in_vram_[l]));
    }
    choose_unit(bytes_max);
    const Row nothing = [&] {
        Row row(last_ + 1, kNever);
        row[0] = 0;
        return row;
    }();
    before_.push_back(nothing);
    for (const LayerChoices& layer : in_ram_) {
        before_.push_back(join(before_.back(), layer));
    }
    after_.assign(n_layer + 1, nothing);
    for (std::size_t l = n_layer; l-- > 0;) {
        after_[l] = join(after_[l + 1], in_vram_[l]);
    }
}

void SplitTable::choose_unit(std::uint64_t bytes_max) {
    std::uint64_t total = 0;
    std::uint64_t divisor = 0;
    for (std::size_t l = 0; l < in_ram_.size(); ++l) {
        std::uint64_t most = 0;
        for (const LayerChoices* layer : {&in_ram_[l], &in_vram_[l]}) {
            for (const std::uint64_t bytes : layer->bytes) {
                divisor = std::gcd(divisor, bytes);
                most = std::max(most, bytes);
            }
        }
        total = add(total, most);
    }
    unit_ = std::max<std::uint64_t>(divisor, 1);
    if (total / unit_ > kUnitsMax) {
        unit_ = total / kUnitsMax + 1;
        rounding_ = (unit_ - 1) * in_ram_.size();
    }
    // Rounded sums may be above `total`, which must not cost the choice of everything.
    last_ = static_cast<std::size_t>(std::min(bytes_max, add(total, rounding_)) / unit_);
}

std::size_t SplitTable::units(std::uint64_t bytes) const {
    return static_cast<std::size_t>(bytes / unit_ + (bytes % unit_ != 0 ? 1 : 0));
}

SplitTable::Row SplitTable::join(const Row& others, const LayerChoices& layer) const {
    Row row(last_ + 1, kNever);
    for (std::size_t c = 0; c < layer.bytes.size(); ++c) {
        const std::size_t step = units(layer.bytes[c]);
        const double seconds = layer.seconds[c];
        for (std::size_t k = step; k <= last_; ++k) {
            row[k] = std::min(row[k], others[k - step] + seconds);
        }
    }
    return row;
}

// The choice that join() took to come to `seconds` at `at` units, which becomes the others'.
int SplitTable::choice_at(const Row& others, const LayerChoices& layer, double seconds,
                          std::size_t& at) const {
    for (std::size_t c = 0; c < layer.bytes.size(); ++c) {
        const std::size_t step = units(layer.bytes[c]);
        if (step <= at && others[at - step] + layer.seconds[c] == seconds) {
            at -= step;
            return static_cast<int>(c);
        }
    }
    HEARTH_ASSERT(false);
    return 0;
}

std::optional<SplitTable::Answer> SplitTable::best(int n_in_ram, std::uint64_t bytes_min,
                                                   std::uint64_t bytes_max) const {
    const auto border = static_cast<std::size_t>(n_in_ram);
    const std::uint64_t certain = add(certain_before_[border], certain_after_[border]);
    if (certain > bytes_max) {
        return std::nullopt;
    }
    bytes_max -= certain;
    bytes_min -= std::min(bytes_min, certain);
    const std::size_t high =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes_max / unit_, last_));
    const std::uint64_t least = bytes_min == 0 ? 0 : add(bytes_min, rounding_);
    const std::uint64_t low = least / unit_ + (least % unit_ != 0 ? 1 : 0);
    if (low > high) {
        return std::nullopt;
    }
    // For each k of `before` the least of `after` within [low - k, high - k]: as k rises the window
    // moves down, and its candidates are kept in order of place, falling ones only.
    const Row& before = before_[border];
    const Row& after = after_[border];
    std::deque<std::size_t> window;
    std::size_t next = 0;  // the first place that has not been in the window
    double seconds = kNever;
    std::size_t best_before = 0;
    std::size_t best_after = 0;
    for (std::size_t k = high + 1; k-- > 0;) {  // down, so that the window moves up
        for (; next <= high - k; ++next) {
            while (!window.empty() && after[window.back()] >= after[next]) {
                window.pop_back();
            }
            window.push_back(next);
        }
        while (!window.empty() && window.front() + k < low) {
            window.pop_front();
        }
        if (!window.empty() && before[k] + after[window.front()] < seconds) {
            seconds = before[k] + after[window.front()];
            best_before = k;
            best_after = window.front();
        }
    }
    if (seconds == kNever) {
        return std::nullopt;
    }
    Answer answer{std::vector<int>(in_ram_.size(), 0), seconds};
    for (std::size_t l = border; l-- > 0;) {
        answer.choices[l] =
            choice_at(before_[l], in_ram_[l], before_[l + 1][best_before], best_before);
    }
    for (std::size_t l = border; l < in_ram_.size(); ++l) {
        answer.choices[l] =
            choice_at(after_[l + 1], in_vram_[l], after_[l][best_after], best_after);
    }
    return answer;
}

std::optional<SplitAnswer> solve_split(SplitProgram program) {
    const SplitTable table(std::move(program.in_ram), std::move(program.in_vram),
                           program.bytes_max);
    std::optional<SplitAnswer> best;
    double best_seconds = kNever;
    for (std::size_t f = 0; f < program.frames.size(); ++f) {
        const SplitFrame& frame = program.frames[f];
        auto answer =
            table.best(frame.n_in_ram, frame.bytes_min, program.bytes_max - frame.fixed_bytes);
        if (answer && frame.seconds + answer->seconds < best_seconds) {
            best_seconds = frame.seconds + answer->seconds;
            best = SplitAnswer{.frame = f,
                               .choices = std::move(answer->choices),
                               .layer_seconds = answer->seconds,
                               .exact = table.exact()};
            if (program.first_frame) {
                break;
            }
        }
    }
    if (best) {
        const SplitFrame& frame = program.frames[best->frame];
        best->unforced_seconds =
            table.best(frame.n_in_ram, 0, program.bytes_max - frame.fixed_bytes)->seconds;
    }
    return best;
}

}  // namespace hearth
