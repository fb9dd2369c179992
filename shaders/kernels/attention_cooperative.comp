// Attention of a batch as attention_batch.comp has it, on matrix units: queries, keys, values and the weights of
// positions are halves, scores and sums are floats.
//   q            floats [n_tokens, n_head, HEAD_DIM], rotated
//   keys         the past as attention.glsl has it, and the same once more in quads of words
//   values       likewise
//   attended     floats [n_tokens, n_head, HEAD_DIM], overwritten
//   sinks        floats [n_head] (if SINKS): a score of each head before all others, which brings no value
// A workgroup takes QUERIES tokens (x) of one query head (y) and walks the positions in tiles of TILE (Dao et al. 2022,
// FlashAttention). SPLIT subgroups have ROWS queries together: each computes the scores of its part of the tile's
// positions, and sums its part of the head. TILE is no smaller than QUERIES.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "cooperative.glsl"
#include "interfaces/attention_cooperative.h"
#define HAS_SCORES
#include "attention.glsl"
READS_PAST(past_key, keys)
READS_PAST(past_value, values)

const uint ROWS = 16;
const uint QUADS = HEAD_DIM / 8;  // of eight halves, in a row of keys or of values

// Rows have a quad or two more than their content, so that they begin in different banks.
const uint ROW_QUADS = QUADS + 1;
const uint SCORE_QUADS = TILE / 4 + 2;
const uint WEIGHT_QUADS = TILE / 8 + 1;
shared uvec4 rows[TILE * ROW_QUADS];         // queries at first, then by turns keys and values of a tile
shared uvec4 scores[QUERIES * SCORE_QUADS];  // floats [query][position]
shared uvec4 weights[QUERIES * WEIGHT_QUADS];
shared float growths[QUERIES];  // by which a query's sums shrink, since a larger score came
shared uint grown_at;           // behind the tile at which one did

// A thread's quads of a tile. They are loaded while the matrix units work on what came before.
const uint HELD = (TILE * QUADS + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;

const uint THREADS = gl_WorkGroupSize.x / QUERIES;  // that share a query's scores; neighbours within a subgroup
const uint OWN_QUADS = TILE / 4 / THREADS;

const uint ROW_FRAGMENTS = ROWS / M;
const uint OWN_POSITIONS = TILE / SPLIT;
const uint OWN_VALUES = HEAD_DIM / SPLIT;
const uint DEEP = HEAD_DIM / K;
const uint WIDE = OWN_VALUES / N;

#define FETCH(name, past, past_quads) \
    void name(uint head_kv, uint base, uint end, out uvec4 held[HELD]) { \
        [[unroll]] for (uint i = 0; i < HELD; ++i) { \
            const uint at = gl_LocalInvocationIndex + i * gl_WorkGroupSize.x; \
            const uint row = base + at / QUADS; \
            const uint quad = at % QUADS; \
            held[i] = uvec4(0); \
            if (row < end) { \
                held[i] = BYTES ? uvec4(past(head_kv, row, 4 * quad), past(head_kv, row, 4 * quad + 1), \
                                        past(head_kv, row, 4 * quad + 2), past(head_kv, row, 4 * quad + 3)) \
                                : past_quads[past_row(head_kv, row) / 4 + quad]; \
            } \
        } \
    }
FETCH(fetch_keys, past_key, key_quads)
FETCH(fetch_values, past_value, value_quads)

void put(uvec4 held[HELD]) {
    [[unroll]] for (uint i = 0; i < HELD; ++i) {
        const uint at = gl_LocalInvocationIndex + i * gl_WorkGroupSize.x;
        if (at < TILE * QUADS) {
            rows[at / QUADS * ROW_QUADS + at % QUADS] = held[i];
        }
    }
}

uint half_pair(vec2 pair) {
    return packHalf2x16(clamp(pair, vec2(-65504), vec2(65504)));
}

void main() {
    const uint me = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    const uint head = gl_WorkGroupID.y;
    const uint head_kv = head / (p.n_head / p.n_head_kv);
    const uint first = gl_WorkGroupID.x * QUERIES;
    for (uint i = gl_LocalInvocationIndex; i < QUERIES * QUADS; i += gl_WorkGroupSize.x) {
        const uint token = min(first + i / QUADS, p.n_tokens - 1);
        const uint from = ((token * p.n_head + head) * HEAD_DIM + 8 * (i % QUADS)) / 4;
        const vec4 low = q[from];
        const vec4 high = q[from + 1];
        const uint at = position + token;
        rows[i / QUADS * ROW_QUADS + i % QUADS] =
            uvec4(half_pair(scaled(low.xy, at)), half_pair(scaled(low.zw, at)), half_pair(scaled(high.xy, at)),
                  half_pair(scaled(high.zw, at)));
    }
    if (me == 0) {
        grown_at = 0;
    }
    barrier();
    const uint row = gl_SubgroupID / SPLIT * ROWS;
    const uint part = gl_SubgroupID % SPLIT;
    LEFT query[ROW_FRAGMENTS * DEEP];
    SUMS sums[ROW_FRAGMENTS * WIDE];
    [[unroll]] for (uint i = 0; i < ROW_FRAGMENTS; ++i) {
        [[unroll]] for (uint k = 0; k < DEEP; ++k) {
            LOAD(query[i * DEEP + k], rows, (row + M * i) * ROW_QUADS + K * k / 8, ROW_QUADS, BY_ROWS);
        }
        [[unroll]] for (uint j = 0; j < WIDE; ++j) {
            sums[i * WIDE + j] = SUMS(0.0);
        }
    }
    const uint own = me / THREADS;
    const uint share = me % THREADS;
    float peak = SINKS ? sinks[head] : NEVER;
    float total = SINKS && share == 0 ? 1 : 0;
    const uint end = position + min(first + QUERIES, p.n_tokens);  // of what the last query sees
    const uint begin = first_seen(position + first) / TILE * TILE;
    uvec4 held[HELD];
    fetch_keys(head_kv, begin, end, held);
    for (uint base = begin; base < end; base += TILE) {
        barrier();
        put(held);
        barrier();
        fetch_values(head_kv, base, end, held);
        [[unroll]] for (uint j = 0; j < OWN_POSITIONS; j += N) {
            const uint key = part * OWN_POSITIONS + j;
            SUMS products[ROW_FRAGMENTS];
            [[unroll]] for (uint i = 0; i < ROW_FRAGMENTS; ++i) {
                products[i] = SUMS(0.0);
            }
            [[unroll]] for (uint k = 0; k < DEEP; ++k) {
                RIGHT fragment;
                LOAD(fragment, rows, key * ROW_QUADS + K * k / 8, ROW_QUADS, BY_COLUMNS);
                [[unroll]] for (uint i = 0; i < ROW_FRAGMENTS; ++i) {
                    products[i] = MULTIPLY_ADD(query[i * DEEP + k], fragment, products[i]);
                }
            }
            [[unroll]] for (uint i = 0; i < ROW_FRAGMENTS; ++i) {
                STORE(products[i], scores, (row + M * i) * SCORE_QUADS + key / 4, SCORE_QUADS, BY_ROWS);
            }
        }
        barrier();
        put(held);
        fetch_keys(head_kv, base + TILE, end, held);
        vec4 exact[OWN_QUADS];
        float most = peak;
        [[unroll]] for (uint i = 0; i < OWN_QUADS; ++i) {
            const uint quad = i * THREADS + share;
            exact[i] = uintBitsToFloat(scores[own * SCORE_QUADS + quad]);
            [[unroll]] for (uint c = 0; c < 4; ++c) {
                exact[i][c] = score_of(exact[i][c], position + first + own, base + 4 * quad + c);
                most = max(most, exact[i][c]);
            }
        }
        [[unroll]] for (uint step = 1; step < THREADS; step *= 2) {
            most = max(most, subgroupShuffleXor(most, step));
        }
        // Beyond what a float holds the sums are of nothing yet.
        const float growth = exp(min(most - peak, 80.0));
        peak = most;
        total /= growth;
        [[unroll]] for (uint i = 0; i < OWN_QUADS; ++i) {
            vec4 weight;
            [[unroll]] for (uint c = 0; c < 4; ++c) {
                weight[c] = weight_of(exact[i][c], peak);
                total += weight[c];
            }
            const uint quad = i * THREADS + share;
            const uint to = own * WEIGHT_QUADS + quad / 2;
            weights[to][quad % 2 * 2] = packHalf2x16(weight.xy);
            weights[to][quad % 2 * 2 + 1] = packHalf2x16(weight.zw);
        }
        if (share == 0) {
            growths[own] = growth;
        }
        if (growth != 1.0) {
            grown_at = base + 1;
        }
        barrier();
        if (grown_at == base + 1) {
            [[unroll]] for (uint i = 0; i < ROW_FRAGMENTS; ++i) {
                SUMS by;  // each column is the same
                LOAD(by, growths, row + M * i, 0, BY_COLUMNS);
                [[unroll]] for (uint j = 0; j < WIDE; ++j) {
                    sums[i * WIDE + j] = sums[i * WIDE + j] / by;
                }
            }
        }
        [[unroll]] for (uint k = 0; k < TILE; k += K) {
            LEFT weight[ROW_FRAGMENTS];
            [[unroll]] for (uint i = 0; i < ROW_FRAGMENTS; ++i) {
                LOAD(weight[i], weights, (row + M * i) * WEIGHT_QUADS + k / 8, WEIGHT_QUADS, BY_ROWS);
            }
            [[unroll]] for (uint j = 0; j < WIDE; ++j) {
                RIGHT fragment;
                LOAD(fragment, rows, k * ROW_QUADS + (part * OWN_VALUES + N * j) / 8, ROW_QUADS, BY_ROWS);
                [[unroll]] for (uint i = 0; i < ROW_FRAGMENTS; ++i) {
                    sums[i * WIDE + j] = MULTIPLY_ADD(weight[i], fragment, sums[i * WIDE + j]);
                }
            }
        }
    }
    [[unroll]] for (uint step = 1; step < THREADS; step *= 2) {
        total += subgroupShuffleXor(total, step);
    }
    barrier();
    if (share == 0) {
        growths[own] = total;
    }
    barrier();
    // By way of the scores' room, since a fragment's end may lie beyond the last token.
    [[unroll]] for (uint j = 0; j < WIDE; ++j) {
        [[unroll]] for (uint i = 0; i < ROW_FRAGMENTS; ++i) {
            SUMS by;
            LOAD(by, growths, row + M * i, 0, BY_COLUMNS);
            STORE(sums[i * WIDE + j] / by, scores, (row + M * i) * SCORE_QUADS + part * OWN_POSITIONS / 4, SCORE_QUADS,
                  BY_ROWS);
        }
        subgroupBarrier();
        for (uint at = gl_SubgroupInvocationID; at < ROWS * N; at += gl_SubgroupSize) {
            const uint token = first + row + at / N;
            const uint from = part * OWN_POSITIONS + at % N;
            if (token < p.n_tokens) {
                attended[(token * p.n_head + head) * HEAD_DIM + part * OWN_VALUES + N * j + at % N] =
                    uintBitsToFloat(scores[(row + at / N) * SCORE_QUADS + from / 4][from % 4]);
            }
        }
        subgroupBarrier();
    }
}
