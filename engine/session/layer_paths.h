// Switches each layer's path between answers, as plan/path_choice.h says.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compute/block_paths.h"

namespace hearth {

// Of the layers that have more than one path (BlockPaths::has_paths()); the others keep theirs. A
// GPU's neurons always take the plan's mode: what is chosen is the path of the processor's part of
// a layer, by how many of those gates are open.
//
// One thread at a time, and never while an answer is computed: an answer's sums are added in one
// order. unit must outlive this.
class LayerPaths {
public:
    // unit: as it was loaded, every path is exact. speeds: its own; kTypicalSpeeds where they were
    // not measured.
    LayerPaths(BlockPaths& unit, const PathSpeeds& speeds);

    // Chooses by what is known before the first answer; [n_layer], empty: nothing is.
    void begin(std::span<const std::optional<double>> opened);
    // This unit takes the place of another one of the same model in the middle of an answer: the
    // paths stay as they are. `before` may have outlived its unit.
    void take_over(const LayerPaths& before);
    // Between answers: chooses by what the unit has counted, where that is enough.
    void choose();
    // Every layer is exact from now on, and stays so.
    void fix();

private:
    void choose(int layer, double opened);
    void set(int layer, FeedForwardMode path);

    BlockPaths& unit_;
    PathSpeeds speeds_;
    std::vector<FeedForwardMode> paths_;  // [n_layer]; of layers with one path only: Exact
    bool fixed_ = false;
};

}  // namespace hearth
