// GGUF files of random weights at a real model's shape: for measuring, since speed depends on bytes
// and shapes, not on what the weights say.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <hearth/result.h>

#include "gguf/dtype.h"
#include "gguf/metadata.h"

namespace hearth::bench {

enum class VocabKind {
    ByteLevel,      // Llama 3's way: 256 bytes, words merged from them, 256 special tokens last
    SentencePiece,  // Llama 2's way: three special tokens, 256 bytes, pieces with scores
};

struct ModelShape {
    std::string_view name;
    int n_embd, n_layer, n_head, n_head_kv, head_dim, n_ff, n_vocab;
    bool tied;  // no output matrix of its own
    float rope_base;
    int n_ctx;
    VocabKind vocab;
    std::string_view arch = "llama";
    bool head_norms = false;  // of q and of k
    // Gated delta nets, where every layer but each delta_interval-th is one. 0: none is.
    int delta_interval = 0;
    int n_key_heads = 0, n_value_heads = 0, state_dim = 0;
    // Gemma 4's, where every layer but each interval-th sees a window. 0: none does. SmallThinker's
    // have `window` alone.
    struct Windows {
        int interval = 0, window = 0, head_dim = 0;
        int n_shared_pasts = 0;  // last layers that read another's keys and values
        int n_layer_input = 0;   // values that each layer gets of a token
        // The layers that see all have so many, and their keys are their values; 0: they have as
        // many as the others, and values of their own.
        int n_head_kv_of_all = 0;
    };
    Windows windows{};
    // Experts of all layers. 0: no layer is a mixture.
    // They stand beside a dense block of n_ff neurons in Gemma 4's.
    struct Experts {
        int n = 0, n_used = 0, n_ff = 0;
        int n_ff_shared = 0;  // of one that every token reads and weighs; 0: there is none
        // Multiplies the router's rows of half of the experts, which are shuffled, so that they are
        // chosen less often.
        float lesser = 1.0F;
        // Shares of experts that a token keeps of the one before it, one for each circle of words
        // (kept_experts.h), which the caller owns. Empty: the choice is as random weights have it.
        std::span<const double> kept{};
        int n_leading = 0;  // layers before the first that has experts
        // Llama 4's: the last of so many layers is a mixture, and others have n_ff neurons. 0: all.
        int step = 0;
    };
    Experts experts{};
    // Nemotron-H's, whose blocks are one operation each: M Mamba-2, * attention, E experts without
    // a gate. Empty: a block is attention and what is behind it.
    struct Blocks {
        std::string_view kinds;                                     // [n_layer]
        int n_heads = 0, n_groups = 0, head_dim = 0, n_states = 0;  // of Mamba-2
    };
    Blocks blocks{};
    // Latent attention of all layers: the sizes of latents, of what queries are made of, and of a
    // head's plain and rotated query and its value. 0: none has it. A mixture's router is then one
    // of biased sigmoids, and all tokens read the shared expert alike.
    struct Latent {
        int rank = 0, q_rank = 0, plain_dim = 0, rotated_dim = 0, value_dim = 0;
    };
    Latent latent{};

    bool sees_window(int layer) const {
        return windows.interval > 0 && (layer + 1) % windows.interval != 0;
    }
    int head_dim_of(int layer) const { return sees_window(layer) ? windows.head_dim : head_dim; }
    bool keys_are_values(int layer) const {
        return windows.n_head_kv_of_all > 0 && !sees_window(layer);
    }
    int n_head_kv_of(int layer) const {
        return keys_are_values(layer) ? windows.n_head_kv_of_all : n_head_kv;
    }
    bool is_mixture(int layer) const {
        return experts.n > 0 && layer >= experts.n_leading &&
               (experts.step == 0 || (layer + 1) % experts.step == 0);
    }
    // gpt-oss: attention has sinks, and every matrix of a layer has a bias.
    bool has_biases() const { return arch == "gpt-oss"; }
    bool has_dense_beside() const { return experts.n > 0 && arch == "gemma4"; }
    // ChatML's template, so that a chat talks to it: a field behind the tables' own.
    bool chat_template = false;
    // In qwen35 with planted text a layer behind the last foretells the word after next, and is
    // right for this share of words (kept_experts.h). Nothing: there is none.
    std::optional<double> foretells{};
    int n_blocks() const { return n_layer + (foretells ? 1 : 0); }
    // A delta_interval of 1: every layer is full attention, with a gate. The one that foretells
    // always is.
    bool is_delta_net(int layer) const {
        return delta_interval > 0 && layer < n_layer && (layer + 1) % delta_interval != 0;
    }
    char kind(int block) const { return blocks.kinds[static_cast<std::size_t>(block)]; }
};

std::span<const ModelShape> model_shapes();
const ModelShape* find_shape(std::string_view name);  // null: no such shape

// Fewest tokens a vocabulary of this kind can have.
int least_vocab(VocabKind kind);

// All keys of such a model: its sizes under `arch`, and a vocabulary. file_type: llama_ftype.
// Precondition: shape.n_vocab >= least_vocab(shape.vocab).
void add_chat_template(Metadata& metadata);
Metadata model_metadata(const ModelShape& shape, const std::string& arch, int file_type);

// Writes a file that this engine and llama.cpp load: every matrix of `type` with values spread like
// a normal distribution of deviation 1 / sqrt(cols), norms near 1 in F32. The output head, values,
// and the down projection of every second layer are of type `finer`, as files of mixed types store
// these finer; where matrices have biases, experts are of `type` and all other matrices are finer.
// A dense block beside experts and these may have rows that are no multiple of the types' blocks:
// their down projections are Q5_0 and Q8_0 then, as in such files. Memory stays below 32 MiB,
// whatever the shape. The bytes depend on shape, types and seed alone, not on `threads`. Returns
// the file's size. InvalidArgument: a type that the engine does not compute with, rows that are no
// multiple of its block, kept experts that cannot be planted; else the writer's errors.
Result<std::uint64_t> write_random_model(const std::string& path, const ModelShape& shape,
                                         DType type, DType finer, std::uint64_t seed, int threads);

// Writes a file that is as long as that model's and has its header: what plans are made from. The
// rest is a hole, which takes no room on most disks. Errors as write_random_model().
Result<std::uint64_t> write_model_header(const std::string& path, const ModelShape& shape,
                                         DType type, DType finer);

}  // namespace hearth::bench
