// The executor that computes with the processor's own instruction set.
#pragma once

#include <memory>
#include <string>

#include "base/thread_pool.h"
#include "compute/executor.h"
#include "cpu/cpu_weights.h"
#include "cpu/kernels/kernels.h"
#include "cpu/rope.h"

namespace hearth {

// Every task is done when its call returns; finish() has nothing to wait for and cannot fail.
// Allocates in load() only.
class CpuExecutor final : public Executor {
public:
    CpuExecutor(const kernels::KernelTable& table, ThreadPool& pool);

    // What load() will take from the ledger as scratch, exactly.
    static std::uint64_t scratch_bytes(const ModelSpec& spec, int n_batch);

    std::string_view name() const override { return name_; }
    Result<void> load(const PlanSlice& slice, LoadMonitor& monitor) override;
    void embed(const EmbedTask& task) override;
    void attention(const AttentionTask& task) override;
    void feed_forward(const FeedForwardTask& task) override;
    void output_head(const OutputTask& task) override;
    void add(const float* x, float* y, int n_values) override;
    Result<void> finish() override { return {}; }
    std::uint64_t decode_weight_bytes() const override;

private:
    struct Scratch {
        float* normed = nullptr;                // [n_batch, n_embd]
        float* q = nullptr;                     // [n_batch, n_embd_q]
        float* k = nullptr;                     // [n_batch, n_embd_kv]
        float* v = nullptr;                     // [n_batch, n_embd_kv]
        float* attended = nullptr;              // [n_batch, n_embd_q]
        float* gate = nullptr;                  // [n_batch, n_ff]
        float* up = nullptr;                    // [n_batch, n_ff]
        float* angles = nullptr;                // [n_batch, rope_dim]
        float* k_tiles = nullptr;               // [n_head_kv][n_batch / 16][head_dim][16]
        float* parts = nullptr;                 // [32, n_head, head_dim]: of a token's attention
        float* part_largest = nullptr;          // [32, n_head]
        float* part_total = nullptr;            // [32, n_head]
        std::byte* quantized_input = nullptr;   // n_batch tokens of max(n_embd, n_embd_q)
        std::byte* quantized_hidden = nullptr;  // n_batch tokens of n_ff
    };
    // Gives every pointer its place from `base` on (null: counts only) and returns the bytes.
    static std::uint64_t lay_out(const ModelSpec& spec, int n_batch, std::byte* base,
                                 Scratch& scratch);

    template <class Body>
    void for_each_token(int n_tokens, Body&& body);

    // norm(x) in the forms `matrices` take.
    ActivationRows normed_input(const float* x, std::span<const float> weight, int n_tokens,
                                std::initializer_list<const PackedMatrix*> matrices);
    void add_bias(std::span<const float> bias, float* y, int n_tokens);
    void rotate_and_store(const AttentionTask& task);
    void store_keys(const AttentionTask& task, int head_kv, int first, int n, const float* rows);
    void attend(const AttentionTask& task);
    std::size_t part_index(int part, int head) const;
    void join_parts(int n_parts, int head);
    float* batch_keys(int head_kv);
    void compute_cluster(const CpuLayer& layer, const ActivationRows& input,
                         const ActivationRows& hidden, int n_tokens, const Cluster& cluster);

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    std::string name_;
    ModelSpec spec_;
    CpuWeights weights_;
    Rope rope_;
    AlignedBuffer scratch_buffer_;
    Scratch scratch_;
    int n_batch_padded_ = 0;  // whole tiles of k_tiles
};

}  // namespace hearth
