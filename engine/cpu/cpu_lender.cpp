#include "cpu/cpu_lender.h"

#include <algorithm>

#include "base/assert.h"
#include "cpu/neuron_form.h"
#include "cpu/pack_rows.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

const PackedMatrix& tiles_of(const CpuLayer& layer, LentMatrix matrix) {
    switch (matrix) {
        case LentMatrix::Query:
            return layer.attn_q;
        case LentMatrix::Key:
            return layer.attn_k;
        case LentMatrix::Value:
            return layer.attn_v;
        case LentMatrix::AttentionOutput:
            return layer.attn_output;
        case LentMatrix::Gate:
            return layer.ffn_gate;
        case LentMatrix::Up:
            return layer.ffn_up;
        case LentMatrix::Down:
            break;
    }
    return layer.ffn_down;
}

CpuNeuronRows::Part part_of(const CpuLayer& layer, LentMatrix matrix) {
    switch (matrix) {
        case LentMatrix::Gate:
            return layer.neurons.gate;
        case LentMatrix::Up:
            return layer.neurons.up;
        case LentMatrix::Down:
            return layer.neurons.down;
        default:
            return {};
    }
}

}  // namespace

LentShape CpuLender::shape(int layer, LentMatrix matrix) const {
    const CpuLayer& held = weights_.layers[static_cast<std::size_t>(layer)];
    if (const PackedMatrix& tiles = tiles_of(held, matrix); tiles.data != nullptr) {
        return {tiles.type, static_cast<std::uint64_t>(tiles.rows),
                static_cast<std::uint64_t>(tiles.cols), false};
    }
    const CpuNeuronRows::Part part = part_of(held, matrix);
    if (!part.present() || held.n_neurons == 0) {
        return {};
    }
    return {part.type, static_cast<std::uint64_t>(held.n_neurons),
            static_cast<std::uint64_t>(weights_.token_embd.cols), matrix == LentMatrix::Down};
}

void CpuLender::rows(int layer, LentMatrix matrix, std::uint64_t first, std::uint64_t count,
                     std::byte* out) const {
    const CpuLayer& held = weights_.layers[static_cast<std::size_t>(layer)];
    const LentShape shape = this->shape(layer, matrix);
    HEARTH_ASSERT(first + count <= shape.rows);
    const auto cols = static_cast<int>(shape.cols);
    const std::uint64_t size = row_bytes(shape.type, shape.cols);
    const PackedMatrix& tiles = tiles_of(held, matrix);
    if (tiles.data == nullptr) {
        const CpuNeuronRows::Part part = part_of(held, matrix);
        for (std::uint64_t r = 0; r < count; ++r) {
            from_row_form(shape.type, part.data + (first + r) * part.bytes, cols, out + r * size);
        }
        return;
    }
    constexpr std::uint64_t kRows = kernels::kTileRows;
    HEARTH_ASSERT(first % kRows == 0);
    for (std::uint64_t r = 0; r < count; r += kRows) {
        unpack_tile(tiles.type, tiles.data + (first + r) * size,
                    static_cast<int>(std::min(kRows, count - r)), cols, out + r * size);
    }
}

std::span<const float> CpuLender::vector(int layer, LentVector vector) const {
    const CpuLayer& held = weights_.layers[static_cast<std::size_t>(layer)];
    switch (vector) {
        case LentVector::AttentionNorm:
            return held.attn_norm;
        case LentVector::AttentionNormBias:
            return held.attn_norm_bias;
        case LentVector::QueryBias:
            return held.q_bias;
        case LentVector::KeyBias:
            return held.k_bias;
        case LentVector::ValueBias:
            return held.v_bias;
        case LentVector::OutputBias:
            return held.output_bias;
        case LentVector::FeedForwardNorm:
            return held.ffn_norm;
        case LentVector::FeedForwardNormBias:
            return held.ffn_norm_bias;
        case LentVector::UpBias:
            return held.up_bias;
        case LentVector::DownBias:
            break;
    }
    return held.first == 0 ? held.down_bias : std::span<const float>{};
}

}  // namespace hearth
