// Joins the two sums of a mixture with a dense block beside its experts, and norms the block's output, a workgroup a
// token:
//   y = norm(norm(y + partial) * experts_weight + norm(beside) * beside_weight) * weight   [n_tokens, columns]
// y is the sum of the experts that are here, `partial` that of the processor's (if PARTIAL), `beside` what the dense
// block gives. Norms are root mean square norms. Agrees with ExpertsPath::add_shared() (cpu/feed_forward/) to rounding.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "interfaces/norm_join.h"
#include "row_sum.glsl"

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint quarter = p.columns / 4;
    const uint row = gl_WorkGroupID.x * quarter;
    const float n = float(p.columns);
    // The value of a row that has one for each thread: it is not read again.
    vec4 mine = vec4(0);
    vec4 other = vec4(0);
    const bool held = quarter <= WORKGROUP;
    float squares = 0;
    float other_squares = 0;
    for (uint i = me; i < quarter; i += WORKGROUP) {
        mine = y[row + i];
        if (PARTIAL) {
            mine += partial[row + i];
        }
        other = beside[row + i];
        squares += dot(mine, mine);
        other_squares += dot(other, other);
        if (!held) {
            y[row + i] = mine;
        }
    }
    const float scale = norm_scale(workgroup_sum(squares), n, p.epsilon);
    const float other_scale = norm_scale(workgroup_sum(other_squares), n, p.epsilon);
    squares = 0;
    for (uint i = me; i < quarter; i += WORKGROUP) {
        if (!held) {
            mine = y[row + i];
            other = beside[row + i];
        }
        mine = mine * scale * experts_weight[i] + other * other_scale * beside_weight[i];
        squares += dot(mine, mine);
        if (!held) {
            y[row + i] = mine;
        }
    }
    const float joined_scale = norm_scale(workgroup_sum(squares), n, p.epsilon);
    for (uint i = me; i < quarter; i += WORKGROUP) {
        y[row + i] = (held ? mine : y[row + i]) * joined_scale * weight[i];
    }
}
