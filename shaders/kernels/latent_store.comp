// Stores the keys of latent attention from `position` on, a workgroup a token. A key is the token's latent, normed, and
// behind it what is rotated.
//   k     floats [n_tokens, RANK + ROTATED], before norm and rotation
//   norm  floats [RANK]: x / sqrt(mean(x^2) + epsilon) * norm
//   keys  the past as attention.glsl has it, of one head
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "interfaces/latent_store.h"
const uint HEAD_DIM = RANK + ROTATED;
#include "attention.glsl"
#include "norm.glsl"
#include "past_bytes.glsl"
#include "rope.glsl"

float scale = 1;

float key_value(uint at) {
    const uint token = gl_WorkGroupID.x;
    const uint from = token * HEAD_DIM;
    if (at < RANK) {
        return k[from + at] * scale * norm[at];
    }
    const uint rotated = at - RANK;
    return rope_apply(rotated, token, k[from + at], k[from + RANK + rope_partner(rotated)]);
}

vec2 key_pair(uint word) {
    return vec2(key_value(2 * word), key_value(2 * word + 1));
}

// Writes up to 32 numbers from word `first` on. Returns the half that multiplies them.
uint write_block(uint row, uint first) {
    const uint end = min(first + 16, WORDS);
    float largest = 0;
    float sum = 0;
    for (uint word = first; word < end; ++word) {
        const vec2 size = abs(key_pair(word));
        largest = max(largest, max(size.x, size.y));
        sum += size.x + size.y;
    }
    const uint half_scale = bytes_half(largest, sum);
    for (uint word = first; word < end; word += 2) {
        keys[past_row(0, row) + word / 2] =
            two_bytes(key_pair(word), half_scale) | two_bytes(key_pair(word + 1), half_scale) << 16;
    }
    return half_scale;
}

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint from = gl_WorkGroupID.x * HEAD_DIM;
    const uint row = position + gl_WorkGroupID.x;
    float squares = 0;
    for (uint i = me; i < RANK; i += WORKGROUP) {
        squares += k[from + i] * k[from + i];
    }
    scale = norm_scale(tree_sum(squares), float(RANK), p.epsilon);
    if (!BYTES) {
        for (uint word = me; word < WORDS; word += WORKGROUP) {
            keys[past_row(0, row) + word] = packHalf2x16(key_pair(word));
        }
        return;
    }
    // A word of scales is of two blocks.
    for (uint i = me; i < SCALE_WORDS; i += WORKGROUP) {
        const uint low = write_block(row, 32 * i);
        const uint high = 32 * i + 16 < WORDS ? write_block(row, 32 * i + 16) : 0;
        keys[past_scales(0, row) + i] = low | high << 16;
    }
}
