#include "cpu/cpu_weight_source.h"

#include <algorithm>

#include "base/assert.h"
#include "cpu/neuron_form.h"
#include "cpu/pack_rows.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

const PackedMatrix& tiles_of(const CpuLayer& layer, SourceMatrix matrix) {
    switch (matrix) {
        case SourceMatrix::Query:
            return layer.attn_q;
        case SourceMatrix::Key:
            return layer.attn_k;
        case SourceMatrix::Value:
            return layer.attn_v;
        case SourceMatrix::AttentionOutput:
            return layer.attn_output;
        case SourceMatrix::Gate:
            return layer.ffn_gate;
        case SourceMatrix::Up:
            return layer.ffn_up;
        case SourceMatrix::Down:
            break;
    }
    return layer.ffn_down;
}

CpuNeuronRows::Part part_of(const CpuLayer& layer, SourceMatrix matrix) {
    switch (matrix) {
        case SourceMatrix::Gate:
            return layer.neurons.gate;
        case SourceMatrix::Up:
            return layer.neurons.up;
        case SourceMatrix::Down:
            return layer.neurons.down;
        default:
            return {};
    }
}

}  // namespace

SourceShape CpuWeightSource::shape(int layer, SourceMatrix matrix) const {
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
            static_cast<std::uint64_t>(weights_.token_embd.cols), matrix == SourceMatrix::Down};
}

void CpuWeightSource::rows(int layer, SourceMatrix matrix, std::uint64_t first, std::uint64_t count,
                           std::byte* out) const {
    const CpuLayer& held = weights_.layers[static_cast<std::size_t>(layer)];
    const SourceShape shape = this->shape(layer, matrix);
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

std::span<const float> CpuWeightSource::vector(int layer, SourceVector vector) const {
    const CpuLayer& held = weights_.layers[static_cast<std::size_t>(layer)];
    switch (vector) {
        case SourceVector::AttentionNorm:
            return held.attn_norm;
        case SourceVector::AttentionNormBias:
            return held.attn_norm_bias;
        case SourceVector::QueryBias:
            return held.q_bias;
        case SourceVector::KeyBias:
            return held.k_bias;
        case SourceVector::ValueBias:
            return held.v_bias;
        case SourceVector::OutputBias:
            return held.output_bias;
        case SourceVector::FeedForwardNorm:
            return held.ffn_norm;
        case SourceVector::FeedForwardNormBias:
            return held.ffn_norm_bias;
        case SourceVector::UpBias:
            return held.up_bias;
        case SourceVector::DownBias:
            break;
    }
    return held.first == 0 ? held.down_bias : std::span<const float>{};
}

}  // namespace hearth
