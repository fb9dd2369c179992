#include "plan/path_choice.h"

#include <algorithm>

#include "base/assert.h"

namespace hearth {

double PathSpeeds::exact_at(double opened) const {
    double from = 0;
    double time = 0;
    for (std::size_t i = 0; i < kOpened.size(); ++i) {
        if (opened <= kOpened[i]) {
            return time + (exact[i] - time) * (opened - from) / (kOpened[i] - from);
        }
        from = kOpened[i];
        time = exact[i];
    }
    return time;
}

FeedForwardMode choose_path(double opened, const PathSpeeds& speeds, FeedForwardMode present) {
    HEARTH_ASSERT(speeds.measured());
    const double exact = speeds.exact_at(std::clamp(opened, 0.0, 1.0));
    const bool is_dense = present == FeedForwardMode::Dense;
    const double now = is_dense ? speeds.dense : exact;
    const double then = is_dense ? exact : speeds.dense;
    const bool changes = then < (1 - kLeastPathGain) * now;
    return is_dense != changes ? FeedForwardMode::Dense : FeedForwardMode::Exact;
}

std::optional<double> measured_share(std::uint64_t tokens, std::uint64_t opened,
                                     std::uint64_t neurons) {
    if (tokens < kLeastTokensForPath || neurons == 0) {
        return std::nullopt;
    }
    return static_cast<double>(opened) / static_cast<double>(neurons);
}

std::optional<double> profiled_share(const ActivationProfile& profile, int layer,
                                     std::span<const int> order, int first) {
    const std::vector<std::uint32_t>& fired =
        profile.layers[static_cast<std::size_t>(layer)].fired[0];
    std::uint64_t sum = 0;
    for (std::size_t place = static_cast<std::size_t>(first); place < fired.size(); ++place) {
        sum += fired[order.empty() ? place : static_cast<std::size_t>(order[place])];
    }
    return measured_share(profile.tokens, sum,
                          profile.tokens * (fired.size() - static_cast<std::size_t>(first)));
}

}  // namespace hearth
