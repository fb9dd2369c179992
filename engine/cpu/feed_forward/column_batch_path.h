// Several tokens of a model whose matrices lie by input: nothing is left out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"
#include "compute/activity.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/batch_hidden.h"
#include "cpu/feed_forward/scratch.h"
#include "cpu/feed_forward/task.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "gguf/encoding.h"
#include "gguf/rows.h"
#include "model/model_spec.h"

namespace hearth {

// All three are whole products. The matrices become tiles a few rows at a time.
//
// Belongs to the engine's thread. Everything is done when run() returns. Allocates nothing.
class ColumnBatchPath {
public:
    struct Scratch {
        HiddenScratch hidden;
        ThreadMemory tiles;  // of kTileRowsAtOnce rows
    };
    // hidden: laid out already.
    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_threads, const HiddenScratch& hidden,
                        Scratch& scratch, Take&& take) {
        const auto cols = static_cast<std::uint64_t>(std::max(spec.n_embd, spec.n_ff_max()));
        std::uint64_t most = 0;
        for (const Encoding& encoding : encodings()) {
            most = std::max(most,
                            encoding.has(Layout::InputColumn) ? row_bytes(encoding.type, cols) : 0);
        }
        scratch.hidden = hidden;
        ThreadMemory::lay_out(kTileRowsAtOnce * most, n_threads, scratch.tiles, take);
    }

    // spec must outlive this.
    ColumnBatchPath(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
                    const Scratch& scratch)
        : table_(table),
          pool_(pool),
          n_embd_(spec.n_embd),
          hidden_(table, pool, spec, scratch.hidden),
          tiles_(scratch.tiles) {}

    // Computes task.y. input: norm(task.x), [n_tokens, n_embd], in float and quantised. observer:
    // null, or who is shown the hidden values. Precondition: layer.by_input().
    void run(const FeedForwardTask& task, const CpuLayer& layer, const ActivationRows& input,
             FeedForwardObserver* observer);

private:
    static constexpr int kTileRowsAtOnce = 2 * kernels::kTileRows;

    void multiply(const ColumnMatrix& matrix, const ActivationRows& x, int first, int end,
                  int worker, float* y, std::size_t y_stride) const;

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    int n_embd_;
    BatchHidden hidden_;
    ThreadMemory tiles_;
};

}  // namespace hearth
