// Sums of the down rows of the neurons that fire, for one token:
//   partial[partial_at + c * columns + j] = sum over i in chunk c of h[first + i] * w[i, j]
//   w        [n_neurons, 32 blocks]  weights.glsl; columns = 32 blocks
//   h        floats; neurons whose value is 0 are not read
//   partial  floats, overwritten
// A chunk's neurons are shared out: share s of SHARES takes every SHARES-th that fires, from s on. Shares are added in
// one order, and so are the neurons of each, whatever the device: the sum is reproducible. A thread adds the columns of
// one uvec4 for its share; a workgroup takes QUAD_THREADS of those (x) for one chunk (y).
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "interfaces/down_rows.h"
#include "weights.glsl"

#define VECTORS (QUAD_VALUES / 4)
#define ROWS_AT_ONCE 8

const uint QUAD_THREADS = 64;
const uint SHARES = WORKGROUP / QUAD_THREADS;
const uint FIRING_MOST = 1024;  // of one chunk; p.chunk is at most that
shared uint fires[FIRING_MOST / 32];  // a bit a neuron
shared uint firing[FIRING_MOST];
shared float values[FIRING_MOST];
shared vec4 added[VECTORS * (SHARES > 1 ? SHARES / 2 : 1) * QUAD_THREADS];

// Lists the neurons that fire, in their order, with their values; says how many.
uint list_firing() {
    const uint begin = gl_WorkGroupID.y * p.chunk;
    const uint n = min(p.chunk, p.matrix.rows - begin);
    const uint me = gl_LocalInvocationIndex;
    for (uint word = me; word < FIRING_MOST / 32; word += WORKGROUP) {
        fires[word] = 0;
    }
    barrier();
    for (uint i = me; i < n; i += WORKGROUP) {
        if (h[p.first + begin + i] != 0) {
            atomicOr(fires[i / 32], 1u << (i % 32));
        }
    }
    barrier();
    for (uint i = me; i < n; i += WORKGROUP) {
        if ((fires[i / 32] >> (i % 32) & 1) != 0) {
            uint at = bitCount(fires[i / 32] & ((1u << (i % 32)) - 1));
            for (uint word = 0; word < i / 32; ++word) {
                at += bitCount(fires[word]);
            }
            firing[at] = begin + i;
            values[at] = h[p.first + begin + i];
        }
    }
    uint n_firing = 0;
    for (uint word = 0; word < (p.chunk + 31) / 32; ++word) {
        n_firing += bitCount(fires[word]);
    }
    barrier();
    return n_firing;
}

void main() {
    prepare_weights();
    const uint n_firing = list_firing();
    const uint share = gl_LocalInvocationIndex / QUAD_THREADS;
    const uint lane = gl_LocalInvocationIndex % QUAD_THREADS;
    const uint quads_of_row = p.matrix.blocks * QUADS;
    const uint quad = gl_WorkGroupID.x * QUAD_THREADS + lane;
    const uint mine = min(quad, quads_of_row - 1);  // one beyond the last is the last once more
    vec4 sums[VECTORS];
    [[unroll]] for (int i = 0; i < VECTORS; ++i) {
        sums[i] = vec4(0);
    }
    // One row's load takes as long as some rows' do, so that the loads of several begin together. A row beyond the last
    // is the last times 0.
    for (uint i = share; i < n_firing; i += ROWS_AT_ONCE * SHARES) {
        [[unroll]] for (uint k = 0; k < ROWS_AT_ONCE; ++k) {
            const uint at = i + k * SHARES;
            const uint there = min(at, n_firing - 1);
            add_quad(sums, p.matrix, firing[there], mine, at < n_firing ? values[there] : 0.0);
        }
    }
    for (uint half_of = SHARES / 2; half_of > 0; half_of /= 2) {
        if (share >= half_of && share < 2 * half_of) {
            [[unroll]] for (int i = 0; i < VECTORS; ++i) {
                added[(i * half_of + share - half_of) * QUAD_THREADS + lane] = sums[i];
            }
        }
        barrier();
        if (share < half_of) {
            [[unroll]] for (int i = 0; i < VECTORS; ++i) {
                sums[i] += added[(i * half_of + share) * QUAD_THREADS + lane];
            }
        }
        barrier();
    }
    if (share > 0 || quad >= quads_of_row) {
        return;
    }
    const uint to = (p.partial_at + gl_WorkGroupID.y * p.matrix.blocks * 32 + quad * QUAD_VALUES) / 4;
    [[unroll]] for (int i = 0; i < VECTORS; ++i) {
        partial[to + i] = sums[i];
    }
}
