// The activation function of a feed-forward block.
#pragma once

#include "cpu/cpu_weights.h"
#include "cpu/kernels/kernels.h"
#include "model/model_spec.h"

namespace hearth {

// gate becomes f(gate, up), [n] each. In ungated blocks it holds up and becomes f(up): `up` may
// then hold anything. Any thread.
void activate(const kernels::KernelTable& table, const LayerSpec& spec, float* gate,
              const float* up, int n);

// Adds up's bias, where the layer has one, to what neurons [first, end) have at `up`, [end -
// first]. Only ungated blocks have one. Any thread.
void add_up_bias(const kernels::KernelTable& table, const CpuLayer& layer, int first, int end,
                 float* up);

}  // namespace hearth
