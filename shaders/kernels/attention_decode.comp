// Attention of one token to everything before it and itself.
//   q k v     floats [n_head | n_head_kv, HEAD_DIM], before rotation
//   keys      the past as attention.glsl has it, rotated; gains this token's row at `position` if STORES, and has it
//             otherwise
//   values    likewise
//   attended  floats [n_head, HEAD_DIM], overwritten (if WRITE_FLOATS)
//   bytes     the same as signed bytes with a scale per 32 (if WRITE_BYTES; HEAD_DIM a multiple of 32)
//   sinks     floats [n_head] (if SINKS): a score of each head that brings no value. It is the first part's
// The positions are cut into PARTS parts of whole tiles; a workgroup takes part gl_WorkGroupID.x for the GROUP
// query heads that read one key head, keeping running maxima and sums. What it found goes to `parts`, and the last
// of a head's workgroups to be done joins them in their order, so the sum does not depend on which that is. Keys and
// values of the token itself are rounded as those of others are. Parts that begin after the last position
// do nothing: one recorded dispatch serves every length.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "interfaces/attention_decode.h"
#define HAS_SCORES
#include "attention_token.glsl"
const uint JOINED = 1;  // shared memory is full of queries and keys
#include "attention_parts.glsl"
READS_PAST(past_key, keys)
READS_PAST(past_value, values)

const uint STRIDE = WORDS + 1;  // rows of a tile begin in different banks
const uint SPLITS = 4;          // threads that share one score
const uint SPLIT_WORDS = (WORDS + SPLITS - 1) / SPLITS;
shared vec2 queries[GROUP * WORDS];
shared uint tile_keys[TILE * STRIDE];
shared uint tile_values[TILE * WORDS];
shared float split_scores[GROUP * SPLITS * TILE];
shared float scores[GROUP * TILE];
shared float weights[WORKGROUP];

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint head_kv = gl_WorkGroupID.y;
    const Part part = part_of(part_index());
    if (part.first > my_position()) {
        return;
    }
    for (uint i = me; i < GROUP * WORDS; i += WORKGROUP) {
        queries[i] = scaled(rotated_query(my_token(), first_head() + i / WORDS, i % WORDS), my_position());
    }
    // A thread adds one word of the values' rows; the threads of one word share the positions.
    const uint word = me % WORDS;
    const uint share = me / WORDS;
    const bool adds = share < SHARES;
    vec2 sum[GROUP];
    float weight[GROUP];
    float peak[GROUP];
    [[unroll]] for (uint g = 0; g < GROUP; ++g) {
        sum[g] = vec2(0);
        weight[g] = has_sink() && share == 0 ? 1 : 0;
        peak[g] = has_sink() ? sinks[first_head() + g] : NEVER;
    }
    for (uint base = part.first; base < part.end; base += TILE) {
        const uint n = min(TILE, part.end - base);
        barrier();
        [[unroll]] for (uint i = 0; i < TILE * WORDS; i += WORKGROUP) {
            const uint at = i + me;
            const uint row = at / WORDS;
            if (row < TILE && (!STORES || base + row != my_position())) {
                // Rows that are not there weigh nothing, but must be numbers.
                tile_keys[row * STRIDE + at % WORDS] = row < n ? past_key(head_kv, base + row, at % WORDS) : 0;
                tile_values[at] = row < n ? past_value(head_kv, base + row, at % WORDS) : 0;
            }
        }
        if (STORES && my_position() < base + n) {  // the token's own row
            const uint row = my_position() - base;
            for (uint w = me; w < WORDS; w += WORKGROUP) {
                const uint key = key_word(0, head_kv, w);
                const uint value = value_word(0, head_kv, w);
                tile_keys[row * STRIDE + w] = key;
                tile_values[row * WORDS + w] = value;
                if (writes_row()) {
                    write_key(0, head_kv, my_position(), w, key);
                    write_value(0, head_kv, my_position(), w, value);
                }
            }
        }
        barrier();
        [[unroll]] for (uint i = 0; i < GROUP * SPLITS * TILE; i += WORKGROUP) {
            // Neighbouring threads take neighbouring rows: their words lie in different banks.
            const uint at = i + me;
            const uint row = at % TILE;
            const uint split = at / TILE % SPLITS;
            const uint g = at / (TILE * SPLITS);
            if (g < GROUP) {
                float dots = 0;
                [[unroll]] for (uint c = 0; c < SPLIT_WORDS; ++c) {
                    const uint word = split * SPLIT_WORDS + c;
                    if (word < WORDS) {
                        dots += dot(unpackHalf2x16(tile_keys[row * STRIDE + word]), queries[g * WORDS + word]);
                    }
                }
                split_scores[at] = dots;
            }
        }
        barrier();
        for (uint i = me; i < GROUP * TILE; i += WORKGROUP) {
            const uint at = i / TILE * SPLITS * TILE + i % TILE;
            const float product = split_scores[at] + split_scores[at + TILE] + split_scores[at + 2 * TILE] +
                                  split_scores[at + 3 * TILE];
            scores[i] = score_of(product, my_position(), base + i % TILE);
        }
        barrier();
        [[unroll]] for (uint g = 0; g < GROUP; ++g) {
            float most = peak[g];
            [[unroll]] for (uint i = 0; i < TILE; ++i) {
                most = max(most, scores[g * TILE + i]);
            }
            const float shrink = exp(peak[g] - most);
            peak[g] = most;
            sum[g] *= shrink;
            weight[g] *= shrink;
            [[unroll]] for (uint j = 0; j < TILE; j += SHARES) {
                const uint i = j + share;
                if (adds && i < TILE) {
                    const float e = weight_of(scores[g * TILE + i], most);
                    sum[g] += e * unpackHalf2x16(tile_values[i * WORDS + word]);
                    weight[g] += e;
                }
            }
        }
    }
    [[unroll]] for (uint g = 0; g < GROUP; ++g) {
        barrier();
        sums[me] = sum[g];
        weights[me] = weight[g];
        barrier();
        vec2 all = sum[g];
        float total = weight[g];
        if (me < WORDS) {
            for (uint s = 1; s < SHARES; ++s) {
                all += sums[me + s * WORDS];
                total += weights[me + s * WORDS];
            }
        }
        write_part(first_head() + g, part_index(), all, total, peak[g]);
    }
    join_parts(part.count);
}
