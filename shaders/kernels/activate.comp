// h[t, i] = f(gate[t, i], up[t, i]) of a batch, from products[t] = gate and up of each neuron side by side, or all
// gates and then all ups, or ups alone.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/activate.h"
#include "activation.glsl"

void main() {
    const uint at = gl_GlobalInvocationID.x;
    if (at >= p.n_neurons * p.n_tokens) {
        return;
    }
    float gate = 0;
    float up;
    if (p.gates == GATES_BESIDE) {
        gate = products[2 * at];
        up = products[2 * at + 1];
    } else if (p.gates == GATES_APART) {
        const uint first = at / p.n_neurons * p.n_neurons + at;
        gate = products[first];
        up = products[first + p.n_neurons];
    } else {
        up = products[at];
    }
    h[at] = hidden_value(p.activation, p.gate_threshold, gate, up);
}
