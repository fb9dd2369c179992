// Sums of the down rows of the neurons that fire, for one token:
//   partial[partial_at + c * columns + j] = sum over i in chunk c of h[first + i] * w[i, j]
//   w        [n_neurons, 32 blocks]  weights.glsl; columns = 32 blocks
//   h        floats; neurons whose value is 0 are not read
//   partial  floats, overwritten
// A chunk's neurons are added in their order, whatever the device: the sum is reproducible. A thread adds the
// columns of one uvec4; a workgroup takes WORKGROUP of those (x) for one chunk (y).
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "interfaces/down_rows.h"
#include "weights.glsl"

#define VECTORS (QUAD_VALUES / 4)
#define ROWS_AT_ONCE 8

const uint FIRING_MOST = 1024;  // of one chunk; p.chunk is at most that
shared uint firing[FIRING_MOST];
shared uint counts[WORKGROUP];

void main() {
    prepare_weights();
    const uint begin = gl_WorkGroupID.y * p.chunk;
    const uint end = min(begin + p.chunk, p.matrix.rows);
    const uint me = gl_LocalInvocationIndex;
    // Each thread lists the firing among a run of the chunk's neurons, after those of the threads before it.
    const uint run = (p.chunk + WORKGROUP - 1) / WORKGROUP;
    uint mine = 0;
    for (uint i = 0; i < run; ++i) {
        const uint neuron = begin + me * run + i;
        mine += neuron < end && h[p.first + neuron] != 0 ? 1 : 0;
    }
    counts[me] = mine;
    barrier();
    uint at = 0;
    uint n_firing = 0;
    for (uint t = 0; t < WORKGROUP; ++t) {
        at += t < me ? counts[t] : 0;
        n_firing += counts[t];
    }
    for (uint i = 0; i < run; ++i) {
        const uint neuron = begin + me * run + i;
        if (neuron < end && h[p.first + neuron] != 0) {
            firing[at++] = neuron;
        }
    }
    barrier();

    const uint quad = gl_WorkGroupID.x * WORKGROUP + me;
    if (quad >= p.matrix.blocks * QUADS) {
        return;
    }
    vec4 sums[VECTORS];
    [[unroll]] for (int i = 0; i < VECTORS; ++i) {
        sums[i] = vec4(0);
    }
    // One row's load takes as long as some rows' do, so that the loads of several begin together.
    uint i = 0;
    for (; i + ROWS_AT_ONCE <= n_firing; i += ROWS_AT_ONCE) {
        [[unroll]] for (uint k = 0; k < ROWS_AT_ONCE; ++k) {
            add_quad(sums, p.matrix, firing[i + k], quad, h[p.first + firing[i + k]]);
        }
    }
    for (; i < n_firing; ++i) {
        add_quad(sums, p.matrix, firing[i], quad, h[p.first + firing[i]]);
    }
    const uint to = p.partial_at + gl_WorkGroupID.y * p.matrix.blocks * 32 + quad * QUAD_VALUES;
    [[unroll]] for (int i = 0; i < VECTORS; ++i) {
        [[unroll]] for (int k = 0; k < 4; ++k) {
            partial[to + 4 * i + k] = sums[i][k];
        }
    }
}
