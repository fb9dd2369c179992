// The best value of each group of a row of logits, for candidates.comp. Workgroups of row y are of row y of the logits,
// each of which begins with whole fours, and of `best`. They share the groups out; a value of a
// group is read by one of TEAM threads, and neighbouring threads read neighbouring values.
//   best[g] = (key, id)              g < GROUPS; (0, NO_ID) where the group has no number
//   best[GROUPS + w] = (0, id)       of workgroup w: the first of its values that is Inf or NaN; NO_ID: all are finite
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/candidate_groups.h"
#include "candidate_values.glsl"

const uint TEAM = 8;
const uint AT_ONCE = WORKGROUP / TEAM;  // groups
shared uvec2 seen[WORKGROUP];
shared uint first_bad;

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint lane = me / AT_ONCE;
    if (me == 0) {
        first_bad = NO_ID;
    }
    const uint fours = (p.n_values + 3) / 4;
    const uint row = gl_WorkGroupID.y;
    const uint from = row * fours;
    const uint to = row * (GROUPS + gl_NumWorkGroups.x);
    const uint share = GROUPS / gl_NumWorkGroups.x;
    uint bad = NO_ID;
    for (uint first = 0; first < share; first += AT_ONCE) {
        const uint group = gl_WorkGroupID.x * share + first + me % AT_ONCE;
        uvec2 most = uvec2(0, NO_ID);
        // The last groups may leave threads without one.
        const uint end = first + me % AT_ONCE < share ? fours : 0;
        for (uint base = group + lane * GROUPS; base < end; base += AHEAD * TEAM * GROUPS) {
            uvec4 four[AHEAD];
            [[unroll]] for (uint k = 0; k < AHEAD; ++k) {
                const uint at = base + k * TEAM * GROUPS;
                four[k] = at < fours ? logits[from + at] : uvec4(NAN);
            }
            [[unroll]] for (uint k = 0; k < AHEAD; ++k) {
                [[unroll]] for (uint i = 0; i < 4; ++i) {
                    const uvec2 value = value_of(four[k], base + k * TEAM * GROUPS, i);
                    if (value.x > most.x) {  // ids grow
                        most = value;
                    }
                    if (value.y < p.n_values && (four[k][i] & 0x7f800000) == 0x7f800000) {
                        bad = min(bad, value.y);
                    }
                }
            }
        }
        barrier();
        seen[me] = most;
        barrier();
        if (me < AT_ONCE && first + me < share) {
            for (uint k = 1; k < TEAM; ++k) {
                const uvec2 other = seen[me + k * AT_ONCE];
                if (better(other, most)) {
                    most = other;
                }
            }
            best[to + group] = most;
        }
    }
    if (bad != NO_ID) {
        atomicMin(first_bad, bad);
    }
    barrier();
    if (me == 0) {
        best[to + GROUPS + gl_WorkGroupID.x] = uvec2(0, first_bad);
    }
}
