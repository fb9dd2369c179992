// The product of gemm.comp in halves, on matrix units: VK_NV_cooperative_matrix, 16 x 16 x 16, summed in floats.
//   w  weights.glsl; [rows, 32 blocks], or TRANSPOSED [K, rows], K a multiple of 32
//   x  floats [n_tokens, x_stride]
//   y  floats [n_tokens, y_stride]; what it held is overwritten for whole tiles only where inside
// Weights and inputs are rounded to halves. A workgroup of 8 subgroups makes a tile of 128 rows and 128 tokens from
// panels of 32 columns; a subgroup makes 64 rows of 32 tokens of it.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_shader_subgroup_basic : require
#pragma use_vulkan_memory_model
#include "params.h"
layout(local_size_x = 256) in;

layout(push_constant) uniform Push {
    GemmParams p;
};
layout(binding = 0) readonly buffer Quads {
    uvec4 quads[];
};
layout(binding = 1) readonly buffer Words {
    uint words[];
};
layout(binding = 2) readonly buffer Input {
    vec4 x[];
};
layout(binding = 3) readonly buffer InputScales {
    float xd[];
};
#ifdef TRANSPOSED
layout(binding = 4) buffer Output {
#else
layout(binding = 4) writeonly buffer Output {
#endif
    float y[];
};
layout(binding = 5) readonly buffer Bias {
    float bias[];
};
#include "weights.glsl"

const uint ROWS = 128;
const uint TOKENS = 128;
const uint DEPTH = 32;
const uint STRIDE = DEPTH / 8 + 1;  // quads of eight halves, and one so that rows begin in different banks
shared uvec4 w_panel[ROWS * STRIDE];    // [row][column]
shared uvec4 x_panel[TOKENS * STRIDE];  // [token][column]
shared float spare[8 * 256];            // a fragment of each subgroup, where a tile is not inside

uvec4 halves(vec4 a, vec4 b) {
    return uvec4(packHalf2x16(a.xy), packHalf2x16(a.zw), packHalf2x16(b.xy), packHalf2x16(b.zw));
}

#ifdef TRANSPOSED
const uint W_STRIDE = ROWS / 8 + 1;
shared uvec4 wt_panel[DEPTH * W_STRIDE];  // [column][row]
#endif

void load_panel(uint panel, uint first_row, uint first_token) {
    const uint me = gl_LocalInvocationIndex;
    if (me < 128) {
        Values32 values;
        [[unroll]] for (uint i = 0; i < 8; ++i) {
            values.w[i] = vec4(0);
        }
#ifdef TRANSPOSED
        const uint k = panel * DEPTH + me / 4;
        const uint block = first_row / 32 + me % 4;
        if (k < p.matrix.rows && block < p.matrix.blocks) {
            values = block_values(p.matrix, k, block);
        }
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            wt_panel[me / 4 * W_STRIDE + me % 4 * 4 + i] = halves(values.w[2 * i], values.w[2 * i + 1]);
        }
#else
        values = block_values(p.matrix, min(first_row + me, p.matrix.rows - 1), panel);
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            w_panel[me * STRIDE + i] = halves(values.w[2 * i], values.w[2 * i + 1]);
        }
#endif
    } else {
        const uint token = min(first_token + me - 128, p.n_tokens - 1);
        const uint from = (token * p.x_stride + p.x_at + panel * DEPTH) / 4;
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            x_panel[(me - 128) * STRIDE + i] = halves(x[from + 2 * i], x[from + 2 * i + 1]);
        }
    }
}

void main() {
    const uint first_row = gl_WorkGroupID.x * ROWS;
    const uint first_token = gl_WorkGroupID.y * TOKENS;
    const uint row = gl_SubgroupID % 2 * 64;
    const uint token = gl_SubgroupID / 2 * 32;
    // [row][token] fragments: rows of the result are w's.
    fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> sums[4][2];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        [[unroll]] for (uint j = 0; j < 2; ++j) {
            sums[i][j] = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(0.0);
        }
    }
#ifdef TRANSPOSED
    const uint n_panels = (p.matrix.rows + DEPTH - 1) / DEPTH;
#else
    const uint n_panels = p.matrix.blocks;
#endif
    for (uint panel = 0; panel < n_panels; ++panel) {
        barrier();
        load_panel(panel, first_row, first_token);
        barrier();
        [[unroll]] for (uint k = 0; k < DEPTH / 16; ++k) {
            fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> b[2];
            [[unroll]] for (uint j = 0; j < 2; ++j) {
                coopMatLoadNV(b[j], x_panel, (token + 16 * j) * STRIDE + 2 * k, STRIDE, true);
            }
            [[unroll]] for (uint i = 0; i < 4; ++i) {
                fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> a;
#ifdef TRANSPOSED
                coopMatLoadNV(a, wt_panel, 16 * k * W_STRIDE + (row + 16 * i) / 8, W_STRIDE, true);
#else
                coopMatLoadNV(a, w_panel, (row + 16 * i) * STRIDE + 2 * k, STRIDE, false);
#endif
                [[unroll]] for (uint j = 0; j < 2; ++j) {
                    sums[i][j] = coopMatMulAddNV(a, b[j], sums[i][j]);
                }
            }
        }
    }
#ifdef TRANSPOSED
    const uint n_rows = p.matrix.blocks * 32;
#else
    const uint n_rows = p.matrix.rows;
#endif
    const uint lane = gl_SubgroupInvocationID;
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        [[unroll]] for (uint j = 0; j < 2; ++j) {
            const uint r = first_row + row + 16 * i;
            const uint t = first_token + token + 16 * j;
            // A fragment is stored at once only to 16 bytes' alignment.
            const bool aligned = (p.y_stride & 3) == 0 && (p.y_at & 3) == 0;
            if (aligned && r + 16 <= n_rows && t + 16 <= p.n_tokens && p.has_bias == 0 && p.relu == 0 && p.add == 0) {
                coopMatStoreNV(sums[i][j], y, t * p.y_stride + p.y_at + r, p.y_stride, true);
                continue;
            }
            const uint at = gl_SubgroupID * 256;
            coopMatStoreNV(sums[i][j], spare, at, 16, true);
            subgroupBarrier();
            for (uint e = lane; e < 256; e += gl_SubgroupSize) {
                if (r + e % 16 < n_rows && t + e / 16 < p.n_tokens) {
                    float sum = spare[at + e] + (p.has_bias != 0 ? bias[p.y_at + r + e % 16] : 0.0);
                    sum = p.relu != 0 ? max(sum, 0.0) : sum;
                    const uint to = (t + e / 16) * p.y_stride + p.y_at + r + e % 16;
#ifdef TRANSPOSED
                    sum += p.add != 0 ? y[to] : 0.0;
#endif
                    y[to] = sum;
                }
            }
            subgroupBarrier();
        }
    }
}
