// The views that a layout's weights give of memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cpu/cpu_layout.h"
#include "cpu/cpu_weights.h"
#include "memory/segments.h"

namespace hearth {

// Views of each layer, [n_layer], then of the model's own roles. ram: the layout's segments; slot:
// where streamed weights begin, of for_batches batch_slot. Weights in the slots of a cache have no
// view yet. `batch`: the layers with slots as a batch sees them, [n_layer]; empty: there are none.
struct LayoutViews {
    std::vector<CpuLayer> layers;
    std::vector<CpuLayer> batch;
};
LayoutViews views_of(const CpuLayout& layout, const ModelTensors& tensors, const Segments& ram,
                     std::byte* slot, std::byte* batch_slot);

}  // namespace hearth
