// The inputs that tokens have for a layer, through its gates: gates = gelu(gates) * inputs.
//   gates    floats [n_tokens, width], in place
//   inputs   floats [n_tokens, stride]; the layer's begin at `first` of a token's
// A thread takes a value. generic/: gelu_mul.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/layer_input.h"
#include "activation.glsl"

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i < p.width * p.n_tokens) {
        gates[i] = gelu(gates[i]) * inputs[i / p.width * p.stride + p.first + i % p.width];
    }
}
