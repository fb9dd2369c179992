// y[t, y_at + r] = sum over c of w[r, c] * x[t, c] (+ bias), for one token, or for p.n_tokens of them, at most TOKENS.
//   w    [rows, 32 blocks]  weights.glsl
//   x    [tokens, 32 blocks]  input.glsl: floats, or signed bytes with a scale a block (INTEGER_DOT); JOINED:
//                           joined_norm.glsl, of one token
//   y    floats, overwritten
// HEAD_ROWS: so many rows are a head's, and x has an input for each head; floats of one token only.
// Agrees with the CPU's generic matrix product to rounding: the order of sums differs. A team of threads computes
// ROWS rows, each of them for all tokens: weights are loaded and taken apart once. A token's values do not depend on how many tokens
// there are.
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
#include "interfaces/joined_gemv.h"
const bool SUBGROUPS = true;
const uint TOKENS = 1;
#include "joined_norm.glsl"
#else
#include "interfaces/gemv.h"
#endif
#include "team.glsl"
#include "weights.glsl"
#if !defined(JOINED) && !defined(CODES_Packed)
#define TAKES_ZERO_OFF (TOKENS > 1 && ZERO != 0 && !HAS_MINIMUM)
#endif
#include "input.glsl"
#include "output.glsl"
#include "row_units.glsl"

// Unit `at` of token t's input; of tokens that are not there, the last one's. heads_from: where heads' begins.
InputUnit unit_of(uint t, uint at, uint heads_from) {
#ifdef JOINED
    return load_input(at);
#else
    const uint token = TOKENS > 1 ? min(t, p.n_tokens - 1) : 0;
#ifdef INTEGER_DOT
    return load_input(token * BLOCKS + at);
#else
    return load_input_from(heads_from + token * BLOCKS * 8, at);
#endif
#endif
}

void main() {
    prepare_weights();
#ifdef JOINED
    join_norm(p.stores != 0 && gl_WorkGroupID.x == 0);
    const uint heads_from = 0;
#endif
    const uint first = (gl_WorkGroupID.x * TEAMS + team_index()) * ROWS;
#ifndef JOINED
    const uint heads_from = HEAD_ROWS > 0 ? (p.x_at + (p.first_row + first) / HEAD_ROWS * p.x_apart) / 4 : 0;
#endif
    float sums[ROWS * TOKENS];
    [[unroll]] for (uint j = 0; j < ROWS * TOKENS; ++j) {
        sums[j] = 0;
    }
    [[unroll]] for (uint base = 0; base < STEPS; base += AHEAD) {
        WeightUnit weights[AHEAD * ROWS];
        [[unroll]] for (uint s = 0; s < AHEAD; ++s) {
            if (base + s < STEPS) {
                [[unroll]] for (uint j = 0; j < ROWS; ++j) {
                    // A row beyond the last is the last once more, and not written.
                    const uint row = min(first + j, p.matrix.rows - 1);
                    weights[s * ROWS + j] = load_weights(p.matrix, row, unit_in(base + s));
                }
            }
        }
        [[unroll]] for (uint s = 0; s < AHEAD; ++s) {
            if (base + s < STEPS) {
                [[unroll]] for (uint t = 0; t < TOKENS; ++t) {
                    const InputUnit unit = unit_of(t, unit_in(base + s), heads_from);
                    [[unroll]] for (uint j = 0; j < ROWS; ++j) {
                        const float product = dot_weights(weights[s * ROWS + j], unit);
                        sums[j * TOKENS + t] += within_row(base + s) ? product : 0.0;
                    }
                }
            }
        }
    }
    if (HAS_REST && within_row(STEPS)) {
        [[unroll]] for (uint j = 0; j < ROWS; ++j) {
            const WeightUnit weights = load_weights(p.matrix, min(first + j, p.matrix.rows - 1), unit_in(STEPS));
            [[unroll]] for (uint t = 0; t < TOKENS; ++t) {
                sums[j * TOKENS + t] += dot_weights(weights, unit_of(t, unit_in(STEPS), heads_from));
            }
        }
    }
    [[unroll]] for (uint j = 0; j < ROWS; ++j) {
        const uint row = first + j;
        [[unroll]] for (uint t = 0; t < TOKENS; ++t) {
            const float sum = team_sum(sums[j * TOKENS + t]);
            if (team_lane() == 0 && row < p.matrix.rows) {
#ifdef JOINED
                y[p.y_at + row] = finished(sum, row);
#else
                if (TOKENS == 1) {
                    y[p.y_at + row] = finished(sum, row);
                } else if (t < p.n_tokens) {
                    y[t * p.y_stride + p.y_at + row] = finished(sum, row);
                }
#endif
            }
        }
    }
}
