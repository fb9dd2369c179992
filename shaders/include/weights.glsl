// Blocks of 32 weights, as vulkan/matrix.h lays them out: what lies together in a file's block is taken apart, so that
// neighbouring threads load neighbouring 16 bytes.
//
//   quads   [rows, blocks, QUADS] uvec4   values, or their low bits
//   high    [rows, blocks, HIGH] words    Bits5: bit i is the fifth of value i; Bits6: bits 2 i and 2 i + 1 of 64
//   scales  [rows, padded blocks] halves  Bytes16: two signed bytes, of values 0 to 15 and 16 to 31; Power: bytes
//   supers  [rows, padded file blocks] halves; Bytes16: what the bytes are multiplied with, HalfMin: minima
//           [rows, file blocks] words     SixMin: four, Six: two, of 256 values: halves, then the SixBits of
//                                         gguf/six_bits.h, high bits before low ones
//
// Packed blocks lie otherwise: packed.glsl.
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

uint half_of(uint word, uint index) {  // of halves from that word on
    return (index & 1) == 0 ? word & 0xFFFF : word >> 16;
}

uint half_word(uint at, uint index) {  // of halves from word `at` on
    return half_of(words[at + (index >> 1)], index);
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
#ifdef CODES_Packed
    vec2 minima;  // subtracted, of values 0 to 15 and 16 to 31
#endif
};

#ifdef CODES_Packed

#include "packed.glsl"

uint packed_at(MatrixParams m, uint row, uint block) {
    return (row * (m.blocks >> 3) + (block >> 3)) * BODY_WORDS;
}

Scales load_scales(MatrixParams m, uint row, uint block) {
    const uint at = packed_at(m, row, block);
    const vec2 factors = packed_factors(m, at, row, block >> 3);
    vec2 minima = vec2(0);
    if (PACKING == PACKING_Bits2) {
        const uint both = words[at + (block >> 1 & 3)] >> (16 * (block & 1));
        minima = factors.y * vec2(both >> 4 & 15u, both >> 12 & 15u);
    }
    return Scales(factors.x, packed_scales(at, block & 7), 0.0, minima);
}

#else

// Numbers of six bits of run `run` of a block of 256.
uint six_bits(uint low, uint high, uint run) {
    return (low >> (8 * (run & 3) + 4 * (run >> 2)) & 15u) | (high >> (8 * (run & 1) + 2 * (run >> 1)) & 3u) << 4;
}

uint file_block_of(uint block) {
    return block / (FILE_BLOCK / 32);
}

// As many blocks of a row, from a multiple of it on, have their scales in the same words.
const uint SCALE_RUN = SCALES == SCALES_SixMin || SCALES == SCALES_Six ? 8 : SCALES == SCALES_Power ? 4 : 2;

// The words that hold a block's scales, as they lie in memory. They are apart from what is made of them, so that a
// shader can load them long before it needs them, and once for a run of blocks.
uvec4 scale_words(MatrixParams m, uint row, uint block) {
    if (SCALES == SCALES_SixMin) {
        return quads[(m.supers_at >> 2) + row * (m.blocks >> 3) + (block >> 3)];
    }
    if (SCALES == SCALES_Six) {
        const uint at = m.supers_at + (row * (m.blocks >> 3) + (block >> 3)) * 2;
        return uvec4(words[at], words[at + 1], 0, 0);
    }
    if (SCALES == SCALES_Power) {
        return uvec4(words[m.scales_at + row * ((m.blocks + 3) >> 2) + (block >> 2)], 0, 0, 0);
    }
    const uint scale = words[m.scales_at + row * padded(m.blocks) + (block >> 1)];
    if (SCALES == SCALES_Half) {
        return uvec4(scale, 0, 0, 0);
    }
    const uint file_blocks = m.blocks / (FILE_BLOCK / 32);
    return uvec4(scale, words[m.supers_at + row * padded(file_blocks) + (file_block_of(block) >> 1)], 0, 0);
}

Scales scales_in(uvec4 held, uint block) {
    if (SCALES == SCALES_SixMin) {
        const vec2 d = unpackHalf2x16(held.x);
        return Scales(d.x, ivec2(six_bits(held.z, held.y, block & 7)),
                      d.y * float(six_bits(held.w, held.y >> 16, block & 7)));
    }
    if (SCALES == SCALES_Six) {
        return Scales(half_value(held.x & 0xFFFF), ivec2(int(six_bits(held.y, held.x >> 16, block & 7)) - 32), 0.0);
    }
    if (SCALES == SCALES_Power) {
        const uint exponent = held.x >> (8 * (block & 3)) & 255u;
        return Scales(0.5 * uintBitsToFloat(exponent << 23), ivec2(1), 0.0);
    }
    if (SCALES == SCALES_Half) {
        return Scales(half_value(half_of(held.x, block)), ivec2(1), 0.0);
    }
    const float super = half_value(half_of(held.y, file_block_of(block)));
    if (SCALES == SCALES_HalfMin) {
        return Scales(half_value(half_of(held.x, block)), ivec2(1), super);
    }
    const uint two = half_of(held.x, block);
    return Scales(super, ivec2(int(two << 24) >> 24, int(two << 16) >> 24), 0.0);
}

Scales load_scales(MatrixParams m, uint row, uint block) {
    return scales_in(scale_words(m, row, block), block);
}

#endif

#if defined(CODES_Table16)
const int TABLE[16] = int[16](-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);
#elif defined(CODES_Float4)
const int TABLE[16] = int[16](0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12);
#endif
#if defined(CODES_Table16) || defined(CODES_Float4)
#define HAS_TABLE
#endif

#if defined(CODES_Bits8) || defined(CODES_Packed) || defined(HAS_TABLE)
#define SIGNED_CODES
#endif

// Bit i of four bits where the fifth bit of byte i of a code is.
uint fifth_bits(uint bits) {
    return ((bits & 15u) * 0x00204081u & 0x01010101u) << 4;
}

// Codes 4 i to 4 i + 3 of a block in word[i], a byte each; of a table what they stand for.
struct Codes32 {
    uint word[8];
};

// A constant array that is indexed by what was loaded lies in memory, a tenth as fast. So each workgroup keeps what a
// byte of two codes stands for, the low code's number in the low half of a word. A shader that has no room for these
// 1,024 bytes defines TABLE_WITHOUT_ROOM and picks numbers out of four words.
#if defined(HAS_TABLE) && !defined(TABLE_WITHOUT_ROOM)
shared uint numbers_of_byte[256];

void prepare_weights() {
    for (uint i = gl_LocalInvocationIndex; i < 256; i += gl_WorkGroupSize.x) {
        numbers_of_byte[i] = uint(TABLE[i & 15u] & 255) | uint(TABLE[i >> 4] & 255) << 16;
    }
    barrier();
}

// The numbers of a word's low codes and of its high ones.
uvec2 numbers_of(uint q) {
    const uint even = numbers_of_byte[q & 255u] | numbers_of_byte[q >> 8 & 255u] << 8;
    const uint odd = numbers_of_byte[q >> 16 & 255u] | numbers_of_byte[q >> 24] << 8;
    return uvec2((even & 0xFFFFu) | odd << 16, even >> 16 | (odd & 0xFFFF0000u));
}
#elif !defined(CODES_Packed)
void prepare_weights() {}

#ifdef HAS_TABLE
uint four_numbers(int first) {
    return uint(TABLE[first] & 255) | uint(TABLE[first + 1] & 255) << 8 | uint(TABLE[first + 2] & 255) << 16 |
           uint(TABLE[first + 3] & 255) << 24;
}
uint number_of(uint code) {
    const uint low = (code & 4u) == 0 ? four_numbers(0) : four_numbers(4);
    const uint high = (code & 4u) == 0 ? four_numbers(8) : four_numbers(12);
    return ((code & 8u) == 0 ? low : high) >> (8 * (code & 3u)) & 255u;
}
uint numbers_of_low(uint codes) {
    return number_of(codes & 15u) | number_of(codes >> 8 & 15u) << 8 | number_of(codes >> 16 & 15u) << 16 |
           number_of(codes >> 24 & 15u) << 24;
}
uvec2 numbers_of(uint q) {
    return uvec2(numbers_of_low(q), numbers_of_low(q >> 4));
}
#endif
#endif

#ifdef CODES_Packed

Codes32 load_codes(MatrixParams m, uint row, uint block) {
    Codes32 codes;
    packed_codes(packed_at(m, row, block), block & 7, codes.word);
    return codes;
}

#else

Codes32 load_codes(MatrixParams m, uint row, uint block) {
    Codes32 codes;
    const uint at = row * m.blocks + block;
#if defined(CODES_Bits8)
    const uvec4 low = quads[at * 2];
    const uvec4 high = quads[at * 2 + 1];
#elif defined(HAS_TABLE)
    const uvec4 q = quads[at];
    const uvec2 numbers[4] = uvec2[4](numbers_of(q.x), numbers_of(q.y), numbers_of(q.z), numbers_of(q.w));
    const uvec4 low = uvec4(numbers[0].x, numbers[1].x, numbers[2].x, numbers[3].x);
    const uvec4 high = uvec4(numbers[0].y, numbers[1].y, numbers[2].y, numbers[3].y);
#else
    const uvec4 q = quads[at];
    const uvec4 low = q & 0x0F0F0F0Fu;
    const uvec4 high = (q >> 4) & 0x0F0F0F0Fu;
#endif
    codes.word = uint[8](low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w);
#if defined(CODES_Bits5)
    const uint fifth = words[m.high_at + at];
    [[unroll]] for (int i = 0; i < 8; ++i) {
        codes.word[i] |= fifth_bits(fifth >> (4 * i));
    }
#elif defined(CODES_Bits6)
    const uvec2 top = uvec2(words[m.high_at + at * 2], words[m.high_at + at * 2 + 1]);
    [[unroll]] for (int i = 0; i < 8; ++i) {
        const uint bits = (i < 4 ? top.x : top.y) >> (8 * (i & 3));
        codes.word[i] |= ((bits & 3u) << 4) | ((bits & 12u) << 10) | ((bits & 48u) << 16) | ((bits & 192u) << 22);
    }
#endif
    return codes;
}

#endif

vec4 code_values(uint word) {
#ifdef SIGNED_CODES
    return vec4(int(word << 24) >> 24, int(word << 16) >> 24, int(word << 8) >> 24, int(word) >> 24);
#else
    return vec4(word & 0xFFu, (word >> 8) & 0xFFu, (word >> 16) & 0xFFu, word >> 24) - float(ZERO);
#endif
}

// ---- Products with signed bytes of scale d_x -------------------------------------------------------------------------
// `dots` are the products of the codes of each half of a block with the bytes, `sums` those of 1 with them.

const bool HAS_MINIMUM = SCALES == SCALES_HalfMin || SCALES == SCALES_SixMin;
#ifdef CODES_Packed

const bool NEEDS_SUMS = PACKING == PACKING_Bits2;

float scaled_dot(Scales scales, ivec2 dots, ivec2 sums, float d_x) {
    const ivec2 halves = dots * scales.halves;
    const float product = scales.d * d_x * float(halves.x + halves.y);
    return NEEDS_SUMS ? product - d_x * dot(scales.minima, vec2(sums)) : product;
}

// Scales of both halves, and minima of both.
#define HalfScales vec4
vec4 load_half_scales(MatrixParams m, uint row, uint block) {
    const Scales scales = load_scales(m, row, block);
    return vec4(scales.d * vec2(scales.halves), scales.minima);
}

float scaled_half_dot(vec4 half_scales, uint part, int dot_of_half, float sum, float d_x) {
    const float product = half_scales[part] * float(dot_of_half);
    return d_x * (NEEDS_SUMS ? product - half_scales[2 + part] * sum : product);
}

#else

const bool NEEDS_SUMS = ZERO != 0 || HAS_MINIMUM;

float scaled_dot(Scales scales, ivec2 dots, ivec2 sums, float d_x) {
    const ivec2 halves = (dots - ZERO * sums) * scales.halves;
    const float product = scales.d * d_x * float(halves.x + halves.y);
    return HAS_MINIMUM ? product + scales.minimum * d_x * float(sums.x + sums.y) : product;
}

// What a tile keeps of a block's scales, those of its halves or the scale and the minimum of both, and the product of
// one half of the block.
#define HalfScales vec2
vec2 load_half_scales(MatrixParams m, uint row, uint block) {
    const Scales scales = load_scales(m, row, block);
    return HAS_MINIMUM ? vec2(scales.d * float(scales.halves.x), scales.minimum) : scales.d * vec2(scales.halves);
}

float scaled_half_dot(vec2 half_scales, uint part, int dot_of_half, float sum, float d_x) {
    if (HAS_MINIMUM) {
        return d_x * (half_scales.x * float(dot_of_half) + half_scales.y * sum);
    }
    const float dot_of_values = float(dot_of_half) - (NEEDS_SUMS ? float(ZERO) * sum : 0.0);
    return d_x * half_scales[part] * dot_of_values;
}

#endif

// ---- Values ----------------------------------------------------------------------------------------------------------

Values32 load_values(MatrixParams m, uint row, uint block) {
    const Codes32 codes = load_codes(m, row, block);
    const Scales scales = load_scales(m, row, block);
    const vec2 factors = scales.d * vec2(scales.halves);
    Values32 values;
    [[unroll]] for (int i = 0; i < 8; ++i) {
        values.w[i] = (i < 4 ? factors.x : factors.y) * code_values(codes.word[i]);
        if (HAS_MINIMUM) {
            values.w[i] += scales.minimum;
        }
#ifdef CODES_Packed
        values.w[i] -= i < 4 ? scales.minima.x : scales.minima.y;
#endif
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
        if (HAS_MINIMUM) {
            sums[i] += factor * scales.minimum;
        }
#ifdef CODES_Packed
        sums[i] -= factor * (i < 4 ? scales.minima.x : scales.minima.y);
#endif
    }
#endif
}

#else  // floats

void prepare_weights() {}

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

// ---- Blocks, loaded before they are taken apart --------------------------------------------------------------------

#ifndef CODES_Packed

// A block as it lies in memory.
struct HeldBlock {
    uvec4 quads[QUADS];
#ifdef QUANTIZED
    uvec4 scales;
    uvec2 high;  // Bits5, Bits6
#endif
};

// before: the block before this one in the row, whose scales are kept where they are this one's, unless `anew`.
HeldBlock load_block(MatrixParams m, uint row, uint block, HeldBlock before, bool anew) {
    HeldBlock held = before;
    const uint at = row * m.blocks + block;
    [[unroll]] for (int i = 0; i < QUADS; ++i) {
        held.quads[i] = quads[at * QUADS + i];
    }
#ifdef QUANTIZED
    if (anew || block % SCALE_RUN == 0) {
        held.scales = scale_words(m, row, block);
    }
#if defined(CODES_Bits5)
    held.high.x = words[m.high_at + at];
#elif defined(CODES_Bits6)
    held.high = uvec2(words[m.high_at + at * 2], words[m.high_at + at * 2 + 1]);
#endif
#endif
    return held;
}

// Zeros: what is not there.
HeldBlock no_block() {
    HeldBlock held;
    [[unroll]] for (int i = 0; i < QUADS; ++i) {
        held.quads[i] = uvec4(0);
    }
#ifdef QUANTIZED
    held.scales = uvec4(0);
    held.high = uvec2(0);
#endif
    return held;
}

// Values 16 part to 16 part + 15 of the block, as load_values() has them.
void values_in(HeldBlock held, uint block, uint part, out vec4 values[4]) {
#if defined(CODES_F32)
    [[unroll]] for (int i = 0; i < 4; ++i) {
        values[i] = uintBitsToFloat(held.quads[part * 4 + i]);
    }
#elif defined(CODES_F16)
    [[unroll]] for (int i = 0; i < 4; ++i) {
        const uvec4 q = held.quads[part * 2 + i / 2];
        const uvec2 two = i % 2 == 0 ? q.xy : q.zw;
        values[i] = vec4(unpackHalf2x16(two.x), unpackHalf2x16(two.y));
    }
#elif defined(CODES_BF16)
    [[unroll]] for (int i = 0; i < 4; ++i) {
        const uvec4 q = held.quads[part * 2 + i / 2];
        const uvec2 two = i % 2 == 0 ? q.xy : q.zw;
        values[i] = uintBitsToFloat(uvec4(two.x << 16, two.x & 0xFFFF0000u, two.y << 16, two.y & 0xFFFF0000u));
    }
#else
    const Scales scales = scales_in(held.scales, block);
    const float factor = scales.d * float(part == 0 ? scales.halves.x : scales.halves.y);
#if defined(CODES_Bits8)
    uvec4 codes = held.quads[part];
#elif defined(HAS_TABLE)
    uvec4 codes;
    [[unroll]] for (int i = 0; i < 4; ++i) {
        const uvec2 both = numbers_of(held.quads[0][i]);
        codes[i] = part == 0 ? both.x : both.y;
    }
#else
    uvec4 codes = (held.quads[0] >> (4 * part)) & 0x0F0F0F0Fu;
#endif
#if defined(CODES_Bits5)
    [[unroll]] for (int i = 0; i < 4; ++i) {
        codes[i] |= fifth_bits(held.high.x >> (16 * part + 4 * i));
    }
#elif defined(CODES_Bits6)
    [[unroll]] for (int i = 0; i < 4; ++i) {
        const uint bits = held.high[part] >> (8 * i);
        codes[i] |= ((bits & 3u) << 4) | ((bits & 12u) << 10) | ((bits & 48u) << 16) | ((bits & 192u) << 22);
    }
#endif
    [[unroll]] for (int i = 0; i < 4; ++i) {
        values[i] = factor * code_values(codes[i]);
        if (HAS_MINIMUM) {
            values[i] += scales.minimum;
        }
    }
#endif
}

#endif
