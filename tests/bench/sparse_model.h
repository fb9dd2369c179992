// Model files in PowerInfer's format whose feed-forward neurons fire as those of a real sparse
// model do, though their weights are made up: for measuring and for tests.
//
// What is planted
//   Per layer, neuron of rank u (0 to 1, by how often it fires) fires on a share p(u) of all
//   tokens: 0.95 for u < 0.047, then falling as exp(-(u - 0.047) / 0.21). The mean is 0.100, the
//   most frequent 26 % of the neurons take 80 % of the activations. Another mean F is made of it:
//   F / 0.1 times p below, 0.95 (p / 0.95)^e above, with the e that gives that mean. Ranks are
//   shuffled anew in each layer: hot neurons lie scattered, and one layer's say nothing about
//   another's. Tokens are independent: two neighbours share what chance gives, a Jaccard index of
//   0.33.
// How
//   Every token's embedding is 4 (n_embd 4096) in its first 32 columns, the *constant*, and normal
//   random numbers of deviation 1 elsewhere. Attention and feed-forward outputs leave the constant
//   alone and are small (deviation 0.03 each), so the residual of any layer is about the token's
//   own embedding. A gate row has one weight in the constant's columns, so that they add the same
//   bias b to every token, and random weights elsewhere, scaled so that they add a normal number of
//   deviation 1: the neuron's pre-activation is positive with the probability that b was made for.
//   Bamboo's up rows have the same bias and correlate with their gate row by 0.5: both are positive
//   on p(u) of the tokens, the gate alone on 0.17 of them in the mean. Elsewhere up is random.
//   Predictors: random weights of layer l are A * P + noise, with P [k, n_embd] summing the
//   columns into k groups with random signs. fc1 is 32 units that read the constant, then the rows
//   of P and of -P: relu(x) - relu(-x) = x. fc2 is the bias and A (for bamboo of the mean of gate
//   and up). So the score is what gate would be without noise, as a trained predictor's might, and
//   positive for 96 % (bamboo: 90 %) of what fires, and 87 % (82 %) of what it names fires, as
//   make_random_model --check prints. Threshold 0; input: the un-normalised residual after
//   attention. Norms before feed-forward are 1, so no predictor needs to know them.
// Two topics
//   Tokens of even and of odd number belong to two topics, and each neuron has a rank of its own in
//   either: what fires depends on the text. The constant's last 16 columns are negative for odd
//   tokens, and biases have a number for either half of the columns (7 steps of the greater one, so
//   that frequencies are only about as planted). Half of fc1's units of the constant are positive
//   for one topic, half for the other. The output prefers tokens of the same topic by more than
//   four deviations of its logits, so a text goes on with the topic of its last token.
// Mixtures
//   A shape of experts (TurboSparse-Mixtral's is mixtral-8x7b with DRelu) becomes a plain GGUF with
//   experts as llama.cpp stores them, the predictors beside them, and keys that say what an
//   ordinary file of this kind leaves open. Each expert's neurons fire as above for tokens that
//   choose it.
#pragma once

#include <cstdint>
#include <string>

#include <hearth/result.h>

#include "bench/random_model.h"
#include "gguf/dtype.h"

namespace hearth::bench {

enum class SparseKind {
    ReluGated,  // PWRI, architecture llama: relu(gate) * up
    DRelu,      // PWRI, architecture bamboo: relu(gate) * relu(up); a mixture's is llama
};

struct SparseOptions {
    SparseKind kind = SparseKind::ReluGated;
    DType type = DType::Q4_0;  // of every matrix; or F16, the same values, output.weight's too
    DType output_type = DType::Q6_K;  // of output.weight; or Q4_0
    int predictor_rank = 0;           // fc1's rows, a multiple of 32; 0: n_embd / 4, about
    // Deviation of what one block adds to the residual. More than a little, and what is planted no
    // longer holds in later layers; but errors of a block then show in the logits.
    double layer_output = 0.03;
    double firing = 0.1;  // share of the neurons that fire for a token, in the mean; at most 0.9
    float threshold = 0;  // of the predictors' scores
    // ChatML's, so that the window talks to it. A model of two topics has the messages as they are,
    // one behind the other, so that the last word decides.
    bool chat_template = false;
    bool two_topics = false;  // of no mixture
    std::uint64_t seed = 1;
    int threads = 1;
};

// How often the neuron whose rank is `rank` of 0 to 1 fires where `firing` do in the mean. See
// above.
double planted_frequency(double rank, double firing = 0.1);

// Every matrix is of options.type but output.weight; predictors come last in the file. Memory stays
// below 64 MiB, whatever the shape. The bytes depend on shape, kind, types, rank, firing and seed
// alone. // Returns the file's size. InvalidArgument: a shape with rows that are no multiple of 32,
// 256 for a Q6_K output, a rank that is no multiple of 32 or more than 2 * n_embd - 32; else the
// writer's errors.
Result<std::uint64_t> write_sparse_model(const std::string& path, const ModelShape& shape,
                                         const SparseOptions& options);

}  // namespace hearth::bench
