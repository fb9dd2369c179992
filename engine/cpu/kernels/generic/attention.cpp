#include <cmath>
#include <cstring>

#include "base/half.h"
#include "cpu/kernels/generic/functions.h"

namespace hearth::kernels::generic {
namespace {

// The softmax of one query so far.
struct Softmax {
    float largest = -INFINITY;
    float total = 0;
};

float value(std::uint16_t h) {
    return half_to_float(h);
}
float value(float f) {
    return f;
}

// The columns of values, and of what is made of them.
std::size_t value_columns(const AttentionSpec& spec) {
    return static_cast<std::size_t>(spec.value_dim > 0 ? spec.value_dim : spec.head_dim);
}

// From q . k.
float score_of(const AttentionSpec& spec, float product) {
    const float score = product * spec.scale;
    return spec.soft_cap == 0 ? score : spec.soft_cap * std::tanh(score / spec.soft_cap);
}

// Adds positions [from, n), kAttentionChunk at a time, rescaling what was summed whenever a chunk
// brings a larger maximum (Milakov & Gimelshein 2018, online softmax).
template <class Element>
void attend(const AttentionSpec& spec, const float* q, const Element* keys, const Element* values,
            std::size_t stride, int from, int n, Softmax& softmax, float* out) {
    const auto dim = static_cast<std::size_t>(spec.head_dim);
    const std::size_t n_columns = value_columns(spec);
    for (int first = from; first < n; first += kAttentionChunk) {
        const int count = n - first < kAttentionChunk ? n - first : kAttentionChunk;
        float score[kAttentionChunk];
        float largest = softmax.largest;
        for (int p = 0; p < count; ++p) {
            const auto position = static_cast<std::size_t>(first + p);
            const Element* k = keys + position / kTileRows * kTileRows * dim + position % kTileRows;
            float sum = 0;
            for (std::size_t c = 0; c < dim; ++c) {
                sum += value(k[c * kTileRows]) * q[c];
            }
            score[p] = score_of(spec, sum);
            largest = std::fmax(largest, score[p]);
        }
        const float rescale = std::exp(softmax.largest - largest);
        softmax.largest = largest;
        softmax.total *= rescale;
        for (std::size_t c = 0; c < n_columns; ++c) {
            out[c] *= rescale;
        }
        for (int p = 0; p < count; ++p) {
            const float weight = std::exp(score[p] - largest);
            softmax.total += weight;
            const Element* v = values + static_cast<std::size_t>(first + p) * stride;
            for (std::size_t c = 0; c < n_columns; ++c) {
                out[c] += weight * value(v[c]);
            }
        }
    }
}

// As attend(), a position at a time, of keys and values in tiles of bytes.
void attend_bytes(const Attention& task, int query, Softmax& softmax) {
    const auto dim = static_cast<std::size_t>(task.spec.head_dim);
    const std::size_t n_columns = value_columns(task.spec);
    const float* q = task.q[query];
    float* out = task.out[query];
    const int first = task.from_cached == nullptr ? 0 : task.from_cached[query];
    for (int p = first; p < task.n_cached; ++p) {
        const auto row = static_cast<std::size_t>(p % kTileRows);
        // past: of rows so wide; at: a code's place in the tile; c: its column.
        const auto scaled = [&](const std::byte* past, std::size_t width, std::size_t at,
                                std::size_t c) {
            const std::byte* tile =
                past + static_cast<std::size_t>(p / kTileRows) *
                           past_tile_bytes(task.spec.kv, static_cast<int>(width));
            std::uint16_t scale;
            std::memcpy(&scale, tile + width * kTileRows + 2 * (c / kBlockValues * kTileRows + row),
                        sizeof scale);
            return half_to_float(scale) * static_cast<float>(static_cast<std::int8_t>(tile[at]));
        };
        float product = 0;
        for (std::size_t c = 0; c < dim; ++c) {
            product += q[c] * scaled(task.k, dim, c * kTileRows + row, c);
        }
        const float score = score_of(task.spec, product);
        const float largest = std::fmax(softmax.largest, score);
        const float rescale = std::exp(softmax.largest - largest);
        const float weight = std::exp(score - largest);
        softmax.largest = largest;
        softmax.total = softmax.total * rescale + weight;
        for (std::size_t c = 0; c < n_columns; ++c) {
            out[c] = out[c] * rescale + weight * scaled(task.v, n_columns, row * n_columns + c, c);
        }
    }
}

int from(const int* first, int query) {
    return first == nullptr ? 0 : first[query];
}

}  // namespace

void attention(const Attention& task) {
    const std::size_t dim = value_columns(task.spec);
    for (int i = 0; i < task.n_queries; ++i) {
        float* out = task.out[i];
        for (std::size_t c = 0; c < dim; ++c) {
            out[c] = 0;
        }
        Softmax softmax;
        if (task.spec.kv == KvType::Q8_0) {
            attend_bytes(task, i, softmax);
        } else {
            attend(task.spec, task.q[i], reinterpret_cast<const std::uint16_t*>(task.k),
                   reinterpret_cast<const std::uint16_t*>(task.v), dim, from(task.from_cached, i),
                   task.n_cached, softmax, out);
        }
        attend(task.spec, task.q[i], task.k_batch, task.v_batch, task.v_batch_stride,
               from(task.from_batch, i), task.n_batch[i], softmax, out);
        if (task.largest != nullptr) {
            task.largest[i] = softmax.largest;
            task.total[i] = softmax.total;
            continue;
        }
        for (std::size_t c = 0; c < dim; ++c) {
            out[c] /= softmax.total;
        }
    }
}

}  // namespace hearth::kernels::generic
