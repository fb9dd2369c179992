// The TAKE best of a row of logits, in order: the larger first, of equals the lower id, as better() of
// compute/candidate.h has it. What is no number is not among them, and -0 is 0.
//   best[r] = (logit, id)      r < TAKE; (0, -1) where the row has no more numbers
//   best[TAKE] = (logit, id)   the first that is Inf or NaN; (0, -1) where all are finite
// A workgroup for each row: of the logits, which begin with whole fours, of `of_groups` and of `best`. Its values were dealt out to GROUPS groups, four by four, and candidate_groups.comp has found the best
// of each. The best values of TAKE of these groups are TAKE values, so none of the row's TAKE best is worse than all of
// them: all that is no worse is gathered, and no other group has any of it. Unless the large values are all in a few
// groups that is little more than TAKE; where they are, and it is more than there is room for, the bar is raised until
// it is not.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/candidates.h"
#include "candidate_values.glsl"

const uint ROOM = GROUPS;  // a power of two
shared uint keys[ROOM];
shared uint ids[ROOM];
shared uint rich[TAKE];  // the groups with the best bests; NO_ID: it has no number
shared uint n_gathered;
shared uint first_bad;  // the lowest id of what is not finite

// Keeps what is a number and no worse than `bar`, in any order. How many these are, which may be more than was kept.
uint gather(uvec2 bar, uint from) {
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        n_gathered = 0;
    }
    barrier();
    const uint fours = (p.n_values + 3) / 4;
    const uint all = TAKE * ((fours + GROUPS - 1) / GROUPS);
    for (uint base = gl_LocalInvocationIndex; base < all; base += AHEAD * WORKGROUP) {
        uvec4 four[AHEAD];
        uint at[AHEAD];
        [[unroll]] for (uint k = 0; k < AHEAD; ++k) {
            const uint one = base + k * WORKGROUP;
            const uint group = one < all ? rich[one % TAKE] : NO_ID;
            at[k] = group == NO_ID ? fours : group + one / TAKE * GROUPS;
            four[k] = at[k] < fours ? logits[from + at[k]] : uvec4(NAN);
        }
        [[unroll]] for (uint k = 0; k < AHEAD; ++k) {
            [[unroll]] for (uint i = 0; i < 4; ++i) {
                const uvec2 value = value_of(four[k], at[k], i);
                if (value.x > 0 && !better(bar, value)) {
                    const uint place = atomicAdd(n_gathered, 1);
                    if (place < ROOM) {
                        keys[place] = value.x;
                        ids[place] = value.y;
                    }
                }
            }
        }
    }
    barrier();
    return n_gathered;
}

// The first `size` of keys and ids, a power of two: the best in front.
void sort(uint size) {
    for (uint run = 2; run <= size; run *= 2) {
        for (uint apart = run / 2; apart > 0; apart /= 2) {
            barrier();
            for (uint i = gl_LocalInvocationIndex; i < size / 2; i += WORKGROUP) {
                const uint one = 2 * i - (i & (apart - 1));
                const uint other = one + apart;
                const uvec2 a = uvec2(keys[one], ids[one]);
                const uvec2 b = uvec2(keys[other], ids[other]);
                if ((one & run) == 0 ? better(b, a) : better(a, b)) {
                    keys[one] = b.x;
                    ids[one] = b.y;
                    keys[other] = a.x;
                    ids[other] = a.y;
                }
            }
        }
    }
    barrier();
}

// The best of every group, in order, and the groups that have the first of them.
void take_groups() {
    const uint me = gl_LocalInvocationIndex;
    const uint from = gl_WorkGroupID.x * (GROUPS + PARTS);
    if (me == 0) {
        first_bad = NO_ID;
    }
    barrier();
    for (uint group = me; group < GROUPS; group += WORKGROUP) {
        keys[group] = of_groups[from + group].x;
        ids[group] = of_groups[from + group].y;
    }
    for (uint part = me; part < PARTS; part += WORKGROUP) {
        atomicMin(first_bad, of_groups[from + GROUPS + part].y);
    }
    sort(ROOM);
    for (uint i = me; i < TAKE; i += WORKGROUP) {
        rich[i] = keys[i] == 0 ? NO_ID : ids[i] / 4 % GROUPS;
    }
}

void main() {
    const uint from = gl_WorkGroupID.x * ((p.n_values + 3) / 4);  // in the logits
    const uint to = gl_WorkGroupID.x * (TAKE + 1);
    take_groups();
    uvec2 bar = uvec2(keys[TAKE - 1], ids[TAKE - 1]);
    // Where too many are no worse: halve what lies between a bar that is too low and one that is too high, by the
    // logit, and where it is equals that are too many, by the id.
    uint low = bar.x;
    uint high = 0xffffffff;  // of no number
    uint first = 0;          // equals of lower ids than this are too few,
    uint last = p.n_values;  // than this too many
    bool raised = false;
    uint n;
    while (true) {
        n = gather(bar, from);
        const bool too_high = raised && n < TAKE;
        if (n <= ROOM && !too_high) {
            break;
        }
        if (raised && high - low > 1) {
            high = too_high ? bar.x : high;
            low = too_high ? low : bar.x;
        } else if (raised) {
            first = too_high ? bar.y + 1 : first;
            last = too_high ? last : bar.y + 1;
        }
        raised = true;
        bar = high - low > 1 ? uvec2(low + (high - low) / 2, 0xffffffff) : uvec2(low, (first + last) / 2 - 1);
    }

    const uint size = n > 1 ? 2u << findMSB(n - 1) : 1;
    for (uint i = n + gl_LocalInvocationIndex; i < size; i += WORKGROUP) {
        keys[i] = 0;
        ids[i] = NO_ID;
    }
    sort(size);
    for (uint i = gl_LocalInvocationIndex; i < TAKE; i += WORKGROUP) {
        best[to + i] = i < n ? uvec2(bits_of(keys[i]), ids[i]) : uvec2(0, NO_ID);
    }
    if (gl_LocalInvocationIndex == 0) {
        const uint bits = first_bad == NO_ID ? 0 : logits[from + first_bad / 4][first_bad % 4];
        best[to + TAKE] = uvec2(bits, first_bad);
    }
}
