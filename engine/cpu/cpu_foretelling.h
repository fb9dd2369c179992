// The layer that foretells tokens, on the processor. The model's own executor holds the embeddings
// and the head; the layer is another one's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/thread_pool.h"
#include "compute/foretelling.h"
#include "cpu/cpu_executor.h"
#include "model/foretelling.h"

namespace hearth {

// The layer computes the pairs of a token and the stream before it in batches, when so many wait or
// when a guess needs them. Tokens that were passed while nobody told it are left out: they have no
// place in its past, and its positions count what it has.
class CpuForetelling final : public Foretelling {
public:
    // RAM that create() takes of the ledger, exactly.
    static MemoryBytes bytes_for(const ForetellingModel& model, int n_vocab, int n_ctx,
                                 int n_threads);

    // cpu: the model's, loaded; it has the output head, and outlives this, as the file and the pool
    // do. OutOfMemory, ReadFailed, Cancelled, Internal.
    static Result<std::unique_ptr<CpuForetelling>> create(
        const GgufFile& file, std::shared_ptr<const ForetellingModel> model, const CpuExecutor& cpu,
        const Plan& plan, Ledger& ledger, LoadMonitor& monitor);

    void passed(std::span<const std::int32_t> tokens, int position) override;
    std::span<const std::int32_t> guess(std::span<const std::int32_t> text,
                                        std::size_t most) override;
    std::span<const float> latest_logits() const override { return {scratch_.logits, n_vocab_}; }
    std::size_t n_seen() const override { return seen_.size(); }

private:
    static constexpr int kBatch = 64;                          // pairs
    static constexpr int kMostRows = kBatch + kEachAloneMost;  // streams that wait

    struct Scratch {
        float* streams = nullptr;  // [kMostRows, n_embd], normed, of positions from first_ on
        float* joined = nullptr;   // [kBatch, 2 * n_embd]
        float* x = nullptr;        // [kBatch, n_embd] what the layer reads, and leaves
        float* y = nullptr;        // [n_embd] of the latest pair
        float* logits = nullptr;   // [n_vocab]
        std::byte* quantized = nullptr;
    };
    // A pair in the layer's past.
    struct Seen {
        int position;  // of the token
        std::int32_t token;
    };

    CpuForetelling(std::shared_ptr<const ForetellingModel> model, const CpuExecutor& cpu,
                   int n_ctx);
    static std::uint64_t lay_out(int n_embd, int n_vocab, std::byte* base, Scratch& scratch);
    static Plan plan_for(const ForetellingModel& model, int n_ctx, int n_threads);

    int end() const { return first_ + n_rows_; }  // of the streams that wait
    float* stream(int row) const {
        return scratch_.streams + static_cast<std::size_t>(row) * n_embd_;
    }
    // Forgets what later or other tokens left.
    void go_back(int position, std::int32_t token);
    // Computes the pairs of the streams that wait, each with the token behind it, and leaves only
    // the last stream. Precondition: text_[end()] is known.
    Result<void> catch_up();
    // Computes pairs at `place` and further of the layer's past. y is that of the last one.
    struct Pair {
        const float* stream;
        std::int32_t token;
    };
    Result<void> compute(std::span<const Pair> pairs, std::size_t place);
    void norm(const float* x, std::span<const float> weight, float* y) const;
    Result<std::int32_t> best_token();

    const std::shared_ptr<const ForetellingModel> kept_;
    const ForetellingModel& model_;
    const CpuExecutor& cpu_;
    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    CpuExecutor layer_;
    std::vector<Step> steps_;
    Past past_;
    AlignedBuffer buffer_;
    Scratch scratch_;
    std::size_t n_embd_ = 0;
    std::size_t n_vocab_ = 0;
    int n_ctx_ = 0;
    int first_ = 0;                   // position of the first stream that waits
    int n_rows_ = 0;                  // streams that wait, of positions one behind the other
    std::vector<std::int32_t> text_;  // [n_ctx] the tokens of the streams, and the one behind them
    std::vector<Seen> seen_;          // in the order of the layer's past
    std::vector<Pair> pairs_;
    std::vector<std::int32_t> guesses_, tokens_;
    bool failed_ = false;  // no more guesses
};

}  // namespace hearth
