// Latent attention of a token or a batch: all heads read one key, and its first RANK numbers are the value. Token t sees
// positions 0 to position + t of the past, its own among them.
//   queries   floats [n_tokens, n_head, PLAIN + ROTATED]: what is behind PLAIN numbers is rotated here
//   absorbed  floats [n_tokens, n_head, RANK]: the plain part of each query behind the matrix of its head's keys
//   keys      the past as attention.glsl has it, of one head: a latent and behind it what was rotated
//   attended  floats [n_tokens, n_head, RANK], overwritten if PARTS is 1; it may be where `absorbed` is
//   parts     overwritten otherwise, latent_parts.glsl; latent_join.comp makes `attended` of them
// A workgroup takes QUERIES heads of tokens (x) and a part of the positions (y), so that a key is loaded once for all of
// them. It walks the positions in tiles, keeping running maxima and sums (Dao et al. 2022, FlashAttention). A group of
// threads, each with ROWS positions, makes a share of all products of a tile; then a thread has a query and a position;
// then a thread adds up some of the values' columns for all queries. QUERIES * TILE is WORKGROUP at most, TILE divides it,
// and ROWS divides TILE.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "interfaces/latent_attention.h"
const uint HEAD_DIM = RANK + ROTATED;
#include "attention.glsl"
#include "latent_parts.glsl"
#include "rope.glsl"
READS_PAST(past_key, keys)

const uint QUADS = HEAD_DIM / 4;           // of a query
const uint STRIDE = WORDS + 1;             // rows of a tile begin in different banks
const uint ROW_THREADS = TILE / ROWS;      // that have all positions of a tile
const uint SPLITS = WORKGROUP / ROW_THREADS;  // groups of these, which share the products
const uint SUMS = (VALUE_WORDS + WORKGROUP - 1) / WORKGROUP;  // words of a value, a thread's
shared vec4 query_quads[QUERIES * QUADS];
shared uint tile[TILE * STRIDE];
shared float products[SPLITS * QUERIES * TILE];
shared float scores[QUERIES * TILE];
shared float weights[TILE * QUERIES];
shared float shrinks[QUERIES];  // and in the end the sums of weights
shared float peaks[QUERIES];

// Number `at` of a query.
float query_value(uint query, uint at) {
    if (at < RANK) {
        return absorbed[query * RANK + at];
    }
    const uint from = query * (PLAIN + ROTATED) + PLAIN;
    const uint rotated = at - RANK;
    return rope_apply(rotated, query / p.n_head, queries[from + rotated], queries[from + rope_partner(rotated)]);
}

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint n_queries = p.n_tokens * p.n_head;
    const uint first = gl_WorkGroupID.x * QUERIES;
    const uint part = gl_WorkGroupID.y;
    const uint begin = part * part_positions();
    if (part >= part_count()) {
        return;
    }
    // Queries behind the last are the last once more, and not written.
    const uint last_token = min(first + QUERIES, n_queries) - 1;
    const uint end = min(begin + part_positions(), position + last_token / p.n_head + 1);
    for (uint i = me; i < QUERIES * QUADS; i += WORKGROUP) {
        const uint query = min(first + i / QUADS, n_queries - 1);
        const uint at = i % QUADS * 4;
        query_quads[i] = p.scale * vec4(query_value(query, at), query_value(query, at + 1),
                                        query_value(query, at + 2), query_value(query, at + 3));
    }
    const uint split = me / ROW_THREADS;
    const bool scores_one = me < QUERIES * TILE;
    const uint row = me % TILE;  // of the score that the thread has, and its query
    const uint own = me / TILE;
    const uint seen_end = position + min(first + own, n_queries - 1) / p.n_head + 1;
    float peak = NEVER;
    float total = 0;  // of the weights of this thread's position of each tile
    vec2 sums[QUERIES * SUMS];
    [[unroll]] for (uint i = 0; i < QUERIES * SUMS; ++i) {
        sums[i] = vec2(0);
    }
    for (uint base = begin; base < end; base += TILE) {
        const uint n = min(TILE, end - base);
        barrier();
        for (uint i = me; i < TILE * WORDS; i += WORKGROUP) {
            // Rows that are not there weigh nothing, but must be numbers.
            tile[i / WORDS * STRIDE + i % WORDS] = i / WORDS < n ? past_key(0, base + i / WORDS, i % WORDS) : 0;
        }
        barrier();
        float dots[ROWS * QUERIES];
        [[unroll]] for (uint i = 0; i < ROWS * QUERIES; ++i) {
            dots[i] = 0;
        }
        for (uint quad = split; quad < QUADS; quad += SPLITS) {
            vec4 key[ROWS];
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                const uint at = (me % ROW_THREADS + r * ROW_THREADS) * STRIDE + 2 * quad;
                key[r] = vec4(unpackHalf2x16(tile[at]), unpackHalf2x16(tile[at + 1]));
            }
            [[unroll]] for (uint q = 0; q < QUERIES; ++q) {
                const vec4 query = query_quads[q * QUADS + quad];
                [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                    dots[r * QUERIES + q] += dot(key[r], query);
                }
            }
        }
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            [[unroll]] for (uint q = 0; q < QUERIES; ++q) {
                products[(split * QUERIES + q) * TILE + me % ROW_THREADS + r * ROW_THREADS] = dots[r * QUERIES + q];
            }
        }
        barrier();
        float score = NEVER;
        if (scores_one) {
            float sum = 0;
            for (uint s = 0; s < SPLITS; ++s) {
                sum += products[(s * QUERIES + own) * TILE + row];
            }
            score = base + row < min(seen_end, end) ? sum : NEVER;
            scores[me] = score;
        }
        barrier();
        if (scores_one) {
            float most = peak;
            for (uint i = 0; i < TILE; ++i) {
                most = max(most, scores[own * TILE + i]);
            }
            const float shrink = exp(peak - most);
            peak = most;
            const float weight = weight_of(score, most);
            total = total * shrink + weight;
            weights[row * QUERIES + own] = weight;
            if (row == 0) {
                shrinks[own] = shrink;
            }
        }
        barrier();
        [[unroll]] for (uint c = 0; c < SUMS; ++c) {
            const uint word = me + c * WORKGROUP;
            if (word < VALUE_WORDS) {
                [[unroll]] for (uint q = 0; q < QUERIES; ++q) {
                    sums[q * SUMS + c] *= shrinks[q];
                }
                for (uint i = 0; i < n; ++i) {
                    const vec2 value = unpackHalf2x16(tile[i * STRIDE + word]);
                    [[unroll]] for (uint q = 0; q < QUERIES; ++q) {
                        sums[q * SUMS + c] += weights[i * QUERIES + q] * value;
                    }
                }
            }
        }
    }
    barrier();
    if (scores_one) {
        scores[me] = total;
        if (row == 0) {
            peaks[own] = peak;
        }
    }
    barrier();
    if (me < QUERIES) {
        float all = 0;
        for (uint i = 0; i < TILE; ++i) {
            all += scores[me * TILE + i];
        }
        shrinks[me] = all;
    }
    barrier();
    [[unroll]] for (uint q = 0; q < QUERIES; ++q) {
        const uint query = first + q;
        if (query < n_queries) {
            [[unroll]] for (uint c = 0; c < SUMS; ++c) {
                const uint word = me + c * WORKGROUP;
                if (word < VALUE_WORDS && PARTS == 1) {
                    attended[query * VALUE_WORDS + word] = sums[q * SUMS + c] / shrinks[q];
                } else if (word < VALUE_WORDS) {
                    parts[part_at(query, part) + word] = sums[q * SUMS + c];
                }
            }
            if (PARTS > 1 && me == 0) {
                parts[part_at(query, part) + VALUE_WORDS] = vec2(shrinks[q], peaks[q]);
            }
        }
    }
}
