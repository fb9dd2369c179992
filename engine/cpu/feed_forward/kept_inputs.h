// Products of one token with matrices by input, from its values above a threshold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/thread_pool.h"
#include "cpu/convert_input_columns.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

// The inputs are cut into at most kMostChunks fixed runs with sums of their own, which are added in
// their order. Each thread then reads whole runs of memory, and the result does not depend on which
// thread computed what.
class KeptInputs {
public:
    struct Scratch {                          // blocks: of n_embd or n_ff, whichever has more
        float* sums = nullptr;                // [kMostChunks, gate and up, or down]
        kernels::InputQuad* quads = nullptr;  // [blocks, kBlockQuads]
        std::uint8_t* counts = nullptr;       // [blocks], quads of each
        float* d = nullptr;                   // [blocks]
        std::int32_t* offset = nullptr;       // [blocks]
    };
    template <class Take>
    static void lay_out(const ModelSpec& spec, Scratch& scratch, Take&& take) {
        const int n_ff = spec.n_ff_max();
        const auto blocks = static_cast<std::uint64_t>(std::max(spec.n_embd, n_ff) / kBlockValues);
        const auto sums = static_cast<std::uint64_t>(std::max(
            2 * kernels::input_column_width(n_ff), kernels::input_column_width(spec.n_embd)));
        take(scratch.sums, kMostChunks * sums * sizeof(float));
        take(scratch.quads, blocks * kernels::kBlockQuads * sizeof(kernels::InputQuad));
        take(scratch.counts, blocks);
        take(scratch.d, blocks * sizeof(float));
        take(scratch.offset, blocks * sizeof(std::int32_t));
    }

    KeptInputs(const kernels::KernelTable& table, ThreadPool& pool, const Scratch& scratch)
        : table_(table), pool_(pool), scratch_(scratch) {}

    // Computes the chunks' parts of the products of the matrices, which are equally large, with
    // what is kept of x: one token, in both forms. Each chunk then has sums of one matrix after the
    // other, each input_column_width() wide. Returns how many inputs were kept. The engine's
    // thread.
    int multiply(std::span<const ColumnMatrix* const> matrices, const ActivationRows& x,
                 float threshold);
    // y, [n], becomes outputs [first, first + n) of matrix number `matrix` of the latest
    // multiply(): the chunks' sums, added in their order. Any thread.
    void join(int matrix, int first, int n, float* y) const;

private:
    static constexpr int kMostChunks = 16;

    int keep(const ActivationRows& x, float threshold, int first_block, int last_block) const;

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    Scratch scratch_;
    int n_chunks_ = 0;       // of the latest multiply()
    std::size_t width_ = 0;  // likewise, of one matrix's sums
    std::size_t all_ = 0;    // of all of a chunk's sums
};

}  // namespace hearth
