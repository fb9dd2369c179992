// The blocks that several commands print: as JSON (cli-json's settings, memory, flash, share,
// model) and as lines for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hearth/engine.h>
#include <hearth/tools.h>

#include "program.h"

namespace hearth::cli {

Json settings_json(const EngineSettings& settings, std::uint64_t seed, float temperature);
Json model_json(const ModelInfo& model);
Json memory_json(const MemoryReport& memory);
Json flash_json(const FlashReport& flash);
// Shares of both units in the neurons computed for decoded tokens; null where none were computed.
Json share_json(const DecodeStatistics& decoded);
// Bytes of weights that loading brought to either unit, a second; null where loading took no time.
Json load_speed_json(const LoadTimings& timings, const MemoryReport& memory);
// Counts by place; null: the model is no mixture, or no token was decoded.
Json experts_json(const ExpertsServed& experts);
// "experts chosen: 62 % from VRAM, ..."; empty where experts_json() is null.
std::string experts_line(const ExpertsServed& experts);
// "12 experts came to VRAM", or "neurons that fired: 43.0 % lay in VRAM; 812 came there"; empty
// where neither is to be said.
std::string moved_line(const Adapted& adapted, bool is_mixture);
// The GPU's part of the model, or why it has none; empty: nothing to report.
std::string gpu_line(const EngineSettings& settings);

// If another tokenizer's words are used in place of those of `pre` (ModelInfo::tokenizer_fallback):
// a sentence that says so. Else empty.
std::string tokenizer_warning(const std::string& pre, const std::string& fallback);

// Bytes that each token reads from disk; empty: none.
std::string flash_line(const FlashReport& flash);

// "weights 30.1 MiB planned, 30.1 MiB used; ..."
std::string memory_line(const MemoryReport& memory);

// The time of the GPU's dispatches, one kind a line; empty if nothing was traced.
std::string trace_table(const std::vector<TraceEntry>& trace);

// The nearest-rank percentile: the smallest value with at least `percent` of 100 of the values at
// or below it. Values need no order. Precondition: not empty.
double percentile(std::span<const double> values, double percent);
double median(std::span<const double> values);

// printf into a string.
#if defined(__MINGW32__)
[[gnu::format(gnu_printf, 1, 2)]]
#elif defined(__GNUC__)
[[gnu::format(printf, 1, 2)]]
#endif
std::string
format(const char* pattern, ...);

// Where a plan places each layer, a line for those that follow each other and are alike.
std::string layers_text(const std::vector<tools::PlanReport::Layer>& layers);

}  // namespace hearth::cli
