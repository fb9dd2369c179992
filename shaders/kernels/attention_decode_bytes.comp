// Attention of one token, as attention_decode_teams.comp has it, over a past of bytes. A lane takes words of four bytes;
// where a row has fewer words than a subgroup has lanes, a subgroup takes several rows at a time.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "interfaces/attention_decode.h"
#define HAS_SCORES
#define NORMS_HEADS
#include "attention_token.glsl"
const uint QUADS = HEAD_DIM / 4;  // words of a row
const uint MOST_LANES = TEAM < 32 ? TEAM : 32;
const uint LANES = MOST_LANES % QUADS == 0 ? QUADS : MOST_LANES;  // more QUADS than lanes leave a rest
const uint ROWS_AT_ONCE = TEAM / LANES;  // of a subgroup
const uint ROW_TEAMS = WORKGROUP / LANES;
#include "attention_teams.glsl"

const uint ROWS = TILE / ROW_TEAMS;                   // of a tile, a team's
const uint LANE_QUADS = (QUADS + LANES - 1) / LANES;  // of a row, a lane's
const uint BLOCKS = (HEAD_DIM + 31) / 32;             // of a row, with a scale each

// A team's products of a tile are SUMS sums over its lanes. The lanes exchange what they have of LANES sums, so that each
// adds one of them up. With a subgroupAdd for each sum an H100 decoded a 1B model after 16,384 tokens 10 % slower.
const uint SUMS = ROWS * GROUP;
const uint LANE_SUMS = (SUMS + LANES - 1) / LANES;
const uint STRIDE = LANES + 1;  // the lanes' sums lie in different banks
shared float exchange[WORKGROUP * STRIDE];
shared float scores[ROW_TEAMS * SUMS];

// The four codes of a word as numbers. In the low bits of a half that is 1024 they count whole numbers, so that nothing
// has to be converted from an integer.
vec4 codes_of(uint bytes) {
    const uint biased = bytes ^ 0x80808080u;
    const vec2 even = unpackHalf2x16(biased & 0x00FF00FFu | 0x64006400u);
    const vec2 odd = unpackHalf2x16(biased >> 8 & 0x00FF00FFu | 0x64006400u);
    return vec4(even.x, odd.x, even.y, odd.y) - 1152.0;
}

// A lane's words of some rows, and the scale of each.
struct Quad {
    uint bytes;
    float scale;
};

Quad past_quad(uint bytes, uint scales, uint quad) {
    return Quad(bytes, unpackHalf2x16(scales)[quad / 8 % 2]);
}
#define READS_QUADS(name, past) \
    Quad name(uint head_kv, uint row, uint quad) { \
        return past_quad(past[past_row(head_kv, row) + quad], past[past_scales(head_kv, row) + quad / 16], quad); \
    }
READS_QUADS(past_key, keys)
READS_QUADS(past_value, values)

// The token's own row: a lane's words, and the halves that multiply each block, which all lanes have. The whole subgroup
// must call this, and all rows' lanes get the same.
#define OWN_QUADS(name, pair_of) \
    void name(uint head_kv, out Quad row[LANE_QUADS], out uint halves[BLOCKS]) { \
        const uint lane = gl_SubgroupInvocationID % LANES; \
        vec4 numbers[LANE_QUADS]; \
        [[unroll]] for (uint c = 0; c < LANE_QUADS; ++c) { \
            const uint quad = min(lane + c * LANES, QUADS - 1); \
            numbers[c] = vec4(pair_of(0, head_kv, 2 * quad), pair_of(0, head_kv, 2 * quad + 1)); \
        } \
        [[unroll]] for (uint b = 0; b < BLOCKS; ++b) { \
            float largest = 0; \
            [[unroll]] for (uint c = 0; c < LANE_QUADS; ++c) { \
                largest = min(lane + c * LANES, QUADS - 1) / 8 == b ? max(largest, largest_of(numbers[c])) : largest; \
            } \
            largest = subgroupMax(largest); \
            halves[b] = bytes_half(largest, largest); \
        } \
        [[unroll]] for (uint c = 0; c < LANE_QUADS; ++c) { \
            const uint block = min(lane + c * LANES, QUADS - 1) / 8; \
            uint half_scale = halves[0]; \
            [[unroll]] for (uint b = 1; b < BLOCKS; ++b) { \
                half_scale = block == b ? halves[b] : half_scale; \
            } \
            row[c] = Quad(two_bytes(numbers[c].xy, half_scale) | two_bytes(numbers[c].zw, half_scale) << 16, \
                          unpackHalf2x16(half_scale).x); \
        } \
    }

// The largest magnitude of four numbers; infinite if one of them is no number.
float largest_of(vec4 numbers) {
    const vec4 size = abs(numbers);
    return size.x + size.y + size.z + size.w < 1.0 / 0.0 ? max(max(size.x, size.y), max(size.z, size.w)) : 1.0 / 0.0;
}
OWN_QUADS(own_key_quads, key_pair)
OWN_QUADS(own_value_quads, value_pair)

#define WRITES_ROW(name, past) \
    void name(uint head_kv, Quad row[LANE_QUADS], uint halves[BLOCKS]) { \
        const uint lane = gl_SubgroupInvocationID % LANES; \
        [[unroll]] for (uint c = 0; c < LANE_QUADS; ++c) { \
            if (lane + c * LANES < QUADS) { \
                past[past_row(head_kv, my_position()) + lane + c * LANES] = row[c].bytes; \
            } \
        } \
        if (lane == 0) { \
            [[unroll]] for (uint b = 0; b < BLOCKS; b += 2) { \
                past[past_scales(head_kv, my_position()) + b / 2] = \
                    halves[b] | (b + 1 < BLOCKS ? halves[min(b + 1, BLOCKS - 1)] << 16 : 0); \
            } \
        } \
    }
WRITES_ROW(write_key_row, keys)
WRITES_ROW(write_value_row, values)

void main() {
    const uint team = gl_SubgroupID * ROWS_AT_ONCE + gl_SubgroupInvocationID / LANES;
    const uint lane = gl_SubgroupInvocationID % LANES;
    const uint head_kv = gl_WorkGroupID.y;
    const Part part = part_of(part_index());
    if (part.first > my_position()) {
        return;
    }
    Quad key[ROWS * LANE_QUADS];
    Quad value[ROWS * LANE_QUADS];
    Quad own_key[LANE_QUADS];
    Quad own_value[LANE_QUADS];
    uint key_halves[BLOCKS];
    uint value_halves[BLOCKS];
    vec4 query[GROUP * LANE_QUADS];
    // The first tile is on its way while the query is rotated.
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        const uint row = part.first + team + r * ROW_TEAMS;
        [[unroll]] for (uint c = 0; c < LANE_QUADS; ++c) {
            const uint quad = lane + c * LANES;
            const bool there = row < part.end && (!STORES || row != my_position()) && quad < QUADS;
            key[r * LANE_QUADS + c] = there ? past_key(head_kv, row, quad) : Quad(0, 0);
            value[r * LANE_QUADS + c] = there ? past_value(head_kv, row, quad) : Quad(0, 0);
        }
    }
    [[unroll]] for (uint g = 0; g < GROUP; ++g) {
        const uint head = first_head() + g;
        if (NORMS) {
            query_factor = head_factor(query_squares(row_of(head) * HEAD_DIM));
        }
        [[unroll]] for (uint c = 0; c < LANE_QUADS; ++c) {
            const uint quad = lane + c * LANES;
            query[g * LANE_QUADS + c] = quad < QUADS ? vec4(scaled(rotated_query(my_token(), head, 2 * quad), my_position()),
                                                            scaled(rotated_query(my_token(), head, 2 * quad + 1), my_position()))
                                                     : vec4(0);
        }
    }
    [[unroll]] for (uint c = 0; c < LANE_QUADS; ++c) {
        own_key[c] = own_value[c] = Quad(0, 0);
    }
    const uint own_team = (my_position() - part.first) % ROW_TEAMS;
    if (STORES && part.end == my_position() + 1 && own_team / ROWS_AT_ONCE == gl_SubgroupID) {  // the token's own row
        if (NORMS) {
            key_factor = head_factor(key_squares(head_kv * HEAD_DIM));
        }
        own_key_quads(head_kv, own_key, key_halves);
        own_value_quads(head_kv, own_value, value_halves);
        if (writes_row() && team == own_team) {
            write_key_row(head_kv, own_key, key_halves);
            write_value_row(head_kv, own_value, value_halves);
        }
    }

    vec4 sum[GROUP * LANE_QUADS];
    float weight[GROUP];
    float peak[GROUP];
    [[unroll]] for (uint g = 0; g < GROUP; ++g) {
        weight[g] = has_sink() && team == 0 ? 1 : 0;
        peak[g] = has_sink() && team == 0 ? sinks[first_head() + g] : NEVER;
        [[unroll]] for (uint c = 0; c < LANE_QUADS; ++c) {
            sum[g * LANE_QUADS + c] = vec4(0);
        }
    }
    for (uint base = part.first; base < part.end; base += TILE) {
        if (base != part.first) {
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                const uint row = base + team + r * ROW_TEAMS;
                [[unroll]] for (uint c = 0; c < LANE_QUADS; ++c) {
                    const uint quad = lane + c * LANES;
                    const bool there = row < part.end && (!STORES || row != my_position()) && quad < QUADS;
                    key[r * LANE_QUADS + c] = there ? past_key(head_kv, row, quad) : Quad(0, 0);
                    value[r * LANE_QUADS + c] = there ? past_value(head_kv, row, quad) : Quad(0, 0);
                }
            }
        }
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            if (STORES && base + team + r * ROW_TEAMS == my_position()) {
                [[unroll]] for (uint c = 0; c < LANE_QUADS; ++c) {
                    key[r * LANE_QUADS + c] = own_key[c];
                    value[r * LANE_QUADS + c] = own_value[c];
                }
            }
            float dots[GROUP];
            [[unroll]] for (uint g = 0; g < GROUP; ++g) {
                dots[g] = 0;
            }
            [[unroll]] for (uint c = 0; c < LANE_QUADS; ++c) {
                const vec4 codes = codes_of(key[r * LANE_QUADS + c].bytes);
                [[unroll]] for (uint g = 0; g < GROUP; ++g) {
                    dots[g] += key[r * LANE_QUADS + c].scale * dot(codes, query[g * LANE_QUADS + c]);
                }
            }
            [[unroll]] for (uint g = 0; g < GROUP; ++g) {
                const uint at = r * GROUP + g;
                exchange[team * LANES * STRIDE + at % LANES * STRIDE + lane] = dots[g];
                if (at % LANES == LANES - 1 || at == SUMS - 1) {
                    subgroupBarrier();
                    const uint mine = at / LANES * LANES + lane;
                    if (mine < SUMS) {
                        const uint from = (team * LANES + lane) * STRIDE;
                        vec2 sums = vec2(0);
                        [[unroll]] for (uint i = 0; i < LANES; i += 2) {
                            sums += vec2(exchange[from + i], exchange[from + i + 1]);
                        }
                        scores[team * SUMS + mine] =
                            score_of(sums.x + sums.y, my_position(), base + team + mine / GROUP * ROW_TEAMS);
                    }
                    subgroupBarrier();
                }
            }
        }
        [[unroll]] for (uint g = 0; g < GROUP; ++g) {
            float most = peak[g];
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                most = max(most, scores[team * SUMS + r * GROUP + g]);
            }
            const float shrink = exp(peak[g] - most);
            peak[g] = most;
            weight[g] *= shrink;
            [[unroll]] for (uint c = 0; c < LANE_QUADS; ++c) {
                sum[g * LANE_QUADS + c] *= shrink;
            }
        }
        // A team without a position has NEVER for its peak, too.
        subgroupBarrier();
        [[unroll]] for (uint i = 0; i < LANE_SUMS; ++i) {
            const uint mine = i * LANES + lane;
            if (mine < SUMS) {
                float most = peak[0];
                [[unroll]] for (uint g = 1; g < GROUP; ++g) {
                    most = mine % GROUP == g ? peak[g] : most;
                }
                scores[team * SUMS + mine] = weight_of(scores[team * SUMS + mine], most);
            }
        }
        subgroupBarrier();
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            float e[GROUP];
            [[unroll]] for (uint g = 0; g < GROUP; ++g) {
                e[g] = scores[team * SUMS + r * GROUP + g];
                weight[g] += e[g];
            }
            [[unroll]] for (uint c = 0; c < LANE_QUADS; ++c) {
                const vec4 numbers = value[r * LANE_QUADS + c].scale * codes_of(value[r * LANE_QUADS + c].bytes);
                [[unroll]] for (uint g = 0; g < GROUP; ++g) {
                    sum[g * LANE_QUADS + c] += e[g] * numbers;
                }
            }
        }
        subgroupBarrier();
    }

    [[unroll]] for (uint g = 0; g < GROUP; ++g) {
        if (g > 0) {
            barrier();
        }
        [[unroll]] for (uint c = 0; c < LANE_QUADS; ++c) {
            const uint quad = lane + c * LANES;
            if (quad < QUADS) {
                team_sums[team * WORDS + 2 * quad] = sum[g * LANE_QUADS + c].xy;
                team_sums[team * WORDS + 2 * quad + 1] = sum[g * LANE_QUADS + c].zw;
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
