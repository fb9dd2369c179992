// The product of gemm.comp in halves, on matrix units, summed in floats.
//   w         weights.glsl; [rows, 32 blocks], or TRANSPOSED [K, rows], K a multiple of 32
//   x         floats [n_tokens, x_stride]
//   x_halves  the same in halves, if HALVES
//   y         floats [n_tokens, y_stride]; what it held is overwritten for whole tiles only where inside
// GROUPED: tiles.glsl; y_at is 0 then, and rows of y are sorted. Weights and inputs are rounded to halves. A workgroup of 256 threads makes a tile of 128 rows and 128 tokens from
// panels of 32 columns; a subgroup makes SUBGROUP_ROWS rows of SUBGROUP_TOKENS tokens of it in fragments of
// M rows and N tokens. PANELS is how many there is room for: of two, one is filled while the other is multiplied. COOPERATIVE_KHR: by the extension all
// vendors have, NVIDIA's own otherwise; cooperative.glsl.
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
const uint SUBGROUPS = ROWS / SUBGROUP_ROWS * (TOKENS / SUBGROUP_TOKENS);
const uint SPARE_QUADS = SUBGROUPS * M * N / 4;
// [row][column], TRANSPOSED: [column][row]. At the end a fragment of each subgroup, where a tile is not inside.
shared uvec4 w_panels[PANELS * W_QUADS > SPARE_QUADS ? PANELS * W_QUADS : SPARE_QUADS];

// Of a subgroup: rows and tokens in fragments.
const uint FRAGMENT_ROWS = SUBGROUP_ROWS / M;
const uint FRAGMENT_TOKENS = SUBGROUP_TOKENS / N;

uvec4 halves(vec4 a, vec4 b) {
    return uvec4(packHalf2x16(a.xy), packHalf2x16(a.zw), packHalf2x16(b.xy), packHalf2x16(b.zw));
}

#ifdef CODES_Packed

// A packed block is taken apart whole, so half of the threads do that and the others take the inputs.
struct Held {
    uint none;
};

Held fetch(uint panel, uint first_row, Tile tile) {
    return Held(0);
}

void put(Held held, uint panel, uint first_row, Tile tile) {
    const uint me = gl_LocalInvocationIndex;
    const uint w_at = panel % PANELS * W_QUADS;
    const uint x_at = panel % PANELS * X_QUADS;
    if (me < 128) {
        Values32 values;
        [[unroll]] for (uint i = 0; i < 8; ++i) {
            values.w[i] = vec4(0);
        }
        const uint row = TRANSPOSED ? panel * DEPTH + me / 4 : tile.w_row + min(first_row + me, tile.n_rows - 1);
        const uint block = TRANSPOSED ? first_row / 32 + me % 4 : panel;
        if (!TRANSPOSED || (row < p.matrix.rows && block < p.matrix.blocks)) {
            values = load_values(p.matrix, row, block);
        }
        const uint to = w_at + (TRANSPOSED ? me / 4 * W_STRIDE + me % 4 * 4 : me * W_STRIDE);
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            w_panels[to + i] = halves(values.w[2 * i], values.w[2 * i + 1]);
        }
    } else {
        const uint token = row_of_input(min(tile.first_token + me - 128, tile.end_token - 1));
        const uint from = token * p.x_stride + x_begin() + panel * DEPTH;
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            x_panels[x_at + (me - 128) * STRIDE + i] =
                HALVES ? x_halves[from / 8 + i] : halves(x[from / 4 + 2 * i], x[from / 4 + 2 * i + 1]);
        }
    }
}

#else

// A thread's part of a panel: half a block of weights and 16 inputs. They are loaded while the matrix units work
// on the panel before, and become halves afterwards.
struct Held {
    HeldHalf weights;
    vec4 inputs[4];
    uvec4 halves[2];  // if HALVES, in the place of inputs
};

uint block_of(uint panel, uint first_row) {
    return TRANSPOSED ? first_row / 32 + gl_LocalInvocationIndex / 2 % 4 : panel;
}

Held fetch(uint panel, uint first_row, Tile tile) {
    const uint me = gl_LocalInvocationIndex;
    const uint row = TRANSPOSED ? panel * DEPTH + me / 8 : tile.w_row + min(first_row + me / 2, tile.n_rows - 1);
    const uint block = block_of(panel, first_row);
    Held held;
    held.weights = no_half();
    if (!TRANSPOSED || (row < p.matrix.rows && block < p.matrix.blocks)) {
        held.weights = load_half(p.matrix, row, block, me % 2);
    }
    const uint token = row_of_input(min(tile.first_token + me / 2, tile.end_token - 1));
    const uint from = token * p.x_stride + x_begin() + panel * DEPTH + me % 2 * 16;
    if (HALVES) {
        held.halves[0] = x_halves[from / 8];
        held.halves[1] = x_halves[from / 8 + 1];
    } else {
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            held.inputs[i] = x[from / 4 + i];
        }
    }
    return held;
}

void put(Held held, uint panel, uint first_row, Tile tile) {
    const uint me = gl_LocalInvocationIndex;
    vec4 values[4];
    values_in(held.weights, block_of(panel, first_row), me % 2, values);
    const uint to = panel % PANELS * W_QUADS +
                    (TRANSPOSED ? me / 8 * W_STRIDE + me % 8 * 2 : me / 2 * W_STRIDE + me % 2 * 2);
    w_panels[to] = halves(values[0], values[1]);
    w_panels[to + 1] = halves(values[2], values[3]);
    const uint x_to = panel % PANELS * X_QUADS + me / 2 * STRIDE + me % 2 * 2;
    x_panels[x_to] = HALVES ? held.halves[0] : halves(held.inputs[0], held.inputs[1]);
    x_panels[x_to + 1] = HALVES ? held.halves[1] : halves(held.inputs[2], held.inputs[3]);
}

#endif

void main() {
    prepare_weights();
    const uint first_row = gl_WorkGroupID.x * ROWS;
    const Tile tile = tile_of(gl_WorkGroupID.y, TOKENS);
    if (tile.first_token >= tile.end_token) {
        return;
    }
    const uint row = gl_SubgroupID % (ROWS / SUBGROUP_ROWS) * SUBGROUP_ROWS;
    const uint token = gl_SubgroupID / (ROWS / SUBGROUP_ROWS) * SUBGROUP_TOKENS;
    // [row][token] fragments: rows of the result are w's.
    SUMS sums[FRAGMENT_ROWS * FRAGMENT_TOKENS];
    [[unroll]] for (uint i = 0; i < FRAGMENT_ROWS * FRAGMENT_TOKENS; ++i) {
        sums[i] = SUMS(0.0);
    }
    const uint n_panels = TRANSPOSED ? (p.matrix.rows + DEPTH - 1) / DEPTH : p.matrix.blocks;
    put(fetch(0, first_row, tile), 0, first_row, tile);
    barrier();
    for (uint panel = 0; panel < n_panels; ++panel) {
        // The last panel is fetched once more, since a branch here costs more.
        const Held held = fetch(min(panel + 1, n_panels - 1), first_row, tile);
        const uint w_at = panel % PANELS * W_QUADS;
        const uint x_at = panel % PANELS * X_QUADS;
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
        if (PANELS == 1) {
            barrier();
        }
        put(held, panel + 1, first_row, tile);
        barrier();
    }
    const uint n_rows = TRANSPOSED ? p.matrix.blocks * 32 : tile.n_rows;
    const uint lane = gl_SubgroupInvocationID;
    const uint spare_at = gl_SubgroupID * (M * N / 4);
    // A fragment is stored at once only to 16 bytes' alignment.
    const bool aligned = (p.y_stride & 3) == 0 && (y_begin() & 3) == 0;
    const bool plain = aligned && p.has_bias == 0 && p.relu == 0 && p.add == 0;
    [[unroll]] for (uint i = 0; i < FRAGMENT_ROWS; ++i) {
        [[unroll]] for (uint j = 0; j < FRAGMENT_TOKENS; ++j) {
            const uint r = first_row + row + M * i;
            const uint t = tile.first_token + token + N * j;
            const uint at = i * FRAGMENT_TOKENS + j;
            const bool at_once = plain && r + M <= n_rows && t + N <= tile.end_token;
            if (at_once) {
                STORE(sums[at], y, t * p.y_stride + y_begin() + r, p.y_stride, BY_COLUMNS);
            } else {
                STORE(sums[at], w_panels, spare_at, M / 4, BY_COLUMNS);
            }
            // Met by all subgroups, also those with nothing there: lavapipe makes it a barrier of the workgroup.
            subgroupBarrier();
            for (uint e = at_once ? M * N : lane; e < M * N; e += gl_SubgroupSize) {
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
