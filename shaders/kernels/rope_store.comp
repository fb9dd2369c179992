// Rotates the queries of a batch in place, if ROTATES, and, if STORES, stores its keys, rotated, and values, from
// `position` on.
//   q k v         floats [n_tokens, n_head | n_head_kv, HEAD_DIM]
//   keys values   the past as attention.glsl has it
// A thread takes two values (x: pairs of q, then of k, then of v; y: tokens): those that rope pairs, for q and k.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "interfaces/rope_store.h"
#define NORMS_KEYS
#include "attention_token.glsl"
#include "head_squares.glsl"
HEAD_SQUARES(key_squares, k)

void main() {
    const uint token = gl_GlobalInvocationID.y;
    const uint n_q = ROTATES ? p.n_head * HEAD_DIM / 2 : 0;
    const uint n_kv = p.n_head_kv * HEAD_DIM / 2;
    uint index = gl_GlobalInvocationID.x;
    if (index < n_q) {
        // The lesser of a pair's places does both; values that are not rotated stay.
        const uint base = token * 2 * n_q + index / (HEAD_DIM / 2) * HEAD_DIM;
        const uint pair = index % (HEAD_DIM / 2);
        if (pair < p.rope_pairs) {
            const uint at = p.rope_neighbours != 0 ? 2 * pair : pair;
            const uint partner = rope_partner(at);
            const float a = q[base + at];
            const float b = q[base + partner];
            q[base + at] = rope_apply(at, token, a, b);
            q[base + partner] = rope_apply(partner, token, b, a);
        }
        return;
    }
    index -= n_q;
    const bool is_value = index >= n_kv;
    index -= is_value ? n_kv : 0;
    if (!STORES || index >= n_kv) {
        return;
    }
    const uint head = index / WORDS;
    const uint word = index % WORDS;
    if (NORMS) {  // a subgroup's threads have words of one head
        key_factor = head_factor(key_squares((token * p.n_head_kv + head) * HEAD_DIM));
    }
    if (is_value) {
        write_value(token, head, position + token, word, BYTES ? 0 : value_word(token, head, word));
    } else {
        write_key(token, head, position + token, word, BYTES ? 0 : key_word(token, head, word));
    }
}
