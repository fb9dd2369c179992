#include "bench/cache_simulation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "plan/firing_window.h"

namespace hearth::bench {
namespace {

std::vector<std::size_t> slots_by_window(const std::vector<std::size_t>& counts, const Trace& trace,
                                         std::size_t n_slots) {
    ActivationProfile profile;
    ModelSpec spec;
    profile.tokens = trace.n_tokens();
    for (std::size_t layer = 0; layer < trace.n_layer; ++layer) {
        const auto first = counts.begin() + static_cast<std::ptrdiff_t>(layer * trace.n_items);
        profile.layers.emplace_back().fired[0].assign(first, first + trace.n_items);
        spec.layers.emplace_back().n_ff = static_cast<int>(trace.n_items);
    }
    const FiringWindow window(spec, &profile);
    const auto slots_of = [&](double log_tokens) {
        std::vector<std::size_t> slots;
        for (std::size_t layer = 0; layer < trace.n_layer; ++layer) {
            const double used = window.neurons(layer, std::exp2(log_tokens));
            slots.push_back(std::clamp<std::size_t>(
                static_cast<std::size_t>(used + 0.5),
                std::min<std::size_t>(kPinnedNeighbours, trace.n_items), trace.n_items));
        }
        return slots;
    };
    double low = -8;
    for (double high = 48; window.is_known() && high - low > 1e-4;) {
        const double middle = (low + high) / 2;
        const auto slots = slots_of(middle);
        (std::accumulate(slots.begin(), slots.end(), std::size_t{0}) <= n_slots ? low : high) =
            middle;
    }
    return window.is_known() ? slots_of(low)
                             : std::vector<std::size_t>(trace.n_layer, n_slots / trace.n_layer);
}

}  // namespace

std::vector<std::size_t> layer_slots(const Trace& profiled, double share, SlotShares shares) {
    const std::size_t n_items = profiled.n_items;
    const auto each = static_cast<std::size_t>(share * static_cast<double>(n_items) + 0.5);
    std::vector<std::size_t> slots(profiled.n_layer, std::max<std::size_t>(1, each));
    if (shares == SlotShares::Equal) {
        return slots;
    }
    std::vector<std::size_t> counts(profiled.n_layer * n_items);
    for (std::size_t i = 0; i < profiled.sets.size(); ++i) {
        for (const std::uint16_t item : profiled.sets[i]) {
            ++counts[i % profiled.n_layer * n_items + item];
        }
    }
    if (shares == SlotShares::ByWindow) {
        return slots_by_window(counts, profiled, each * profiled.n_layer);
    }
    std::vector<std::size_t> order(counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
    std::fill(slots.begin(), slots.end(), std::size_t{0});
    for (std::size_t i = 0; i < std::min(order.size(), each * profiled.n_layer); ++i) {
        ++slots[order[i] / n_items];
    }
    for (std::size_t& of_layer : slots) {
        of_layer = std::max<std::size_t>(1, of_layer);
    }
    return slots;
}

double Replay::per_token() const {
    return misses.empty() ? 0.0
                          : std::accumulate(misses.begin(), misses.end(), 0.0) /
                                static_cast<double>(misses.size());
}

double Replay::hit_rate() const {
    const double missed = per_token() * static_cast<double>(misses.size());
    return asked == 0 ? 1.0 : 1 - missed / static_cast<double>(asked);
}

std::size_t Replay::percentile(int percent) const {
    if (misses.empty()) {
        return 0;
    }
    std::vector<std::size_t> sorted = misses;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t rank = (sorted.size() * static_cast<std::size_t>(percent) + 99) / 100;
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

Replay replay(CachePolicy policy, const Trace& tuning, const Trace& judged,
              std::span<const std::size_t> slots) {
    Replay replay;
    replay.misses.resize(judged.n_tokens());
    for (std::size_t layer = 0; layer < judged.n_layer; ++layer) {
        const auto cache = make_layer_cache(policy, slots[layer], judged, layer);
        for (std::size_t token = 0; token < tuning.n_tokens(); ++token) {
            cache->tune(tuning.demand(token, layer));
        }
        cache->begin();
        for (std::size_t token = 0; token < judged.n_tokens(); ++token) {
            replay.misses[token] += cache->use(judged.demand(token, layer));
            replay.asked += judged.demand(token, layer).size();
        }
    }
    return replay;
}

double bound(double misses_per_token, const BoundInputs& inputs) {
    const double disk = misses_per_token / inputs.reads_per_second;
    const double processor =
        inputs.seconds_in_ram + misses_per_token * inputs.cpu_us_per_read * 1e-6 / inputs.cores;
    return 1 / (std::max(disk, processor) + inputs.streamed_bytes / inputs.bytes_per_second);
}

}  // namespace hearth::bench
