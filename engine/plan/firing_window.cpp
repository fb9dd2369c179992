#include "plan/firing_window.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "plan/cost_model.h"

namespace hearth {
namespace {

constexpr int kBinBits = 3;  // eight bins to a doubling
constexpr std::size_t kBins = (32 - kBinBits) << kBinBits;

// Below 16 a count is a bin of its own.
std::size_t bin_of(std::uint32_t fired) {
    const int shift = std::max(0, static_cast<int>(std::bit_width(fired)) - 1 - kBinBits);
    return (static_cast<std::size_t>(shift) << kBinBits) + (fired >> shift);
}

std::vector<int> most_chosen_first(const std::vector<std::uint32_t>& chosen) {
    std::vector<int> experts(chosen.size());
    std::iota(experts.begin(), experts.end(), 0);
    std::stable_sort(experts.begin(), experts.end(), [&](int a, int b) {
        return chosen[static_cast<std::size_t>(a)] > chosen[static_cast<std::size_t>(b)];
    });
    return experts;
}

std::vector<std::uint8_t> uses_of(const std::vector<std::uint32_t>& chosen) {
    constexpr double kMost = std::numeric_limits<std::uint8_t>::max();
    const double sum = std::accumulate(chosen.begin(), chosen.end(), 0.0);
    const double mean = std::max(1.0, sum) / static_cast<double>(chosen.size());
    std::vector<std::uint8_t> uses;
    uses.reserve(chosen.size());
    for (const std::uint32_t one : chosen) {
        uses.push_back(static_cast<std::uint8_t>(
            std::lround(std::min(kMost, FiringWindow::kMeanUses * one / mean))));
    }
    return uses;
}

}  // namespace

FiringWindow::FiringWindow(const ModelSpec& spec, const ActivationProfile* profile) {
    if (profile == nullptr || !counts_every_neuron(*profile, spec)) {
        return;
    }
    for (std::size_t l = 0; l < profile->layers.size(); ++l) {
        const LayerProfile& layer = profile->layers[l];
        const bool mixture = spec.layers[l].is_mixture();
        experts_.push_back(mixture ? most_chosen_first(layer.fired[0]) : std::vector<int>{});
        uses_.push_back(mixture ? uses_of(layer.fired[0]) : std::vector<std::uint8_t>{});
        const double n_counted = spec.layers[l].n_ff_counted();  // an expert's fire together
        struct Sum {
            double neurons = 0, fired = 0;
        };
        std::array<Sum, kBins + (std::size_t{1} << kBinBits)> sums{};
        for (const std::uint32_t fired : layer.fired[0]) {
            Sum& sum = sums[bin_of(fired)];
            sum.neurons += n_counted;
            sum.fired += n_counted * fired;
        }
        std::vector<Bin>& bins = layers_.emplace_back();
        for (auto sum = sums.rbegin(); sum != sums.rend(); ++sum) {
            if (sum->neurons > 0) {
                const auto mean =
                    static_cast<std::uint64_t>(std::lround(sum->fired / sum->neurons));
                bins.push_back({sum->neurons, std::log1p(-firing_rate(mean, profile->tokens))});
            }
        }
    }
}

double FiringWindow::neurons(std::size_t layer, double tokens, int left_out) const {
    double out = left_out;
    double used = 0;
    for (const Bin& bin : layers_[layer]) {
        const double left = std::min(out, bin.neurons);
        out -= left;
        used += (bin.neurons - left) * -std::expm1(tokens * bin.log_rest);
    }
    return used;
}

}  // namespace hearth
