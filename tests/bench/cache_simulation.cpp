#include "bench/cache_simulation.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace hearth::bench {

std::vector<std::size_t> layer_slots(const Trace& tuning, double share, SlotShares shares) {
    const std::size_t n_items = tuning.n_items;
    const auto each = static_cast<std::size_t>(share * static_cast<double>(n_items) + 0.5);
    std::vector<std::size_t> slots(tuning.n_layer, std::max<std::size_t>(1, each));
    if (shares == SlotShares::Equal) {
        return slots;
    }
    std::vector<std::size_t> counts(tuning.n_layer * n_items);
    for (std::size_t i = 0; i < tuning.sets.size(); ++i) {
        for (const std::uint16_t item : tuning.sets[i]) {
            ++counts[i % tuning.n_layer * n_items + item];
        }
    }
    std::vector<std::size_t> order(counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
    std::fill(slots.begin(), slots.end(), std::size_t{0});
    for (std::size_t i = 0; i < std::min(order.size(), each * tuning.n_layer); ++i) {
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
