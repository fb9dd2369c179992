// Hidden values of neurons for one token: h[first + i] = f(gate[i] x, up[i] x), or f(up[i] x).
//   w     weights.glsl; GATES_BESIDE: [2 n_neurons, 32 blocks], a neuron's gate, then its up; else [n_neurons, 32
//         blocks], up
//   x     [32 blocks]   input.glsl
//   h     floats, overwritten (if WRITE_FLOATS); GATES_APART: it holds gate[i] x
//   hq hd signed bytes and a scale for 32 neurons each (if WRITE_BYTES)
//   mask  floats: what a predictor says of neuron first + i; those below the threshold are not computed
//   fired a word a neuron (if COUNT): bit 0 whether it fires for this token, above it for how many tokens it did
//         that count. Only the next token's step knows whether this one does: what breaks off half way must not.
//   noted four words a workgroup, of the tokens that count: how many of its neurons had their gate computed
//         (ungated: up), how many had an open gate, how many fired; then this token's three numbers, 8 bits each.
// If SPARSE, up is computed only if the gate is open. A workgroup computes 32 neurons.
// EXPERT_NEURONS: w has those of one expert after the other, and h those of the token's experts: workgroups of row y are
// of expert `chosen[y]` (route.comp), which lies at `places`. Hidden values are multiplied with its weight. An expert
// that is elsewhere leaves its part of h as it was. Nothing is counted or noted. ACTIVATION_NONE: h is the product with
// w, not weighed. EXPERT_BIASES: `gate_bias` and `bias` have those of all the layer's experts in their order,
// [experts, EXPERT_NEURONS]; GATES_APART: h comes without those of the gates.
// Agrees with cpu/'s feed-forward block to rounding.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#ifdef INTEGER_DOT
#extension GL_EXT_spirv_intrinsics : require
#endif
#include "interfaces/neurons.h"
#include "team.glsl"
#include "weights.glsl"
#include "input.glsl"

const bool BESIDE = GATES == GATES_BESIDE;
const uint ROW_UNITS = BLOCKS * UNITS;
const uint STEPS = (ROW_UNITS + TEAM - 1) / TEAM;
#include "activation.glsl"
#include "quantize.glsl"

shared float hidden[32];
shared uint team_noted[TEAMS];  // what each team computed: 8 bits a number

uint bias_first = 0;  // where those of the expert at hand begin

float with_gate_bias(float gate, uint number) {
    return EXPERT_BIASES && GATES != GATES_NONE ? gate + gate_bias[bias_first + number] : gate;
}
float up_bias_of(uint neuron, uint number) {
    return EXPERT_BIASES ? bias[bias_first + number] : p.has_bias != 0 ? bias[p.first + neuron] : 0.0;
}

const uint EXAMINED = 1;
const uint OPENED = 1 << 8;
const uint FIRED = 1 << 16;

// One neuron, gate and up in one walk over the input. number: of its expert's neurons; neuron: in the matrix.
float whole_neuron(uint neuron, uint number, uint h_at) {
    float gate = 0;
    float up = 0;
    [[unroll]] for (uint step = 0; step < STEPS; ++step) {
        const uint at = step * TEAM + team_lane();
        if (at >= ROW_UNITS) {
            break;
        }
        const InputUnit unit = load_input(at);
        if (BESIDE) {
            gate += dot_unit(p.matrix, 2 * neuron, at, unit);
        }
        up += dot_unit(p.matrix, BESIDE ? 2 * neuron + 1 : neuron, at, unit);
    }
    up = team_sum(up) + up_bias_of(neuron, number);
    gate = with_gate_bias(BESIDE ? team_sum(gate) : GATES == GATES_APART ? h[h_at] : 0.0, number);
    return hidden_value(p.activation, p.gate_threshold, gate, up);
}

// The same, up only if it counts; `opened` says whether it did. Every thread of the workgroup comes to every
// barrier: `wanted` may differ between teams.
float sparse_neuron(uint neuron, uint number, uint h_at, bool wanted, out bool opened) {
    float gate = GATES == GATES_APART ? with_gate_bias(h[h_at], number) : 0.0;
    if (BESIDE) {
        [[unroll]] for (uint step = 0; step < STEPS; ++step) {
            const uint at = step * TEAM + team_lane();
            if (!wanted || at >= ROW_UNITS) {
                break;
            }
            gate += dot_unit(p.matrix, 2 * neuron, at, load_input(at));
        }
        gate = with_gate_bias(team_sum(gate), number);
    }
    if (GATES != GATES_NONE) {
        wanted = wanted && gate_open(p.activation, p.gate_threshold, gate);
    }
    opened = wanted;
    float up = 0;
    [[unroll]] for (uint step = 0; step < STEPS; ++step) {
            const uint at = step * TEAM + team_lane();
            if (!wanted || at >= ROW_UNITS) {
                break;
            }
        up += dot_unit(p.matrix, BESIDE ? 2 * neuron + 1 : neuron, at, load_input(at));
    }
    up = team_sum(up) + up_bias_of(neuron, number);
    return wanted ? hidden_value(p.activation, p.gate_threshold, gate, up) : 0.0;
}

void main() {
    prepare_weights();
    const uint first = gl_WorkGroupID.x * 32;
    uint w_first = 0;  // of the matrix, where the expert's neurons begin
    uint h_first = p.first;
    float weight = 1.0;
    if (EXPERT_NEURONS > 0) {
        const uvec2 one = chosen[gl_WorkGroupID.y];
        const uint place = places[one.x];
        if (place == NOWHERE || place < p.first_place || place - p.first_place >= p.n_places) {
            return;
        }
        w_first = (place - p.first_place) * EXPERT_NEURONS;
        h_first = gl_WorkGroupID.y * EXPERT_NEURONS;
        bias_first = one.x * EXPERT_NEURONS;
        weight = uintBitsToFloat(one.y);
    }
    uint mine = 0;
    for (uint i = team_index(); i < 32; i += TEAMS) {
        const uint number = min(first + i, p.n_neurons - 1);
        const uint neuron = w_first + number;
        bool wanted = first + i < p.n_neurons;
        if (p.has_mask != 0) {
            wanted = wanted && mask[p.first + neuron] >= p.mask_threshold;
        }
        mine += wanted ? EXAMINED : 0;
        float value;
        bool opened = wanted;
        if (SPARSE) {
            value = sparse_neuron(neuron, number, h_first + number, wanted, opened);
        } else {
            value = whole_neuron(neuron, number, h_first + number);
            value = wanted ? value : 0.0;
        }
        value *= p.activation == ACTIVATION_NONE ? 1.0 : weight;
        mine += (opened ? OPENED : 0) + (value != 0 ? FIRED : 0);
        if (team_lane() == 0) {
            hidden[i] = value;
        }
    }
    if (team_lane() == 0) {
        team_noted[team_index()] = mine;
    }
    barrier();
    const uint i = gl_LocalInvocationIndex;
    if (WRITE_FLOATS && i < 32 && first + i < p.n_neurons) {
        h[h_first + first + i] = hidden[i];
    }
    if (COUNT && i < 32 && first + i < p.n_neurons) {
        const uint at = p.first + first + i;
        uint count = 0;
        if (counting != COUNTING_BEGIN) {
            count = (fired[at] >> 1) + (counting == COUNTING_KEEP ? fired[at] & 1 : 0);
        }
        fired[at] = count << 1 | (hidden[i] != 0 ? 1 : 0);
    }
    // Beside the threads that do the rest.
    if (EXPERT_NEURONS == 0 && i == gl_WorkGroupSize.x - 1) {
        uint sum = 0;
        for (uint team = 0; team < TEAMS; ++team) {
            sum += team_noted[team];
        }
        const uint at = (p.first + first) / 32;
        uvec4 counts = uvec4(0);
        if (activity != COUNTING_BEGIN) {
            counts = noted[at];
            if (activity == COUNTING_KEEP) {
                counts.xyz += counts.www >> uvec3(0, 8, 16) & 0xFFu;
            }
        }
        counts.w = sum;
        noted[at] = counts;
    }
    if (WRITE_BYTES && i < 8) {
        const vec4 mine = vec4(hidden[4 * i], hidden[4 * i + 1], hidden[4 * i + 2], hidden[4 * i + 3]);
        float most = 0;
        for (uint k = 0; k < 32; ++k) {
            most = max(most, abs(hidden[k]));
        }
        const uint block = (h_first + first) / 32;
        hq[block * 8 + i] = pack_bytes(mine, bytes_per(most));
        if (i == 0) {
            hd[block] = byte_scale(most);
        }
    }
}
