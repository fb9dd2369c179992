// The parts of a token's attention, and how they become one: both forms of attention_decode share this.
//   parts  [tokens, n_head, PARTS, WORDS + 1]: sums; their weight and its exponent
//   done   [tokens, n_head_kv * SHARERS], 0 between runs
// SEVERAL: workgroups gl_WorkGroupID.z are of that token of several.
// A shader that includes this has JOINED: how many of a group's heads are joined at a time, a divisor of GROUP.
#include "quantize.glsl"

uint my_token() {
    return SEVERAL ? gl_WorkGroupID.z : 0;
}
uint my_position() {
    return position + my_token();
}

// The positions of one part, and how many parts there are.
struct Part {
    uint first;
    uint end;
    uint count;
};

Part part_of(uint index) {
    const uint from = first_seen(my_position());
    const uint n_tiles = (my_position() - from + TILE) / TILE;
    const uint positions = (n_tiles + PARTS - 1) / PARTS * TILE;
    const uint first = from + index * positions;
    return Part(first, min(first + positions, my_position() + 1), (my_position() - from) / positions + 1);
}

const uint SHARES = WORKGROUP / WORDS;  // threads that share one word of the sums; heads are no longer than 2 WORKGROUP
const uint PARTS_AT_ONCE = 8;
shared vec2 sums[JOINED * WORKGROUP];
shared vec2 joined[WORDS];
shared float part_share[JOINED * 64];  // PARTS at most, of each head
shared float part_weight[JOINED * 64];
shared bool last;

// The workgroups that read one part of one key head follow one another: the others find it in the cache.
uint part_index() {
    return gl_WorkGroupID.x / SHARERS;
}
uint heads_index() {
    return gl_WorkGroupID.y * SHARERS + gl_WorkGroupID.x % SHARERS;
}

// The first query head of this workgroup.
uint first_head() {
    return heads_index() * GROUP;
}

// Says if this workgroup's sums begin with its heads' sinks: the first part's do.
bool has_sink() {
    return SINKS && part_index() == 0;
}

// Whether this workgroup, of those that read the same key head, writes the token's own row.
bool writes_row() {
    return gl_WorkGroupID.x % SHARERS == 0;
}

// A head of this workgroup's token, of those of all tokens.
uint row_of(uint head) {
    return my_token() * p.n_head + head;
}

uint part_at(uint head, uint part) {
    return (row_of(head) * PARTS + part) * (WORDS + 1);
}

// Word gl_LocalInvocationIndex of a head is `sum`, of the threads that have one.
void write_head(uint head, vec2 sum) {
    const uint me = gl_LocalInvocationIndex;
    if (me < WORDS && WRITE_FLOATS) {
        attended[row_of(head) * HEAD_DIM + 2 * me] = sum.x;
        attended[row_of(head) * HEAD_DIM + 2 * me + 1] = sum.y;
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
            attended_bytes[row_of(head) * HEAD_DIM / 4 + i] =
                pack_bytes(vec4(joined[2 * i], joined[2 * i + 1]), bytes_per(largest));
            if (i % 8 == 0) {
                attended_scales[(row_of(head) * HEAD_DIM + 4 * i) / 32] = byte_scale(largest);
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

// JOINED heads from `first` on. Parts are loaded PARTS_AT_ONCE at a time, of all these heads: no load waits for another,
// and parts that are not there are read as the last and weigh nothing.
void join_heads(uint first, uint n_parts) {
    const uint me = gl_LocalInvocationIndex;
    const uint word = me % WORDS;
    const uint share = me / WORDS;
    barrier();
    for (uint at = me; at < JOINED * PARTS; at += WORKGROUP) {
        const uint g = at / PARTS;
        const uint part = at % PARTS;
        const vec2 weighed = parts[part_at(first + g, min(part, n_parts - 1)) + WORDS];
        part_weight[g * 64 + part] = part < n_parts ? weighed.x : 0.0;
        part_share[g * 64 + part] = weighed.y;
    }
    barrier();
    float most[JOINED];
    float total[JOINED];
    vec2 sum[JOINED];
    [[unroll]] for (uint g = 0; g < JOINED; ++g) {
        most[g] = part_share[g * 64];
        total[g] = 0;
        sum[g] = vec2(0);
    }
    for (uint i = 1; i < n_parts; ++i) {
        [[unroll]] for (uint g = 0; g < JOINED; ++g) {
            most[g] = max(most[g], part_share[g * 64 + i]);
        }
    }
    for (uint base = 0; base < n_parts; base += PARTS_AT_ONCE) {
        [[unroll]] for (uint g = 0; g < JOINED; ++g) {
            [[unroll]] for (uint i = base; i < base + PARTS_AT_ONCE; ++i) {
                const uint part = min(i, n_parts - 1);
                const float e = i < n_parts ? exp(part_share[g * 64 + part] - most[g]) : 0.0;
                total[g] += e * part_weight[g * 64 + part];
                if (i % SHARES == share) {
                    sum[g] += e * parts[part_at(first + g, part) + word];
                }
            }
        }
    }
    [[unroll]] for (uint g = 0; g < JOINED; ++g) {
        sums[g * WORKGROUP + me] = sum[g];
    }
    barrier();
    [[unroll]] for (uint g = 0; g < JOINED; ++g) {
        vec2 all = sum[g];
        if (me < WORDS) {
            [[unroll]] for (uint s = 1; s < SHARES; ++s) {
                all += sums[g * WORKGROUP + me + s * WORDS];
            }
            all /= total[g];
        }
        write_head(first + g, all);
    }
}

// Once this workgroup has written its part of every head: the last one with these heads joins them.
void join_parts(uint n_parts) {
    const uint me = gl_LocalInvocationIndex;
    const uint mine = my_token() * p.n_head_kv * SHARERS + heads_index();  // of done
    memoryBarrierBuffer();
    barrier();
    if (me == 0) {
        last = atomicAdd(done[mine], 1) == n_parts - 1;
    }
    barrier();
    if (!last) {
        return;
    }
    memoryBarrierBuffer();
    for (uint g = 0; g < GROUP; g += JOINED) {
        join_heads(first_head() + g, n_parts);
    }
    if (me == 0) {
        done[mine] = 0;
    }
}
