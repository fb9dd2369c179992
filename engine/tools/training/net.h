// The two-layer network that says which neurons will fire, while it learns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"

namespace hearth::tools {

struct PredictorShape {
    int n_embd = 0;
    int width = 0;
    int n_ff = 0;
    bool linear = false;  // score = fc2 fc1 p, else fc2 relu(fc1 p)
};

// Some tokens: their inputs and, token by token, the neurons that fired.
struct PredictorBatch {
    int n_tokens = 0;
    const float* input = nullptr;            // [n_tokens, n_embd]
    std::span<const std::uint32_t> offsets;  // [n_tokens + 1]: token t has fired[offsets[t]] up to
                                             // fired[offsets[t + 1]]
    std::span<const std::uint32_t> fired;    // neurons, each < n_ff
    std::span<const float> weights;          // beside fired: what missing this one costs
};

// Not thread-safe; results are the same for every number of threads.
class PredictorNet {
public:
    // fc1 drawn for inputs of mean square 1, fc2 small.
    PredictorNet(const PredictorShape& shape, std::uint64_t seed);

    const PredictorShape& shape() const { return shape_; }
    // Floats from one row of scores() to the next: not a power of two, so that the rows of a tile
    // do not meet in one set of the cache.
    std::size_t score_stride() const { return stride(shape_.n_ff); }

    // scores: [n_tokens, score_stride()], the first n_ff of each row overwritten.
    void scores(ThreadPool& pool, const float* input, int n_tokens, float* scores);

    // Mean over the tokens of: sum of log(1 + exp(s)) over the neurons that did not fire, and of
    // weight * log(1 + exp(-s)) over those that did. (Cross-entropy, positives weighted.)
    double loss(ThreadPool& pool, const PredictorBatch& batch);
    // The loss's derivatives, into gradient1() and gradient2().
    void differentiate(ThreadPool& pool, const PredictorBatch& batch);
    // differentiate(), then one step of Adam.
    void learn(ThreadPool& pool, const PredictorBatch& batch, float rate);

    // As a file has them: [width, n_embd] and [n_ff, width].
    std::vector<float> fc1() const;
    std::vector<float> fc2() const;
    void set(std::span<const float> fc1, std::span<const float> fc2);

    // Laid out like the weights: [n_embd, stride(width)] and [width, stride(n_ff)].
    std::span<float> weights1() { return fc1_.weights; }
    std::span<float> weights2() { return fc2_.weights; }
    std::span<const float> gradient1() const { return fc1_.gradient; }
    std::span<const float> gradient2() const { return fc2_.gradient; }

    static std::size_t stride(int columns) { return static_cast<std::size_t>(columns) + 16; }

private:
    // Transposed against the file's form: then every product reads rows.
    struct Matrix {
        std::vector<float> weights, gradient, first_moment, second_moment;
    };

    void forward(ThreadPool& pool, const float* input, int n_tokens, float* scores);
    void step(ThreadPool& pool, Matrix& matrix, float rate);

    PredictorShape shape_;
    Matrix fc1_;
    Matrix fc2_;
    std::vector<float> fc2_rows_;  // [n_ff, stride(width)]: fc2 the other way round
    std::vector<float> hidden_;    // [n_tokens, stride(width)]
    std::vector<float> hidden_gradient_;
    std::vector<float> scores_;  // [n_tokens, stride(n_ff)], then their derivatives
    std::uint64_t steps_ = 0;
};

}  // namespace hearth::tools
