// Attention of one token, as attention_decode.comp has it, by subgroups: each takes positions of its own, a lane the
// same words of every row, so that keys and values go from memory to registers and no thread waits for another
// until the subgroups' sums meet. The past is in halves. On an H200 16 us where the other form, whose chain of barriers is longer than its
// reads, took 25. SEVERAL_ROWS: a lane takes 16 bytes of a row, so that a subgroup has several positions at once and adds
// up each over fewer lanes (decision 90).
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#ifdef SEVERAL_ROWS
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
#include "interfaces/attention_decode.h"
#define HAS_SCORES
#define NORMS_HEADS
#include "attention_token.glsl"
#ifdef SEVERAL_ROWS
const uint LANE_WORDS = 4;        // of a row, a lane's
const uint LANES = WORDS / 4;     // of a row
#else
const uint LANE_WORDS = (WORDS + TEAM - 1) / TEAM;
const uint LANES = TEAM;
#endif
const uint ROWS_AT_ONCE = TEAM / LANES;  // of a subgroup
const uint ROW_TEAMS = WORKGROUP / LANES;
#include "attention_teams.glsl"

const uint ROWS = TILE / ROW_TEAMS;  // of a tile, a team's

#ifdef SEVERAL_ROWS

uint word_of(uint lane, uint c) {
    return lane * 4 + c;
}

// The sum over the lanes of a row, which all of them get.
float row_sum(float value) {
    [[unroll]] for (uint apart = LANES / 2; apart > 0; apart /= 2) {
        value += subgroupShuffleXor(value, apart);
    }
    return value;
}

#define READS_ROW(name, past) \
    void name(uint head_kv, uint row, uint lane, bool there, out uint words[LANE_WORDS]) { \
        const uvec4 quad = there ? past[past_row(head_kv, row) / 4 + lane] : uvec4(0); \
        words = uint[4](quad.x, quad.y, quad.z, quad.w); \
    }
READS_ROW(past_key, key_quads)
READS_ROW(past_value, value_quads)

#else

uint word_of(uint lane, uint c) {
    return lane + c * TEAM;
}

float row_sum(float value) {
    return subgroupAdd(value);
}

READS_PAST(past_key_word, keys)
READS_PAST(past_value_word, values)
#define READS_ROW(name, word_at) \
    void name(uint head_kv, uint row, uint lane, bool there, out uint words[LANE_WORDS]) { \
        [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) { \
            words[c] = there && word_of(lane, c) < WORDS ? word_at(head_kv, row, word_of(lane, c)) : 0; \
        } \
    }
READS_ROW(past_key, past_key_word)
READS_ROW(past_value, past_value_word)

#endif

// A team's rows of the tile from `base` on, but for the token's own.
#define READS_TILE(base) \
    [[unroll]] for (uint r = 0; r < ROWS; ++r) { \
        const uint row = base + team + r * ROW_TEAMS; \
        const bool there = row < part.end && (!STORES || row != my_position()); \
        uint key_words[LANE_WORDS]; \
        uint value_words[LANE_WORDS]; \
        past_key(head_kv, row, lane, there, key_words); \
        past_value(head_kv, row, lane, there, value_words); \
        [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) { \
            key[r * LANE_WORDS + c] = key_words[c]; \
            value[r * LANE_WORDS + c] = value_words[c]; \
        } \
    }

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint team = gl_SubgroupID * ROWS_AT_ONCE + gl_SubgroupInvocationID / LANES;
    const uint lane = gl_SubgroupInvocationID % LANES;
    const uint head_kv = gl_WorkGroupID.y;
    const Part part = part_of(part_index());
    if (part.first > my_position()) {
        return;
    }
    uint key[ROWS * LANE_WORDS];
    uint value[ROWS * LANE_WORDS];
    uint own_key[LANE_WORDS];
    uint own_value[LANE_WORDS];
    vec2 query[GROUP * LANE_WORDS];
    // The first tile is on its way while the query is rotated.
    READS_TILE(part.first)
    [[unroll]] for (uint g = 0; g < GROUP; ++g) {
        if (NORMS) {
            query_factor = head_factor(query_squares(row_of(first_head() + g) * HEAD_DIM));
        }
        [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
            const uint word = word_of(lane, c);
            query[g * LANE_WORDS + c] =
                word < WORDS ? scaled(rotated_query(my_token(), first_head() + g, word), my_position()) : vec2(0);
        }
    }
    [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
        own_key[c] = own_value[c] = 0;
    }
    const uint own_team = (my_position() - part.first) % ROW_TEAMS;
    if (STORES && part.end == my_position() + 1 && own_team / ROWS_AT_ONCE == gl_SubgroupID) {  // the token's own row
        if (NORMS) {
            key_factor = head_factor(key_squares(head_kv * HEAD_DIM));
        }
        [[unroll]] for (uint c = 0; c < LANE_WORDS; ++c) {
            const uint word = word_of(lane, c);
            if (word < WORDS) {
                own_key[c] = key_word(0, head_kv, word);
                own_value[c] = value_word(0, head_kv, word);
                if (writes_row() && team == own_team) {
                    write_key(0, head_kv, my_position(), word, own_key[c]);
                    write_value(0, head_kv, my_position(), word, own_value[c]);
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
            READS_TILE(base)
        }
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            if (STORES && base + team + r * ROW_TEAMS == my_position()) {
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
                dots = row_sum(dots);
                score[r] = score_of(dots, my_position(), base + team + r * ROW_TEAMS);
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
            const uint word = word_of(lane, c);
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
