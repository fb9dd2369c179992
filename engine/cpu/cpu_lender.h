// Lends the processor's weights in the form that files have, whatever form the processor holds.
#pragma once

#include "compute/weight_lender.h"
#include "cpu/cpu_weights.h"

namespace hearth {

// A view of weights. It lends nothing that lies by input, which is the form that thresholds read.
class CpuLender final : public WeightLender {
public:
    explicit CpuLender(const CpuWeights& weights) : weights_(weights) {}

    LentShape shape(int layer, Role matrix) const override;
    void rows(int layer, Role matrix, std::uint64_t first, std::uint64_t count,
              std::byte* out) const override;
    std::span<const float> vector(int layer, Role vector) const override;

private:
    const CpuWeights& weights_;
};

}  // namespace hearth
