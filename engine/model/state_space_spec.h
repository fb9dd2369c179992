// A layer of Mamba-2 (Dao and Gu 2024): what a recurrent layer computes between its matrices
// instead of attention. Plain data.
#pragma once

namespace hearth {

// For each token n_heads values x and n_groups of B and of C, in this order, go through a short
// convolution of every channel with those of the conv_kernel - 1 tokens before, with a bias, and
// through SiLU. A head has a state S of its own and reads the B and C of its group:
//   S = exp(a dt) S + B dt x;  output = C S + d x;  dt = softplus(the token's + the head's)
// The output is multiplied by SiLU of a gate, and each group's part of it is normed.
struct StateSpaceSpec {
    int n_heads = 0;   // a multiple of n_groups; 0: the layer is none
    int n_groups = 0;  // neighbouring heads share one
    int head_dim = 0;
    int state_dim = 0;  // of B and of C
    int conv_kernel = 0;

    int width() const { return n_heads * head_dim; }
    // Channels of a token: x, B, C.
    int conv_width() const { return width() + 2 * n_groups * state_dim; }

    bool operator==(const StateSpaceSpec&) const = default;
};

}  // namespace hearth
