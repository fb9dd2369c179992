// Hidden values of gated neurons for several tokens: h[t, first + i] = f(gate[i] x[t], up[i] x[t]); 0 where the gate is
// closed.
//   w     weights.glsl; GATES_BESIDE: [2 n_neurons, 32 blocks], a neuron's gate, then its up; GATES_APART: [n_neurons,
//         32 blocks], up
//   x     [n_tokens, 32 blocks]   input.glsl
//   h     floats [n_tokens, h_stride], overwritten; GATES_APART: it holds gate[i] x[t]
// A workgroup computes 32 neurons for TOKENS tokens (y): all gates, then the ups of those neurons that are open for any of
// them. Weights are loaded and taken apart once for all tokens, and an up that no token wants is not loaded. A token's
// values do not depend on how many tokens there are: they have the bits that neurons.comp gives.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#ifdef INTEGER_DOT
#extension GL_EXT_spirv_intrinsics : require
#endif
#include "interfaces/several_neurons.h"
#include "team.glsl"
#include "weights.glsl"
#if !defined(CODES_Packed)
#define TAKES_ZERO_OFF (ZERO != 0 && !HAS_MINIMUM)
#endif
#include "input.glsl"
#include "activation.glsl"
#include "bit_number.glsl"

const bool BESIDE = GATES == GATES_BESIDE;
const uint ROW_UNITS = BLOCKS * UNITS;
const uint STEPS = (ROW_UNITS + TEAM - 1) / TEAM;

shared float gates[TOKENS * 32];
shared float hidden[TOKENS * 32];
shared uint opened[TOKENS];  // a bit a neuron

// Unit `at` of token t's input; of tokens that are not there, the last one's.
InputUnit unit_of(uint t, uint at) {
    const uint token = min(t, p.n_tokens - 1);
#ifdef INTEGER_DOT
    return load_input(token * BLOCKS + at);
#else
    return load_input_from(token * BLOCKS * 8, at);
#endif
}

// The products of a row with the tokens from `first_token` on: a lane's part of them.
void multiply(uint row, uint first_token, out float sums[TOKENS]) {
    [[unroll]] for (uint t = 0; t < TOKENS; ++t) {
        sums[t] = 0;
    }
    [[unroll]] for (uint step = 0; step < STEPS; ++step) {
        const uint at = step * TEAM + team_lane();
        if (at >= ROW_UNITS) {
            break;
        }
        const WeightUnit weights = load_weights(p.matrix, row, at);
        [[unroll]] for (uint t = 0; t < TOKENS; ++t) {
            sums[t] += dot_weights(weights, unit_of(first_token + t, at));
        }
    }
}

void note_gate(uint t, uint number, float gate) {
    gates[t * 32 + number] = gate;
    if (gate_open(p.activation, p.gate_threshold, gate)) {
        atomicOr(opened[t], 1u << number);
    }
}

void main() {
    prepare_weights();
    const uint me = gl_LocalInvocationIndex;
    const uint first = gl_WorkGroupID.x * 32;
    const uint here = min(p.n_neurons - first, 32);
    const uint first_token = gl_WorkGroupID.y * TOKENS;
    const uint n_tokens = min(p.n_tokens - first_token, TOKENS);
    for (uint i = me; i < TOKENS * 32; i += WORKGROUP) {
        hidden[i] = 0;
    }
    if (me < TOKENS) {
        opened[me] = 0;
    }
    barrier();
    float sums[TOKENS];
    if (BESIDE) {
        for (uint number = team_index(); number < 32; number += TEAMS) {
            multiply(2 * (first + min(number, here - 1)), first_token, sums);
            [[unroll]] for (uint t = 0; t < TOKENS; ++t) {
                const float gate = team_sum(sums[t]);
                if (team_lane() == 0 && t < n_tokens && number < here) {
                    note_gate(t, number, gate);
                }
            }
        }
    } else {
        for (uint i = me; i < n_tokens * 32; i += WORKGROUP) {
            const uint t = i / 32;
            const uint number = i % 32;
            if (number < here) {
                note_gate(t, number, h[(first_token + t) * p.h_stride + p.first + first + number]);
            }
        }
    }
    barrier();
    uint any = 0;
    [[unroll]] for (uint t = 0; t < TOKENS; ++t) {
        any |= opened[t];
    }
    const uint count = bitCount(any);
    for (uint from = 0; from < count; from += TEAMS) {
        const uint mine = from + team_index();
        const uint number = bit_number(any, min(mine, count - 1));
        multiply(BESIDE ? 2 * (first + number) + 1 : first + number, first_token, sums);
        [[unroll]] for (uint t = 0; t < TOKENS; ++t) {
            const float up = team_sum(sums[t]);
            if (team_lane() == 0 && mine < count && (opened[t] >> number & 1) != 0) {
                hidden[t * 32 + number] =
                    hidden_value(p.activation, p.gate_threshold, gates[t * 32 + number], up);
            }
        }
    }
    barrier();
    for (uint i = me; i < n_tokens * 32; i += WORKGROUP) {
        if (i % 32 < here) {
            h[(first_token + i / 32) * p.h_stride + p.first + first + i % 32] = hidden[i];
        }
    }
}
