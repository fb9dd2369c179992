// Decides whether a GPU computes a prompt alone, and how much of its memory holds borrowed weights.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/cost_model.h"
#include "plan/memory_costs.h"
#include "plan/plan.h"

namespace hearth {

// For a GPU of vram_bytes that does not hold the whole model. Borrowed weights cross the bus once
// per batch, however many tokens the batch has. The processor would multiply with them once per
// token. A batch is therefore streamed if it has so many tokens that the bus is the faster way.
// Empty: batches are too small for that, the GPU multiplies no faster than the processor, a speed
// that is needed was not measured, or the slots would take too great a part of the GPU's memory.
std::optional<Streaming> streaming_for(const TokenCosts& tokens, const Speeds& speeds,
                                       const GpuMemoryCosts& gpu, std::uint64_t vram_bytes,
                                       int n_batch);

// Adds to the costs what streaming takes.
MemoryCosts with_streaming(MemoryCosts costs, std::uint64_t slot_bytes);

}  // namespace hearth
