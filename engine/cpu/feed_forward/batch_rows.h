// A batch times matrices that lie in rows of neurons.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/scratch.h"
#include "cpu/feed_forward/task.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

class BatchRows {
public:
    struct Scratch {
        HiddenScratch hidden;
        std::uint16_t* index = nullptr;  // [n_batch, n_ff]
        std::int32_t* counts = nullptr;  // [n_batch, lists of kListNeurons]
        ThreadMemory unpacked;           // a tile of floats, or the columns of one task's rows
    };
    // hidden: laid out already; add_down() overwrites it.
    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, int n_threads,
                        const HiddenScratch& hidden, Scratch& scratch, Take&& take) {
        const auto batch = static_cast<std::uint64_t>(n_batch);
        const auto n_ff = static_cast<std::uint64_t>(spec.n_ff_at_once_max());
        scratch.hidden = hidden;
        take(scratch.index,
             HiddenScratch::values(spec, n_batch, spec.n_ff_at_once_max()) * sizeof(std::uint16_t));
        take(scratch.counts, batch * (n_ff / kListNeurons + 1) * sizeof(std::int32_t));
        ThreadMemory::lay_out(
            sizeof(float) * std::max<std::uint64_t>(
                                kernels::kTileRows * static_cast<std::uint64_t>(spec.n_embd),
                                kListNeurons * kGroupsPerTask * kernels::kRowGroup),
            n_threads, scratch.unpacked, take);
    }

    BatchRows(const kernels::KernelTable& table, ThreadPool& pool, int n_embd,
              const Scratch& scratch)
        : table_(table), pool_(pool), n_embd_(n_embd), scratch_(scratch) {}

    // y[t * y_stride + n] = row n of `part` times token t, for rows [first, end). input: [n_tokens,
    // n_embd]. Any thread; worker: which one.
    void multiply(const CpuRows& part, const ActivationRows& input, int first, int end, int worker,
                  float* y, std::size_t y_stride) const;
    // task.y = down times the hidden values, from the rows of the neurons that fire for each token.
    // Returns how many those are for the first token. The engine's thread.
    std::uint64_t add_down(const FeedForwardTask& task, const CpuLayer& layer) const;

private:
    static constexpr int kListNeurons = 128;
    static constexpr int kGroupsPerTask = 4;

    static int n_lists(const CpuLayer& layer);
    void list_firing(const CpuLayer& layer, int token) const;
    void add_groups(const FeedForwardTask& task, const CpuLayer& layer, int first_group,
                    int last_group, int worker) const;

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    int n_embd_;
    Scratch scratch_;
};

}  // namespace hearth
