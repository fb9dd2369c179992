#include "cpu/cpu_ngrams.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/assert.h"
#include "base/first_error.h"
#include "gguf/finite.h"
#include "gguf/rows.h"
#include "model/past_shape.h"

namespace hearth {
namespace {

constexpr int kMostTaps = 16;

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

float sigmoid(float x) {
    return 1.0F / (1.0F + std::exp(-x));
}

}  // namespace

void CpuNgrams::set_up(const ModelSpec& spec, const CpuWeights& weights, const InputFile& file,
                       const Weight& rows, const Scratch& scratch,
                       const CpuStreams::Scratch& streams) {
    spec_ = spec.ngram;
    layer_ = -1;
    if (!spec_.present()) {
        return;
    }
    const auto reader = std::find_if(spec.layers.begin(), spec.layers.end(),
                                     [](const LayerSpec& layer) { return layer.ngram.present(); });
    conv_ = reader->ngram;
    layer_ = static_cast<int>(reader - spec.layers.begin());
    before_ = static_cast<std::size_t>(past_shape(*reader, 0).state_floats - conv_.state_floats());
    n_streams_ = spec.n_streams;
    n_embd_ = spec.n_embd;
    eps_ = reader->norm.eps;
    file_ = &file;
    rows_ = rows;
    scratch_ = scratch;
    scratch_.inputs = streams.normed;
    scratch_.gated = streams.gates;
    HEARTH_ASSERT(conv_.kernel <= kMostTaps &&
                  rows_.row_size() <= size(spec_.width) * sizeof(float));
    // A file has a row of taps a channel. The kernel reads neighbouring channels of one tap.
    const std::span<const float> taps = weights.vector(layer_, Role::NgramTaps);
    const auto kernel = size(conv_.kernel);
    for (std::size_t c = 0; c < size(conv_.width) && !taps.empty(); ++c) {
        for (std::size_t j = 0; j < kernel; ++j) {
            scratch_.taps[j * size(conv_.width) + c] = taps[c * kernel + j];
        }
    }
}

float* CpuNgrams::history(const Task& task) const {
    return task.past.cpu.state(layer_) + before_;
}

float* CpuNgrams::latest(const Task& task) const {
    return history(task) + size(conv_.n_before()) * size(conv_.width);
}

void CpuNgrams::choose(const Task& task) {
    if (layer_ < 0) {
        return;
    }
    const auto n_heads = size(spec_.n_heads());
    const int n_before = spec_.size - 1;
    const float* before = latest(task);
    for (std::size_t t = 0; t < task.tokens.size(); ++t) {
        std::array<std::int32_t, NgramSpec::kMostSize> tokens{};
        for (int i = 0; i <= n_before; ++i) {
            const int from = static_cast<int>(t) - i;
            // Before the pass: the latest is the last.
            tokens[size(i)] = from >= 0 ? task.tokens[size(from)]
                                        : static_cast<std::int32_t>(before[n_before + from]) - 1;
        }
        const std::span rows(scratch_.rows + t * n_heads, n_heads);
        ngram_rows(spec_, std::span(tokens).first(size(spec_.size)), rows);
        for (const std::uint64_t row : rows) {
            file_->will_read(rows_.in_file() + row * rows_.stride, rows_.stride);
        }
    }
}

Result<void> CpuNgrams::read_row(std::uint64_t row, std::byte* raw, std::span<float> values) const {
    HEARTH_ASSERT(row < spec_.n_rows);
    const std::span<std::byte> bytes(raw, rows_.row_size());
    if (auto read = file_->read_at(rows_.in_file() + row * rows_.stride, bytes); !read) {
        return read;
    }
    if (!rows_are_finite(rows_.type, raw, 1, bytes.size(), values.size())) {
        return rows_not_finite(rows_.tensor->name, rows_.type, raw, 1, bytes.size(), values.size(),
                               row);
    }
    dequantize_row(rows_.type, raw, values);
    return {};
}

// A task is a row: a disk gives several at once.
Result<void> CpuNgrams::read(int n_tokens) {
    const auto width = size(spec_.width);
    FirstError failure;
    pool_.run(n_tokens * spec_.n_heads(), [&](int index, int worker) {
        if (failure.failed()) {
            return;
        }
        auto done =
            read_row(scratch_.rows[index], scratch_.raw + size(worker) * width * sizeof(float),
                     {scratch_.values + size(index) * width, width});
        if (!done) {
            failure.set(std::move(done).error());
        }
    });
    return failure.failed() ? Result<void>(failure.error()) : Result<void>{};
}

// Of the keys in `gated` makes the values that are added, and of these the convolution's inputs.
void CpuNgrams::gate(const Task& task, const CpuLayer& weights, std::size_t token) {
    const auto width = size(n_embd_);
    const std::size_t first = token * size(conv_.width);
    const float* value = scratch_.value + token * width;
    const float scale = 1.0F / std::sqrt(static_cast<float>(n_embd_));
    for (int stream = 0; stream < n_streams_; ++stream) {
        const std::size_t at = size(stream) * width;
        float* key = scratch_.gated + first + at;
        float* query = scratch_.inputs + first + at;
        table_.rms_norm(key, weights.vectors[Role::NgramKeyNorm].data() + at, eps_, key, n_embd_);
        table_.rms_norm(task.x + first + at, weights.vectors[Role::NgramQueryNorm].data() + at,
                        eps_, query, n_embd_);
        double product = 0;
        for (std::size_t i = 0; i < width; ++i) {
            product += static_cast<double>(key[i]) * static_cast<double>(query[i]);
        }
        const float dot = static_cast<float>(product) * scale;
        const float root = std::sqrt(std::max(std::fabs(dot), 1e-6F));
        const float gate = sigmoid(dot == 0.0F ? 0.0F : std::copysign(root, dot));
        for (std::size_t i = 0; i < width; ++i) {
            key[i] = gate * value[i];
        }
        table_.rms_norm(key, weights.vectors[Role::NgramConvNorm].data() + at, eps_, query,
                        n_embd_);
    }
}

void CpuNgrams::convolve(const Task& task, std::size_t token) {
    const auto width = size(conv_.width);
    std::array<const float*, kMostTaps> rows{};
    for (int j = 0; j < conv_.kernel; ++j) {
        const int from = static_cast<int>(token) - (conv_.kernel - 1 - j) * conv_.step;
        rows[size(j)] = from < 0 ? history(task) + size(conv_.n_before() + from) * width
                                 : scratch_.inputs + size(from) * width;
    }
    float* x = task.x + token * width;
    table_.add_vector(scratch_.gated + token * width, x, conv_.width);
    // The values that were added make room for what the convolution gives.
    float* y = scratch_.gated + token * width;
    table_.short_conv({.rows = rows.data(),
                       .taps = scratch_.taps,
                       .stride = width,
                       .kernel = conv_.kernel,
                       .gate = nullptr,
                       .y = y,
                       .n = conv_.width});
    table_.add_vector(y, x, conv_.width);
}

void CpuNgrams::keep(const Task& task) {
    const auto width = size(conv_.width);
    const auto n_before = size(conv_.n_before());
    const std::size_t n_tokens = task.tokens.size();
    const std::size_t n_old = n_before - std::min(n_before, n_tokens);
    float* kept = history(task);
    for (std::size_t i = 0; i < n_before; ++i) {
        const float* from = i < n_old ? kept + (n_before - n_old + i) * width
                                      : scratch_.inputs + (n_tokens - n_before + i) * width;
        std::memcpy(kept + i * width, from, width * sizeof(float));
    }
    float* tokens = latest(task);
    const std::size_t n_kept = size(spec_.size - 1);
    const std::size_t n_stay = n_kept - std::min(n_kept, n_tokens);
    for (std::size_t i = 0; i < n_kept; ++i) {
        // Numbers of tokens are less than 2^24, so a float holds one.
        tokens[i] = i < n_stay ? tokens[n_kept - n_stay + i]
                               : static_cast<float>(task.tokens[n_tokens - n_kept + i] + 1);
    }
}

Result<void> CpuNgrams::add(const Task& task, const CpuLayer& weights) {
    const auto n_tokens = static_cast<int>(task.tokens.size());
    if (auto done = read(n_tokens); !done) {
        return done;
    }
    const auto n_values = size(spec_.n_values());
    const ActivationRows values{scratch_.values, n_values, scratch_.quantized, spec_.n_values(),
                                n_tokens};
    const PackedMatrix& key = weights.tiles[Role::NgramKey];
    const PackedMatrix& value = weights.tiles[Role::NgramValue];
    if (takes_quantized(key.type) || takes_quantized(value.type)) {
        const int group = kernels::group_width(n_tokens);
        pool_.run((n_tokens + group - 1) / group, [&](int index, int) {
            for (int t = index * group; t < std::min(n_tokens, (index + 1) * group); ++t) {
                quantize_into(table_, values, t, 0, values.cols / kBlockValues,
                              scratch_.values + size(t) * n_values);
            }
        });
    }
    const std::array products{Product{&key, scratch_.gated, size(conv_.width)},
                              Product{&value, scratch_.value, size(n_embd_)}};
    multiply(pool_, table_, products, values);
    pool_.run(n_tokens, [&](int t, int) { gate(task, weights, size(t)); });
    pool_.run(n_tokens, [&](int t, int) { convolve(task, size(t)); });
    keep(task);
    return {};
}

}  // namespace hearth
