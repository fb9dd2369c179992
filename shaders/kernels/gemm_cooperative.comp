// The product of gemm.comp in halves, on matrix units, summed in floats.
//   w         weights.glsl; [rows, 32 blocks], or TRANSPOSED [K, rows], K a multiple of 32
//   x         floats [n_tokens, x_stride]
//   x_halves  if HALVES: halves [columns / 32, x_stride, 32], x_stride being the tokens that they were packed for
//   y         floats [n_tokens, y_stride]; what it held is overwritten for whole tiles only where inside
// GROUPED: tiles.glsl; y_at is 0 then, and rows of y are sorted. Weights and inputs are rounded to halves. A workgroup
// makes a tile of 128 rows and 128 tokens from panels of 32 columns, and its subgroups have two roles: 128 threads fill
// panels, the others multiply, SUBGROUP_ROWS rows of SUBGROUP_TOKENS tokens a subgroup, in fragments of M rows and N
// tokens. PANELS is how many there is room for: of two, one is filled while the other is multiplied. COOPERATIVE_KHR: by
// the extension all vendors have, NVIDIA's own otherwise; cooperative.glsl.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "cooperative.glsl"
#include "interfaces/gemm.h"
#include "output.glsl"
#include "tiles.glsl"
#ifdef CODES_Packed
#define TABLE_WITHOUT_ROOM
#endif
#include "weights.glsl"

const uint ROWS = 128;
const uint TOKENS = 128;
const uint DEPTH = 32;
const uint STRIDE = DEPTH / 8 + 1;  // quads of eight halves, and one so that rows begin in different banks
const uint X_QUADS = TOKENS * STRIDE;
shared uvec4 x_panels[PANELS * X_QUADS];  // [token][column]
const uint W_STRIDE = TRANSPOSED ? ROWS / 8 + 1 : STRIDE;
const uint W_QUADS = (TRANSPOSED ? DEPTH : ROWS) * W_STRIDE;
const uint MULTIPLIERS = ROWS / SUBGROUP_ROWS * (TOKENS / SUBGROUP_TOKENS);  // subgroups
const uint FILLERS = 128;                                                        // threads
const uint SPARE_QUADS = MULTIPLIERS * M * N / 4;
// [row][column], TRANSPOSED: [column][row]. At the end a fragment of each subgroup, where a tile is not inside.
shared uvec4 w_panels[PANELS * W_QUADS > SPARE_QUADS ? PANELS * W_QUADS : SPARE_QUADS];

// Of a subgroup: rows and tokens in fragments.
const uint FRAGMENT_ROWS = SUBGROUP_ROWS / M;
const uint FRAGMENT_TOKENS = SUBGROUP_TOKENS / N;

// ---- Panels ----------------------------------------------------------------------------------------------------------

uint filler() {
    return (gl_SubgroupID - MULTIPLIERS) * gl_SubgroupSize + gl_SubgroupInvocationID;
}

uvec4 halves(vec4 a, vec4 b) {
    return uvec4(packHalf2x16(a.xy), packHalf2x16(a.zw), packHalf2x16(b.xy), packHalf2x16(b.zw));
}

// A thread fills a panel with one block of weights, and with 16 bytes of each of X_PARTS rows of inputs: four
// neighbouring threads take the 32 columns of a row, so that they load side by side.
const uint X_PARTS = TOKENS * 4 / FILLERS;

// What a thread has loaded, long before it is needed.
struct Held {
#ifndef CODES_Packed
    HeldBlock weights;
#endif
    vec4 inputs[2 * X_PARTS];
    uvec4 halves[X_PARTS];  // if HALVES, in the place of inputs
};

Held nothing() {
    Held held;
#ifndef CODES_Packed
    held.weights = no_block();
#endif
    [[unroll]] for (uint i = 0; i < X_PARTS; ++i) {
        held.inputs[2 * i] = vec4(0);
        held.inputs[2 * i + 1] = vec4(0);
        held.halves[i] = uvec4(0);
    }
    return held;
}

// Row and block of a thread's weights. TRANSPOSED: four neighbours take 128 columns of a row of the matrix.
uint weights_row(uint panel, uint first_row, Tile tile) {
    return TRANSPOSED ? panel * DEPTH + filler() / 4 : tile.w_row + min(first_row + filler(), tile.n_rows - 1);
}
uint weights_block(uint panel, uint first_row) {
    return TRANSPOSED ? first_row / 32 + filler() % 4 : panel;
}
bool has_weights(uint row, uint block) {
    return !TRANSPOSED || (row < p.matrix.rows && block < p.matrix.blocks);
}

// before: what was fetched for the panel before; anew: nothing was.
Held fetch(uint panel, uint first_row, Tile tile, Held before, bool anew) {
    Held held;
#ifndef CODES_Packed
    const uint row = weights_row(panel, first_row, tile);
    const uint block = weights_block(panel, first_row);
    held.weights = no_block();
    if (has_weights(row, block)) {
        held.weights = load_block(p.matrix, row, block, before.weights, anew || TRANSPOSED);
    }
#endif
    [[unroll]] for (uint i = 0; i < X_PARTS; ++i) {
        const uint part = i * FILLERS + filler();
        const uint x_row = row_of_input(min(tile.first_token + part / 4, tile.end_token - 1));
        if (HALVES) {
            held.halves[i] = x_halves[(panel * p.x_stride + x_row) * 4 + part % 4];
        } else {
            const uint from = (x_row * p.x_stride + x_begin() + panel * DEPTH) / 4 + part % 4 * 2;
            held.inputs[2 * i] = x[from];
            held.inputs[2 * i + 1] = x[from + 1];
        }
    }
    return held;
}

// slot: where in shared memory.
void put(Held held, uint panel, uint slot, uint first_row, Tile tile) {
    const uint me = filler();
    const uint block = weights_block(panel, first_row);
    const uint to = slot * W_QUADS + (TRANSPOSED ? me / 4 * W_STRIDE + me % 4 * 4 : me * W_STRIDE);
#ifdef CODES_Packed
    // A packed block is taken apart whole, from memory.
    Values32 values;
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        values.w[i] = vec4(0);
    }
    const uint row = weights_row(panel, first_row, tile);
    if (has_weights(row, block) && block < p.matrix.blocks) {
        values = load_values(p.matrix, row, block);
    }
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        w_panels[to + i] = halves(values.w[2 * i], values.w[2 * i + 1]);
    }
#else
    [[unroll]] for (uint part = 0; part < 2; ++part) {
        vec4 values[4];
        values_in(held.weights, block, part, values);
        w_panels[to + 2 * part] = halves(values[0], values[1]);
        w_panels[to + 2 * part + 1] = halves(values[2], values[3]);
    }
#endif
    [[unroll]] for (uint i = 0; i < X_PARTS; ++i) {
        const uint part = i * FILLERS + me;
        x_panels[slot * X_QUADS + part / 4 * STRIDE + part % 4] =
            HALVES ? held.halves[i] : halves(held.inputs[2 * i], held.inputs[2 * i + 1]);
    }
}

void main() {
    prepare_weights();
    const uint first_row = gl_WorkGroupID.x * ROWS;
    const Tile tile = tile_of(gl_WorkGroupID.y, TOKENS);
    if (tile.first_token >= tile.end_token) {
        return;
    }
    const bool fills = gl_SubgroupID >= MULTIPLIERS;
    const uint row = gl_SubgroupID % (ROWS / SUBGROUP_ROWS) * SUBGROUP_ROWS;
    const uint token = gl_SubgroupID / (ROWS / SUBGROUP_ROWS) * SUBGROUP_TOKENS;
    // [row][token] fragments: rows of the result are w's.
    SUMS sums[FRAGMENT_ROWS * FRAGMENT_TOKENS];
    [[unroll]] for (uint i = 0; i < FRAGMENT_ROWS * FRAGMENT_TOKENS; ++i) {
        sums[i] = SUMS(0.0);
    }
    const uint n_panels = TRANSPOSED ? (p.matrix.rows + DEPTH - 1) / DEPTH : p.matrix.blocks;
    // Fetched beyond the last panel is the last one again, since a branch costs more.
    const uint last = n_panels - 1;
    Held held = nothing();
    if (fills) {
        held = fetch(0, first_row, tile, held, true);
        put(held, 0, 0, first_row, tile);
        held = fetch(min(1, last), first_row, tile, held, false);
    }
    barrier();
    // By twos, so that a panel's place in shared memory is a constant, and with one barrier for both roles, since all
    // threads must come to the same one.
    for (uint pair = 0; pair < n_panels; pair += 2) {
        [[unroll]] for (uint odd = 0; odd < 2; ++odd) {
            const uint panel = pair + odd;
            const uint next_slot = (odd + 1) % PANELS;
            if (fills) {
                if (PANELS == 2) {
                    put(held, panel + 1, next_slot, first_row, tile);
                    held = fetch(min(panel + 2, last), first_row, tile, held, false);
                }
            } else if (odd == 0 || panel <= last) {
                const uint w_at = odd % PANELS * W_QUADS;
                const uint x_at = odd % PANELS * X_QUADS;
                [[unroll]] for (uint k = 0; k < DEPTH; k += K) {
                    RIGHT b[FRAGMENT_TOKENS];
                    [[unroll]] for (uint j = 0; j < FRAGMENT_TOKENS; ++j) {
                        LOAD(b[j], x_panels, x_at + (token + N * j) * STRIDE + k / 8, STRIDE, BY_COLUMNS);
                    }
                    [[unroll]] for (uint i = 0; i < FRAGMENT_ROWS; ++i) {
                        LEFT a;
                        if (TRANSPOSED) {
                            LOAD(a, w_panels, w_at + k * W_STRIDE + (row + M * i) / 8, W_STRIDE, BY_COLUMNS);
                        } else {
                            LOAD(a, w_panels, w_at + (row + M * i) * W_STRIDE + k / 8, W_STRIDE, BY_ROWS);
                        }
                        [[unroll]] for (uint j = 0; j < FRAGMENT_TOKENS; ++j) {
                            const uint at = i * FRAGMENT_TOKENS + j;
                            sums[at] = MULTIPLY_ADD(a, b[j], sums[at]);
                        }
                    }
                }
            }
            if (PANELS == 1) {
                barrier();
                if (fills) {
                    put(held, panel + 1, next_slot, first_row, tile);
                    held = fetch(min(panel + 2, last), first_row, tile, held, false);
                }
            }
            barrier();
        }
    }
    const uint n_rows = TRANSPOSED ? p.matrix.blocks * 32 : tile.n_rows;
    const uint lane = gl_SubgroupInvocationID;
    const uint spare_at = gl_SubgroupID * (M * N / 4);
    // A fragment is stored at once only to 16 bytes' alignment.
    const bool aligned = (p.y_stride & 3) == 0 && (y_begin() & 3) == 0;
    const bool plain = aligned && p.has_bias == 0 && p.relu == 0 && p.add == 0;
    if (plain && first_row + ROWS <= n_rows && tile.first_token + TOKENS <= tile.end_token) {
        if (!fills) {
            [[unroll]] for (uint i = 0; i < FRAGMENT_ROWS; ++i) {
                [[unroll]] for (uint j = 0; j < FRAGMENT_TOKENS; ++j) {
                    const uint to = (tile.first_token + token + N * j) * p.y_stride + y_begin() + first_row + row + M * i;
                    STORE(sums[i * FRAGMENT_TOKENS + j], y, to, p.y_stride, BY_COLUMNS);
                }
            }
        }
        return;
    }
    [[unroll]] for (uint i = 0; i < FRAGMENT_ROWS; ++i) {
        [[unroll]] for (uint j = 0; j < FRAGMENT_TOKENS; ++j) {
            const uint r = first_row + row + M * i;
            const uint t = tile.first_token + token + N * j;
            const uint at = i * FRAGMENT_TOKENS + j;
            const bool at_once = plain && r + M <= n_rows && t + N <= tile.end_token;
            if (!fills && at_once) {
                STORE(sums[at], y, t * p.y_stride + y_begin() + r, p.y_stride, BY_COLUMNS);
            } else if (!fills) {
                STORE(sums[at], w_panels, spare_at, M / 4, BY_COLUMNS);
            }
            // Met by all subgroups, also those with nothing there: lavapipe makes it a barrier of the workgroup.
            subgroupBarrier();
            for (uint e = fills || at_once ? M * N : lane; e < M * N; e += gl_SubgroupSize) {
                if (r + e % M < n_rows && t + e / M < tile.end_token) {
                    float sum = finished(uintBitsToFloat(w_panels[spare_at + e / 4][e % 4]), r + e % M);
                    const uint to = (t + e / M) * p.y_stride + y_begin() + r + e % M;
                    if (TRANSPOSED) {
                        sum += p.add != 0 ? y[to] : 0.0;
                    }
                    y[to] = sum;
                }
            }
            subgroupBarrier();
        }
    }
}
