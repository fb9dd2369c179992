#include "plan/firing_window.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
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

}  // namespace

FiringWindow::FiringWindow(const ModelSpec& spec, const ActivationProfile* profile) {
    if (profile == nullptr || !counts_every_neuron(*profile, spec)) {
        return;
    }
    for (std::size_t l = 0; l < profile->layers.size(); ++l) {
        const LayerProfile& layer = profile->layers[l];
        experts_.emplace_back();
        if (spec.layers[l].is_mixture()) {
            std::vector<int>& experts = experts_.back();
            experts.resize(layer.fired[0].size());
            std::iota(experts.begin(), experts.end(), 0);
            std::stable_sort(experts.begin(), experts.end(), [&](int a, int b) {
                return layer.fired[0][static_cast<std::size_t>(a)] >
                       layer.fired[0][static_cast<std::size_t>(b)];
            });
        }
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
