// Mixtures whose experts follow from a token's id, and whose tokens keep a given share of them: for
// measuring what a cache of experts is worth.
//
// Planted
//   The words of the vocabulary stand in circles, by id, one circle for each share. Greedy text
//   follows the circle of its latest word, one word a token; the first word of all follows tokens
//   that are no words. From one word to the next each layer keeps the circle's share of its
//   experts, in the mean, and chooses others as if by chance. All experts of a layer are chosen
//   about equally often, and layers differ.
// How
//   The first columns of the embedding are a *code*: a random direction for each word. No block
//   writes them: the rows of matrices and biases that would are zero. A router's weights are
//   random in these columns and zero in the others, without a bias. The 8 of 128 experts whose
//   rows lie nearest to a code therefore depend on the word alone, but for rounding. Codes of
//   neighbours correlate: each is a sum of random directions, most of which its neighbour has as
//   well. How much is found by drawing. The head's row of a word is the code of the word before it
//   and zero elsewhere, so that this word has the greatest logit by far.
// A dense model of the architectures llama and qwen35 has the text alone: shares of 0.
// A layer of qwen35 that foretells has nothing but the code of the token's embedding in its own
// first columns, and so names the word that follows it. Words drawn by a hash, as many as it shall
// be wrong about, have a *mark* in the column behind the code, by which the layer's join adds a
// false code. Routers of other engines see the same, as all of this is in the weights.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "bench/random_model.h"
#include "bench/random_numbers.h"
#include "bench/random_vocab.h"
#include "gguf/tensor_table.h"

namespace hearth::bench {

// Each of n experts has two standard normal scores, which correlate so much. Returns the share of
// the n_used best by the first score that are among the n_used best by the second. Drawn, to about
// 0.003.
double kept_share_of(double correlation, int n, int n_used);

// The words of circle `index` of `count`: they share a vocabulary's words equally.
// Preconditions: index < count; n_vocab >= least_vocab(vocab).
WordRange circle_of(VocabKind vocab, int n_vocab, std::size_t index, std::size_t count);

class KeptExperts {
public:
    // Reads shape.experts.kept, a share for each circle: of a token's experts that the next token
    // keeps, 0 to 0.6. table_type, head_type: of the embedding and of the head. InvalidArgument:
    // the architecture is not qwen3moe, gpt-oss, qwen35moe or, dense and with shares of 0, llama
    // or qwen35; the head is tied; a row has no room
    // for a code of whole blocks; a circle has fewer than two words; so few experts, of which so
    // many are used, that even opposite codes keep 2 points more than the share.
    // Also: a layer foretells, and the model is no dense qwen35.
    static Result<KeptExperts> create(const ModelShape& shape, DType table_type, DType head_type,
                                      std::uint64_t seed);

    // Overwrites what is planted in rows [first_row, ...) of a matrix, or of experts' matrices one
    // behind the other. rows: whole rows of the tensor's type. Any thread.
    void plant(const TensorInfo& tensor, std::uint64_t first_row, std::span<std::byte> rows) const;
    // The same of a tensor in F32 that write_random_model() makes like a norm: all of its values.
    void plant(const TensorInfo& tensor, std::span<float> values) const;

private:
    struct Circle {
        WordRange words;
        std::vector<float> weights;  // of the directions that a code sums up, its own first
    };
    KeptExperts() = default;

    // Null: it is no word.
    const Circle* circle_of_token(std::uint64_t token) const;
    // The code of the word at a place of a circle, which may be the one before the first. code:
    // [code_size_], of a mean square of 1.
    void make_code(const Circle& circle, std::int64_t place, std::span<float> code) const;

    // The layer that foretells is wrong about the word that follows this one.
    bool misleads(std::uint64_t token) const;

    std::size_t code_size_ = 0;  // columns, the first of a row; the mark is behind them
    std::optional<double> foretells_;
    std::uint64_t n_embd_ = 0;
    std::vector<Circle> circles_;
    std::uint64_t seed_ = 0;
    std::array<double, 256> normal_ = normal_values();
};

}  // namespace hearth::bench
