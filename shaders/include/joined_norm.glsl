// A token's norm, joined to the products that read it: each workgroup makes its input for itself, so that no dispatch of a
// single workgroup stands between the stream and its products. input.glsl reads shared memory then.
//   x = stream + add_scale * (a + b + c)   the first ADDS of them; the first workgroup leaves x in stream_next if p.stores
//   input = norm(x) * weight               as signed bytes with a scale per 32
// JOINED_FLOATS: the input is floats, and the first workgroup leaves it as both, in normed, normed_bytes and normed_scales.
// It has the bits that norm.comp gives with NORM_THREADS threads: what those would add is added in the same order. A shader that
// includes this has WORKGROUP, TEAM, BLOCKS, ADDS and NORM_THREADS among its constants. A team is a subgroup.
#include "norm_scale.glsl"
#include "quantize.glsl"

const uint QUARTERS = BLOCKS * 8;                                     // four values each
const uint QUARTERS_HELD = (QUARTERS + WORKGROUP - 1) / WORKGROUP;  // by a thread
// Threads of norm.comp that one thread stands for, and subgroups of both.
const uint STANDS_FOR = NORM_THREADS > WORKGROUP ? NORM_THREADS / WORKGROUP : 1;
const uint NORM_SUBGROUPS = NORM_THREADS / TEAM;

shared uvec4 joined_input[BLOCKS * 2];
shared float joined_scales[BLOCKS];
#ifdef JOINED_FLOATS
shared vec4 joined_floats[QUARTERS];
#else
shared ivec2 joined_halves[BLOCKS];  // sums of the bytes of both halves of a block
#endif
shared float joined_sums[STANDS_FOR * WORKGROUP / TEAM];

void join_norm(bool stores) {
    const uint me = gl_LocalInvocationIndex;
    vec4 values[QUARTERS_HELD];
    vec4 factors[QUARTERS_HELD];
    float squares[STANDS_FOR];
    [[unroll]] for (uint k = 0; k < STANDS_FOR; ++k) {
        squares[k] = 0;
    }
    [[unroll]] for (uint j = 0; j < QUARTERS_HELD; ++j) {
        const uint i = me + j * WORKGROUP;
        vec4 value = vec4(0);
        factors[j] = weight[min(i, QUARTERS - 1)];
        if (i < QUARTERS) {
            value = stream[i];
            if (ADDS > 0) {
                value += p.add_scale * a[i];
            }
            if (ADDS > 1) {
                value += p.add_scale * b[i];
            }
            if (ADDS > 2) {
                value += p.add_scale * c[i];
            }
            if (stores) {
                stream_next[i] = value;
            }
        }
        values[j] = value;
        squares[j % STANDS_FOR] += dot(value, value);
    }
    [[unroll]] for (uint k = 0; k < STANDS_FOR; ++k) {
        const float sum = subgroupAdd(squares[k]);
        if (gl_SubgroupInvocationID == 0) {
            joined_sums[k * (WORKGROUP / TEAM) + gl_SubgroupID] = sum;
        }
    }
    barrier();
    float sum = 0;
    if (NORM_SUBGROUPS <= TEAM) {
        const uint lane = gl_SubgroupInvocationID;
        sum = subgroupAdd(lane < NORM_SUBGROUPS ? joined_sums[lane] : 0);
    } else {
        for (uint k = 0; k < NORM_SUBGROUPS; ++k) {
            sum += joined_sums[k];
        }
    }
    const float scale = norm_scale(sum, float(4 * QUARTERS), p.epsilon);
    [[unroll]] for (uint j = 0; j < QUARTERS_HELD; ++j) {
        const uint i = me + j * WORKGROUP;
        if (i < QUARTERS) {
            values[j] = values[j] * scale * factors[j];
            joined_input[i / 4][i % 4] = floatBitsToUint(max_abs(values[j]));
#ifdef JOINED_FLOATS
            joined_floats[i] = values[j];
#endif
        }
    }
    barrier();
#ifdef JOINED_FLOATS
    if (gl_WorkGroupID.x > 0) {
        return;
    }
#endif
    // Eight neighbouring threads hold the 32 values of a block.
    float most[QUARTERS_HELD];
    [[unroll]] for (uint j = 0; j < QUARTERS_HELD; ++j) {
        const uint block = min((me + j * WORKGROUP) / 8, BLOCKS - 1);
        const vec4 low = uintBitsToFloat(joined_input[block * 2]);
        const vec4 high = uintBitsToFloat(joined_input[block * 2 + 1]);
        most[j] = max(max_abs(low), max_abs(high));
    }
    barrier();
    [[unroll]] for (uint j = 0; j < QUARTERS_HELD; ++j) {
        const uint i = me + j * WORKGROUP;
        if (i < QUARTERS) {
            const uint word = pack_bytes(values[j], bytes_per(most[j]));
#ifdef JOINED_FLOATS
            normed[i] = values[j];
            normed_bytes[i] = word;
            if (i % 8 == 0) {
                normed_scales[i / 8] = byte_scale(most[j]);
            }
#else
            joined_input[i / 4][i % 4] = word;
            if (i % 8 == 0) {
                joined_scales[i / 8] = byte_scale(most[j]);
            }
            ivec4 bytes = ivec4(word << 24, word << 16, word << 8, word) >> 24;
            int sum = bytes.x + bytes.y + bytes.z + bytes.w;
            sum += subgroupShuffleXor(sum, 1);
            sum += subgroupShuffleXor(sum, 2);
            if (i % 4 == 0) {
                joined_halves[i / 8][i / 4 % 2] = sum;
            }
#endif
        }
    }
    barrier();
}
