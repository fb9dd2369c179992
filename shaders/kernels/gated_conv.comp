// A gated short convolution: c * conv(b * x) of each channel, and the layer's state past the tokens of a pass, or where
// TAKES is off as it was.
//   inputs     floats [n_tokens, 3, width], a token's b, c and x
//   states     floats from word past_at[2 * layer] on: [KERNEL - 1, width], b * x of the tokens before the first
//   taps       floats [width, KERNEL]
//   attended   floats [n_tokens, width]
// A thread takes a channel (x) of TOKENS tokens (y). TOKENS is not less than KERNEL - 1, so that of a channel the thread
// that writes its state is the only one that reads it. generic/: short_conv.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/gated_conv.h"

float product(uint token, uint channel) {
    const uint at = 3 * token * p.width + channel;
    return inputs[at] * inputs[at + 2 * p.width];
}

// Before the first token of all there are zeros, whatever the memory holds. row: of the state.
float kept(uint row, uint channel) {
    return position == 0 ? 0 : states[past_at[2 * p.layer] + row * p.width + channel];
}

void main() {
    const uint channel = gl_GlobalInvocationID.x;
    if (channel >= p.width) {
        return;
    }
    const uint first = gl_WorkGroupID.y * TOKENS;
    for (uint t = first; t < min(first + TOKENS, p.n_tokens); ++t) {
        float sum = 0;
        for (uint j = 0; j < KERNEL; ++j) {
            const uint place = t + j;  // among the state's rows and the tokens behind them
            const float value = place < KERNEL - 1 ? kept(place, channel) : product(place - (KERNEL - 1), channel);
            sum += taps[channel * KERNEL + j] * value;
        }
        attended[t * p.width + channel] = inputs[(3 * t + 1) * p.width + channel] * sum;
    }
    if (TAKES && first == 0) {
        for (uint i = 0; i + 1 < KERNEL; ++i) {
            const uint place = p.n_tokens + i;
            const float latest = place < KERNEL - 1 ? kept(place, channel) : product(place - (KERNEL - 1), channel);
            states[past_at[2 * p.layer] + i * p.width + channel] = latest;
        }
    }
}
