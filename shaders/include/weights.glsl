// Blocks of 32 weights of every type, as vulkan/matrix.h lays them out: what lies together in a file's block
// is taken apart, so that neighbouring threads load neighbouring 16 bytes.
//
//   quads   [rows, blocks, QUADS] uvec4   values, or their low four bits
//   high    [rows, blocks, HIGH] words    Q5_0: bit i is the fifth of value i; Q6_K: bits 2 i and 2 i + 1 of 64
//   scales  [rows, padded blocks] halves  Q6_K: two signed bytes, of values 0 to 15 and 16 to 31
//   supers  [rows, padded blocks / 8] halves, Q6_K
//
// A nibble's order is the file's: low halves are values 0 to 15, high halves 16 to 31. WEIGHTS_<TYPE> is
// defined by the build; a shader that includes this declares `quads` and `words`, two views of one buffer.

#if defined(WEIGHTS_F32)
#define QUADS 8
#elif defined(WEIGHTS_F16) || defined(WEIGHTS_BF16)
#define QUADS 4
#elif defined(WEIGHTS_Q8_0)
#define QUADS 2
#elif defined(WEIGHTS_Q4_0) || defined(WEIGHTS_Q5_0) || defined(WEIGHTS_Q6_K)
#define QUADS 1
#endif

#if defined(WEIGHTS_Q4_0) || defined(WEIGHTS_Q5_0) || defined(WEIGHTS_Q6_K) || defined(WEIGHTS_Q8_0)
#define WEIGHTS_QUANTIZED
#endif

// What one thread multiplies at a time: a block of codes, or of floats only what one load brings, so that the
// loads of neighbouring threads lie side by side.
#ifdef WEIGHTS_QUANTIZED
#define UNITS 1
#else
#define UNITS QUADS
#endif

uint half_word(uint at, uint index) {  // of halves from word `at` on
    const uint word = words[at + (index >> 1)];
    return (index & 1) == 0 ? word & 0xFFFF : word >> 16;
}

float half_value(uint bits) {
    return unpackHalf2x16(bits).x;
}

uint scales_stride(uint blocks) {  // words
    return (blocks + 1) >> 1;
}
uint supers_stride(uint blocks) {
    return ((blocks >> 3) + 1) >> 1;
}

#ifdef WEIGHTS_QUANTIZED

float block_scale(MatrixParams m, uint row, uint block) {
#ifdef WEIGHTS_Q6_K
    return half_value(half_word(m.supers_at + row * supers_stride(m.blocks), block >> 3));
#else
    return half_value(half_word(m.scales_at + row * scales_stride(m.blocks), block));
#endif
}

// Codes 4 i to 4 i + 3 of a block in word[i], a byte each; Q8_0's are signed.
struct Codes32 {
    uint word[8];
};

#ifdef WEIGHTS_Q6_K
// Sub-scales of the halves of a block.
ivec2 half_scales(MatrixParams m, uint row, uint block) {
    const uint both = half_word(m.scales_at + row * scales_stride(m.blocks), block);
    return ivec2(int(both << 24) >> 24, int(both << 16) >> 24);
}
#endif

// What stands for zero: values are codes less this.
#if defined(WEIGHTS_Q4_0)
#define ZERO_CODE 8
#elif defined(WEIGHTS_Q5_0)
#define ZERO_CODE 16
#elif defined(WEIGHTS_Q6_K)
#define ZERO_CODE 32
#else
#define ZERO_CODE 0
#endif

Codes32 block_codes(MatrixParams m, uint row, uint block) {
    Codes32 codes;
    const uint at = row * m.blocks + block;
#if defined(WEIGHTS_Q8_0)
    const uvec4 low = quads[at * 2];
    const uvec4 high = quads[at * 2 + 1];
    codes.word = uint[8](low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w);
#else
    const uvec4 q = quads[at];
    const uvec4 low = q & 0x0F0F0F0Fu;
    const uvec4 high = (q >> 4) & 0x0F0F0F0Fu;
    codes.word = uint[8](low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w);
#if defined(WEIGHTS_Q5_0)
    const uint fifth = words[m.high_at + at];
    [[unroll]] for (int i = 0; i < 8; ++i) {
        const uint bits = fifth >> (4 * i);
        const uint spread = ((bits & 1u) << 4) | ((bits & 2u) << 11) | ((bits & 4u) << 18) | ((bits & 8u) << 25);
        codes.word[i] |= spread;
    }
#elif defined(WEIGHTS_Q6_K)
    const uvec2 top = uvec2(words[m.high_at + at * 2], words[m.high_at + at * 2 + 1]);
    [[unroll]] for (int i = 0; i < 8; ++i) {
        const uint bits = (i < 4 ? top.x : top.y) >> (8 * (i & 3));
        const uint spread = ((bits & 3u) << 4) | ((bits & 12u) << 10) | ((bits & 48u) << 16) | ((bits & 192u) << 22);
        codes.word[i] |= spread;
    }
#endif
#endif
    return codes;
}

vec4 code_values(uint word) {
#ifdef WEIGHTS_Q8_0
    return vec4(int(word << 24) >> 24, int(word << 16) >> 24, int(word << 8) >> 24, int(word) >> 24);
#else
    return vec4(word & 0xFFu, (word >> 8) & 0xFFu, (word >> 16) & 0xFFu, word >> 24) - float(ZERO_CODE);
#endif
}

#endif

// Values 4 i to 4 i + 3 of a block in w[i].
struct Values32 {
    vec4 w[8];
};

Values32 block_values(MatrixParams m, uint row, uint block) {
    Values32 values;
    const uint at = (row * m.blocks + block) * QUADS;
#if defined(WEIGHTS_F32)
    [[unroll]] for (int i = 0; i < 8; ++i) {
        values.w[i] = uintBitsToFloat(quads[at + i]);
    }
#elif defined(WEIGHTS_F16)
    [[unroll]] for (int i = 0; i < 4; ++i) {
        const uvec4 q = quads[at + i];
        values.w[2 * i] = vec4(unpackHalf2x16(q.x), unpackHalf2x16(q.y));
        values.w[2 * i + 1] = vec4(unpackHalf2x16(q.z), unpackHalf2x16(q.w));
    }
#elif defined(WEIGHTS_BF16)
    [[unroll]] for (int i = 0; i < 4; ++i) {
        const uvec4 q = quads[at + i];
        values.w[2 * i] = uintBitsToFloat(uvec4(q.x << 16, q.x & 0xFFFF0000u, q.y << 16, q.y & 0xFFFF0000u));
        values.w[2 * i + 1] = uintBitsToFloat(uvec4(q.z << 16, q.z & 0xFFFF0000u, q.w << 16, q.w & 0xFFFF0000u));
    }
#else
    const Codes32 codes = block_codes(m, row, block);
    const float d = block_scale(m, row, block);
#ifdef WEIGHTS_Q6_K
    const vec2 scales = d * vec2(half_scales(m, row, block));
    [[unroll]] for (int i = 0; i < 8; ++i) {
        values.w[i] = (i < 4 ? scales.x : scales.y) * code_values(codes.word[i]);
    }
#else
    [[unroll]] for (int i = 0; i < 8; ++i) {
        values.w[i] = d * code_values(codes.word[i]);
    }
#endif
#endif
    return values;
}
