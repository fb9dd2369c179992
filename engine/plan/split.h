// One way to split a model between a GPU and the processor. Planners look at many.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/cost_model.h"
#include "plan/memory_costs.h"
#include "plan/placement.h"
#include "plan/plan.h"

namespace hearth {

struct Split {
    int n_in_ram = 0;  // layers [0, n_in_ram) have their attention in RAM, the others in VRAM
    bool output_in_vram = false;
    std::vector<int> hot;  // [n_layer] neurons in VRAM, the first of heat's order
};

// RAM has all that the GPU does not get. Each unit's neurons lie as they stand in the file: a load
// is then one pass over it.
Placement placement_of(const Split& split, const NeuronHeat& heat);

// Puts each unit's neurons in the order of the file that a packed file was made from, where they
// lie as in the packed file: by heat, those that fire crowd in the chunks whose sums units share
// out. Sums are then that file's, to the bit, if its units have the same neurons.
void order_as_source(const NeuronHeat& heat, Placement& placement);

// VRAM that the split takes. scratch: GpuMemoryCosts::scratch_bytes(), which a part that is nothing
// does not need.
MemoryBytes vram_of(const Split& split, const GpuMemoryCosts& gpu, int n_ctx,
                    std::uint64_t scratch);

}  // namespace hearth
