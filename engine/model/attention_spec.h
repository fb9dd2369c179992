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
    // Frequencies are divided by the file's factors, where it has some (rope.h).
    bool factored = true;

    bool operator==(const RopeSpec&) const = default;
};

// Each query head reads the keys and values of one key/value head, of every position up to its own.
// A feature that some layers have is a field here whose default is "none". A file that asks for a
// feature without a field is refused where specs are made (model/architectures/).
enum class HeadNorm {
    None,
    Each,   // the RMS norm of each head of q and of k by itself, before they are rotated
    Whole,  // that of all heads of q, and of all of k
    Plain,  // Each, without weights
};

// How the past's keys and values are held.
enum class KvType {
    F16,
    Q8_0,  // signed bytes with a half that multiplies 32 of a head's columns
};

// A query sees the best blocks of the past and the positions behind the last whole block. A block's
// key is the mean of its positions' keys, normed and rotated as its first position. A query and a
// block are worth the sum over heads of max(0, q . k). Queries and keys are of this choice alone:
// those of attention have nothing to do with it.
struct BlockChoiceSpec {
    int block = 0;     // positions; 0: a query sees all
    int n_chosen = 0;  // blocks; with so many or fewer before it a query sees all
    int n_head = 0;
    int dim = 0;  // of a head, and of keys

    bool present() const { return block > 0; }
    int queries_width() const { return n_head * dim; }
    bool operator==(const BlockChoiceSpec&) const = default;
};

struct AttentionSpec {
    int n_head = 0;
    int n_head_kv = 0;  // divides n_head
    int head_dim = 0;   // of queries and keys; even
    int value_dim = 0;  // of values; 0: head_dim
    HeadNorm head_norm = HeadNorm::None;
    RopeSpec rope{};          // of q and of k
    float scale = 1.0F;       // a score is scale * q . k
    float soft_cap = 0.0F;    // it becomes soft_cap * tanh(score / soft_cap); 0: it stays
    KvType kv = KvType::F16;  // as the user wants it, not the file
    int window = 0;  // a query sees so many positions, its own the last; 0: all up to its own
    // Positions stand in chunks of `window`: a query sees those of its own chunk, up to its own.
    bool chunked = false;
    // A past that need not hold all positions moves up when its room is full (model/past_shape.h).
    // So many positions stay then, which the largest of the model's windows needs; 0: it holds all.
    int kept = 0;
    BlockChoiceSpec choice{};
    // A head's result is multiplied by the sigmoid of a gate. The gate's rows of Role::Q follow
    // those of the head's query.
    bool gated = false;
    // Each head has a number that takes part in the softmax as a score does and brings no value
    // (attention sinks, Xiao et al. 2023).
    bool sinks = false;
    bool v_is_k = false;  // values are the keys before their norm and rotation
    bool v_norm = false;  // each head of v is normed by RMS, without a weight; with HeadNorm::Each
    // The layer before this one whose keys and values are read: a layer that has one computes and
    // keeps none of its own. Both have the same key/value heads.
    int past_of = kOwnPast;
    static constexpr int kOwnPast = -1;
    bool has_own_past() const { return past_of == kOwnPast; }
    int values_dim() const { return value_dim > 0 ? value_dim : head_dim; }
    // Scores of the query at position p are multiplied by 1 + temperature *
    // ln(1 + floor((p + temperature_offset) / temperature_length)). 0: they stay.
    float temperature = 0.0F;
    int temperature_length = 0;  // positions; positive where there is a temperature
    int temperature_offset = 0;  // likewise, small
};

}  // namespace hearth
