#include "cpu/cpu_latent.h"

#include <array>
#include <span>

namespace hearth {
namespace {

// A task's rows of a head, whole tiles.
constexpr int kRowsOfTask = 128;

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

}  // namespace

void CpuLatent::set_up(const ModelSpec& spec, const Scratch& scratch,
                       const CpuAttention::Scratch& heads) {
    layers_ = spec.layers;
    scratch_ = scratch;
    heads_ = heads;
}

// A task is a group of tokens: their quantised values share cache lines.
template <class Body>
void CpuLatent::for_each_token(int n_tokens, Body&& body) {
    const int width = kernels::group_width(n_tokens);
    pool_.run((n_tokens + width - 1) / width, [&](int group, int) {
        for (int t = group * width; t < std::min(n_tokens, (group + 1) * width); ++t) {
            body(t);
        }
    });
}

// Each head's groups begin at a cache line.
ActivationRows CpuLatent::rows_of(const HeadRows& x, int head) const {
    return {x.f32 + size(head) * x.head_stride, x.f32_stride,
            scratch_.quantized + size(head) * quantized_bytes(x.cols, x.n_tokens), x.cols,
            x.n_tokens};
}

void CpuLatent::quantize_heads(const HeadRows& x, int n_head, int token) {
    for (int head = 0; head < n_head; ++head) {
        const ActivationRows rows = rows_of(x, head);
        quantize_into(table_, rows, token, 0, x.cols / kBlockValues,
                      rows.f32 + size(token) * x.f32_stride);
    }
}

void CpuLatent::multiply_heads(const PackedMatrix& matrix, int n_head, const HeadRows& x, float* y,
                               std::size_t y_stride, std::size_t y_apart) {
    const int rows = matrix.rows / n_head;
    const int n_parts = (rows + kRowsOfTask - 1) / kRowsOfTask;
    pool_.run(n_head * n_parts, [&](int index, int) {
        const int head = index / n_parts;
        const int first = head * rows + index % n_parts * kRowsOfTask;
        const int last = std::min(first + kRowsOfTask, (head + 1) * rows);
        multiply_rows(table_, matrix, rows_of(x, head), first, last, y + size(head) * y_apart,
                      y_stride);
    });
}

// queries = Q norm(low)
void CpuLatent::low_queries(const LayerSpec& spec, const CpuLayer& weights, int n_tokens) {
    const int rank = spec.latent.q_rank;
    const PackedMatrix& matrix = weights.tiles[Role::Q];
    const std::span<const float> norm = weights.vectors[Role::QDownNorm];
    const ActivationRows low{scratch_.low, size(rank), scratch_.low_quantized, rank, n_tokens};
    for_each_token(n_tokens, [&](int t) {
        float* row = scratch_.low + size(t) * size(rank);
        table_.rms_norm(row, norm.data(), spec.norm.eps, row, rank);
        if (takes_quantized(matrix.type)) {
            quantize_into(table_, low, t, 0, rank / kBlockValues, row);
        }
    });
    const std::array product{Product{&matrix, scratch_.queries, size(spec.n_rows_q())}};
    multiply(pool_, table_, product, low);
}

// The product has the latent first. The key has it behind the rotated part.
void CpuLatent::part_key(const LayerSpec& spec, const CpuLayer& weights, int token) {
    const int rank = spec.latent.rank;
    float* key = heads_.k + size(token) * size(spec.n_embd_kv());
    float* latent = key + spec.attention.rope.dim;
    std::rotate(key, key + rank, key + spec.n_embd_kv());
    table_.rms_norm(latent, weights.vectors[Role::LatentNorm].data(), spec.norm.eps, latent, rank);
    std::copy_n(latent, rank, heads_.v + size(token) * size(rank));
}

void CpuLatent::queries(int layer, const CpuLayer& weights, const ActivationRows& input) {
    const LayerSpec& spec = layers_[size(layer)];
    const int n_tokens = input.n_tokens;
    const int n_head = spec.attention.n_head;
    const std::size_t rotated = size(spec.attention.rope.dim);
    const std::size_t plain = size(spec.latent.plain_dim);
    const std::size_t n_q = size(spec.n_embd_q());
    const bool low = spec.latent.q_rank > 0;
    const std::array products{
        Product{&weights.tiles[low ? Role::QDown : Role::Q], low ? scratch_.low : scratch_.queries,
                size(low ? spec.latent.q_rank : spec.n_rows_q())},
        Product{&weights.tiles[Role::K], heads_.k, size(spec.n_embd_kv())}};
    multiply(pool_, table_, products, input);
    if (low) {
        low_queries(spec, weights, n_tokens);
    }
    const PackedMatrix& matrix = weights.tiles[Role::KeyUp];
    const HeadRows of_heads{scratch_.queries, size(spec.n_rows_q()), plain + rotated,
                            spec.latent.plain_dim, n_tokens};
    for_each_token(n_tokens, [&](int t) {
        part_key(spec, weights, t);
        for (int head = 0; head < n_head; ++head) {
            const float* query =
                scratch_.queries + (size(t) * size(n_head) + size(head)) * (plain + rotated);
            std::copy_n(query + plain, rotated,
                        heads_.q + size(t) * n_q + size(head) * size(spec.attention.head_dim));
        }
        if (takes_quantized(matrix.type)) {
            quantize_heads(of_heads, n_head, t);
        }
    });
    multiply_heads(matrix, n_head, of_heads, heads_.q + rotated, n_q, rotated);
}

const float* CpuLatent::values(int layer, const CpuLayer& weights, int n_tokens) {
    const LayerSpec& spec = layers_[size(layer)];
    const int n_head = spec.attention.n_head;
    const std::size_t rank = size(spec.latent.rank);
    const PackedMatrix& matrix = weights.tiles[Role::ValueUp];
    const HeadRows attended{heads_.attended, size(n_head) * rank, rank, spec.latent.rank, n_tokens};
    if (takes_quantized(matrix.type)) {
        for_each_token(n_tokens, [&](int t) { quantize_heads(attended, n_head, t); });
    }
    multiply_heads(matrix, n_head, attended, scratch_.output, size(spec.n_attended()), 0);
    return scratch_.output;
}

}  // namespace hearth
