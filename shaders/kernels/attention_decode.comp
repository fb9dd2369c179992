// Attention of one token to everything before it and itself.
//   q k v     floats [n_head | n_head_kv, HEAD_DIM], before rotation
//   keys      halves [n_head_kv, n_ctx, HEAD_DIM], rotated; gains this token's row at `position`
//   values    likewise
//   attended  floats [n_head, HEAD_DIM], overwritten (if WRITE_FLOATS)
//   bytes     the same as signed bytes with a scale per 32 (if WRITE_BYTES; HEAD_DIM a multiple of 32)
// A workgroup takes part gl_WorkGroupID.x of the positions for the GROUP query heads that read one key head; what
// it found goes to `parts`, and the last of a head's workgroups to be done joins them in their order. Keys and
// values of the token itself are rounded to halves as those of others are. Parts that begin after the last position
// do nothing, so one recorded dispatch serves every length.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "params.h"
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;
layout(constant_id = 1) const uint HEAD_DIM = 128;
layout(constant_id = 2) const uint GROUP = 1;
layout(constant_id = 3) const uint PART = 64;  // positions of one part
layout(constant_id = 4) const bool WRITE_FLOATS = true;
layout(constant_id = 5) const bool WRITE_BYTES = false;

layout(push_constant) uniform Push {
    AttentionParams p;
};
layout(binding = 0) readonly buffer Step {
    uint position;
};
layout(binding = 1) readonly buffer Angles {
    vec2 angles[];
};
layout(binding = 2) readonly buffer Query {
    float q[];
};
layout(binding = 3) readonly buffer Key {
    float k[];
};
layout(binding = 4) readonly buffer Value {
    float v[];
};
layout(binding = 5) buffer Keys {
    uint keys[];
};
layout(binding = 6) buffer Values {
    uint values[];
};
layout(binding = 7) coherent buffer Parts {
    float parts[];  // [n_head, parts of n_ctx, HEAD_DIM + 2]: sums, their weight, its exponent
};
layout(binding = 8) coherent buffer Done {
    uint done[];  // [n_head_kv], 0 between runs
};
layout(binding = 9) writeonly buffer Attended {
    float attended[];
};
layout(binding = 10) writeonly buffer AttendedBytes {
    uint attended_bytes[];
};
layout(binding = 11) writeonly buffer AttendedScales {
    float attended_scales[];
};
#include "quantize.glsl"
#include "rope.glsl"

const uint WORDS = HEAD_DIM / 2;
shared float queries[GROUP * HEAD_DIM];
shared uint new_key[WORDS];
shared uint new_value[WORDS];
shared float scores[GROUP * PART];
shared float sums[WORKGROUP * 2];
shared float peak[GROUP];
shared float weight[GROUP];
shared bool last;

float rotated_query(uint head, uint at) {
    const uint from = head * HEAD_DIM;
    return rope_apply(at, 0, q[from + at], q[from + rope_partner(at)]);
}
float rotated_key(uint head, uint at) {
    const uint from = head * HEAD_DIM;
    return rope_apply(at, 0, k[from + at], k[from + rope_partner(at)]);
}

uint part_at(uint head, uint part) {
    return (head * ((p.n_ctx + PART - 1) / PART) + part) * (HEAD_DIM + 2);
}

void join(uint head_kv, uint n_parts) {
    const uint me = gl_LocalInvocationIndex;
    for (uint g = 0; g < GROUP; ++g) {
        const uint head = head_kv * GROUP + g;
        float most = -3.4e38;
        for (uint i = 0; i < n_parts; ++i) {
            most = max(most, parts[part_at(head, i) + HEAD_DIM + 1]);
        }
        barrier();
        for (uint c = me; c < HEAD_DIM; c += WORKGROUP) {
            float sum = 0;
            float total = 0;
            for (uint i = 0; i < n_parts; ++i) {
                const uint at = part_at(head, i);
                const float share = exp(parts[at + HEAD_DIM + 1] - most);
                sum += share * parts[at + c];
                total += share * parts[at + HEAD_DIM];
            }
            queries[c] = sum / total;  // the first query is done with
            if (WRITE_FLOATS) {
                attended[head * HEAD_DIM + c] = sum / total;
            }
        }
        barrier();
        if (WRITE_BYTES) {
            for (uint i = me; i < HEAD_DIM / 4; i += WORKGROUP) {
                float largest = 0;
                for (uint c = i / 8 * 32; c < i / 8 * 32 + 32; ++c) {
                    largest = max(largest, abs(queries[c]));
                }
                const vec4 value = vec4(queries[4 * i], queries[4 * i + 1], queries[4 * i + 2], queries[4 * i + 3]);
                attended_bytes[head * HEAD_DIM / 4 + i] =
                    pack_bytes(value, largest > 0 ? 127.0 / largest : 0.0);
                if (i % 8 == 0) {
                    attended_scales[(head * HEAD_DIM + 4 * i) / 32] = largest / 127.0;
                }
            }
        }
    }
}

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint part = gl_WorkGroupID.x;
    const uint head_kv = gl_WorkGroupID.y;
    const uint first = part * PART;
    if (first > position) {
        return;
    }
    const uint n = min(PART, position + 1 - first);
    const bool has_new = position < first + PART;
    const uint cache = head_kv * p.n_ctx * WORDS;

    for (uint i = me; i < GROUP * HEAD_DIM; i += WORKGROUP) {
        queries[i] = rotated_query(head_kv * GROUP + i / HEAD_DIM, i % HEAD_DIM) * p.scale;
    }
    if (has_new) {
        for (uint i = me; i < WORDS; i += WORKGROUP) {
            const uint key = packHalf2x16(vec2(rotated_key(head_kv, 2 * i), rotated_key(head_kv, 2 * i + 1)));
            const uint value =
                packHalf2x16(vec2(v[head_kv * HEAD_DIM + 2 * i], v[head_kv * HEAD_DIM + 2 * i + 1]));
            new_key[i] = key;
            new_value[i] = value;
            keys[cache + position * WORDS + i] = key;
            values[cache + position * WORDS + i] = value;
        }
    }
    barrier();

    for (uint i = me; i < n; i += WORKGROUP) {
        float dots[GROUP];
        [[unroll]] for (uint g = 0; g < GROUP; ++g) {
            dots[g] = 0;
        }
        const bool is_new = first + i == position;
        const uint from = cache + (first + i) * WORDS;
        for (uint c = 0; c < WORDS; c += 4) {
            [[unroll]] for (uint j = 0; j < 4; ++j) {
                if (c + j < WORDS) {
                    const vec2 pair = unpackHalf2x16(is_new ? new_key[c + j] : keys[from + c + j]);
                    [[unroll]] for (uint g = 0; g < GROUP; ++g) {
                        const uint at = g * HEAD_DIM + 2 * (c + j);
                        dots[g] += pair.x * queries[at] + pair.y * queries[at + 1];
                    }
                }
            }
        }
        [[unroll]] for (uint g = 0; g < GROUP; ++g) {
            scores[g * PART + i] = dots[g];
        }
    }
    barrier();
    for (uint g = me; g < GROUP; g += WORKGROUP) {
        float most = scores[g * PART];
        for (uint i = 1; i < n; ++i) {
            most = max(most, scores[g * PART + i]);
        }
        peak[g] = most;
    }
    barrier();
    for (uint i = me; i < GROUP * n; i += WORKGROUP) {
        const uint at = i / n * PART + i % n;
        scores[at] = exp(scores[at] - peak[i / n]);
    }
    barrier();
    for (uint g = me; g < GROUP; g += WORKGROUP) {
        float total = 0;
        for (uint i = 0; i < n; ++i) {
            total += scores[g * PART + i];
        }
        weight[g] = total;
    }
    // A thread adds one word of the values' rows; where there are more threads than words, they share the positions.
    const uint shares = max(WORKGROUP / WORDS, 1);
    for (uint g = 0; g < GROUP; ++g) {
        const uint to = part_at(head_kv * GROUP + g, part);
        for (uint base = 0; base < WORDS; base += WORKGROUP) {
            const uint word = base + me % WORDS;
            const uint share = me / WORDS;
            vec2 sum = vec2(0);
            if (word < WORDS && share < shares) {
                for (uint i = share; i < n; i += shares) {
                    const uint bits =
                        first + i == position ? new_value[word] : values[cache + (first + i) * WORDS + word];
                    sum += scores[g * PART + i] * unpackHalf2x16(bits);
                }
            }
            barrier();
            sums[2 * me] = sum.x;
            sums[2 * me + 1] = sum.y;
            barrier();
            if (share == 0 && word < WORDS) {
                for (uint s = 1; s < shares; ++s) {
                    sum += vec2(sums[2 * (me + s * WORDS)], sums[2 * (me + s * WORDS) + 1]);
                }
                parts[to + 2 * word] = sum.x;
                parts[to + 2 * word + 1] = sum.y;
            }
        }
        if (me == 0) {
            parts[to + HEAD_DIM] = weight[g];
            parts[to + HEAD_DIM + 1] = peak[g];
        }
    }

    const uint n_parts = position / PART + 1;
    memoryBarrierBuffer();
    barrier();
    if (me == 0) {
        last = atomicAdd(done[head_kv], 1) == n_parts - 1;
    }
    barrier();
    if (!last) {
        return;
    }
    memoryBarrierBuffer();
    join(head_kv, n_parts);
    if (me == 0) {
        done[head_kv] = 0;
    }
}
