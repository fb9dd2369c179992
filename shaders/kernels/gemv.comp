// y[y_at + r] = sum over c of w[r, c] * x[c] (+ bias), for one token.
//   w    [rows, 32 blocks]  weights.glsl
//   x    [32 blocks]        input.glsl: floats, or signed bytes with a scale a block (INTEGER_DOT); JOINED:
//                           joined_norm.glsl
//   y    floats, overwritten
// HEAD_ROWS: so many rows are a head's, and x has an input for each head; floats only.
// Agrees with the CPU's generic matrix product to rounding: the order of sums differs. A team of threads computes
// ROWS rows.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#ifdef INTEGER_DOT
#extension GL_EXT_spirv_intrinsics : require
#endif
#ifdef JOINED
#include "interfaces/joined_gemv.h"
const bool SUBGROUPS = true;
#include "joined_norm.glsl"
#else
#include "interfaces/gemv.h"
#endif
#include "team.glsl"
#include "weights.glsl"
#include "input.glsl"
#include "output.glsl"

const uint ROW_UNITS = BLOCKS * UNITS;
const uint STEPS = (ROW_UNITS + TEAM - 1) / TEAM;

void main() {
    prepare_weights();
#ifdef JOINED
    join_norm(p.stores != 0 && gl_WorkGroupID.x == 0);
#endif
    const uint first = (gl_WorkGroupID.x * TEAMS + team_index()) * ROWS;
    float sums[ROWS];
    [[unroll]] for (uint j = 0; j < ROWS; ++j) {
        sums[j] = 0;
    }
#ifndef INTEGER_DOT
    const uint from = HEAD_ROWS > 0 ? (p.x_at + (p.first_row + first) / HEAD_ROWS * p.x_apart) / 4 : 0;
#endif
    [[unroll]] for (uint step = 0; step < STEPS; ++step) {
        const uint at = step * TEAM + team_lane();
        if (at >= ROW_UNITS) {
            break;
        }
#ifdef INTEGER_DOT
        const InputUnit unit = load_input(at);
#else
        const InputUnit unit = load_input_from(from, at);
#endif
        [[unroll]] for (uint j = 0; j < ROWS; ++j) {
            // A row beyond the last is the last once more, and not written.
            sums[j] += dot_unit(p.matrix, min(first + j, p.matrix.rows - 1), at, unit);
        }
    }
    [[unroll]] for (uint j = 0; j < ROWS; ++j) {
        const float sum = team_sum(sums[j]);
        const uint row = first + j;
        if (team_lane() == 0 && row < p.matrix.rows) {
            y[p.y_at + row] = finished(sum, row);
        }
    }
}
