#include "bench/cache_bound.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace hearth::bench {
namespace {

constexpr std::array kShown{CachePolicy::Lru, CachePolicy::Lfu, CachePolicy::Static,
                            CachePolicy::OursOfExperts, CachePolicy::Belady};

template <class... Values>
std::string line(const char* format, Values... values) {
    std::array<char, 256> text{};
    std::snprintf(text.data(), text.size(), format, values...);
    return text.data();
}

}  // namespace

CacheBound cache_bound(CachePolicy policy, const Trace& tuning, const Trace& judged,
                       const CacheReport& report, const CacheBoundInputs& machine) {
    double missed_bytes = 0;
    std::size_t asked = 0;
    std::size_t misses = 0;
    for (std::size_t layer = 0; layer < report.layers.size(); ++layer) {
        const CacheReport::Layer& room = report.layers[layer];
        const auto slots = std::min<std::size_t>(room.n_slots, judged.n_items);
        const auto cache = slots == 0 ? nullptr : make_layer_cache(policy, slots, judged, layer);
        for (std::size_t token = 0; cache != nullptr && token < tuning.n_tokens(); ++token) {
            cache->tune(tuning.demand(token, layer));
        }
        if (cache != nullptr) {
            cache->begin();
        }
        std::size_t of_layer = 0;
        for (std::size_t token = 0; token < judged.n_tokens(); ++token) {
            const auto demand = judged.demand(token, layer);
            of_layer += cache != nullptr ? cache->use(demand) : demand.size();
            asked += demand.size();
        }
        misses += of_layer;
        missed_bytes += static_cast<double>(of_layer) * static_cast<double>(room.expert_bytes);
    }
    const double n = std::max(1.0, static_cast<double>(judged.n_tokens()));
    CacheBound bound;
    bound.hit_rate =
        asked == 0 ? 1.0 : 1 - static_cast<double>(misses) / static_cast<double>(asked);
    bound.disk_bytes = missed_bytes / n + static_cast<double>(report.streamed_bytes);
    bound.disk_seconds = bound.disk_bytes / machine.disk_bytes_per_second;
    bound.tokens_per_second = 1 / std::max(bound.disk_seconds, machine.seconds_in_ram);
    return bound;
}

std::string cache_bound_table(const Trace& tuning, const Trace& judged, const CacheReport& report,
                              const CacheBoundInputs& machine) {
    std::string table =
        "| policy | hits | read a token, MB | disk, ms | bound, tokens/s |\n"
        "| --- | --- | --- | --- | --- |\n";
    double bound_of_lru = 0;
    double best = 0;  // of what an engine can do
    for (const CachePolicy policy : kShown) {
        const CacheBound bound = cache_bound(policy, tuning, judged, report, machine);
        table += line("| %s | %.1f %% | %.1f | %.1f | %.2f |\n", to_string(policy).data(),
                      100 * bound.hit_rate, bound.disk_bytes / 1e6, 1e3 * bound.disk_seconds,
                      bound.tokens_per_second);
        if (policy == CachePolicy::Lru) {
            bound_of_lru = bound.tokens_per_second;
        }
        if (policy != CachePolicy::OursOfExperts && policy != CachePolicy::Belady) {
            best = std::max(best, bound.hit_rate);
        }
    }
    table += line("| the run | %.1f %% | %.1f | | |\n", 100 * report.hit_rate(),
                  report.disk_bytes / 1e6);
    table += line("computed in %.1f ms a token with all in memory; disk %.2f GB/s\n",
                  1e3 * machine.seconds_in_ram, machine.disk_bytes_per_second / 1e9);
    table += line(
        "%.2f tokens/s, %.1f %% of the bound of LRU; hits %+.1f points beside the best of "
        "LRU, LFU and static\n",
        report.tokens_per_second, 100 * report.tokens_per_second / bound_of_lru,
        100 * (report.hit_rate() - best));
    return table;
}

}  // namespace hearth::bench
