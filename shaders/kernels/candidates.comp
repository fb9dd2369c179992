// The TAKE best of a row of logits, in order: the larger first, of equals the lower id, as better() of
// compute/candidate.h has it. What is no number is not among them, and -0 is 0.
//   best[r] = (logit, id)      r < TAKE; (0, -1) where the row has no more numbers
//   best[TAKE] = (logit, id)   the first that is Inf or NaN; (0, -1) where all are finite
// One workgroup, which reads the row twice. Its values are dealt out to ROOM groups, four by four. The best values of
// TAKE of these groups are TAKE values, so none of the row's TAKE best is worse than all of them: the second time all
// that is no worse is gathered. Where the large values are not all in a few groups that is little more than TAKE; where
// they are, and it is more than there is room for, the bar is raised until it is not.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "interfaces/candidates.h"

const uint ROOM = 1024;  // a power of two
const uint AHEAD = 4;    // loads on their way at a time
const uint NAN = 0x7fffffff;
shared uint keys[ROOM];
shared uint ids[ROOM];
shared uint n_gathered;
shared uint first_bad;  // the lowest id of what is not finite

// Grows with the logit; 0: it is not a number.
uint key_of(uint bits) {
    if ((bits & 0x7fffffff) > 0x7f800000) {
        return 0;
    }
    if (bits == 0x80000000) {
        bits = 0;
    }
    return bits >= 0x80000000 ? ~bits : bits | 0x80000000;
}

uint bits_of(uint key) {
    return key >= 0x80000000 ? key & 0x7fffffff : ~key;
}

bool better(uvec2 a, uvec2 b) {
    return a.x > b.x || (a.x == b.x && a.y < b.y);
}

// Key and id of one of the four values at `at`.
uvec2 value_of(uvec4 four, uint at, uint i) {
    const uint id = 4 * at + i;
    return uvec2(id < p.n_values ? key_of(four[i]) : 0, id);
}

// Keeps what is a number and no worse than `bar`, in any order. How many these are, which may be more than was kept.
uint gather(uvec2 bar) {
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        n_gathered = 0;
    }
    barrier();
    const uint fours = (p.n_values + 3) / 4;
    for (uint base = gl_LocalInvocationIndex; base < fours; base += AHEAD * WORKGROUP) {
        uvec4 four[AHEAD];
        [[unroll]] for (uint k = 0; k < AHEAD; ++k) {
            const uint at = base + k * WORKGROUP;
            four[k] = at < fours ? logits[at] : uvec4(NAN);
        }
        [[unroll]] for (uint k = 0; k < AHEAD; ++k) {
            [[unroll]] for (uint i = 0; i < 4; ++i) {
                const uvec2 value = value_of(four[k], base + k * WORKGROUP, i);
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

// The best of every group.
void best_of_groups() {
    if (gl_LocalInvocationIndex == 0) {
        first_bad = 0xffffffff;
    }
    barrier();
    uint bad = 0xffffffff;
    const uint fours = (p.n_values + 3) / 4;
    for (uint group = gl_LocalInvocationIndex; group < ROOM; group += WORKGROUP) {
        uvec2 most = uvec2(0, 0xffffffff);
        for (uint base = group; base < fours; base += AHEAD * ROOM) {
            uvec4 four[AHEAD];
            [[unroll]] for (uint k = 0; k < AHEAD; ++k) {
                const uint at = base + k * ROOM;
                four[k] = at < fours ? logits[at] : uvec4(NAN);
            }
            [[unroll]] for (uint k = 0; k < AHEAD; ++k) {
                [[unroll]] for (uint i = 0; i < 4; ++i) {
                    const uvec2 value = value_of(four[k], base + k * ROOM, i);
                    if (value.x > most.x) {  // ids grow
                        most = value;
                    }
                    if (value.y < p.n_values && (four[k][i] & 0x7f800000) == 0x7f800000) {
                        bad = min(bad, value.y);
                    }
                }
            }
        }
        keys[group] = most.x;
        ids[group] = most.y;
    }
    if (bad != 0xffffffff) {
        atomicMin(first_bad, bad);
    }
}

void main() {
    best_of_groups();
    sort(ROOM);
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
        n = gather(bar);
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
        ids[i] = 0xffffffff;
    }
    sort(size);
    for (uint i = gl_LocalInvocationIndex; i < TAKE; i += WORKGROUP) {
        best[i] = i < n ? uvec2(bits_of(keys[i]), ids[i]) : uvec2(0, 0xffffffff);
    }
    if (gl_LocalInvocationIndex == 0) {
        best[TAKE] = uvec2(first_bad == 0xffffffff ? 0 : logits[first_bad / 4][first_bad % 4], first_bad);
    }
}
