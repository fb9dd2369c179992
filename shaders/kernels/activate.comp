// h[t, i] = f(gate[t, i], up[t, i]) of a batch, from products[t] = gate and up of each neuron side by side, or up
// alone.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"
layout(local_size_x_id = 0) in;

layout(push_constant) uniform Push {
    ActivateParams p;
};
layout(binding = 0) readonly buffer Products {
    float products[];
};
layout(binding = 1) writeonly buffer Hidden {
    float h[];
};
#include "activation.glsl"

void main() {
    const uint at = gl_GlobalInvocationID.x;
    if (at >= p.n_neurons * p.n_tokens) {
        return;
    }
    const float gate = p.gated != 0 ? products[2 * at] : 0.0;
    const float up = p.gated != 0 ? products[2 * at + 1] : products[at];
    h[at] = hidden_value(p.activation, p.gate_threshold, gate, up);
}
