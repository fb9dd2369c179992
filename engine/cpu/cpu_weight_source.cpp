#include "cpu/cpu_weight_source.h"

#include <algorithm>

#include "base/assert.h"
#include "cpu/neuron_rows_to_tile.h"
#include "cpu/pack_rows.h"
#include "gguf/rows.h"

namespace hearth {

SourceShape CpuWeightSource::shape(int layer, Role matrix) const {
    const CpuLayer& held = weights_.layer(layer);
    if (const PackedMatrix& tiles = held.tiles[matrix]; tiles.present()) {
        return {tiles.type, static_cast<std::uint64_t>(tiles.rows),
                static_cast<std::uint64_t>(tiles.cols), false,
                !held.two_layouts || matrix != Role::Up};
    }
    const CpuRows& part = held.rows[matrix];
    if (!part.present() || held.n_neurons == 0) {
        return {};
    }
    return {part.type, static_cast<std::uint64_t>(held.n_neurons),
            static_cast<std::uint64_t>(weights_.layer(kNoLayer).tiles[Role::TokenEmbd].cols),
            matrix == Role::Down, false};
}

Result<void> CpuWeightSource::rows(int layer, Role matrix, std::uint64_t first, std::uint64_t count,
                                   std::byte* out) const {
    const auto weights = lease(layer, matrix, first, count);
    if (!weights) {
        return weights.error();
    }
    const CpuLayer& held = **weights;
    const SourceShape shape = this->shape(layer, matrix);
    HEARTH_ASSERT(first + count <= shape.rows);
    const auto cols = static_cast<int>(shape.cols);
    const std::uint64_t size = row_bytes(shape.type, shape.cols);
    const PackedMatrix& tiles = held.tiles[matrix];
    if (!tiles.present()) {
        const CpuRows& part = held.rows[matrix];
        for (std::uint64_t r = 0; r < count; ++r) {
            from_neuron_row(shape.type, part.data + (first + r) * part.bytes, cols, out + r * size);
        }
        return {};
    }
    constexpr std::uint64_t kRows = kernels::kTileRows;
    HEARTH_ASSERT(first % kRows == 0);
    for (std::uint64_t r = 0; r < count; r += kRows) {
        unpack_tile(tiles.type, tiles.data + (first + r) * size,
                    static_cast<int>(std::min(kRows, count - r)), cols, out + r * size);
    }
    return {};
}

Result<std::span<const std::byte>> CpuWeightSource::tiles(int layer, Role matrix,
                                                          std::uint64_t first,
                                                          std::uint64_t count) const {
    const auto weights = lease(layer, matrix, first, count);
    if (!weights) {
        return weights.error();
    }
    const PackedMatrix& tiles = (*weights)->tiles[matrix];
    HEARTH_ASSERT(tiles.present() && first % kernels::kTileRows == 0);
    const auto cols = static_cast<std::uint64_t>(tiles.cols);
    return std::span(tiles.data + packed_bytes(tiles.type, first, cols),
                     packed_bytes(tiles.type, count, cols));
}

void CpuWeightSource::rows_of_tile(DType type, const std::byte* tile, int cols,
                                   std::byte* out) const {
    unpack_tile(type, tile, kernels::kTileRows, cols, out);
}

Result<void> CpuWeightSource::hold(int layer, Part part) const {
    const auto weights = weights_.lease(part, layer);
    return weights ? Result<void>{} : weights.error();
}

Result<std::span<const float>> CpuWeightSource::vector(int layer, Role role) const {
    return weights_.vector(layer, role);
}

// Of some rows. Those of down are neurons where it lies by neuron, else each is of all neurons.
Result<WeightLease> CpuWeightSource::lease(int layer, Role matrix, std::uint64_t first,
                                           std::uint64_t count) const {
    const Part part = row_of(matrix).part;
    if (part != Part::Neurons) {
        return weights_.lease(part, layer);
    }
    const CpuLayer& held = weights_.layer(layer);
    const bool all = matrix == Role::Down && held.tiles[matrix].present();
    const Cluster places{layer, held.first + (all ? 0 : static_cast<int>(first)),
                         all ? held.n_neurons : static_cast<int>(count)};
    return weights_.lease(part, layer, {&places, 1});
}

}  // namespace hearth
