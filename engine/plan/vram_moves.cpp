#include "plan/vram_moves.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/assert.h"

namespace hearth {
namespace {

constexpr double kDeviations = 4;

// How many of the uses the n items have that a forecast puts first; of equal ones the first.
double foreseen(std::span<const double> forecast, std::span<const std::uint32_t> counts,
                std::size_t n) {
    std::vector<std::size_t> items(forecast.size());
    std::iota(items.begin(), items.end(), std::size_t{0});
    const auto end = items.begin() + static_cast<std::ptrdiff_t>(n);
    std::nth_element(items.begin(), end, items.end(), [&](std::size_t a, std::size_t b) {
        return forecast[a] != forecast[b] ? forecast[a] > forecast[b] : a < b;
    });
    return std::accumulate(items.begin(), end, 0.0,
                           [&](double sum, std::size_t item) { return sum + counts[item]; });
}

bool is_no_chance(double more, double less) {
    return more - less > kDeviations * std::sqrt(more + less);
}

// The exchanges of a layer: the least of VRAM's places for the most of the others, and so on.
struct Sides {
    std::vector<int> vram, other;  // places
};

// uses: by place. A mixture has some hundred, a sparse layer tens of thousands: what no partner
// is worth moving for is left out before the rest is sorted.
Sides worth_moving(std::span<const double> uses, std::size_t n_vram) {
    const auto of_vram = uses.first(n_vram), of_others = uses.subspan(n_vram);
    const double least = *std::min_element(of_vram.begin(), of_vram.end());
    const double most = *std::max_element(of_others.begin(), of_others.end());
    Sides sides;
    for (std::size_t place = 0; place < uses.size(); ++place) {
        if (place < n_vram && is_no_chance(most, uses[place])) {
            sides.vram.push_back(static_cast<int>(place));
        } else if (place >= n_vram && is_no_chance(uses[place], least)) {
            sides.other.push_back(static_cast<int>(place));
        }
    }
    const auto at = [&](int place) { return uses[static_cast<std::size_t>(place)]; };
    std::stable_sort(sides.vram.begin(), sides.vram.end(),
                     [&](int a, int b) { return at(a) < at(b); });
    std::stable_sort(sides.other.begin(), sides.other.end(),
                     [&](int a, int b) { return at(a) > at(b); });
    return sides;
}

}  // namespace

VramMoves::VramMoves(const ModelSpec& spec, const ActivationProfile* known) {
    for (int i = 0; i < spec.n_layer(); ++i) {
        Layer layer;
        // A mixture's dense layers are not counted.
        if (spec.layer(i).is_mixture() ||
            (!spec.has_experts() && is_sparse(spec.layer(i).activation))) {
            layer.width = spec.layer(i).n_ff_counted();
            layer.all.resize(static_cast<std::size_t>(spec.layer(i).n_counted()));
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

bool VramMoves::suits(const ModelSpec& spec) {
    return spec.has_experts() ||
           spec.any([](const LayerSpec& layer) { return is_sparse(layer.activation); });
}

int VramMoves::items_in_vram(const Placement& placement, int layer) const {
    const int width = layers_[static_cast<std::size_t>(layer)].width;
    return width == 0 ? 0 : placement.hot(layer) / width;
}

void VramMoves::count_hits(std::span<const std::uint32_t> counts, const Placement& placement,
                           int layer) {
    const auto n = static_cast<std::size_t>(items_in_vram(placement, layer));
    if (n == 0 || n == counts.size()) {
        return;
    }
    const std::span<const int> order = placement.order(layer);
    for (std::size_t place = 0; place < counts.size(); ++place) {
        const std::uint32_t uses =
            counts[order.empty() ? place : static_cast<std::size_t>(order[place])];
        hits_.uses += uses;
        hits_.in_vram += place < n ? uses : 0;
    }
}

void VramMoves::add(std::span<const std::vector<std::uint32_t>> counts, std::uint64_t tokens,
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
        const auto n = static_cast<std::size_t>(items_in_vram(placement, static_cast<int>(l)));
        count_hits(std::span(counts[l]).first(layer.all.size()), placement, static_cast<int>(l));
        // A forecast that knows nothing is no forecast yet: neither is judged before both are.
        if (n > 0 && last_tokens_ > 0) {
            all_foresaw_ += foreseen(layer.all, counts[l], n);
            last_foresaw_ += foreseen(layer.last, counts[l], n);
        }
        for (std::size_t item = 0; item < layer.all.size(); ++item) {
            layer.all[item] += counts[l][item];
            layer.last[item] = layer.last[item] * kept + counts[l][item];
        }
    }
    all_tokens_ += static_cast<double>(tokens);
    last_tokens_ = last_tokens_ * kept + static_cast<double>(tokens);
}

VramMoves::Hits VramMoves::take_hits() {
    return std::exchange(hits_, {});
}

std::vector<PlaceExchange> VramMoves::wanted(const Placement& placement, std::size_t most) const {
    const bool last = goes_by_last();
    const double tokens = last ? last_tokens_ : all_tokens_;
    struct Wanted {
        PlaceExchange two;
        double gain = 0;  // uses a token
    };
    std::vector<Wanted> wanted;
    std::vector<double> uses;  // by place
    for (std::size_t l = 0; l < layers_.size() && tokens > 0; ++l) {
        const auto index = static_cast<int>(l);
        const std::span<const int> order = placement.order(index);
        const auto n = static_cast<std::size_t>(items_in_vram(placement, index));
        if (order.empty() || n == 0 || n == order.size()) {
            continue;
        }
        const std::vector<double>& forecast = last ? layers_[l].last : layers_[l].all;
        uses.clear();
        for (const int item : order) {
            uses.push_back(forecast[static_cast<std::size_t>(item)]);
        }
        const Sides sides = worth_moving(uses, n);
        for (std::size_t i = 0; i < std::min(sides.vram.size(), sides.other.size()); ++i) {
            const double less = uses[static_cast<std::size_t>(sides.vram[i])];
            const double more = uses[static_cast<std::size_t>(sides.other[i])];
            if (!is_no_chance(more, less)) {
                break;
            }
            wanted.push_back({{index, sides.vram[i], sides.other[i]}, (more - less) / tokens});
        }
    }
    std::stable_sort(wanted.begin(), wanted.end(),
                     [](const Wanted& a, const Wanted& b) { return a.gain > b.gain; });
    std::vector<PlaceExchange> best;
    for (std::size_t i = 0; i < std::min(most, wanted.size()); ++i) {
        best.push_back(wanted[i].two);
    }
    return best;
}

}  // namespace hearth
