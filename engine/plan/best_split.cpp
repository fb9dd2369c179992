#include "plan/best_split.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace hearth {
namespace {

// Values become integers of at most 2^40 in sum: what a comparison says of one pair of sums holds
// for every other pair, which the search below lives on and rounded sums would not keep.
constexpr double kScale = 1099511627776.0;
// A group too few or too many costs more than everything is worth.
constexpr std::int64_t kStepPenalty = std::int64_t{1} << 44;
constexpr std::int64_t kFeasible = -(std::int64_t{1} << 42);
constexpr std::int64_t kUnreachable = -(std::int64_t{1} << 60);
constexpr std::uint64_t kCellsMax = std::uint64_t{1} << 23;
constexpr std::uint64_t kUnitsMax = (std::uint64_t{1} << 18) - 1;

// A layer's worth by groups given to the GPU, made concave over all integers: below C_l and above
// all it has, each step costs kStepPenalty.
class LayerWorth {
public:
    LayerWorth(const PlacementLayer& layer, double scale) : smallest_(layer.smallest_groups) {
        sums_.push_back(-std::llround(layer.opening_cost * scale));
        // Rounded one by one, and none above the one before: sums then are concave, whatever the
        // last bits of the values say.
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (const double value : layer.values) {
            least = std::min<std::int64_t>(least, std::llround(value * scale));
            sums_.push_back(sums_.back() + least);
        }
    }

    std::int64_t at(std::int64_t groups) const {
        const auto most = static_cast<std::int64_t>(sums_.size()) - 1;
        if (groups < smallest_) {
            return sums_[static_cast<std::size_t>(smallest_)] - (smallest_ - groups) * kStepPenalty;
        }
        if (groups > most) {
            return sums_.back() - (groups - most) * kStepPenalty;
        }
        return sums_[static_cast<std::size_t>(groups)];
    }

private:
    std::int64_t smallest_;
    std::vector<std::int64_t> sums_;
};

// One layer joins those before it. before[k]: the most that is worth exactly k units of bytes.
// Among the indices of one remainder modulo the layer's step, after[k] is the greatest of
// before[j] + worth(k - j); worth being concave, the best j never falls as k rises, so halving the
// rows halves the columns to look at.
class Join {
public:
    Join(const std::vector<std::int64_t>& before, const LayerWorth& worth, std::size_t step,
         std::size_t remainder, std::vector<std::int64_t>& after, std::vector<std::int32_t>& taken)
        : before_(before),
          worth_(worth),
          step_(step),
          remainder_(remainder),
          after_(after),
          taken_(taken) {}

    void run() {
        const std::size_t rows = (before_.size() - 1 - remainder_) / step_ + 1;
        solve(0, rows, 0, rows);
    }

private:
    std::size_t index(std::size_t row) const { return remainder_ + row * step_; }

    void solve(std::size_t first, std::size_t end, std::size_t first_column,
               std::size_t end_column) {
        if (first >= end) {
            return;
        }
        const std::size_t row = first + (end - first) / 2;
        std::int64_t best = 0;
        std::size_t best_column = end_column;
        for (std::size_t column = first_column; column < end_column; ++column) {
            const auto groups = static_cast<std::int64_t>(row) - static_cast<std::int64_t>(column);
            const std::int64_t sum = before_[index(column)] + worth_.at(groups);
            if (best_column == end_column || sum > best) {
                best = sum;
                best_column = column;
            }
        }
        // Without this layer; with it where that is worth as much: it takes load off RAM.
        if (best > kFeasible && best >= after_[index(row)]) {
            after_[index(row)] = best;
            taken_[index(row)] = static_cast<std::int32_t>(row - best_column);
        }
        solve(first, row, first_column, best_column + 1);
        solve(row + 1, end, best_column, end_column);
    }

    const std::vector<std::int64_t>& before_;
    const LayerWorth& worth_;
    std::size_t step_;
    std::size_t remainder_;
    std::vector<std::int64_t>& after_;
    std::vector<std::int32_t>& taken_;
};

// What bytes are counted in.
struct Units {
    std::uint64_t bytes = 1;
    bool exact = true;
};

bool counts(const PlacementLayer& layer) {
    return layer.smallest_groups <= layer.groups();
}

Units choose_units(const PlacementProblem& problem, std::uint64_t total_bytes) {
    std::uint64_t divisor = 0;
    for (const PlacementLayer& layer : problem.layers) {
        if (counts(layer)) {
            divisor = std::gcd(divisor, layer.group_bytes);
        }
    }
    const std::uint64_t most = std::min(kUnitsMax, kCellsMax / problem.layers.size());
    if (total_bytes / divisor <= most) {
        return {divisor, true};
    }
    return {total_bytes / most + 1, false};
}

}  // namespace

std::optional<BestSplit> best_split(const PlacementProblem& problem) {
    BestSplit answer{Split(problem.layers.size(), 0), true};
    std::uint64_t total_bytes = 0;
    double total_worth = 0;
    for (const PlacementLayer& layer : problem.layers) {
        if (counts(layer)) {
            total_bytes += layer.group_bytes * static_cast<std::uint64_t>(layer.groups());
            total_worth +=
                std::accumulate(layer.values.begin(), layer.values.end(), 0.0) + layer.opening_cost;
        }
    }
    if (problem.bytes_min > std::min(problem.bytes_max, total_bytes)) {
        return std::nullopt;
    }
    if (total_bytes == 0 || !(total_worth > 0) || !std::isfinite(total_worth)) {
        if (problem.bytes_min > 0) {
            return std::nullopt;
        }
        return answer;
    }
    const double scale = kScale / total_worth;
    const Units units = choose_units(problem, total_bytes);
    answer.exact = units.exact;
    const auto last =
        static_cast<std::size_t>(std::min(problem.bytes_max, total_bytes) / units.bytes);

    std::vector<std::int64_t> worth(last + 1, kUnreachable);
    worth[0] = 0;
    std::vector<std::vector<std::int32_t>> taken(problem.layers.size());
    std::uint64_t rounding = 0;  // by how many bytes units can overstate a split
    for (std::size_t l = 0; l < problem.layers.size(); ++l) {
        const PlacementLayer& layer = problem.layers[l];
        if (!counts(layer)) {
            continue;
        }
        const std::uint64_t step = (layer.group_bytes + units.bytes - 1) / units.bytes;
        rounding +=
            (step * units.bytes - layer.group_bytes) * static_cast<std::uint64_t>(layer.groups());
        if (step > last) {
            continue;
        }
        taken[l].assign(last + 1, 0);
        const std::vector<std::int64_t> before = worth;
        const LayerWorth layer_worth(layer, scale);
        for (std::size_t remainder = 0; remainder < step; ++remainder) {
            Join(before, layer_worth, step, remainder, worth, taken[l]).run();
        }
    }

    // The most bytes among the best: RAM gains, nothing loses.
    std::size_t best = last + 1;
    for (std::size_t k = 0; k <= last; ++k) {
        const bool enough =
            problem.bytes_min == 0 ||
            (k * units.bytes >= rounding && k * units.bytes - rounding >= problem.bytes_min);
        if (enough && worth[k] > kFeasible && (best > last || worth[k] >= worth[best])) {
            best = k;
        }
    }
    if (best > last) {
        return std::nullopt;
    }
    for (std::size_t l = problem.layers.size(); l-- > 0;) {
        if (!taken[l].empty()) {
            answer.split[l] = taken[l][best];
            const std::uint64_t step =
                (problem.layers[l].group_bytes + units.bytes - 1) / units.bytes;
            best -= step * static_cast<std::size_t>(answer.split[l]);
        }
    }
    return answer;
}

}  // namespace hearth
