// h[t, i] = f(gate[t, i], up[t, i]) of a batch, from products[t] = gate and up of each neuron side by side, or all
// gates and then all ups, or ups alone. WEIGHED_BY_TOKEN: times the weight of the token in `chosen` (route.comp);
// WEIGHED_BY_PAIR: t is a row of sort_experts.comp, of which there are as many as `tiles` says, and the weight its pair's.
// EXPERT_BIASES, with WEIGHED_BY_PAIR: gates and ups have biases, floats [the layer's experts, n_neurons].
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/activate.h"
#include "activation.glsl"

void main() {
    const uint at = gl_GlobalInvocationID.x;
    const uint row = at / p.n_neurons;
    if (row >= (p.weighed == WEIGHED_BY_PAIR ? tiles[0].y : p.n_tokens)) {
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
    float weight = 1.0;
    if (p.weighed != WEIGHED_NOT) {
        const uvec2 one = chosen[p.weighed == WEIGHED_BY_PAIR ? pairs[row] : row];
        weight = uintBitsToFloat(one.y);
        if (EXPERT_BIASES) {
            const uint of_neuron = one.x * p.n_neurons + at % p.n_neurons;
            gate += p.gates != GATES_NONE ? gate_bias[of_neuron] : 0.0;
            up += up_bias[of_neuron];
        }
    }
    h[at] = weight * hidden_value(p.activation, p.gate_threshold, gate, up);
}
