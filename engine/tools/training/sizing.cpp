#include "tools/training/sizing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>

namespace hearth::tools {
namespace {

constexpr double kWorthIt = 0.98;  // of the cost before
constexpr int kWideModel = 2048;

int round_to(double width, int step) {
    return std::max(step, static_cast<int>(std::lround(width / step)) * step);
}

}  // namespace

NeuronActivity measure_activity(const std::vector<TokenSample>& tokens, int n_ff) {
    std::vector<std::uint64_t> counts(static_cast<std::size_t>(n_ff));
    for (const TokenSample& token : tokens) {
        for (const Fired fired : token.fired) {
            ++counts[static_cast<std::size_t>(neuron_of(fired))];
        }
    }
    std::sort(counts.begin(), counts.end(), std::greater<>());
    const auto sum = [&](std::size_t count) {
        return static_cast<double>(std::accumulate(
            counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(count), std::uint64_t{0}));
    };
    const double all = sum(counts.size());
    if (all == 0) {
        return {};
    }
    return {all / (static_cast<double>(tokens.size()) * n_ff), sum((counts.size() + 4) / 5) / all};
}

int width_step(int n_embd) {
    return n_embd >= kWideModel ? 256 : 32;
}

int baseline_width(const NeuronActivity& activity, int n_embd) {
    const double evenness = std::clamp(1.2 - activity.skew, 0.25, 1.0);
    return round_to(n_embd * std::sqrt(activity.active) * evenness, width_step(n_embd));
}

double predicted_bytes(std::uint64_t predictor_bytes, double predicted_share,
                       std::uint64_t gate_bytes) {
    return static_cast<double>(predictor_bytes) + predicted_share * static_cast<double>(gate_bytes);
}

WidthSearch::WidthSearch(int baseline, int step, int most)
    : step_(step), most_(std::max(most, step)), next_(std::clamp(baseline, step, most_)) {}

int WidthSearch::larger(int width) const {
    const int wider = std::min(most_, std::max(width + step_, round_to(width * 1.5, step_)));
    return wider > width ? wider : 0;
}

int WidthSearch::smaller(int width) const {
    const int narrower = std::min(width - step_, round_to(width / 1.5, step_));
    return narrower >= step_ ? narrower : 0;
}

void WidthSearch::tried(double cost) {
    if (best_ == 0) {  // the baseline
        best_ = next_;
        best_cost_ = cost;
        next_ = larger(best_);
        direction_ = 1;
        if (next_ == 0) {
            direction_ = -1;
            next_ = smaller(best_);
        }
        return;
    }
    if (cost < kWorthIt * best_cost_) {
        best_ = next_;
        best_cost_ = cost;
        tried_up_ = tried_up_ || direction_ > 0;
        next_ = direction_ > 0 ? larger(best_) : smaller(best_);
    } else if (direction_ > 0 && !tried_up_) {
        direction_ = -1;
        next_ = smaller(best_);
    } else {
        next_ = 0;
    }
}

}  // namespace hearth::tools
