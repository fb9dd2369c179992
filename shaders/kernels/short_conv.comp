// The short convolution of a delta net and what heads read behind it. Queries and keys are brought to length 1, queries
// divided by sqrt(KEY_DIM) besides; beta and decay become what the heads multiply with.
//   inputs       floats [n_tokens, width], a token's queries, keys and values; likewise mixed
//   states       floats from word past_at[2 * layer] on: [KERNEL - 1, width], the inputs before the first token
//   taps         floats [width, KERNEL]
//   dt a         floats [n_value_heads]
//   beta decay   floats [n_tokens, n_value_heads]
// A workgroup takes a head (x: of queries, keys, values) of a token (y). generic/: short_conv.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/short_conv.h"
#include "norm.glsl"

// Before the first token of all there are zeros, whatever the memory holds.
float input_at(int token, uint width, uint channel) {
    if (token >= 0) {
        return inputs[uint(token) * width + channel];
    }
    return position == 0 ? 0 : states[past_at[2 * p.layer] + uint(int(KERNEL) - 1 + token) * width + channel];
}

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint head = gl_WorkGroupID.x;
    const uint token = gl_WorkGroupID.y;
    const uint n_keys = 2 * p.n_key_heads;
    const bool is_value = head >= n_keys;
    const uint dim = is_value ? VALUE_DIM : KEY_DIM;
    const uint first = is_value ? n_keys * KEY_DIM + (head - n_keys) * VALUE_DIM : head * KEY_DIM;
    const uint width = n_keys * KEY_DIM + p.n_value_heads * VALUE_DIM;
    float squares = 0;
    for (uint i = me; i < dim; i += WORKGROUP) {
        float sum = 0;
        for (uint j = 0; j < KERNEL; ++j) {
            sum += taps[(first + i) * KERNEL + j] * input_at(int(token + j) - int(KERNEL - 1), width, first + i);
        }
        const float value = sum / (1 + exp(-sum));
        mixed[token * width + first + i] = value;
        squares += value * value;
    }
    if (!is_value) {
        const float own = head < p.n_key_heads ? 1 / sqrt(float(KEY_DIM)) : 1;
        const float scale = own / sqrt(tree_sum(squares) + p.epsilon);
        for (uint i = me; i < dim; i += WORKGROUP) {
            mixed[token * width + first + i] *= scale;
        }
    } else if (me == 0) {
        const uint of = head - n_keys;
        const uint at = token * p.n_value_heads + of;
        beta[at] = 1 / (1 + exp(-beta[at]));
        const float x = decay[at] + dt[of];
        decay[at] = exp(a[of] * (x > 20 ? x : log(1 + exp(x))));
    }
}
