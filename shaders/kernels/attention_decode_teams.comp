// Attention of one token, as attention_decode.comp has it, by subgroups: each takes positions of its own, a lane the
// same words of every row, so that keys and values go from memory to registers and no thread waits for another
// until the subgroups' sums meet. The past is in halves. On an H200 16 us where the other form, whose chain of barriers is longer than its
// reads, took 25.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "interfaces/attention_decode.h"
#define HAS_SCORES
#define NORMS_HEADS
#include "attention_token.glsl"
const uint TEAMS = WORKGROUP / TEAM;
const uint ROW_TEAMS = TEAMS;
#include "attention_teams.glsl"
READS_PAST(past_key, keys)
READS_PAST(past_value, values)

const uint ROWS = TILE / TEAMS;                     // of a tile, a team's
const uint LANE_WORDS = (WORDS + TEAM - 1) / TEAM;  // of a row, a lane's

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint team = gl_SubgroupID;
    const uint lane = gl_SubgroupInvocationID;
    const uint head_kv = gl_WorkGroupID.y;
    const Part part = part_of(part_index());
    if (part.first > position) {
        return;
    }
    uint key[ROWS * LANE_WORDS];
    uint value[ROWS * LANE_WORDS];
    uint own_key[LANE_WORDS];
    uint own_value[LANE_WORDS];
    vec2 query[GROUP * LANE_WORDS];
    // The first tile is on its way while the query is rotated.
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        const uint row = part.first + team + r * TEAMS;
        [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
            const uint word = lane + c * TEAM;
            const bool there = row < part.end && (!STORES || row != position) && word < WORDS;
            key[r * LANE_WORDS + c] = there ? past_key(head_kv, row, word) : 0;
            value[r * LANE_WORDS + c] = there ? past_value(head_kv, row, word) : 0;
        }
    }
    [[unroll]] for (uint g = 0; g < GROUP; ++g) {
        if (NORMS) {
            query_factor = head_factor(query_squares((first_head() + g) * HEAD_DIM));
        }
        [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
            const uint word = lane + c * TEAM;
            query[g * LANE_WORDS + c] =
                word < WORDS ? scaled(rotated_query(0, first_head() + g, word), position) : vec2(0);
        }
    }
    [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
        own_key[c] = own_value[c] = 0;
    }
    if (STORES && part.end == position + 1 && (position - part.first) % TEAMS == team) {  // the token's own row
        if (NORMS) {
            key_factor = head_factor(key_squares(head_kv * HEAD_DIM));
        }
        [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
            const uint word = lane + c * TEAM;
            if (word < WORDS) {
                own_key[c] = key_word(0, head_kv, word);
                own_value[c] = value_word(0, head_kv, word);
                if (writes_row()) {
                    write_key(0, head_kv, position, word, own_key[c]);
                    write_value(0, head_kv, position, word, own_value[c]);
                }
            }
        }
    }

    vec2 sum[GROUP * LANE_WORDS];
    float weight[GROUP];
    float peak[GROUP];
    [[unroll]] for (uint g = 0; g < GROUP; ++g) {
        weight[g] = has_sink() && team == 0 ? 1 : 0;
        peak[g] = has_sink() && team == 0 ? sinks[first_head() + g] : NEVER;
        [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
            sum[g * LANE_WORDS + c] = vec2(0);
        }
    }
    for (uint base = part.first; base < part.end; base += TILE) {
        if (base != part.first) {
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                const uint row = base + team + r * TEAMS;
                [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
                    const uint word = lane + c * TEAM;
                    const bool there = row < part.end && (!STORES || row != position) && word < WORDS;
                    key[r * LANE_WORDS + c] = there ? past_key(head_kv, row, word) : 0;
                    value[r * LANE_WORDS + c] = there ? past_value(head_kv, row, word) : 0;
                }
            }
        }
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            if (STORES && base + team + r * TEAMS == position) {
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
                score[r] = score_of(dots, position, base + team + r * TEAMS);
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
                const float e = weight_of(score[r], most);
                weight[g] += e;
                [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
                    sum[g * LANE_WORDS + c] += e * unpackHalf2x16(value[r * LANE_WORDS + c]);
                }
            }
        }
    }

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
        join_teams(g, part);
    }
    if (part.count > 1) {
        join_parts(part.count);
    }
}
