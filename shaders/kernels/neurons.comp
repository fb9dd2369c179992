// Hidden values of neurons for one token, or for several, of which workgroups of layer z compute token z (SEVERAL): h[first + i] = f(gate[i] x, up[i] x), or f(up[i] x).
//   w     weights.glsl; GATES_BESIDE: [2 n_neurons, 32 blocks], a neuron's gate, then its up; else [n_neurons, 32
//         blocks], up
//   x     [32 blocks]   input.glsl; JOINED: joined_norm.glsl
//   h     floats, overwritten (if WRITE_FLOATS); GATES_APART: it holds gate[i] x
//   hq hd signed bytes and a scale for 32 neurons each (if WRITE_BYTES)
//   mask  floats: what a predictor says of neuron first + i; those below the threshold are not computed
//   fired a word a neuron (if COUNT): bit 0 whether it fires for this token, above it for how many tokens it did
//         that count. Only the next token's step knows whether this one does: what breaks off half way must not.
//   noted four words a workgroup, of the tokens that count: how many of its neurons had their gate computed
//         (ungated: up), how many had an open gate, how many fired; then this token's three numbers, 8 bits each.
// If SPARSE, up is computed only if the gate is open. A workgroup computes 32 neurons: all the gates first, then the ups
// of those that are open, shared out among the teams. Few are open, and a load takes the same time whether one team or
// all wait for theirs.
// EXPERT_NEURONS: w has those of one expert after the other, and h those of the token's experts: workgroups of row y are
// of expert `chosen[y]` (route.comp), which lies at `places`. Hidden values are multiplied with its weight. An expert
// that is elsewhere leaves its part of h as it was. Nothing is counted or noted. ACTIVATION_NONE: h is the product with
// w, not weighed. EXPERT_BIASES: `gate_bias` and `bias` have those of all the layer's experts in their order,
// [experts, EXPERT_NEURONS]; GATES_APART: h comes without those of the gates.
// SEVERAL, which only experts have: x, h and `chosen` have a row for each token. A token's values do not depend on how
// many tokens there are.
// Agrees with cpu/'s feed-forward block to rounding.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#ifdef JOINED
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
#ifdef INTEGER_DOT
#extension GL_EXT_spirv_intrinsics : require
#endif
#ifdef JOINED
#include "interfaces/joined_neurons.h"
const bool SUBGROUPS = true;
const uint EXPERT_NEURONS = 0;
const bool EXPERT_BIASES = false;
const bool SEVERAL = false;
#include "joined_norm.glsl"
#else
#include "interfaces/neurons.h"
#endif
#include "team.glsl"
#include "weights.glsl"
#include "input.glsl"

const bool BESIDE = GATES == GATES_BESIDE;
#include "row_units.glsl"
#include "activation.glsl"
#include "bit_number.glsl"
#ifndef JOINED
#include "quantize.glsl"
#endif

shared float hidden[32];
// A bit a neuron: examined, whose gate (ungated: up) is computed; opened, whose gate is open.
shared uint examined_bits, opened_bits;
shared float gates[32];

uint bias_first = 0;  // where those of the expert at hand begin
uint token = 0;

InputUnit unit_of(uint at) {
#ifdef INTEGER_DOT
    return load_input(SEVERAL ? token * BLOCKS + at : at);
#else
    return load_input_from(SEVERAL ? token * BLOCKS * 8 : 0, at);
#endif
}

float with_gate_bias(float gate, uint number) {
#ifndef JOINED
    return EXPERT_BIASES && GATES != GATES_NONE ? gate + gate_bias[bias_first + number] : gate;
#else
    return gate;
#endif
}
float up_bias_of(uint neuron, uint number) {
    return EXPERT_BIASES ? bias[bias_first + number] : p.has_bias != 0 ? bias[p.first + neuron] : 0.0;
}

// One neuron, gate and up in one walk over the input. number: of its expert's neurons; neuron: in the matrix.
float whole_neuron(uint neuron, uint number, uint h_at) {
    float gate = 0;
    float up = 0;
    const uint up_row = BESIDE ? 2 * neuron + 1 : neuron;
    [[unroll]] for (uint base = 0; base < STEPS; base += AHEAD) {
        WeightUnit gates_of[AHEAD];
        WeightUnit ups_of[AHEAD];
        [[unroll]] for (uint s = 0; s < AHEAD; ++s) {
            if (base + s < STEPS) {
                if (BESIDE) {
                    gates_of[s] = load_weights(p.matrix, 2 * neuron, unit_in(base + s));
                }
                ups_of[s] = load_weights(p.matrix, up_row, unit_in(base + s));
            }
        }
        [[unroll]] for (uint s = 0; s < AHEAD; ++s) {
            if (base + s < STEPS) {
                const InputUnit unit = unit_of(unit_in(base + s));
                if (BESIDE) {
                    const float product = dot_weights(gates_of[s], unit);
                    gate += within_row(base + s) ? product : 0.0;
                }
                const float product = dot_weights(ups_of[s], unit);
                up += within_row(base + s) ? product : 0.0;
            }
        }
    }
    if (HAS_REST && within_row(STEPS)) {
        const InputUnit unit = unit_of(unit_in(STEPS));
        if (BESIDE) {
            gate += dot_unit(p.matrix, 2 * neuron, unit_in(STEPS), unit);
        }
        up += dot_unit(p.matrix, up_row, unit_in(STEPS), unit);
    }
    up = team_sum(up) + up_bias_of(neuron, number);
    gate = with_gate_bias(BESIDE ? team_sum(gate) : GATES == GATES_APART ? h[h_at] : 0.0, number);
    return hidden_value(p.activation, p.gate_threshold, gate, up);
}

// Sets gates[i] and the bit in opened_bits of the neurons examined. w_first, h_first: of the workgroup's first neuron.
void open_gates(uint examined, uint first, uint w_first, uint h_first) {
    const uint me = gl_LocalInvocationIndex;
    if (GATES == GATES_NONE) {
        if (me == 0) {
            opened_bits = examined;
        }
        return;
    }
    if (GATES == GATES_APART) {
        if (me < 32 && (examined >> me & 1) != 0) {
            const float gate = with_gate_bias(h[h_first + me], first + me);
            gates[me] = gate;
            if (gate_open(p.activation, p.gate_threshold, gate)) {
                atomicOr(opened_bits, 1u << me);
            }
        }
        return;
    }
    // One a team at a time: two need so many registers that fewer workgroups run at once (on an H200 414 tokens/s
    // instead of 470).
    const uint count = bitCount(examined);
    for (uint from = 0; from < count; from += TEAMS) {
        const uint mine = from + team_index();
        const uint number = bit_number(examined, min(mine, count - 1));
        float sum = 0;
        [[unroll]] for (uint step = 0; step < ALL_STEPS; ++step) {
            const uint at = step * TEAM + team_lane();
            if (mine >= count || at >= ROW_UNITS) {
                break;
            }
            sum += dot_unit(p.matrix, 2 * (w_first + number), at, unit_of(at));
        }
        const float gate = with_gate_bias(team_sum(sum), first + number);
        if (team_lane() == 0 && mine < count) {
            gates[number] = gate;
            if (gate_open(p.activation, p.gate_threshold, gate)) {
                atomicOr(opened_bits, 1u << number);
            }
        }
    }
}

// Sets hidden[i] of the neurons whose gates are open.
void compute_open(uint opened, uint first, uint w_first, float factor) {
    const uint count = bitCount(opened);
    for (uint from = 0; from < count; from += TEAMS) {
        const uint mine = from + team_index();
        const uint number = bit_number(opened, min(mine, count - 1));
        const uint neuron = w_first + number;
        float up = 0;
        [[unroll]] for (uint step = 0; step < ALL_STEPS; ++step) {
            const uint at = step * TEAM + team_lane();
            if (mine >= count || at >= ROW_UNITS) {
                break;
            }
            up += dot_unit(p.matrix, BESIDE ? 2 * neuron + 1 : neuron, at, unit_of(at));
        }
        up = team_sum(up) + up_bias_of(neuron, first + number);
        if (team_lane() == 0 && mine < count) {
            const float gate = GATES == GATES_NONE ? 0.0 : gates[number];
            hidden[number] = hidden_value(p.activation, p.gate_threshold, gate, up) * factor;
        }
    }
}

void main() {
    prepare_weights();
    const uint first = gl_WorkGroupID.x * 32;
    uint w_first = 0;  // of the matrix, where the expert's neurons begin
    uint h_first = p.first;
    float weight_of_expert = 1.0;
#ifdef JOINED
    join_norm(p.stores != 0 && gl_WorkGroupID.x == 0);
#else
    if (EXPERT_NEURONS > 0) {
        token = SEVERAL ? gl_WorkGroupID.z : 0;
        const uint of_token = token * gl_NumWorkGroups.y + gl_WorkGroupID.y;
        const uvec2 one = chosen[of_token];
        const uint place = places[one.x];
        if (place == NOWHERE || place < p.first_place || place - p.first_place >= p.n_places) {
            return;
        }
        w_first = (place - p.first_place) * EXPERT_NEURONS;
        h_first = of_token * EXPERT_NEURONS;
        bias_first = one.x * EXPERT_NEURONS;
        weight_of_expert = uintBitsToFloat(one.y);
    }
#endif
    if (p.activation == ACTIVATION_NONE) {
        weight_of_expert = 1.0;
    }
    const uint i = gl_LocalInvocationIndex;
    const uint here = min(p.n_neurons - first, 32);
    uint examined = 0xFFFFFFFFu >> (32 - here);
    if (SPARSE || p.has_mask != 0) {
        if (i < 32) {
            hidden[i] = 0;
        }
        if (i == 0) {
            examined_bits = 0;
            opened_bits = 0;
        }
        barrier();
    }
    if (p.has_mask != 0) {
        if (i < here && mask[p.first + first + i] >= p.mask_threshold) {
            atomicOr(examined_bits, 1u << i);
        }
        barrier();
        examined = examined_bits;
    }
    uint opened = examined;
    if (SPARSE) {
        open_gates(examined, first, w_first + first, h_first + first);
        barrier();
        opened = opened_bits;
        compute_open(opened, first, w_first + first, weight_of_expert);
    } else {
        for (uint j = team_index(); j < 32; j += TEAMS) {
            const uint number = min(first + j, p.n_neurons - 1);
            const float value = whole_neuron(w_first + number, number, h_first + number);
            if (team_lane() == 0) {
                hidden[j] = (examined >> j & 1) != 0 ? value * weight_of_expert : 0.0;
            }
        }
    }
    barrier();
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
        uint n_fired = 0;
        for (uint k = 0; k < 32; ++k) {
            n_fired += hidden[k] != 0 ? 1 : 0;
        }
        const uint sum = bitCount(examined) | bitCount(opened) << 8 | n_fired << 16;
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
