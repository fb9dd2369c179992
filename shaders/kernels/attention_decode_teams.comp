// Attention of one token, as attention_decode.comp has it, by subgroups: each takes positions of its own, a lane the
// same words of every row, so that keys and values go from memory to registers and no thread waits for another
// until the subgroups' sums meet. On an H200 16 us where the other form, whose chain of barriers is longer than its
// reads, took 25.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "interfaces/attention_decode.h"
#include "attention_join.glsl"
#include "rope.glsl"

const uint TEAMS = WORKGROUP / TEAM;
const uint ROWS = TILE / TEAMS;                     // of a tile, a team's
const uint LANE_WORDS = (WORDS + TEAM - 1) / TEAM;  // of a row, a lane's
const float NEVER = -3.4e38;
shared vec2 team_sums[TEAMS * WORDS];
shared float team_weights[TEAMS];
shared float team_peaks[TEAMS];

vec2 rotated_query(uint head, uint word) {
    vec2 pair;
    [[unroll]] for (uint i = 0; i < 2; ++i) {
        const uint at = 2 * word + i;
        pair[i] = rope_apply(at, 0, q[head * HEAD_DIM + at], q[head * HEAD_DIM + rope_partner(at)]);
    }
    return pair;
}

vec2 rotated_key(uint head, uint word) {
    vec2 pair;
    [[unroll]] for (uint i = 0; i < 2; ++i) {
        const uint at = 2 * word + i;
        pair[i] = rope_apply(at, 0, k[head * HEAD_DIM + at], k[head * HEAD_DIM + rope_partner(at)]);
    }
    return pair;
}

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint team = gl_SubgroupID;
    const uint lane = gl_SubgroupInvocationID;
    const uint head_kv = gl_WorkGroupID.y;
    const uint n_tiles = (position + TILE) / TILE;
    const uint part_positions = (n_tiles + PARTS - 1) / PARTS * TILE;
    const uint first = gl_WorkGroupID.x * part_positions;
    if (first > position) {
        return;
    }
    const uint end = min(first + part_positions, position + 1);
    const uint cache = past_at[p.layer] + head_kv * p.n_ctx * WORDS;

    uint key[ROWS * LANE_WORDS];
    uint value[ROWS * LANE_WORDS];
    uint own_key[LANE_WORDS];
    uint own_value[LANE_WORDS];
    vec2 query[GROUP * LANE_WORDS];
    // The first tile is on its way while the query is rotated.
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        const uint row = first + team + r * TEAMS;
        [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
            const uint word = lane + c * TEAM;
            const bool there = row < end && row != position && word < WORDS;
            const uint at = cache + row * WORDS + word;
            key[r * LANE_WORDS + c] = there ? keys[at] : 0;
            value[r * LANE_WORDS + c] = there ? values[at] : 0;
        }
    }
    [[unroll]] for (uint g = 0; g < GROUP; ++g) {
        [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
            const uint word = lane + c * TEAM;
            query[g * LANE_WORDS + c] = word < WORDS ? rotated_query(head_kv * GROUP + g, word) * p.scale : vec2(0);
        }
    }
    [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
        own_key[c] = own_value[c] = 0;
    }
    if (end == position + 1 && (position - first) % TEAMS == team) {  // the token's own row
        [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
            const uint word = lane + c * TEAM;
            if (word < WORDS) {
                const uint at = head_kv * HEAD_DIM + 2 * word;
                own_key[c] = packHalf2x16(rotated_key(head_kv, word));
                own_value[c] = packHalf2x16(vec2(v[at], v[at + 1]));
                keys[cache + position * WORDS + word] = own_key[c];
                values[cache + position * WORDS + word] = own_value[c];
            }
        }
    }

    vec2 sum[GROUP * LANE_WORDS];
    float weight[GROUP];
    float peak[GROUP];
    [[unroll]] for (uint g = 0; g < GROUP; ++g) {
        weight[g] = 0;
        peak[g] = NEVER;
        [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
            sum[g * LANE_WORDS + c] = vec2(0);
        }
    }
    for (uint base = first; base < end; base += TILE) {
        if (base != first) {
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                const uint row = base + team + r * TEAMS;
                [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
                    const uint word = lane + c * TEAM;
                    const bool there = row < end && row != position && word < WORDS;
                    const uint at = cache + row * WORDS + word;
                    key[r * LANE_WORDS + c] = there ? keys[at] : 0;
                    value[r * LANE_WORDS + c] = there ? values[at] : 0;
                }
            }
        }
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            if (base + team + r * TEAMS == position) {
                [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
                    key[r * LANE_WORDS + c] = own_key[c];
                    value[r * LANE_WORDS + c] = own_value[c];
                }
            }
        }
        [[unroll]] for (uint g = 0; g < GROUP; ++g) {
            float score[ROWS];
            float most = peak[g];
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                float dots = 0;
                [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
                    dots += dot(unpackHalf2x16(key[r * LANE_WORDS + c]), query[g * LANE_WORDS + c]);
                }
                dots = subgroupAdd(dots);
                score[r] = base + team + r * TEAMS < end ? dots : NEVER;
                most = max(most, score[r]);
            }
            const float shrink = exp(peak[g] - most);
            peak[g] = most;
            weight[g] *= shrink;
            [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
                sum[g * LANE_WORDS + c] *= shrink;
            }
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                // A team without a position has NEVER for its peak, too.
                const float e = score[r] > NEVER ? exp(score[r] - most) : 0.0;
                weight[g] += e;
                [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
                    sum[g * LANE_WORDS + c] += e * unpackHalf2x16(value[r * LANE_WORDS + c]);
                }
            }
        }
    }

    const uint n_parts = position / part_positions + 1;
    [[unroll]] for (uint g = 0; g < GROUP; ++g) {
        if (g > 0) {
            barrier();
        }
        [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
            const uint word = lane + c * TEAM;
            if (word < WORDS) {
                team_sums[team * WORDS + word] = sum[g * LANE_WORDS + c];
            }
        }
        if (lane == 0) {
            team_weights[team] = weight[g];
            team_peaks[team] = peak[g];
        }
        barrier();
        float most = NEVER;
        [[unroll]] for (uint t = 0; t < TEAMS; ++t) {
            most = max(most, team_peaks[t]);
        }
        vec2 all = vec2(0);
        float total = 0;
        [[unroll]] for (uint t = 0; t < TEAMS; ++t) {
            const float e = exp(team_peaks[t] - most);
            total += e * team_weights[t];
            all += e * team_sums[t * WORDS + min(me, WORDS - 1)];
        }
        const uint head = head_kv * GROUP + g;
        if (n_parts == 1) {
            write_head(head, all / total);
        } else {
            write_part(head, gl_WorkGroupID.x, all, total, most);
        }
    }
    if (n_parts > 1) {
        join_parts(head_kv, n_parts);
    }
}
