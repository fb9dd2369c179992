// y[r] = sum over a token's experts j of w[place of j, r] * x[j] (+ y[r], if `add` says so).
//   w       weights.glsl: [experts, rows of one, 32 blocks]
//   x       [USED, 32 blocks]: input.glsl; hidden values, weighed already
//   y       floats
//   chosen  [USED] of route.comp; places: where the GPU has each expert; the others add nothing
// SEVERAL: x, y and `chosen` have a row for each token, and workgroups of row y compute token y. A token's values do
// not depend on how many tokens there are.
//   bias    floats [the layer's experts, rows of one] (if BIASED): added to w x[j], times the expert's weight
// A team of threads computes a row. Experts are added in their order by each thread, and threads' sums as gemv.comp's.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#ifdef INTEGER_DOT
#extension GL_EXT_spirv_intrinsics : require
#endif
#include "interfaces/expert_down.h"
#include "team.glsl"
#include "weights.glsl"
#include "input.glsl"

const uint ROW_UNITS = BLOCKS * UNITS;
const uint STEPS = (USED * ROW_UNITS + TEAM - 1) / TEAM;
shared uint place_of[MOST_USED_EXPERTS + 1];  // within this matrix

// Unit `at` of the hidden values of a token whose first expert is `first` of all tokens'.
InputUnit unit_of(uint first, uint at) {
#ifdef INTEGER_DOT
    return load_input(first * BLOCKS + at);
#else
    return load_input_from(first * BLOCKS * 8, at);
#endif
}

void main() {
    prepare_weights();
    const uint token = SEVERAL ? gl_WorkGroupID.y : 0;
    const uint first = token * USED;  // of its experts
    for (uint j = gl_LocalInvocationIndex; j < USED; j += WORKGROUP) {
        const uint place = places[chosen[first + j].x];
        const bool held = place != NOWHERE && place >= p.first_place && place - p.first_place < p.n_places;
        place_of[j] = held ? place - p.first_place : NOWHERE;
    }
    barrier();
    const uint row = gl_WorkGroupID.x * TEAMS + team_index();
    const uint mine = min(row, p.n_rows - 1);  // a row beyond the last is the last once more, and not written
    float sum = 0;
    [[unroll]] for (uint step = 0; step < STEPS; ++step) {
        const uint at = step * TEAM + team_lane();
        const uint j = at / ROW_UNITS;
        if (at < USED * ROW_UNITS && place_of[j] != NOWHERE) {
            sum += dot_unit(p.matrix, place_of[j] * p.n_rows + mine, at - j * ROW_UNITS, unit_of(first, at));
        }
    }
    if (BIASED) {
        for (uint j = team_lane(); j < USED; j += TEAM) {
            if (place_of[j] != NOWHERE) {
                sum += uintBitsToFloat(chosen[first + j].y) * bias[chosen[first + j].x * p.n_rows + mine];
            }
        }
    }
    sum = team_sum(sum);
    if (team_lane() == 0 && row < p.n_rows) {
        const uint to = token * p.n_rows + row;
        y[to] = sum + (p.add != 0 ? y[to] : 0.0);
    }
}
