// A token's own part in attention: its query, and its key and value as the past holds them. A shader that includes this
// has q, k and v among its buffers: floats [n_tokens, n_head | n_head_kv, HEAD_DIM], before rotation.
#include "attention.glsl"
#include "rope.glsl"

vec2 rotated_query(uint token, uint head, uint word) {
    const uint from = (token * p.n_head + head) * HEAD_DIM;
    vec2 pair;
    [[unroll]] for (uint i = 0; i < 2; ++i) {
        const uint at = 2 * word + i;
        pair[i] = rope_apply(at, token, q[from + at], q[from + rope_partner(at)]);
    }
    return pair;
}

uint key_word(uint token, uint head_kv, uint word) {
    const uint from = (token * p.n_head_kv + head_kv) * HEAD_DIM;
    vec2 pair;
    [[unroll]] for (uint i = 0; i < 2; ++i) {
        const uint at = 2 * word + i;
        pair[i] = rope_apply(at, token, k[from + at], k[from + rope_partner(at)]);
    }
    return packHalf2x16(pair);
}

uint value_word(uint token, uint head_kv, uint word) {
    const uint from = (token * p.n_head_kv + head_kv) * HEAD_DIM + 2 * word;
    return packHalf2x16(vec2(v[from], v[from + 1]));
}
