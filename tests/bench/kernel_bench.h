// Kernels one by one, called as the executor calls them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/thread_pool.h"
#include "cpu/kernels/kernels.h"
#include "gguf/dtype.h"

namespace hearth::bench {

// Seconds one call of `work` takes: median of seven rounds of at least `least_s` each.
template <class Work>
double seconds_of(Work&& work, double least_s = 0.02) {
    using Clock = std::chrono::steady_clock;
    const auto time = [&](int calls) {
        const auto start = Clock::now();
        for (int i = 0; i < calls; ++i) {
            work();
        }
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    time(1);
    int calls = 1;
    double taken = time(calls);
    while (taken < least_s && calls < 1 << 24) {
        calls *= taken < least_s / 16 ? 8 : 2;
        taken = time(calls);
    }
    std::vector<double> rounds;
    for (int i = 0; i < 7; ++i) {
        rounds.push_back(time(calls) / calls);
    }
    std::sort(rounds.begin(), rounds.end());
    return rounds[rounds.size() / 2];
}

// Memory as the executor has it: aligned, and in huge pages where the system gives them. Ends the
// program if there is none.
AlignedBuffer buffer_of(std::uint64_t bytes);

// One product of packed weights and n_tokens tokens. For one token there are more weights than any
// cache holds, so that each product reads its own from memory.
struct MatmulCase {
    DType type;
    int rows, cols, n_tokens;
};
struct MatmulSpeed {
    double weights_gb_per_s;
    double operations_per_s;
};
MatmulSpeed measure_matmul(ThreadPool& pool, const kernels::KernelTable& table,
                           const MatmulCase& c);

// Attention of n_tokens new tokens, the last of n_positions. One token reads as many layers as no
// cache holds.
struct AttentionCase {
    const char* shape;  // whose heads these are
    int n_head, n_head_kv, head_dim;
    int n_positions, n_tokens;
};
struct AttentionSpeed {
    double kv_gb_per_s;
    double operations_per_s;
};
AttentionSpeed measure_attention(ThreadPool& pool, const kernels::KernelTable& table,
                                 const AttentionCase& c);

// Bytes read and written a second by one thread on rows of n values that stay in its cache.
struct ElementwiseSpeed {
    const char* name;
    double gb_per_s;
};
std::vector<ElementwiseSpeed> measure_elementwise(const kernels::KernelTable& table, int n);

}  // namespace hearth::bench
