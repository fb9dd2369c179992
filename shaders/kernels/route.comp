// Chooses the experts of each token, as choose_experts() of cpu/feed_forward/ does.
//   products      floats [n_tokens, N] of the router
//   product_bias  floats [N], added to the products (if PRODUCT_BIAS)
//   bias          floats [N], added where experts are chosen (if BIASED)
//   factors       floats [N], by which the weight of each expert is multiplied (if FACTORS)
//   chosen        [n_tokens, USED]: an expert and, as a float's bits, its weight; in ascending order of experts
//   told          the same where the processor reads it (if TELL)
//   shared_chosen [n_tokens]: expert 0 and the weight of the shared expert (if SHARED)
//   x             floats [n_tokens, n_embd], the block's input, and shared_router [n_embd] (if SHARED_GATE)
//   places        [N]: where the GPU has each expert, NOWHERE: the processor has it
//   fired         a word an expert (if COUNT), as of neurons.comp
//   noted         four words (if NOTE): the experts here that tokens which count had; the last one is this token's
// A workgroup chooses for one token. With ROUTER the shader makes the products first; workgroups of row y are of token y:
//   quads, words  [N, n_embd] of the router, weights.glsl: floats, halves or brain floats
//   done          a word a token, 0 between runs
// JOINED: they are made of the stream (joined_norm.glsl), the pass is of one token, and TELL is left out.
// A team of threads computes a row. The last workgroup to be done chooses. A product that is no number counts as the smallest one, so that every expert has a
// rank.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#ifdef ROUTER
#extension GL_KHR_shader_subgroup_arithmetic : require
#endif
#ifdef JOINED
#include "interfaces/joined_route.h"
const bool SUBGROUPS = true;
const bool NOTE = true;
#define JOINED_FLOATS
#include "joined_norm.glsl"
#else
#include "interfaces/route.h"
#endif
#ifdef ROUTER
#include "team.glsl"
#include "weights.glsl"
#include "input.glsl"
#endif

shared float scores[MOST_EXPERTS];
shared float weights[MOST_EXPERTS];
shared bool taken[MOST_EXPERTS];
shared uint ranked[MOST_USED_EXPERTS];  // the chosen ones, the best first
shared float sums[WORKGROUP];
shared float group_scores[MOST_EXPERT_GROUPS];
shared bool group_used[MOST_EXPERT_GROUPS];
shared uint here;  // of the token's experts

const float LEAST = -3.402823466e+38;
const float LEAST_SUM = 6.103515625e-5;  // the smallest normal half: a smaller sum counts as it
const uint ME_LAST = WORKGROUP - 1;

// Every thread of the workgroup calls these.
float sum_of_all(float mine) {
    const uint me = gl_LocalInvocationIndex;
    barrier();
    sums[me] = mine;
    for (uint step = WORKGROUP / 2; step > 0; step /= 2) {
        barrier();
        if (me < step) {
            sums[me] += sums[me + step];
        }
    }
    barrier();
    return sums[0];
}
float most_of_all(float mine) {
    const uint me = gl_LocalInvocationIndex;
    barrier();
    sums[me] = mine;
    for (uint step = WORKGROUP / 2; step > 0; step /= 2) {
        barrier();
        if (me < step) {
            sums[me] = max(sums[me], sums[me + step]);
        }
    }
    barrier();
    return sums[0];
}

// The groups with the largest best scores where scores are a softmax's, else with the largest sums of their two best
// ones.
void choose_groups() {
    const uint size = N / GROUPS;
    const bool of_two = size > 1 && SCORES != ROUTER_SOFTMAX;
    const uint me = gl_LocalInvocationIndex;
    for (uint group = me; group < GROUPS; group += WORKGROUP) {
        float best = LEAST;
        float second = of_two ? LEAST : 0.0;
        for (uint i = group * size; i < (group + 1) * size; ++i) {
            second = of_two ? max(second, min(best, scores[i])) : second;
            best = max(best, scores[i]);
        }
        group_scores[group] = best + second;
    }
    barrier();
    for (uint group = me; group < GROUPS; group += WORKGROUP) {
        uint before = 0;
        for (uint other = 0; other < GROUPS; ++other) {
            const float score = group_scores[other];
            before += score > group_scores[group] || (score == group_scores[group] && other < group) ? 1 : 0;
        }
        group_used[group] = before < USED_GROUPS;
    }
    barrier();
}

// taken, and ranked: the experts of those groups which have the USED largest scores, of equal ones the first.
void choose() {
    const uint size = N / GROUPS;
    for (uint i = gl_LocalInvocationIndex; i < N; i += WORKGROUP) {
        const float mine = scores[i];
        uint before = 0;
        [[unroll]] for (uint other = 0; other < N; ++other) {
            const float score = scores[other];
            bool first = score > mine || (score == mine && other < i);
            if (GROUPS > 1) {
                first = first && group_used[other / size];
            }
            before += first ? 1 : 0;
        }
        taken[i] = (GROUPS == 1 || group_used[i / size]) && before < USED;
        if (taken[i]) {
            ranked[before] = i;
        }
    }
    barrier();
}

#ifdef ROUTER

shared bool last;

// The same for all threads of a workgroup.
bool comes_last(uint token) {
    memoryBarrierBuffer();
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        last = atomicAdd(done[token], 1) == gl_NumWorkGroups.x - 1;
    }
    barrier();
    if (last) {
        memoryBarrierBuffer();
        if (gl_LocalInvocationIndex == 0) {
            done[token] = 0;
        }
    }
    return last;
}

void multiply(uint token) {
    const uint row_units = BLOCKS * UNITS;
    const uint row = gl_WorkGroupID.x * TEAMS + team_index();
    float sum = 0;
    [[unroll]] for (uint step = 0; step < (row_units + TEAM - 1) / TEAM; ++step) {
        const uint at = step * TEAM + team_lane();
        if (at >= row_units) {
            break;
        }
        // A row beyond the last is the last once more, and not written.
        sum += dot_unit(p.matrix, min(row, N - 1), at, load_input_from(token * BLOCKS * 8, at));
    }
    sum = team_sum(sum);
    if (team_lane() == 0 && row < N) {
        products[token * N + row] = sum;
    }
}

#endif

void main() {
    const uint me = gl_LocalInvocationIndex;
#ifdef ROUTER
    prepare_weights();
#ifdef JOINED
    const uint token = 0;
    join_norm(p.stores != 0 && gl_WorkGroupID.x == 0);
#else
    const uint token = gl_WorkGroupID.y;
#endif
    multiply(token);
    if (!comes_last(token)) {
        return;
    }
#else
    const uint token = gl_WorkGroupID.x;
#endif
    if (me == 0) {
        here = 0;
    }
    float most = LEAST;
    for (uint i = me; i < N; i += WORKGROUP) {
        float product = products[token * N + i];
        if (PRODUCT_BIAS) {
            product += product_bias[i];
        }
        weights[i] = product > LEAST ? product : LEAST;
        most = max(most, weights[i]);
    }
    if (SCORES == ROUTER_SOFTMAX) {
        most = most_of_all(most);
        float sum = 0;
        for (uint i = me; i < N; i += WORKGROUP) {
            weights[i] = exp(weights[i] - most);
            sum += weights[i];
        }
        sum = sum_of_all(sum);
        for (uint i = me; i < N; i += WORKGROUP) {
            weights[i] /= sum;
        }
    } else if (SCORES == ROUTER_SIGMOID) {
        for (uint i = me; i < N; i += WORKGROUP) {
            weights[i] = 1.0 / (1.0 + exp(-weights[i]));
        }
    }
    for (uint i = me; i < N; i += WORKGROUP) {
        scores[i] = BIASED ? weights[i] + bias[i] : weights[i];
    }
    barrier();
    if (GROUPS > 1) {
        choose_groups();
    }
    choose();
    if (SCORES == ROUTER_SOFTMAX_OF_CHOSEN) {
        float largest = LEAST;
        for (uint i = me; i < N; i += WORKGROUP) {
            largest = taken[i] ? max(largest, weights[i]) : largest;
        }
        largest = most_of_all(largest);
        for (uint i = me; i < N; i += WORKGROUP) {
            weights[i] = exp(weights[i] - largest);
        }
    }
    float factor = p.scale;
    if (NORMED || SCORES == ROUTER_SOFTMAX_OF_CHOSEN) {
        float sum = 0;
        for (uint i = me; i < N; i += WORKGROUP) {
            sum += taken[i] ? weights[i] : 0.0;
        }
        factor /= max(sum_of_all(sum), LEAST_SUM);
    }
    for (uint i = me; i < N; i += WORKGROUP) {
        if (taken[i]) {
            uint before = 0;
            [[unroll]] for (uint k = 0; k < USED; ++k) {
                before += ranked[k] < i ? 1 : 0;
            }
            const float mine = FACTORS ? weights[i] * factor * factors[i] : weights[i] * factor;
            const uvec2 one = uvec2(i, floatBitsToUint(mine));
            chosen[token * USED + before] = one;
#ifndef JOINED
            if (TELL) {
                told[token * USED + before] = one;
            }
#endif
            if (NOTE && places[i] != NOWHERE) {
                atomicAdd(here, 1);
            }
        }
        if (COUNT) {
            uint count = 0;
            if (counting != COUNTING_BEGIN) {
                count = (fired[i] >> 1) + (counting == COUNTING_KEEP ? fired[i] & 1 : 0);
            }
            fired[i] = count << 1 | (taken[i] ? 1 : 0);
        }
    }
    if (SHARED) {
        float sum = 0;
        if (SHARED_GATE) {
#ifdef JOINED
            for (uint i = me; i < QUARTERS; i += WORKGROUP) {
                sum += dot(shared_router[i], joined_floats[i]);
            }
#else
            for (uint i = me; i < p.n_embd / 4; i += WORKGROUP) {
                sum += dot(shared_router[i], x[token * p.n_embd / 4 + i]);
            }
#endif
            sum = sum_of_all(sum);
        }
        if (me == 0) {
            const float mine = SHARED_GATE ? 1.0 / (1.0 + exp(-sum)) : 1.0;
            shared_chosen[token] = uvec2(0, floatBitsToUint(mine));
        }
    }
    if (NOTE) {
        barrier();
        if (me == ME_LAST) {
            uvec4 counts = uvec4(0);
            if (activity != COUNTING_BEGIN) {
                counts = noted[0];
                if (activity == COUNTING_KEEP) {
                    counts.x += counts.w;
                }
            }
            counts.w = here;
            noted[0] = counts;
        }
    }
}
