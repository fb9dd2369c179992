// Packed blocks of 256 (gguf/packed_block.h) as weights.glsl has them: 32 values taken apart at a time. PACKING says
// how a block is packed; what other packings need is gone when the shader is made ready.
//
//   quads   [rows, file blocks] words     a file's block without its halves
//   high    the list of patterns that blocks name, as gguf/grids.h has them
//   supers  [rows, padded file blocks] halves; Bits2: words of two, what scales and minima are multiplied with

const uint BODY_WORDS = PACKING == PACKING_Bits2      ? 20
                        : PACKING == PACKING_Bits3      ? 27
                        : PACKING == PACKING_Eights256  ? 16
                        : PACKING == PACKING_Eights512  ? 18
                        : PACKING == PACKING_Eights1024 ? 20
                        : PACKING == PACKING_Fours256   ? 24
                        : PACKING == PACKING_Fours512   ? 27
                        : PACKING == PACKING_Ternary32  ? 12
                                                        : 14;

// Words of the list, two patterns each.
const uint GRID_WORDS = PACKING == PACKING_Eights256 || PACKING == PACKING_Fours256   ? 128
                        : PACKING == PACKING_Eights512 || PACKING == PACKING_Fours512 ? 256
                        : PACKING == PACKING_Eights1024                               ? 512
                        : PACKING == PACKING_Ternary32 || PACKING == PACKING_Ternary16 ? 1024
                                                                                       : 0;

// Each workgroup keeps the list. A shader that has no room for these 4 KB defines TABLE_WITHOUT_ROOM.
#ifdef TABLE_WITHOUT_ROOM
void prepare_weights() {}

uint grid_word(uint at) {
    return words[p.matrix.high_at + at];
}
#else
shared uint grid[1024];

void prepare_weights() {
    for (uint i = gl_LocalInvocationIndex; i < GRID_WORDS; i += gl_WorkGroupSize.x) {
        grid[i] = words[p.matrix.high_at + i];
    }
    barrier();
}

uint grid_word(uint at) {
    return grid[at];
}
#endif

uint pattern_of(uint number) {
    return grid_word(number >> 1) >> (16 * (number & 1)) & 0xFFFFu;
}

// Digits of two bits as bytes, and of three.
uint two_bits(uint digits) {
    return (digits & 3u) | (digits & 12u) << 6 | (digits & 48u) << 12 | (digits & 192u) << 18;
}
uint three_bits(uint digits) {
    return (digits & 7u) | (digits & 56u) << 5 | (digits & 448u) << 10 | (digits & 3584u) << 15;
}

uint eights(uint digits) {  // 8, 25 or 43
    const uint bytes = two_bits(digits);
    return 0x08080808u + 17 * bytes + (bytes >> 1 & 0x01010101u);
}
uint fours(uint digits) {
    const uint bytes = three_bits(digits);
    if (PACKING == PACKING_Fours512) {
        return 0x01010101u + 2 * bytes;
    }
    return 0x04040404u + 8 * bytes + 2 * (bytes & bytes >> 1 & bytes >> 2 & 0x01010101u);  // the last is 62
}
// -1, 0 or 1, in eighths, and one of them up or down. Bytes beyond 128 while carries would hurt.
uint ternary(uint digits, bool down) {
    return (8 * two_bits(digits) + (down ? 0x77777777u : 0x79797979u)) ^ 0x80808080u;
}

// Bytes that are not 0, those whose bit is set with the other sign.
uint with_signs(uint bytes, uint signs) {
    const uint ones = (signs & 1u) | (signs & 2u) << 7 | (signs & 4u) << 14 | (signs & 8u) << 21;
    return (bytes ^ ones * 255u) + ones;
}
uint with_eighth(uint signs) {  // seven signs, and one that makes their number even
    return signs | (uint(bitCount(signs)) & 1u) << 7;
}

// Codes 4 i to 4 i + 3 of run `run` in word[i], signed.
void packed_codes(uint at, uint run, out uint word[8]) {
    if (PACKING == PACKING_Bits2) {
        [[unroll]] for (uint i = 0; i < 8; ++i) {
            word[i] = words[at + 4 + (run >> 2) * 8 + i] >> (2 * (run & 3)) & 0x03030303u;
        }
        return;
    }
    if (PACKING == PACKING_Bits3) {
        [[unroll]] for (uint i = 0; i < 8; ++i) {
            const uint low = words[at + 8 + (run >> 2) * 8 + i] >> (2 * (run & 3)) & 0x03030303u;
            const uint high = words[at + i] >> run & 0x01010101u;
            word[i] = ((low | high << 2) + 0x7C7C7C7Cu) ^ 0x80808080u;  // less 4
        }
        return;
    }
    if (PACKING == PACKING_Ternary32 || PACKING == PACKING_Ternary16) {
        const uint numbers = words[at + run];
        const uint high = words[at + 8 + (run >> 1)] >> (16 * (run & 1)) & 0xFFFFu;
        [[unroll]] for (uint l = 0; l < 4; ++l) {
            const bool of_32 = PACKING == PACKING_Ternary32;
            const uint top = of_32 ? high >> (3 * l) & 7u : high >> (4 * l) & 7u;
            const bool down = (of_32 ? high & 0x8000u : high >> (4 * l) & 8u) != 0;
            const uint digits = pattern_of((numbers >> (8 * l) & 255u) | top << 8);
            word[2 * l] = ternary(digits & 255u, down);
            word[2 * l + 1] = ternary(digits >> 8, down);
        }
        return;
    }
    if (PACKING == PACKING_Fours256 || PACKING == PACKING_Fours512) {
        const uvec2 numbers = uvec2(words[at + 2 * run], words[at + 2 * run + 1]);
        const bool of_256 = PACKING == PACKING_Fours256;
        const uint signs = words[at + (of_256 ? 16 : 18) + run];
        const uint high = of_256 ? 0 : words[at + 16 + (run >> 2)] >> (8 * (run & 3));
        [[unroll]] for (uint l = 0; l < 4; ++l) {
            const uint eight_signs = of_256 ? with_eighth(signs >> (7 * l) & 127u) : signs >> (8 * l) & 255u;
            [[unroll]] for (uint k = 0; k < 2; ++k) {
                const uint i = 2 * l + k;
                const uint low = numbers[i / 4] >> (8 * (i % 4)) & 255u;
                word[i] = with_signs(fours(pattern_of(low | (high >> i & 1u) << 8)), eight_signs >> (4 * k) & 15u);
            }
        }
        return;
    }
    [[unroll]] for (uint l = 0; l < 4; ++l) {
        uint number;
        uint signs;
        if (PACKING == PACKING_Eights256) {
            number = words[at + 2 * run] >> (8 * l) & 255u;
            signs = with_eighth(words[at + 2 * run + 1] >> (7 * l) & 127u);
        } else if (PACKING == PACKING_Eights512) {
            const uint both = words[at + 2 * run + (l >> 1)] >> (16 * (l & 1)) & 0xFFFFu;
            number = both & 511u;
            signs = with_eighth(both >> 9);
        } else {
            const uint high = words[at + 16 + (run >> 2)] >> (8 * (run & 3) + 2 * l) & 3u;
            number = (words[at + run] >> (8 * l) & 255u) | high << 8;
            signs = words[at + 8 + run] >> (8 * l) & 255u;
        }
        const uint digits = pattern_of(number);
        word[2 * l] = with_signs(eights(digits & 255u), signs & 15u);
        word[2 * l + 1] = with_signs(eights(digits >> 8), signs >> 4);
    }
}

// The scales of values 0 to 15 and 16 to 31 of run `run`.
ivec2 packed_scales(uint at, uint run) {
    if (PACKING == PACKING_Bits2) {
        const uint both = words[at + (run >> 1)] >> (16 * (run & 1));
        return ivec2(both & 15u, both >> 8 & 15u);
    }
    if (PACKING == PACKING_Bits3) {
        ivec2 scales;
        [[unroll]] for (uint k = 0; k < 2; ++k) {
            const uint i = 2 * run + k;
            const uint low = words[at + 24 + (i % 8) / 4] >> (8 * (i % 4) + 4 * (i / 8)) & 15u;
            const uint high = words[at + 26] >> (8 * (i % 4) + 2 * (i / 4)) & 3u;
            scales[k] = int(low | high << 4) - 32;
        }
        return scales;
    }
    uvec2 levels;
    if (PACKING == PACKING_Eights256) {
        levels = uvec2(words[at + 2 * run + 1] >> 28);
    } else if (PACKING == PACKING_Fours256) {
        levels = uvec2(words[at + 16 + run] >> 28);
    } else if (PACKING == PACKING_Fours512) {
        levels = uvec2(words[at + 26] >> (4 * run) & 15u);
    } else if (PACKING == PACKING_Ternary32) {
        levels = uvec2(words[at + 8 + (run >> 1)] >> (16 * (run & 1) + 12) & 7u);
    } else if (PACKING == PACKING_Ternary16) {
        const uint four = words[at + 12 + (run >> 2)] >> (16 * (run >> 1 & 1) + 6 * (run & 1));
        levels = uvec2(four & 7u, four >> 3 & 7u);
    } else {
        const uint both = words[at + (PACKING == PACKING_Eights512 ? 16 : 18) + (run >> 2)] >> (8 * (run & 3));
        levels = uvec2(both & 15u, both >> 4 & 15u);
    }
    return ivec2(2 * levels + 1);
}

// A half times a power of two multiplies the smaller scales, and in Bits2 minima, too.
vec2 packed_factors(MatrixParams m, uint at, uint row, uint file_block) {
    const uint file_blocks = m.blocks >> 3;
    if (PACKING == PACKING_Bits2) {
        return unpackHalf2x16(words[m.supers_at + row * file_blocks + file_block]);
    }
    if (PACKING == PACKING_Ternary16) {  // a quarter of the half in each of four words of 16 bits
        const uvec2 four = uvec2(words[at + 12], words[at + 13]);
        const uint half_bits = (four.x >> 12 & 15u) | (four.x >> 28) << 4 | (four.y >> 12 & 15u) << 8 | (four.y >> 28) << 12;
        return vec2(0.125 * half_value(half_bits), 0);
    }
    const float d = half_value(half_word(m.supers_at + row * padded(file_blocks), file_block));
    const float unit = PACKING == PACKING_Bits3 || PACKING == PACKING_Fours512 ? 1.0
                       : PACKING == PACKING_Fours256                           ? 0.25
                                                                               : 0.125;
    return vec2(unit * d, 0);
}
