// Gives the processor's weights in the form that files have, whatever form the processor holds.
#pragma once

#include "compute/weight_source.h"
#include "cpu/cpu_weights.h"

namespace hearth {

// A view of weights. It has nothing of what lies by input, which is the form that thresholds read.
class CpuWeightSource final : public WeightSource {
public:
    explicit CpuWeightSource(const CpuWeights& weights) : weights_(weights) {}

    SourceShape shape(int layer, Role matrix) const override;
    Result<void> hold(int layer, Part part) const override;
    Result<void> rows(int layer, Role matrix, std::uint64_t first, std::uint64_t count,
                      std::byte* out) const override;
    Result<std::span<const std::byte>> tiles(int layer, Role matrix, std::uint64_t first,
                                             std::uint64_t count) const override;
    void rows_of_tile(DType type, const std::byte* tile, int cols, std::byte* out) const override;
    Result<std::span<const float>> vector(int layer, Role vector) const override;

private:
    Result<WeightLease> lease(int layer, Role matrix, std::uint64_t first,
                              std::uint64_t count) const;

    const CpuWeights& weights_;
};

}  // namespace hearth
