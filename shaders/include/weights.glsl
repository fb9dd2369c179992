// Blocks of 32 weights, as vulkan/matrix.h lays them out: what lies together in a file's block is taken apart, so that
// neighbouring threads load neighbouring 16 bytes.
//
//   quads   [rows, blocks, QUADS] uvec4   values, or their low bits
//   high    [rows, blocks, HIGH] words    Bits5: bit i is the fifth of value i; Bits6: bits 2 i and 2 i + 1 of 64
//   scales  [rows, padded blocks] halves  Bytes16: two signed bytes, of values 0 to 15 and 16 to 31
//   supers  [rows, padded file blocks] halves; Bytes16: what the bytes are multiplied with, HalfMin: minima
//
// Of codes that begin with four bits, low halves of bytes are values 0 to 15, high halves 16 to 31. The build defines
// CODES_<CodeKind> for the kind that a module is made for, and SCALES_<ScaleKind> as numbers (gguf/code_kinds.h). A
// shader that includes this has `quads` and `words` among its buffers, two views of one. Nothing else knows how codes and
// scales are held.

#include "interfaces/weights.h"

#if defined(CODES_F32)
#define QUADS 8
#elif defined(CODES_F16) || defined(CODES_BF16)
#define QUADS 4
#elif defined(CODES_Bits8)
#define QUADS 2
#else
#define QUADS 1
#endif
#define QUAD_VALUES (32 / QUADS)

#if !defined(CODES_F32) && !defined(CODES_F16) && !defined(CODES_BF16)
#define QUANTIZED
#endif

// What one thread multiplies at a time: a block of codes, or of floats only what one load brings, so that the loads of
// neighbouring threads lie side by side.
#ifdef QUANTIZED
#define UNITS 1
#else
#define UNITS QUADS
#endif

// Values 4 i to 4 i + 3 of a block in w[i].
struct Values32 {
    vec4 w[8];
};

#ifdef QUANTIZED

uint half_word(uint at, uint index) {  // of halves from word `at` on
    const uint word = words[at + (index >> 1)];
    return (index & 1) == 0 ? word & 0xFFFF : word >> 16;
}

float half_value(uint bits) {
    return unpackHalf2x16(bits).x;
}

uint padded(uint halves) {  // words
    return (halves + 1) >> 1;
}

// What codes less ZERO are multiplied with: `d`, and for values 0 to 15 and 16 to 31 a whole number each; and what is
// added.
struct Scales {
    float d;
    ivec2 halves;
    float minimum;
};

Scales load_scales(MatrixParams m, uint row, uint block) {
    const uint scale = half_word(m.scales_at + row * padded(m.blocks), block);
    if (SCALES == SCALES_Half) {
        return Scales(half_value(scale), ivec2(1), 0.0);
    }
    const uint file_blocks = m.blocks / (FILE_BLOCK / 32);
    const float larger = half_value(half_word(m.supers_at + row * padded(file_blocks), block / (FILE_BLOCK / 32)));
    if (SCALES == SCALES_HalfMin) {
        return Scales(half_value(scale), ivec2(1), larger);
    }
    return Scales(larger, ivec2(int(scale << 24) >> 24, int(scale << 16) >> 24), 0.0);
}

#if defined(CODES_Bits8) || defined(CODES_Table16)
#define SIGNED_CODES
#endif

// Codes 4 i to 4 i + 3 of a block in word[i], a byte each; of Table16 what they stand for.
struct Codes32 {
    uint word[8];
};

#if defined(CODES_Table16)
const int TABLE[16] = int[16](-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);

uint entries(uint codes) {
    return uint(TABLE[codes & 15u] & 255) | uint(TABLE[codes >> 8 & 15u] & 255) << 8 |
           uint(TABLE[codes >> 16 & 15u] & 255) << 16 | uint(TABLE[codes >> 24] & 255) << 24;
}
#endif

Codes32 load_codes(MatrixParams m, uint row, uint block) {
    Codes32 codes;
    const uint at = row * m.blocks + block;
#if defined(CODES_Bits8)
    const uvec4 low = quads[at * 2];
    const uvec4 high = quads[at * 2 + 1];
#else
    const uvec4 q = quads[at];
    const uvec4 low = q & 0x0F0F0F0Fu;
    const uvec4 high = (q >> 4) & 0x0F0F0F0Fu;
#endif
    codes.word = uint[8](low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w);
#if defined(CODES_Bits5)
    const uint fifth = words[m.high_at + at];
    [[unroll]] for (int i = 0; i < 8; ++i) {
        const uint bits = fifth >> (4 * i);
        codes.word[i] |= ((bits & 1u) << 4) | ((bits & 2u) << 11) | ((bits & 4u) << 18) | ((bits & 8u) << 25);
    }
#elif defined(CODES_Bits6)
    const uvec2 top = uvec2(words[m.high_at + at * 2], words[m.high_at + at * 2 + 1]);
    [[unroll]] for (int i = 0; i < 8; ++i) {
        const uint bits = (i < 4 ? top.x : top.y) >> (8 * (i & 3));
        codes.word[i] |= ((bits & 3u) << 4) | ((bits & 12u) << 10) | ((bits & 48u) << 16) | ((bits & 192u) << 22);
    }
#endif
#if defined(CODES_Table16)
    [[unroll]] for (int i = 0; i < 8; ++i) {
        codes.word[i] = entries(codes.word[i]);
    }
#endif
    return codes;
}

vec4 code_values(uint word) {
#ifdef SIGNED_CODES
    return vec4(int(word << 24) >> 24, int(word << 16) >> 24, int(word << 8) >> 24, int(word) >> 24);
#else
    return vec4(word & 0xFFu, (word >> 8) & 0xFFu, (word >> 16) & 0xFFu, word >> 24) - float(ZERO);
#endif
}

// ---- Products with signed bytes of scale d_x -------------------------------------------------------------------------
// `dots` are the products of the codes of each half of a block with the bytes, `sums` those of 1 with them.

const bool NEEDS_SUMS = ZERO != 0 || SCALES == SCALES_HalfMin;

float scaled_dot(MatrixParams m, uint row, uint block, ivec2 dots, ivec2 sums, float d_x) {
    const Scales scales = load_scales(m, row, block);
    const ivec2 halves = (dots - ZERO * sums) * scales.halves;
    const float product = scales.d * d_x * float(halves.x + halves.y);
    return SCALES == SCALES_HalfMin ? product + scales.minimum * d_x * float(sums.x + sums.y) : product;
}

// What a tile keeps of a block's scales, those of its halves or the scale and the minimum of both, and the product of
// one half of the block.
vec2 load_half_scales(MatrixParams m, uint row, uint block) {
    const Scales scales = load_scales(m, row, block);
    return SCALES == SCALES_HalfMin ? vec2(scales.d, scales.minimum) : scales.d * vec2(scales.halves);
}

float scaled_half_dot(vec2 half_scales, uint part, int dot_of_half, float sum, float d_x) {
    if (SCALES == SCALES_HalfMin) {
        return d_x * (half_scales.x * float(dot_of_half) + half_scales.y * sum);
    }
    const float dot_of_values = float(dot_of_half) - (NEEDS_SUMS ? float(ZERO) * sum : 0.0);
    return d_x * half_scales[part] * dot_of_values;
}

// ---- Values ----------------------------------------------------------------------------------------------------------

Values32 load_values(MatrixParams m, uint row, uint block) {
    const Codes32 codes = load_codes(m, row, block);
    const Scales scales = load_scales(m, row, block);
    const vec2 factors = scales.d * vec2(scales.halves);
    Values32 values;
    [[unroll]] for (int i = 0; i < 8; ++i) {
        values.w[i] = (i < 4 ? factors.x : factors.y) * code_values(codes.word[i]);
        if (SCALES == SCALES_HalfMin) {
            values.w[i] += scales.minimum;
        }
    }
    return values;
}

// Adds `factor` times what quad `at` of a row holds of its values.
void add_quad(inout vec4 sums[QUAD_VALUES / 4], MatrixParams m, uint row, uint at, float factor) {
    const Scales scales = load_scales(m, row, at / QUADS);
    const vec2 factors = factor * scales.d * vec2(scales.halves);
#ifdef CODES_Bits8
    const uvec4 q = quads[row * m.blocks * QUADS + at];
    [[unroll]] for (int i = 0; i < 4; ++i) {
        sums[i] += (at % 2 == 0 ? factors.x : factors.y) * code_values(q[i]);
    }
#else
    const Codes32 codes = load_codes(m, row, at);
    [[unroll]] for (int i = 0; i < 8; ++i) {
        sums[i] += (i < 4 ? factors.x : factors.y) * code_values(codes.word[i]);
        if (SCALES == SCALES_HalfMin) {
            sums[i] += factor * scales.minimum;
        }
    }
#endif
}

#else  // floats

// The values of a quad: v[0], and v[1] of halves.
struct QuadValues {
    vec4 v[QUAD_VALUES / 4];
};

QuadValues load_quad(MatrixParams m, uint row, uint at) {
    const uvec4 q = quads[row * m.blocks * QUADS + at];
    QuadValues values;
#if defined(CODES_F32)
    values.v[0] = uintBitsToFloat(q);
#elif defined(CODES_F16)
    values.v[0] = vec4(unpackHalf2x16(q.x), unpackHalf2x16(q.y));
    values.v[1] = vec4(unpackHalf2x16(q.z), unpackHalf2x16(q.w));
#else
    values.v[0] = uintBitsToFloat(uvec4(q.x << 16, q.x & 0xFFFF0000u, q.y << 16, q.y & 0xFFFF0000u));
    values.v[1] = uintBitsToFloat(uvec4(q.z << 16, q.z & 0xFFFF0000u, q.w << 16, q.w & 0xFFFF0000u));
#endif
    return values;
}

Values32 load_values(MatrixParams m, uint row, uint block) {
    Values32 values;
    [[unroll]] for (int i = 0; i < QUADS; ++i) {
        const QuadValues quad = load_quad(m, row, block * QUADS + i);
        [[unroll]] for (int k = 0; k < QUAD_VALUES / 4; ++k) {
            values.w[QUAD_VALUES / 4 * i + k] = quad.v[k];
        }
    }
    return values;
}

void add_quad(inout vec4 sums[QUAD_VALUES / 4], MatrixParams m, uint row, uint at, float factor) {
    const QuadValues quad = load_quad(m, row, at);
    [[unroll]] for (int i = 0; i < QUAD_VALUES / 4; ++i) {
        sums[i] += factor * quad.v[i];
    }
}

#endif
