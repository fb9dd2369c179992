// y[t, y_at + r] = sum over c of w[r, c] * x[t, x_at + c] (+ bias), for a batch of tokens; TRANSPOSED: w[c, r]
// instead, c being its row, and added to y if `add` says so.
//   w  weights.glsl; [rows, 32 blocks], or TRANSPOSED [K, rows], K a multiple of 32
//   x  floats [n_tokens, x_stride], or, with INTEGER_DOT, signed bytes and a scale per 32 [n_tokens, blocks]
//   y  floats [n_tokens, y_stride]
// GROUPED: tiles.glsl. For experts y_at is 0, and rows of y are sorted. A matrix of heads multiplies each head's columns
// of x, and makes as many columns of y side by side.
// A workgroup of 128 threads makes a tile of 64 rows and 64 tokens from panels of 64 columns, a thread 8 rows of 4
// tokens of it.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#ifdef INTEGER_DOT
#extension GL_EXT_spirv_intrinsics : require
#endif
#include "interfaces/gemm.h"
#include "output.glsl"
#include "tiles.glsl"
#define TABLE_WITHOUT_ROOM
#include "weights.glsl"

const uint ROWS = 64;
const uint TOKENS = 64;
float sums[4][8];  // [token][row] of this thread

#ifdef INTEGER_DOT

#include "input.glsl"

// Of two blocks of columns: bytes of 4 values [8][rows], so that neighbouring threads read neighbouring words.
shared uint w_codes[2][8][ROWS];
shared HalfScales w_scales[2][ROWS];  // of the halves of a block
shared uint x_bytes[2][8][TOKENS];
shared float x_scales[2][TOKENS];
shared vec2 x_sums[2][TOKENS];

void load_panel(uint panel, uint first_row, Tile tile) {
    const uint me = gl_LocalInvocationIndex;
    const uint which = me / 64;
    const uint at = me % 64;
    const uint block = panel * 2 + which;
    const bool inside = block < p.matrix.blocks;
    const uint row = tile.w_row + min(first_row + at, tile.n_rows - 1);
    Codes32 codes;
    HalfScales scales = HalfScales(0);
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        codes.word[i] = 0;
    }
    if (inside) {
        codes = load_codes(p.matrix, row, block);
        scales = load_half_scales(p.matrix, row, block);
    }
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        w_codes[which][i][at] = codes.word[i];
    }
    w_scales[which][at] = scales;
    const uint token = min(tile.first_token + at, tile.end_token - 1);
    if (inside) {
        const InputUnit in32 = load_input(row_of_input(token) * p.matrix.blocks + block);
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            x_bytes[which][i][at] = in32.low[i];
            x_bytes[which][4 + i][at] = in32.high[i];
        }
        x_scales[which][at] = in32.d;
        x_sums[which][at] = vec2(in32.low_sum, in32.high_sum);
    } else {
        [[unroll]] for (uint i = 0; i < 8; ++i) {
            x_bytes[which][i][at] = 0;
        }
        x_scales[which][at] = 0;
        x_sums[which][at] = vec2(0);
    }
}

void add_panel() {
    const uint me = gl_LocalInvocationIndex;
    const uint row = me % 8;
    const uint token = me / 8;
    [[unroll]] for (uint which = 0; which < 2; ++which) {
        [[unroll]] for (uint part = 0; part < 2; ++part) {
            int dots[4][8];
            [[unroll]] for (uint t = 0; t < 4; ++t) {
                [[unroll]] for (uint r = 0; r < 8; ++r) {
                    dots[t][r] = 0;
                }
            }
            [[unroll]] for (uint i = 4 * part; i < 4 * part + 4; ++i) {
                uint w[8];
                [[unroll]] for (uint r = 0; r < 8; ++r) {
                    w[r] = w_codes[which][i][row + 8 * r];
                }
                [[unroll]] for (uint t = 0; t < 4; ++t) {
                    const uint bytes = x_bytes[which][i][token + 16 * t];
                    [[unroll]] for (uint r = 0; r < 8; ++r) {
                        dots[t][r] += dot4(w[r], bytes);
                    }
                }
            }
            [[unroll]] for (uint t = 0; t < 4; ++t) {
                const float d = x_scales[which][token + 16 * t];
                const float sum = x_sums[which][token + 16 * t][part];
                [[unroll]] for (uint r = 0; r < 8; ++r) {
                    sums[t][r] += scaled_half_dot(w_scales[which][row + 8 * r], part, dots[t][r], sum, d);
                }
            }
        }
    }
}

uint n_panels() {
    return (p.matrix.blocks + 1) / 2;
}

#else

shared float w_panel[64][ROWS];
shared vec4 x_panel[16][TOKENS];

void load_panel(uint panel, uint first_row, Tile tile) {
    const uint me = gl_LocalInvocationIndex;
    // TRANSPOSED: a row of w, and a run of 32 of its columns, which are rows of the result.
    const uint row = TRANSPOSED ? panel * 64 + me / 2 : tile.w_row + min(first_row + me % 64, tile.n_rows - 1);
    const uint block = TRANSPOSED ? first_row / 32 + me % 2 : panel * 2 + me / 64;
    Values32 values;
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        values.w[i] = vec4(0);
    }
    if ((!TRANSPOSED || row < p.matrix.rows) && block < p.matrix.blocks) {
        values = load_values(p.matrix, row, block);
    }
    [[unroll]] for (uint i = 0; i < 32; ++i) {
        const float value = values.w[i / 4][i % 4];
        if (TRANSPOSED) {
            w_panel[me / 2][32 * (me % 2) + i] = value;
        } else {
            w_panel[32 * (me / 64) + i][me % 64] = value;
        }
    }
    const uint columns = TRANSPOSED ? p.matrix.rows : p.matrix.blocks * 32;
    for (uint i = me; i < 16 * TOKENS; i += 128) {
        const uint token = row_of_input(min(tile.first_token + i / 16, tile.end_token - 1));
        const uint column = panel * 64 + 4 * (i % 16);
        x_panel[i % 16][i / 16] = column < columns ? x[(token * p.x_stride + x_begin() + column) / 4] : vec4(0);
    }
}

void add_panel() {
    const uint me = gl_LocalInvocationIndex;
    const uint row = me % 8;
    const uint token = me / 8;
    for (uint c = 0; c < 16; ++c) {
        vec4 xs[4];
        [[unroll]] for (uint t = 0; t < 4; ++t) {
            xs[t] = x_panel[c][token + 16 * t];
        }
        [[unroll]] for (uint k = 0; k < 4; ++k) {
            [[unroll]] for (uint r = 0; r < 8; ++r) {
                const float w = w_panel[4 * c + k][row + 8 * r];
                [[unroll]] for (uint t = 0; t < 4; ++t) {
                    sums[t][r] += w * xs[t][k];
                }
            }
        }
    }
}

uint n_panels() {
    return TRANSPOSED ? (p.matrix.rows + 63) / 64 : (p.matrix.blocks + 1) / 2;
}

#endif

void main() {
    prepare_weights();
    const uint me = gl_LocalInvocationIndex;
    const uint first_row = gl_WorkGroupID.x * ROWS;
    const Tile tile = tile_of(gl_WorkGroupID.y, TOKENS);
    if (tile.first_token >= tile.end_token) {
        return;
    }
    [[unroll]] for (uint t = 0; t < 4; ++t) {
        [[unroll]] for (uint r = 0; r < 8; ++r) {
            sums[t][r] = 0;
        }
    }
    for (uint panel = 0; panel < n_panels(); ++panel) {
        barrier();
        load_panel(panel, first_row, tile);
        barrier();
        add_panel();
    }
    const uint n_rows = TRANSPOSED ? p.matrix.blocks * 32 : tile.n_rows;
    [[unroll]] for (uint t = 0; t < 4; ++t) {
        const uint token = tile.first_token + me / 8 + 16 * t;
        [[unroll]] for (uint r = 0; r < 8; ++r) {
            const uint row = first_row + me % 8 + 8 * r;
            if (token < tile.end_token && row < n_rows) {
                float sum = finished(sums[t][r], row);
                const uint at = token * p.y_stride + y_begin() + row;
                if (TRANSPOSED) {
                    sum += p.add != 0 ? y[at] : 0.0;
                }
                y[at] = sum;
            }
        }
    }
}
