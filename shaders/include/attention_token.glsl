// A token's own part in attention: its query, and its key and value as the past holds them. A shader that includes this
// has q, k and v among its buffers: floats [n_tokens, n_head | n_head_kv, HEAD_DIM], before rotation. If it NORMS_HEADS, q
// and k are before the norms of their heads too, if NORMS, and it sets the factors of the heads at hand; NORMS_KEYS: k alone.
#include "attention.glsl"
#include "past_bytes.glsl"
#include "rope.glsl"

#ifdef NORMS_HEADS
#define NORMS_KEYS
float query_factor = 1;
#endif
#ifdef NORMS_KEYS
float key_factor = 1;

// The factor of a head, from the sum of its squares.
float head_factor(float squares) {
    return inversesqrt(squares / float(HEAD_DIM) + p.epsilon);
}

float key_value(uint from, uint at) {
    return NORMS ? k[from + at] * (key_factor * k_norm[at]) : k[from + at];
}
#else
float key_value(uint from, uint at) {
    return k[from + at];
}
#endif

float query_value(uint from, uint at) {
#ifdef NORMS_HEADS
    return NORMS ? q[from + at] * (query_factor * q_norm[at]) : q[from + at];
#else
    return q[from + at];
#endif
}

vec2 rotated_query(uint token, uint head, uint word) {
    const uint from = (token * p.n_head + head) * HEAD_DIM;
    vec2 pair;
    [[unroll]] for (uint i = 0; i < 2; ++i) {
        const uint at = 2 * word + i;
        pair[i] = rope_apply(at, token, query_value(from, at), query_value(from, rope_partner(at)));
    }
    return pair;
}

vec2 key_pair(uint token, uint head_kv, uint word) {
    const uint from = (token * p.n_head_kv + head_kv) * HEAD_DIM;
    vec2 pair;
    [[unroll]] for (uint i = 0; i < 2; ++i) {
        const uint at = 2 * word + i;
        pair[i] = rope_apply(at, token, key_value(from, at), key_value(from, rope_partner(at)));
    }
    return pair;
}

vec2 value_pair(uint token, uint head_kv, uint word) {
    const uint from = (token * p.n_head_kv + head_kv) * HEAD_DIM + 2 * word;
    return vec2(v[from], v[from + 1]);
}

// Functions that give a word of the token's own row as the past holds it, and that write their share of the row: each
// word by the thread that has it. The threads of a block of 32 values find its scale each by itself.
#define OWN_ROW(pair_of, half_of, word_of, write, past) \
    uint half_of(uint token, uint head_kv, uint word) { \
        float largest = 0; \
        float sum = 0; \
        for (uint w = word / 16 * 16; w < min(word / 16 * 16 + 16, WORDS); ++w) { \
            const vec2 size = abs(pair_of(token, head_kv, w)); \
            largest = max(largest, max(size.x, size.y)); \
            sum += size.x + size.y; \
        } \
        return bytes_half(largest, sum); \
    } \
    uint word_of(uint token, uint head_kv, uint word) { \
        const vec2 pair = pair_of(token, head_kv, word); \
        if (!BYTES) { \
            return packHalf2x16(pair); \
        } \
        const uint half_scale = half_of(token, head_kv, word); \
        return halves_of(two_bytes(pair, half_scale), half_scale | half_scale << 16, word / 2 * 2); \
    } \
    void write(uint token, uint head_kv, uint row, uint word, uint halves) { \
        if (!BYTES) { \
            past[past_row(head_kv, row) + word] = halves; \
            return; \
        } \
        if (word % 2 == 0) { \
            const uint half_scale = half_of(token, head_kv, word); \
            past[past_row(head_kv, row) + word / 2] = \
                two_bytes(pair_of(token, head_kv, word), half_scale) | \
                two_bytes(pair_of(token, head_kv, word + 1), half_scale) << 16; \
        } \
        if (word % 32 == 0) { \
            past[past_scales(head_kv, row) + word / 32] = \
                half_of(token, head_kv, word) | \
                (word + 16 < WORDS ? half_of(token, head_kv, word + 16) << 16 : 0); \
        } \
    }
OWN_ROW(key_pair, key_half, key_word, write_key, keys)
OWN_ROW(value_pair, value_half, value_word, write_value, values)
