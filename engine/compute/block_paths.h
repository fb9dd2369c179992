// The paths that a token alone can take through a unit's feed-forward blocks.
#pragma once

#include <span>

#include <hearth/result.h>

#include "compute/activity.h"
#include "plan/path_choice.h"

namespace hearth {

// Of a loaded unit, between two tokens.
class BlockPaths {
public:
    virtual ~BlockPaths() = default;
    // Whether a token alone can take more than one path through the layer's block: Exact, which it
    // takes after loading, and Dense. Only where the plan's mode is Exact.
    virtual bool has_paths(int layer) const = 0;
    // The path that activity() names from now on. The results of both differ in the order of sums
    // alone. Takes as long as reading and writing the layer's up projection once. Precondition:
    // has_paths(layer), and the path is Exact or Dense.
    virtual void set_path(int layer, FeedForwardMode path) = 0;
    // How fast they are here, by the weights that are loaded: some tens of ms. Not measured where
    // no layer has paths. Precondition: all paths are Exact.
    virtual PathSpeeds measure_paths() = 0;
    // [n_layer], see Executor::activity().
    virtual Result<std::span<const LayerActivity>> activity() = 0;
};

}  // namespace hearth
