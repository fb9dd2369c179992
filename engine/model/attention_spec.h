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
    float magnitude = 1.0F;      // what is rotated is multiplied by it
    // YaRN (Peng et al. 2023): pairs that turn more than beta_fast times in yarn_context positions
    // keep their frequency, those that turn less than beta_slow times are divided by linear_factor,
    // and between them it fades. 0: all are divided.
    int yarn_context = 0;
    float yarn_beta_fast = 32.0F;
    float yarn_beta_slow = 1.0F;

    bool operator==(const RopeSpec&) const = default;
};

// Each query head reads the keys and values of one key/value head, of every position up to its own.
// A feature that some layers have is a field here whose default is "none". A file that asks for a
// feature without a field is refused where specs are made (model/architectures/).
enum class HeadNorm {
    None,
    Each,   // the RMS norm of each head of q and of k by itself, before they are rotated
    Whole,  // that of all heads of q, and of all of k
};

struct AttentionSpec {
    int n_head = 0;
    int n_head_kv = 0;  // divides n_head
    int head_dim = 0;   // of queries, keys and values alike; even
    HeadNorm head_norm = HeadNorm::None;
    RopeSpec rope{};        // of q and of k
    float scale = 1.0F;     // a score is scale * q . k
    float soft_cap = 0.0F;  // it becomes soft_cap * tanh(score / soft_cap); 0: it stays
    int window = 0;  // a query sees so many positions, its own the last; 0: all up to its own
    // A head's output is multiplied by the sigmoid of a gate. The gate's rows of Role::Q follow
    // those of the head's query.
    bool gated = false;
};

}  // namespace hearth
