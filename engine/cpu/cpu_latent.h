// Latent attention (model/latent_spec.h) around its heads: what these read and what becomes of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "cpu/cpu_attention.h"
#include "cpu/cpu_weights.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

// Belongs to the engine's thread. Everything is done when a call returns. Allocates in set_up()
// only.
class CpuLatent {
public:
    struct Scratch {
        float* low = nullptr;            // [n_batch, q_rank]
        float* queries = nullptr;        // [n_batch, n_rows_q]: of each head plain, then rotated
        float* output = nullptr;         // [n_batch, n_attended]
        std::byte* quantized = nullptr;  // [n_head] groups of n_batch tokens of one head's values
        std::byte* low_quantized = nullptr;  // n_batch tokens of q_rank
    };
    // Calls take(pointer, bytes) for every buffer. None where no layer has latents.
    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, Scratch& scratch, Take&& take);

    CpuLatent(const kernels::KernelTable& table, ThreadPool& pool) : table_(table), pool_(pool) {}

    // heads: q, k, v and attended are what CpuAttention reads and leaves.
    void set_up(const ModelSpec& spec, const Scratch& scratch, const CpuAttention::Scratch& heads);

    // Makes q, k and v of the layer's normed input. A head's q and k begin with what is rotated.
    void queries(int layer, const CpuLayer& weights, const ActivationRows& input);
    // Makes the heads' values, [n_tokens, n_attended], of `attended`. They stay until the next
    // call.
    const float* values(int layer, const CpuLayer& weights, int n_tokens);

private:
    // Inputs of a matrix a head, the first head's. Another one's lie head_stride floats on.
    struct HeadRows {
        const float* f32;
        std::size_t f32_stride;  // from one token to the next
        std::size_t head_stride;
        int cols;
        int n_tokens;
    };
    template <class Body>
    void for_each_token(int n_tokens, Body&& body);
    ActivationRows rows_of(const HeadRows& x, int head) const;
    void quantize_heads(const HeadRows& x, int n_head, int token);
    // y[token * y_stride + r + head * y_apart], r the row of the whole matrix.
    void multiply_heads(const PackedMatrix& matrix, int n_head, const HeadRows& x, float* y,
                        std::size_t y_stride, std::size_t y_apart);
    void low_queries(const LayerSpec& spec, const CpuLayer& weights, int n_tokens);
    void part_key(const LayerSpec& spec, const CpuLayer& weights, int token);

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    std::vector<LayerSpec> layers_;
    Scratch scratch_;
    CpuAttention::Scratch heads_;
};

template <class Take>
void CpuLatent::lay_out(const ModelSpec& spec, int n_batch, Scratch& scratch, Take&& take) {
    if (!spec.any(&LayerSpec::is_latent)) {
        return;
    }
    const auto floats = [&](int width) {
        return static_cast<std::uint64_t>(n_batch) * static_cast<std::uint64_t>(width) *
               sizeof(float);
    };
    const int q_rank = spec.most([](const LayerSpec& layer) { return layer.latent.q_rank; });
    std::uint64_t of_heads = 0;
    for (const LayerSpec& layer : spec.layers) {
        const int width = std::max(layer.latent.plain_dim, layer.latent.rank);
        of_heads = std::max(of_heads, static_cast<std::uint64_t>(layer.attention.n_head) *
                                          quantized_bytes(width, n_batch));
    }
    take(scratch.queries, floats(spec.most(&LayerSpec::n_rows_q)));
    take(scratch.output, floats(spec.n_attended_max()));
    take(scratch.quantized, of_heads);
    if (q_rank > 0) {
        take(scratch.low, floats(q_rank));
        take(scratch.low_quantized, quantized_bytes(q_rank, n_batch));
    }
}

}  // namespace hearth
