// GGUF files of random weights at a real model's shape: for measuring, since speed depends on bytes
// and shapes, not on what the weights say.
#pragma once

#include <cstdint>
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
};

std::span<const ModelShape> model_shapes();
const ModelShape* find_shape(std::string_view name);  // null: no such shape

// Fewest tokens a vocabulary of this kind can have.
int least_vocab(VocabKind kind);

// All keys of such a model: its sizes under `arch`, and a vocabulary. file_type: llama_ftype.
// Precondition: shape.n_vocab >= least_vocab(shape.vocab).
Metadata model_metadata(const ModelShape& shape, const std::string& arch, int file_type);

// Writes a file that this engine and llama.cpp load: every matrix of `type` with values spread like
// a normal distribution of deviation 1 / sqrt(cols), norms near 1 in F32. Memory stays below
// 32 MiB, whatever the shape. The bytes depend on shape, type and seed alone, not on `threads`.
// Returns the file's size. InvalidArgument: a type other than Q4_0, Q8_0 and F16, a shape with
// rows that are no multiple of 32; else the writer's errors.
Result<std::uint64_t> write_random_model(const std::string& path, const ModelShape& shape,
                                         DType type, std::uint64_t seed, int threads);

}  // namespace hearth::bench
