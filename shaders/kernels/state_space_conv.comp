// The short convolution of a layer of Mamba-2 and the steps of its heads, which become what states are multiplied with.
//   inputs        floats [n_tokens, width], a token's x, B and C; likewise mixed
//   states        floats from word past_at[2 * layer] on: [KERNEL - 1, width], the inputs before the first token
//   taps          floats [width, KERNEL]
//   bias          floats [width]
//   dt a          floats [n_heads]
//   steps decay   floats [n_tokens, n_heads]
// A thread takes a channel, or a head behind the channels (x), of a token (y). generic/: short_conv.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/state_space_conv.h"

// Before the first token of all there are zeros, whatever the memory holds.
float input_at(int token, uint channel) {
    if (token >= 0) {
        return inputs[uint(token) * p.width + channel];
    }
    return position == 0 ? 0 : states[past_at[2 * p.layer] + uint(int(KERNEL) - 1 + token) * p.width + channel];
}

void main() {
    const uint channel = gl_GlobalInvocationID.x;
    const uint token = gl_WorkGroupID.y;
    if (channel < p.width) {
        float sum = BIASED ? bias[channel] : 0;
        for (uint j = 0; j < KERNEL; ++j) {
            sum += taps[channel * KERNEL + j] * input_at(int(token + j) - int(KERNEL - 1), channel);
        }
        mixed[token * p.width + channel] = sum / (1 + exp(-sum));
    } else if (channel < p.width + p.n_heads) {
        const uint head = channel - p.width;
        const float x = steps[token * p.n_heads + head] + dt[head];
        const float own = x > 20 ? x : log(1 + exp(x));
        steps[token * p.n_heads + head] = own;
        decay[token * p.n_heads + head] = exp(a[head] * own);
    }
}
