// Neurons that come to a layer of the GPU in the place of others.
#pragma once

#include <span>

#include <hearth/result.h>

#include "compute/executor.h"
#include "vulkan/gpu_weights.h"
#include "vulkan/weight_loader.h"

namespace hearth::vulkan {

// Reads, over those of the neurons that were there, the rows of those that stand at the pairs'
// places in slice.plan.placement now. A predictor has rows of the processor's neurons too. pairs:
// of one layer, which is no mixture. Errors as WeightLoader's. Precondition: rows of all of the
// block's matrices are neurons.
Result<void> read_neurons(const PlanSlice& slice, std::span<const PlaceExchange> pairs,
                          GpuLayer& held, WeightLoader& loader);

}  // namespace hearth::vulkan
