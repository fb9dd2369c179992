// What a run of a mixture larger than RAM had of its cache of experts: how fast it was, what it
// hit, and what room each layer had. record_experts writes it as JSON, cache_simulator reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "bench/trace.h"

namespace hearth::bench {

struct CacheReport {
    struct Layer {
        std::uint64_t n_slots = 0;       // of experts that come and go; 0: none do
        std::uint64_t expert_bytes = 0;  // read from disk for one that is missing
        // Experts that stay in RAM or VRAM, ascending.
        std::vector<std::uint16_t> resident;
    };
    std::uint64_t tokens = 0;  // that were measured
    double tokens_per_second = 0;
    std::uint64_t hits = 0, misses = 0;  // of experts that come and go, of all those tokens
    double disk_bytes = 0;               // that a token read, in the mean
    std::uint64_t streamed_bytes = 0;    // of them, what every token reads, whatever it chooses
    std::vector<Layer> layers;           // that are mixtures

    // 1 where nothing was asked for.
    double hit_rate() const;
};

// JSON, an object.
std::string to_json(const CacheReport& report);
// path: names it in errors. BadFile: it is no such object; a layer's resident experts do not ascend
// or are not below 65536; a figure is negative or no number.
Result<CacheReport> parse_cache_report(std::string_view json, const std::string& path);

// The demand on the slots: the trace without the experts that stay.
// InvalidArgument: it has another number of layers, or a layer that is a mixture has resident
// experts that the trace does not know.
Result<Trace> asked_of_slots(const Trace& trace, const CacheReport& report);

}  // namespace hearth::bench
