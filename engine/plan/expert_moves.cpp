#include "plan/expert_moves.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/assert.h"

namespace hearth {
namespace {

constexpr double kDeviations = 4;

// How many of the choices the n experts have that a forecast puts first.
double foreseen(std::span<const double> forecast, std::span<const std::uint32_t> counts,
                std::size_t n) {
    std::vector<std::size_t> experts(forecast.size());
    std::iota(experts.begin(), experts.end(), std::size_t{0});
    std::stable_sort(experts.begin(), experts.end(),
                     [&](std::size_t a, std::size_t b) { return forecast[a] > forecast[b]; });
    double choices = 0;
    for (std::size_t i = 0; i < n; ++i) {
        choices += counts[experts[i]];
    }
    return choices;
}

}  // namespace

ExpertMoves::ExpertMoves(const ModelSpec& spec, const ActivationProfile* known) {
    for (int i = 0; i < spec.n_layer(); ++i) {
        const ExpertsSpec& experts = spec.layer(i).experts;
        Layer layer;
        if (spec.layer(i).is_mixture()) {
            layer.n_ff = experts.n_ff;
            layer.all.resize(static_cast<std::size_t>(experts.n));
            layer.last = layer.all;
            if (known != nullptr) {
                const auto& fired = known->layers[static_cast<std::size_t>(i)].fired[0];
                HEARTH_ASSERT(fired.size() == layer.all.size());
                std::copy(fired.begin(), fired.end(), layer.all.begin());
            }
        }
        layers_.push_back(std::move(layer));
    }
    all_tokens_ = known != nullptr ? static_cast<double>(known->tokens) : 0;
}

int ExpertMoves::experts_in_vram(const Placement& placement, int layer) const {
    const int n_ff = layers_[static_cast<std::size_t>(layer)].n_ff;
    return n_ff == 0 ? 0 : placement.hot(layer) / n_ff;
}

void ExpertMoves::add(std::span<const std::vector<std::uint32_t>> counts, std::uint64_t tokens,
                      const Placement& placement) {
    HEARTH_ASSERT(counts.size() == layers_.size());
    if (tokens == 0) {
        return;
    }
    const double kept = std::exp2(-static_cast<double>(tokens) / kHalfLife);
    all_foresaw_ *= kept;
    last_foresaw_ *= kept;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        Layer& layer = layers_[l];
        const auto n = static_cast<std::size_t>(experts_in_vram(placement, static_cast<int>(l)));
        // A forecast that knows nothing is no forecast yet: neither is judged before both are.
        if (n > 0 && last_tokens_ > 0) {
            all_foresaw_ += foreseen(layer.all, counts[l], n);
            last_foresaw_ += foreseen(layer.last, counts[l], n);
        }
        for (std::size_t expert = 0; expert < layer.all.size(); ++expert) {
            layer.all[expert] += counts[l][expert];
            layer.last[expert] = layer.last[expert] * kept + counts[l][expert];
        }
    }
    all_tokens_ += static_cast<double>(tokens);
    last_tokens_ = last_tokens_ * kept + static_cast<double>(tokens);
}

std::vector<ExpertExchange> ExpertMoves::wanted(const Placement& placement,
                                                std::size_t most) const {
    const bool last = goes_by_last();
    const double tokens = last ? last_tokens_ : all_tokens_;
    struct Wanted {
        ExpertExchange two;
        double gain = 0;  // choices a token
    };
    std::vector<Wanted> wanted;
    for (std::size_t l = 0; l < layers_.size() && tokens > 0; ++l) {
        const auto index = static_cast<int>(l);
        const std::span<const int> order = placement.order(index);
        const auto n = static_cast<std::size_t>(experts_in_vram(placement, index));
        if (order.empty() || n == 0 || n == order.size()) {
            continue;
        }
        const std::vector<double>& forecast = last ? layers_[l].last : layers_[l].all;
        const auto of_place = [&](int place) {
            return forecast[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])];
        };
        std::vector<int> places(order.size());
        std::iota(places.begin(), places.end(), 0);
        const auto others = places.begin() + static_cast<std::ptrdiff_t>(n);
        std::stable_sort(places.begin(), others,
                         [&](int a, int b) { return of_place(a) < of_place(b); });
        std::stable_sort(others, places.end(),
                         [&](int a, int b) { return of_place(a) > of_place(b); });
        for (std::size_t i = 0; i < std::min(n, order.size() - n); ++i) {
            const double less = of_place(places[i]), more = of_place(places[n + i]);
            if (more - less <= kDeviations * std::sqrt(more + less)) {
                break;
            }
            wanted.push_back({{index, places[i], places[n + i]}, (more - less) / tokens});
        }
    }
    std::stable_sort(wanted.begin(), wanted.end(),
                     [](const Wanted& a, const Wanted& b) { return a.gain > b.gain; });
    std::vector<ExpertExchange> best;
    for (std::size_t i = 0; i < std::min(most, wanted.size()); ++i) {
        best.push_back(wanted[i].two);
    }
    return best;
}

}  // namespace hearth
