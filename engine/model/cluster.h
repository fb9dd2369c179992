// A cluster is the unit that is placed, cached, read and computed as one piece.
#pragma once

namespace hearth {

// Neurons [first, first + count) of one layer's feed-forward block. It means these rows of gate and
// up and these columns of down. (PowerInfer-2, section 3: neuron cluster.)
struct Cluster {
    int layer = 0;
    int first = 0;
    int count = 0;

    bool operator==(const Cluster&) const = default;
};

}  // namespace hearth
