// Takes the states of a delta net past the tokens of a pass, one after the other; where CORRECTS is off, those of Mamba-2,
// which write a value as it is and add `skip` times the value to what they give. With TAKES off, states stay as they
// are.
//   inputs       floats [n_tokens, width], before the convolution
//   mixed        floats [n_tokens, width], behind it: a token's queries, keys and values
//   beta decay   floats [n_tokens, n_value_heads]
//   states       floats from word past_at[2 * layer] on: [KERNEL - 1, width], the latest inputs, then
//                [n_value_heads][VALUE_DIM / 32][KEY_DIM][32]; of Mamba-2 the last of a head may have 16
//   attended     floats [n_tokens, n_value_heads, VALUE_DIM]
//   skip         floats [n_value_heads]
// A workgroup takes 32 columns of values of a head (x: panels of the heads). A thread has a column and a part of the
// keys, whose states it keeps in registers. Queries and keys of a token are read while the one before is computed.
// generic/: delta_net and state_space.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/delta_net.h"

const uint COLUMNS = 32;
const uint PARTS = WORKGROUP / COLUMNS;
const uint ROWS = KEY_DIM / PARTS;
const uint PANELS = (VALUE_DIM + COLUMNS - 1) / COLUMNS;

shared float keys[2 * KEY_DIM];  // of two tokens
shared float queries[2 * KEY_DIM];
shared float known[WORKGROUP];
shared float given[WORKGROUP];

float sum_parts(uint column, bool of_given) {
    float sum = 0;
    for (uint part = 0; part < PARTS; ++part) {
        sum += of_given ? given[part * COLUMNS + column] : known[part * COLUMNS + column];
    }
    return sum;
}

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint first = gl_WorkGroupID.x % PANELS * COLUMNS;
    const uint columns = VALUE_DIM % COLUMNS == 0 ? COLUMNS : min(COLUMNS, VALUE_DIM - first);
    // Threads without a column do what the last one does, and write nothing.
    const bool idle = me % COLUMNS >= columns;
    const uint column = min(me % COLUMNS, columns - 1);
    const uint row = me / COLUMNS * ROWS;
    const uint head = gl_WorkGroupID.x / PANELS;
    const uint key_head = p.group == 0 ? head % p.n_key_heads : head / p.group;
    const uint width = p.width;
    const uint value = head * VALUE_DIM + first + column;
    const uint past = past_at[2 * p.layer];
    const uint at = past + (KERNEL - 1) * width + (head * VALUE_DIM + first) * KEY_DIM + row * columns + column;
    float state[ROWS];
    for (uint i = 0; i < ROWS; ++i) {
        // Before the first token of all there are zeros, whatever the memory holds.
        state[i] = position == 0 ? 0 : states[at + i * columns];
    }
    float given_besides = 0;
    for (uint t = 0; t < p.n_tokens; ++t) {
        const uint slot = t % 2 * KEY_DIM;
        for (uint i = me; i < KEY_DIM; i += WORKGROUP) {
            queries[slot + i] = mixed[t * width + p.q_at + key_head * KEY_DIM + i];
            keys[slot + i] = mixed[t * width + p.k_at + key_head * KEY_DIM + i];
        }
        const float keep = decay[t * p.n_value_heads + head];
        const float write = beta[t * p.n_value_heads + head];
        const float wanted = mixed[t * width + p.v_at + value];
        barrier();
        if (t > 0 && me < columns) {
            attended[(t - 1) * p.n_value_heads * VALUE_DIM + value] = sum_parts(column, true) + given_besides;
        }
        given_besides = CORRECTS ? 0 : skip[head] * wanted;
        float sum = 0;
        for (uint i = 0; i < ROWS; ++i) {
            state[i] *= keep;
            sum += keys[slot + row + i] * state[i];
        }
        known[me] = sum;
        barrier();
        const float change = write * (CORRECTS ? wanted - sum_parts(column, false) : wanted);
        float share = 0;
        for (uint i = 0; i < ROWS; ++i) {
            state[i] += keys[slot + row + i] * change;
            share += queries[slot + row + i] * state[i];
        }
        given[me] = share;
    }
    barrier();
    if (me < columns) {
        attended[(p.n_tokens - 1) * p.n_value_heads * VALUE_DIM + value] = sum_parts(column, true) + given_besides;
    }
    if (!TAKES) {
        return;
    }
    for (uint i = 0; i < ROWS && !idle; ++i) {
        states[at + i * columns] = state[i];
    }
    // The latest inputs, a channel a thread. Nobody reads them in this dispatch.
    for (uint c = gl_GlobalInvocationID.x; c < width; c += gl_NumWorkGroups.x * WORKGROUP) {
        for (uint i = 0; i + 1 < KERNEL; ++i) {
            const int token = int(p.n_tokens + i) - int(KERNEL - 1);
            float latest = 0;
            if (token >= 0) {
                latest = inputs[uint(token) * width + c];
            } else if (position > 0) {
                latest = states[past + (i + p.n_tokens) * width + c];
            }
            states[past + i * width + c] = latest;
        }
    }
}
