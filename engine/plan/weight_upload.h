// Decides whether a GPU computes a prompt alone, with weights uploaded to it, and how much of its
// memory holds them.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/cost_model.h"
#include "plan/memory_costs.h"
#include "plan/plan.h"

namespace hearth {

struct UploadTask {
    std::uint64_t vram_bytes = 0;
    int n_batch = 0;
    bool reads_flash = false;  // RAM does not hold all that VRAM does not
};

// For a GPU of vram_bytes that does not hold the whole model. Weights are uploaded once per batch,
// however many tokens the batch has. The processor would multiply with them once per token. They
// are therefore uploaded for a batch that has so many tokens that the bus is the faster way.
// All experts of a mixture that the GPU does not hold are uploaded, whatever a batch chooses.
// Empty: batches are too small for that, the GPU multiplies no faster than the processor, a speed
// that is needed was not measured, the slots would need too great a part of the GPU's memory, or
// experts lie on flash.
std::optional<WeightUpload> weight_upload_for(const TokenCosts& tokens, const Speeds& speeds,
                                              const GpuMemoryCosts& gpu, const UploadTask& task);

// Adds to the costs the memory that uploading needs.
MemoryCosts with_weight_upload(MemoryCosts costs, std::uint64_t slot_bytes);

}  // namespace hearth
