// Attention of a batch: token t of it sees positions 0 to position + t of the cache, its own among them.
//   q         floats [n_tokens, n_head, HEAD_DIM], rotated
//   keys      the past as attention.glsl has it
//   values    likewise
//   attended  floats [n_tokens, n_head, HEAD_DIM], overwritten
//   sinks     floats [n_head] (if SINKS): a score of each head before all others, which brings no value
// A workgroup takes QUERIES tokens (x) of one query head (y) and walks the positions in tiles of TILE, keeping
// running maxima and sums (Dao et al. 2022, FlashAttention).
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "interfaces/attention_batch.h"
#define HAS_SCORES
#include "attention.glsl"
READS_PAST(past_key, keys)
READS_PAST(past_value, values)

const uint KEY_STRIDE = WORDS + 1;  // words: rows begin in different banks
shared vec2 queries[QUERIES * WORDS];
shared uint tile_keys[TILE * KEY_STRIDE];
shared uint tile_values[TILE * WORDS];
shared float peaks[QUERIES];
shared float totals[QUERIES];
shared float shrinks[QUERIES];

// Threads that share a score where a tile has fewer scores than there are threads.
const uint SPLITS = (WORKGROUP + QUERIES * TILE - 1) / (QUERIES * TILE);
shared float scores[QUERIES * TILE * SPLITS];

// Words of `attended` a thread adds up: [QUERIES, WORDS] shared out over the workgroup.
const uint SUMS = (QUERIES * WORDS + WORKGROUP - 1) / WORKGROUP;

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint head = gl_WorkGroupID.y;
    const uint head_kv = head / (p.n_head / p.n_head_kv);
    const uint first = gl_WorkGroupID.x * QUERIES;
    for (uint i = me; i < QUERIES * WORDS; i += WORKGROUP) {
        const uint token = min(first + i / WORDS, p.n_tokens - 1);
        const uint from = (token * p.n_head + head) * HEAD_DIM + 2 * (i % WORDS);
        queries[i] = scaled(vec2(q[from], q[from + 1]), position + token);
    }
    if (me < QUERIES) {
        peaks[me] = SINKS ? sinks[head] : NEVER;
        totals[me] = SINKS ? 1 : 0;
    }
    vec2 sums[SUMS];
    [[unroll]] for (uint j = 0; j < SUMS; ++j) {
        sums[j] = vec2(0);
    }
    const uint end = position + min(first + QUERIES, p.n_tokens);  // of what the last query sees
    for (uint base = first_seen(position + first) / TILE * TILE; base < end; base += TILE) {
        const uint n = min(TILE, end - base);
        barrier();
        for (uint i = me; i < TILE * WORDS; i += WORKGROUP) {
            const uint row = i / WORDS;
            const bool there = row < n;
            tile_keys[row * KEY_STRIDE + i % WORDS] = there ? past_key(head_kv, base + row, i % WORDS) : 0;
            tile_values[i] = there ? past_value(head_kv, base + row, i % WORDS) : 0;
        }
        barrier();
        for (uint i = me; i < QUERIES * TILE * SPLITS; i += WORKGROUP) {
            const uint query = i / TILE % QUERIES;
            const uint row = i % TILE;
            float sum = 0;
            for (uint c = i / (QUERIES * TILE); c < WORDS; c += SPLITS) {
                sum += dot(unpackHalf2x16(tile_keys[row * KEY_STRIDE + c]), queries[query * WORDS + c]);
            }
            scores[i] = SPLITS > 1 ? sum : score_of(sum, position + first + query, base + row);
        }
        barrier();
        if (SPLITS > 1) {
            for (uint i = me; i < QUERIES * TILE; i += WORKGROUP) {
                float sum = scores[i];
                for (uint split = 1; split < SPLITS; ++split) {
                    sum += scores[i + split * QUERIES * TILE];
                }
                scores[i] = score_of(sum, position + first + i / TILE, base + i % TILE);
            }
            barrier();
        }
        if (me < QUERIES) {
            float most = peaks[me];
            for (uint i = 0; i < TILE; ++i) {
                most = max(most, scores[me * TILE + i]);
            }
            shrinks[me] = exp(peaks[me] - most);
            peaks[me] = most;
        }
        barrier();
        for (uint i = me; i < QUERIES * TILE; i += WORKGROUP) {
            scores[i] = weight_of(scores[i], peaks[i / TILE]);
        }
        barrier();
        if (me < QUERIES) {
            float total = totals[me] * shrinks[me];
            for (uint i = 0; i < TILE; ++i) {
                total += scores[me * TILE + i];
            }
            totals[me] = total;
        }
        [[unroll]] for (uint j = 0; j < SUMS; ++j) {
            const uint at = me + j * WORKGROUP;
            if (at < QUERIES * WORDS) {
                const uint query = at / WORDS;
                vec2 sum = sums[j] * shrinks[query];
                for (uint i = 0; i < n; ++i) {
                    sum += scores[query * TILE + i] * unpackHalf2x16(tile_values[i * WORDS + at % WORDS]);
                }
                sums[j] = sum;
            }
        }
    }
    barrier();
    [[unroll]] for (uint j = 0; j < SUMS; ++j) {
        const uint at = me + j * WORKGROUP;
        const uint token = first + at / WORDS;
        if (at < QUERIES * WORDS && token < p.n_tokens) {
            const uint to = (token * p.n_head + head) * HEAD_DIM + 2 * (at % WORDS);
            const vec2 value = sums[j] / totals[at / WORDS];
            attended[to] = value.x;
            attended[to + 1] = value.y;
        }
    }
}
