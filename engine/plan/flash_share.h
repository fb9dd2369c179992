// What VRAM, RAM and flash hold of a model that VRAM and RAM cannot hold together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/gpu_share.h"
#include "plan/memory_costs.h"

namespace hearth {

struct FlashShare {
    GpuPart part;                      // nothing: the processor alone is forecast to be as fast
    MemoryBytes vram;                  // of it
    std::optional<FlashChoice> flash;  // of the processor's part; empty: RAM holds it after all
    std::vector<std::string> reasons;
};

// Fills VRAM with what is then never read from disk, and leaves to the processor what RAM has no
// room for. Looked at are whole layers, the last ones first, and, of sparse models, attention of
// the last layers with the same share of each one's neurons, the hottest ones; with the output head
// and without. Taken is what is forecast to be fastest, the processor alone among it. Policies
// other than Auto use the GPU wherever anything fits it. Each share is looked at in steps of 1 /
// 256 of a layer: up to these, more of either budget is not forecast to be slower.
//
// Where the disk was not measured, a usual one is assumed: shares differ in what they read of it,
// and all read from the same one. Empty: RAM cannot hold what a pass needs at once. Preconditions:
// memory.stream_to_fit and memory.gpu.
std::optional<FlashShare> flash_share(const ShareTask& task);

}  // namespace hearth
