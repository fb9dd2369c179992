// Chooses how a model is split that VRAM and RAM cannot hold together: what is left to flash.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/memory_costs.h"
#include "plan/split_choice.h"

namespace hearth {

struct FlashSplitChoice {
    // Nothing in VRAM: the processor alone is forecast to be as fast. Only flash's
    // placement has what is left on flash.
    Placement placement;
    MemoryBytes vram;                  // of it
    std::optional<FlashChoice> flash;  // empty: RAM holds what the GPU does not
    std::vector<std::string> reasons;
};

// Fills VRAM with what is then never read from disk, and leaves to the processor what RAM has no
// room for. Looked at are whole layers, the last ones first, and, of sparse models and mixtures,
// attention of the last layers with the same share of neurons of each, the hottest ones (a token
// reads all of a mixture's attention and few of its experts); with the output head
// and without. Taken is what is forecast to be fastest, the processor alone among it. Policies
// other than Auto use the GPU wherever anything fits it. Each split is looked at in steps of 1 /
// 256 of a layer: up to these, more of either budget is not forecast to be slower.
//
// A usual disk is assumed if none was measured: splits differ in what they read of it,
// and all read from the same one. Empty: RAM cannot hold what a pass needs at once. Preconditions:
// memory.stream_to_fit and memory.gpu.
std::optional<FlashSplitChoice> choose_flash_split(const SplitTask& task);

}  // namespace hearth
