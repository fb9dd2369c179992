#include "tools/training/net.h"

#include <algorithm>
#include <cmath>

#include "tools/training/float_gemm.h"
#include "tools/training/random.h"

namespace hearth::tools {
namespace {

constexpr int kTaskTokens = 16;
constexpr std::size_t kTaskWeights = 16 * 1024;
constexpr int kTile = 32;

int tasks_of(std::size_t count, std::size_t each) {
    return static_cast<int>((count + each - 1) / each);
}

std::size_t size_of(int count) {
    return static_cast<std::size_t>(count);
}

// out[c * out_stride + r] = in[r * in_stride + c], in tiles that fit L1.
void transpose(ThreadPool& pool, const float* in, std::size_t in_stride, float* out,
               std::size_t out_stride, int rows, int columns) {
    pool.run(tasks_of(size_of(columns), kTile), [&](int task, int) {
        const int first = task * kTile;
        const int end = std::min(first + kTile, columns);
        for (int row = 0; row < rows; row += kTile) {
            for (int c = first; c < end; ++c) {
                for (int r = row; r < std::min(row + kTile, rows); ++r) {
                    out[size_of(c) * out_stride + size_of(r)] =
                        in[size_of(r) * in_stride + size_of(c)];
                }
            }
        }
    });
}

double softplus(double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

// body(first, end): tokens, a few at a time.
template <class Body>
void for_tokens(ThreadPool& pool, int n_tokens, const Body& body) {
    pool.run(tasks_of(size_of(n_tokens), kTaskTokens), [&](int task, int) {
        body(task * kTaskTokens, std::min((task + 1) * kTaskTokens, n_tokens));
    });
}

}  // namespace

PredictorNet::PredictorNet(const PredictorShape& shape, std::uint64_t seed) : shape_(shape) {
    const auto prepare = [](Matrix& matrix, int rows, int columns) {
        matrix.weights.assign(size_of(rows) * stride(columns), 0.0F);
        matrix.gradient = matrix.weights;
        matrix.first_moment = matrix.weights;
        matrix.second_moment = matrix.weights;
    };
    prepare(fc1_, shape.n_embd, shape.width);
    prepare(fc2_, shape.width, shape.n_ff);
    fc2_rows_.resize(size_of(shape.n_ff) * stride(shape.width));
    Random random(seed);
    const auto draw = [&](Matrix& matrix, int rows, int columns, double scale) {
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < columns; ++c) {
                matrix.weights[size_of(r) * stride(columns) + size_of(c)] =
                    static_cast<float>(scale * random.normal());
            }
        }
    };
    // He et al. 2015; fc2 at half of that: the first scores are then near "who knows".
    draw(fc1_, shape.n_embd, shape.width, std::sqrt(2.0 / shape.n_embd));
    draw(fc2_, shape.width, shape.n_ff, 0.5 * std::sqrt(2.0 / shape.width));
}

void PredictorNet::forward(ThreadPool& pool, const float* input, int n_tokens, float* scores) {
    hidden_.resize(std::max(hidden_.size(), size_of(n_tokens) * stride(shape_.width)));
    multiply(pool, {.a = input,
                    .a_row_stride = size_of(shape_.n_embd),
                    .b = fc1_.weights.data(),
                    .b_stride = stride(shape_.width),
                    .c = hidden_.data(),
                    .c_stride = stride(shape_.width),
                    .m = n_tokens,
                    .n = shape_.width,
                    .k = shape_.n_embd});
    if (!shape_.linear) {
        for_tokens(pool, n_tokens, [&](int first, int end) {
            for (int t = first; t < end; ++t) {
                float* row = hidden_.data() + size_of(t) * stride(shape_.width);
                for (int i = 0; i < shape_.width; ++i) {
                    row[i] = std::max(row[i], 0.0F);
                }
            }
        });
    }
    multiply(pool, {.a = hidden_.data(),
                    .a_row_stride = stride(shape_.width),
                    .b = fc2_.weights.data(),
                    .b_stride = score_stride(),
                    .c = scores,
                    .c_stride = score_stride(),
                    .m = n_tokens,
                    .n = shape_.n_ff,
                    .k = shape_.width});
}

void PredictorNet::scores(ThreadPool& pool, const float* input, int n_tokens, float* scores) {
    forward(pool, input, n_tokens, scores);
}

double PredictorNet::loss(ThreadPool& pool, const PredictorBatch& batch) {
    scores_.resize(std::max(scores_.size(), size_of(batch.n_tokens) * score_stride()));
    forward(pool, batch.input, batch.n_tokens, scores_.data());
    double sum = 0;
    for (int t = 0; t < batch.n_tokens; ++t) {
        const float* row = scores_.data() + size_of(t) * score_stride();
        for (int i = 0; i < shape_.n_ff; ++i) {
            sum += softplus(static_cast<double>(row[i]));
        }
        for (std::size_t at = batch.offsets[size_of(t)]; at < batch.offsets[size_of(t) + 1]; ++at) {
            const auto score = static_cast<double>(row[batch.fired[at]]);
            sum += static_cast<double>(batch.weights[at]) * softplus(-score) - softplus(score);
        }
    }
    return sum / batch.n_tokens;
}

void PredictorNet::differentiate(ThreadPool& pool, const PredictorBatch& batch) {
    const int n_tokens = batch.n_tokens;
    const std::size_t width_stride = stride(shape_.width);
    scores_.resize(std::max(scores_.size(), size_of(n_tokens) * score_stride()));
    hidden_gradient_.resize(std::max(hidden_gradient_.size(), size_of(n_tokens) * width_stride));
    forward(pool, batch.input, n_tokens, scores_.data());

    const float scale = 1.0F / static_cast<float>(n_tokens);
    for_tokens(pool, n_tokens, [&](int first, int end) {
        for (int t = first; t < end; ++t) {
            float* row = scores_.data() + size_of(t) * score_stride();
            sigmoid(row, size_of(shape_.n_ff));
            for (std::size_t at = batch.offsets[size_of(t)]; at < batch.offsets[size_of(t) + 1];
                 ++at) {
                row[batch.fired[at]] = batch.weights[at] * (row[batch.fired[at]] - 1.0F);
            }
            for (int i = 0; i < shape_.n_ff; ++i) {
                row[i] *= scale;
            }
        }
    });
    multiply(pool, {.a = hidden_.data(),
                    .a_row_stride = 1,
                    .a_column_stride = width_stride,
                    .b = scores_.data(),
                    .b_stride = score_stride(),
                    .c = fc2_.gradient.data(),
                    .c_stride = score_stride(),
                    .m = shape_.width,
                    .n = shape_.n_ff,
                    .k = n_tokens});
    transpose(pool, fc2_.weights.data(), score_stride(), fc2_rows_.data(), width_stride,
              shape_.width, shape_.n_ff);
    multiply(pool, {.a = scores_.data(),
                    .a_row_stride = score_stride(),
                    .b = fc2_rows_.data(),
                    .b_stride = width_stride,
                    .c = hidden_gradient_.data(),
                    .c_stride = width_stride,
                    .m = n_tokens,
                    .n = shape_.width,
                    .k = shape_.n_ff});
    if (!shape_.linear) {
        for_tokens(pool, n_tokens, [&](int first, int end) {
            for (int t = first; t < end; ++t) {
                const float* hidden = hidden_.data() + size_of(t) * width_stride;
                float* gradient = hidden_gradient_.data() + size_of(t) * width_stride;
                for (int i = 0; i < shape_.width; ++i) {
                    gradient[i] = hidden[i] > 0.0F ? gradient[i] : 0.0F;
                }
            }
        });
    }
    multiply(pool, {.a = batch.input,
                    .a_row_stride = 1,
                    .a_column_stride = size_of(shape_.n_embd),
                    .b = hidden_gradient_.data(),
                    .b_stride = width_stride,
                    .c = fc1_.gradient.data(),
                    .c_stride = width_stride,
                    .m = shape_.n_embd,
                    .n = shape_.width,
                    .k = n_tokens});
}

void PredictorNet::step(ThreadPool& pool, Matrix& matrix, float rate) {
    const std::size_t count = matrix.weights.size();
    pool.run(tasks_of(count, kTaskWeights), [&](int task, int) {
        const std::size_t first = size_of(task) * kTaskWeights;
        adam_step(matrix.weights.data() + first, matrix.first_moment.data() + first,
                  matrix.second_moment.data() + first, matrix.gradient.data() + first,
                  std::min(kTaskWeights, count - first), rate);
    });
}

void PredictorNet::learn(ThreadPool& pool, const PredictorBatch& batch, float rate) {
    differentiate(pool, batch);
    ++steps_;
    const auto n = static_cast<double>(steps_);
    const double correction =
        std::sqrt(1 - std::pow(0.999, n)) / (1 - std::pow(0.9, n));  // of the moments' start at 0
    const auto corrected = static_cast<float>(static_cast<double>(rate) * correction);
    step(pool, fc1_, corrected);
    step(pool, fc2_, corrected);
}

std::vector<float> PredictorNet::fc1() const {
    std::vector<float> out(size_of(shape_.width) * size_of(shape_.n_embd));
    for (int i = 0; i < shape_.width; ++i) {
        for (int e = 0; e < shape_.n_embd; ++e) {
            out[size_of(i) * size_of(shape_.n_embd) + size_of(e)] =
                fc1_.weights[size_of(e) * stride(shape_.width) + size_of(i)];
        }
    }
    return out;
}

std::vector<float> PredictorNet::fc2() const {
    std::vector<float> out(size_of(shape_.n_ff) * size_of(shape_.width));
    for (int n = 0; n < shape_.n_ff; ++n) {
        for (int i = 0; i < shape_.width; ++i) {
            out[size_of(n) * size_of(shape_.width) + size_of(i)] =
                fc2_.weights[size_of(i) * score_stride() + size_of(n)];
        }
    }
    return out;
}

void PredictorNet::set(std::span<const float> fc1, std::span<const float> fc2) {
    for (int i = 0; i < shape_.width; ++i) {
        for (int e = 0; e < shape_.n_embd; ++e) {
            fc1_.weights[size_of(e) * stride(shape_.width) + size_of(i)] =
                fc1[size_of(i) * size_of(shape_.n_embd) + size_of(e)];
        }
    }
    for (int n = 0; n < shape_.n_ff; ++n) {
        for (int i = 0; i < shape_.width; ++i) {
            fc2_.weights[size_of(i) * score_stride() + size_of(n)] =
                fc2[size_of(n) * size_of(shape_.width) + size_of(i)];
        }
    }
}

}  // namespace hearth::tools
