// Whether a GPU computes a prompt alone, and with how much of its memory for what it borrows.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/cost_model.h"
#include "plan/memory_costs.h"
#include "plan/plan.h"

namespace hearth {

// For a GPU of vram_bytes that does not hold the whole model. Borrowed weights pass the bus once a
// batch, however many tokens it has; the processor multiplies with them once a token. So a batch is
// streamed from that number of tokens on for which the bus is the faster way. Empty: batches are
// too small for that, the GPU multiplies no faster than the processor, what would be needed to know
// is not known, or the memory for it would be too great a part of the GPU's.
std::optional<Streaming> streaming_for(const TokenCosts& tokens, const Speeds& speeds,
                                       const GpuMemoryCosts& gpu, std::uint64_t vram_bytes,
                                       int n_batch);

// The costs with what streaming takes.
MemoryCosts with_streaming(MemoryCosts costs, std::uint64_t slot_bytes);

}  // namespace hearth
