// The attention of a layer: what lies between the matrices before it and the one after it. Plain
// data: the kernels of every instruction set read it, and so the header defines no function that
// they call.
#pragma once

namespace hearth {

enum class RopePairing {
    Neighbours,  // rotates (0,1), (2,3), ...
    Halves,      // rotates (0, d/2), (1, d/2 + 1), ...
    None,        // no rotation
};

struct RopeSpec {
    RopePairing pairing = RopePairing::Neighbours;
    int dim = 0;  // leading dimensions of a head that are rotated; even; 0 where nothing is
    float base = 10000.0F;
    float linear_factor = 1.0F;  // positions are divided by it

    bool operator==(const RopeSpec&) const = default;
};

// Each query head reads the keys and values of one key/value head, of every position up to its own.
// A feature that some layers have is a field here whose default is "none". A file that asks for a
// feature without a field is refused where specs are made (model/architectures/).
struct AttentionSpec {
    int n_head = 0;
    int n_head_kv = 0;       // divides n_head
    int head_dim = 0;        // of queries, keys and values alike; even
    bool head_norm = false;  // the RMS norm of each head of q and of k, before they are rotated
    RopeSpec rope{};         // of q and of k
    float scale = 1.0F;      // a score is scale * q . k
    float soft_cap = 0.0F;   // it becomes soft_cap * tanh(score / soft_cap); 0: it stays
    int window = 0;  // a query sees so many positions, its own the last; 0: all up to its own
};

}  // namespace hearth
