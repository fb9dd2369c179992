// The parts of a token's attention, and how they become one: both forms of attention_decode share this.
//   parts  [n_head, PARTS, WORDS + 1]: sums; their weight and its exponent
//   done   [n_head_kv], 0 between runs
#include "quantize.glsl"

// The positions of one part, and how many parts there are.
struct Part {
    uint first;
    uint end;
    uint count;
};

Part part_of(uint index) {
    const uint from = first_seen(position);
    const uint n_tiles = (position - from + TILE) / TILE;
    const uint positions = (n_tiles + PARTS - 1) / PARTS * TILE;
    const uint first = from + index * positions;
    return Part(first, min(first + positions, position + 1), (position - from) / positions + 1);
}

const uint SHARES = WORKGROUP / WORDS;  // threads that share one word of the sums; heads are no longer than 2 WORKGROUP
const uint FEW_PARTS = PARTS < 16 ? PARTS : 16;
shared vec2 sums[WORKGROUP];
shared vec2 joined[WORDS];
shared float part_share[64];  // PARTS at most
shared float part_weight[64];
shared bool last;

uint part_at(uint head, uint part) {
    return (head * PARTS + part) * (WORDS + 1);
}

// Word gl_LocalInvocationIndex of a head is `sum`, of the threads that have one.
void write_head(uint head, vec2 sum) {
    const uint me = gl_LocalInvocationIndex;
    if (me < WORDS && WRITE_FLOATS) {
        attended[head * HEAD_DIM + 2 * me] = sum.x;
        attended[head * HEAD_DIM + 2 * me + 1] = sum.y;
    }
    if (WRITE_BYTES) {
        barrier();
        if (me < WORDS) {
            joined[me] = sum;
        }
        barrier();
        for (uint i = me; i < HEAD_DIM / 4; i += WORKGROUP) {
            float largest = 0;
            for (uint word = i / 8 * 16; word < i / 8 * 16 + 16; ++word) {
                largest = max(largest, max(abs(joined[word].x), abs(joined[word].y)));
            }
            attended_bytes[head * HEAD_DIM / 4 + i] =
                pack_bytes(vec4(joined[2 * i], joined[2 * i + 1]), bytes_per(largest));
            if (i % 8 == 0) {
                attended_scales[(head * HEAD_DIM + 4 * i) / 32] = byte_scale(largest);
            }
        }
    }
}

// Of word gl_LocalInvocationIndex, of the threads that have one: what this workgroup's part of a head found.
void write_part(uint head, uint part, vec2 sum, float weight, float peak) {
    const uint me = gl_LocalInvocationIndex;
    const uint to = part_at(head, part);
    if (me < WORDS) {
        parts[to + me] = sum;
    }
    if (me == 0) {
        parts[to + WORDS] = vec2(weight, peak);
    }
}

// Of word gl_LocalInvocationIndex % WORDS, this thread's share of the first `most_parts` parts.
#define ADD_PARTS(most_parts) \
    float most = part_share[0]; \
    [[unroll]] for (uint i = 1; i < most_parts; ++i) { \
        most = max(most, part_share[i]); \
    } \
    [[unroll]] for (uint i = 0; i < most_parts; ++i) { \
        const float e = i < n_parts ? exp(part_share[i] - most) : 0.0; \
        total += e * part_weight[i]; \
        if (i % SHARES == share) { \
            sum += e * parts[part_at(head, min(i, n_parts - 1)) + word]; \
        } \
    }

void join_head(uint head, uint n_parts) {
    const uint me = gl_LocalInvocationIndex;
    const uint word = me % WORDS;
    const uint share = me / WORDS;
    barrier();
    if (me < PARTS) {
        const vec2 weighed = parts[part_at(head, min(me, n_parts - 1)) + WORDS];
        part_weight[me] = me < n_parts ? weighed.x : 0.0;
        part_share[me] = weighed.y;
    }
    barrier();
    // Parts that are not there are read as the last and weigh nothing: no load waits for another. A short past has few.
    vec2 sum = vec2(0);
    float total = 0;
    if (n_parts <= FEW_PARTS) {
        ADD_PARTS(FEW_PARTS)
    } else {
        ADD_PARTS(PARTS)
    }
    sums[me] = sum;
    barrier();
    if (me < WORDS) {
        [[unroll]] for (uint s = 1; s < SHARES; ++s) {
            sum += sums[me + s * WORDS];
        }
        sum /= total;
    }
    write_head(head, sum);
}

// Once this workgroup has written its part of every head: the last of those of head_kv joins them.
void join_parts(uint head_kv, uint n_parts) {
    const uint me = gl_LocalInvocationIndex;
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
    for (uint g = 0; g < GROUP; ++g) {
        join_head(head_kv * GROUP + g, n_parts);
    }
    if (me == 0) {
        done[head_kv] = 0;
    }
}
