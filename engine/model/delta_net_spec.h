// A gated delta net (Yang et al. 2024): what a recurrent layer computes between its matrices
// instead of attention. Plain data.
#pragma once

namespace hearth {

// For each token, n_key_heads queries and keys and n_value_heads values go through a short
// convolution of every channel with those of the conv_kernel - 1 tokens before, and through SiLU.
// Queries and keys are then brought to length 1. Value head h has a state S of its own and reads
// the query and the key of key_head_of(h):
//   S = decay S;  S += k (beta (v - k S));  output = q S / sqrt(key_dim)
//   decay = exp(a softplus(alpha + dt)), beta a sigmoid, both of the token and the head
struct DeltaNetSpec {
    int n_key_heads = 0;
    int n_value_heads = 0;  // a multiple of n_key_heads; 0: the layer is no delta net
    int key_dim = 0;        // of a head, likewise of queries
    int value_dim = 0;
    int conv_kernel = 0;
    bool neighbours_share = false;  // value heads beside each other share a key head
    bool sigmoid_gate = false;      // what it gives is gated by a sigmoid instead of SiLU

    int key_width() const { return n_key_heads * key_dim; }
    int value_width() const { return n_value_heads * value_dim; }
    // Channels of a token: queries, keys, values.
    int conv_width() const { return 2 * key_width() + value_width(); }
    // Value heads that share a key head.
    int group() const { return n_value_heads / n_key_heads; }
    int key_head_of(int value_head) const {
        return neighbours_share ? value_head / group() : value_head % n_key_heads;
    }

    bool operator==(const DeltaNetSpec&) const = default;
};

}  // namespace hearth
