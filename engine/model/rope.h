// Rotary position embedding (Su et al. 2021, RoFormer).
#pragma once

#include <span>
#include <vector>

#include "model/model_spec.h"
#include "model/roles.h"

namespace hearth {

// The factors of a context of n_ctx positions.
constexpr Role rope_factors_role(const ModelSpec& spec, int n_ctx) {
    return spec.longrope_context == 0      ? Role::RopeFreqs
           : n_ctx > spec.longrope_context ? Role::RopeLong
                                           : Role::RopeShort;
}

class Rope {
public:
    Rope() = default;
    // factors: [rope_dim / 2] or empty; each divides the frequency of its pair (Llama 3's
    // rope_freqs, LongRoPE's factors). For a spec that is not factored they may be any.
    Rope(const RopeSpec& spec, std::span<const float> factors);

    int n_pairs() const { return static_cast<int>(frequencies_.size()); }

    // Cosine and sine of each pair's angle at `position`, times the magnitude: out[2 i],
    // out[2 i + 1], [2 n_pairs].
    // Computed in double: at position 100 000 a float angle is off by 0.004.
    void angles(int position, float* out) const;

    // Rotates the leading rope_dim values of each of n_heads heads of head_dim, in place.
    void rotate(const float* angles, float* x, int n_heads, int head_dim) const;

private:
    std::vector<double> frequencies_;  // radians per position
    RopePairing pairing_ = RopePairing::Neighbours;
    double magnitude_ = 1;
};

}  // namespace hearth
