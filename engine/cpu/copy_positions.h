// Copies positions of one head's past to another place, so that kernels of attention find those
// that a query sees one behind the other.
#pragma once

#include <cstddef>

#include "model/attention_spec.h"

namespace hearth {

// The past of one key/value head, as kernels::past_tile_bytes() says.
struct PastPositions {
    KvType kv;
    int key_dim;
    int value_dim;
    const std::byte* keys;
    const std::byte* values;
};

// Positions [first, first + count) of `from` become positions [to, to + count) of keys and values,
// which are laid out alike. What is behind them in the last tile may change.
void copy_positions(const PastPositions& from, int first, int count, int to, std::byte* keys,
                    std::byte* values);

}  // namespace hearth
