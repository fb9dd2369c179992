// Engines that tests load of small files, and what these are asked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <hearth/engine.h>

#include "text/tokenizer.h"

namespace hearth::test {

// Tokens of a TinyModel, of which each seems to be any.
std::vector<TokenId> words(int count, int step = 3);

// A machine whose GPU is worth using: what is planned does not depend on how busy this one is.
inline constexpr MachineSpeeds kFastGpu{.ram_read_gb_per_s = 20,
                                        .cpu_gflop_per_s = 100,
                                        .gpu_read_gb_per_s = 100,
                                        .to_gpu_gb_per_s = 10,
                                        .from_gpu_gb_per_s = 10,
                                        .round_trip_us = 1,
                                        .gpu_gflop_per_s = 2000};

// On two threads of the processor alone. ram_bytes: 0 is no limit.
EngineOptions small_engine(const std::string& path, std::uint64_t ram_bytes = 0);

// Null: it cannot be loaded. Standard error says why.
std::unique_ptr<Engine> load_or_say(const EngineOptions& options);

}  // namespace hearth::test
