// Decides whether a GPU computes a prompt alone, with weights uploaded to it, and how much of its
// memory holds them.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/cost_model.h"
#include "plan/memory_costs.h"
#include "plan/plan.h"

namespace hearth {

// For a GPU of vram_bytes that does not hold the whole model. Weights are uploaded once per batch,
// however many tokens the batch has. The processor would multiply with them once per token. They
// are therefore uploaded for a batch that has so many tokens that the bus is the faster way.
// Empty: batches are too small for that, the GPU multiplies no faster than the processor, a speed
// that is needed was not measured, or the slots would need too great a part of the GPU's memory.
std::optional<WeightUpload> weight_upload_for(const TokenCosts& tokens, const Speeds& speeds,
                                              const GpuMemoryCosts& gpu, std::uint64_t vram_bytes,
                                              int n_batch);

// Adds to the costs the memory that uploading needs.
MemoryCosts with_weight_upload(MemoryCosts costs, std::uint64_t slot_bytes);

}  // namespace hearth
