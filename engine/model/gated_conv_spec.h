// A gated short convolution (LFM2, Liquid AI 2025): what a layer computes between its matrices
// instead of attention. Plain data.
#pragma once

namespace hearth {

// A token has `width` channels of each of b, c and x, in this order: the rows of Role::Q. A channel
// of the output is
//   c * sum over j < kernel of taps[j] * (b * x) of the token kernel - 1 - j before
// Before the first token of all there are zeros.
struct GatedConvSpec {
    int width = 0;  // 0: the layer is none
    int kernel = 0;

    bool operator==(const GatedConvSpec&) const = default;
};

}  // namespace hearth
