// Which of a layout's weights are in memory already, as another layout left them.
#pragma once

#include <vector>

#include "cpu/cpu_layout.h"
#include "memory/segments.h"

namespace hearth {

// [weights]: of each with the home Ram, where `before` has the same bytes; null: they must be read.
// Precondition: of a layer with two layouts, up lies in rows.
std::vector<const HeldWeight*> kept_weights(const CpuLayout& layout, const CpuLayout& before);

// Moves what is kept to where the layout has it. Segments that become smaller give their memory up
// before others take more. OutOfMemory: the segments are of neither layout.
Result<void> move_kept(const CpuLayout& layout, const std::vector<const HeldWeight*>& kept,
                       Segments& segments);

}  // namespace hearth
