// The executor that computes with the processor's own instruction set.
#pragma once

#include <memory>
#include <string>

#include "base/thread_pool.h"
#include "compute/executor.h"
#include "cpu/cpu_attention.h"
#include "cpu/cpu_feed_forward.h"
#include "cpu/cpu_lender.h"
#include "cpu/cpu_weights.h"
#include "cpu/kernels/kernels.h"

namespace hearth {

// Holds what the plan leaves to the processor: attention of the layers whose attention is not in
// VRAM, clusters from hot_neurons[l] on, and the output head if it is not in VRAM. It holds the
// embeddings always. It is asked for nothing else.
//
// Every task is done when its call returns. finish() has nothing to wait for and cannot fail.
// Allocates in load() and count_firing() only.
class CpuExecutor final : public Executor {
public:
    CpuExecutor(const kernels::KernelTable& table, ThreadPool& pool);

    // The scratch bytes that load() will take from the ledger, exactly.
    static std::uint64_t scratch_bytes(const ModelSpec& spec, int predictor_width, int n_batch,
                                       int n_threads, FeedForwardMode mode);

    std::string_view name() const override { return name_; }
    Result<void> load(const PlanSlice& slice, LoadMonitor& monitor) override;
    void embed(const EmbedTask& task) override;
    void attention(const AttentionTask& task) override;
    void heads(const HeadsTask& task) override;
    void feed_forward(const FeedForwardTask& task) override;
    void output_head(const OutputTask& task) override;
    void add(const float* x, float* y, int n_values) override;
    Result<void> finish() override { return {}; }
    const WeightLender* lender() const override { return &lender_; }
    void stay_alert(bool on) override { pool_.stay_alert(on); }
    void observe(FeedForwardObserver* observer) override { observer_ = observer; }
    void count_firing(SelfProfile* profile) override {
        feed_forward_.count_firing(profile, weights_.layers);
    }
    bool count_token() override {
        if (observer_ != nullptr) {
            return false;
        }
        feed_forward_.count_token(weights_.layers);
        return true;
    }
    bool has_paths(int layer) const override {
        return weights_.layers[static_cast<std::size_t>(layer)].up_place != nullptr;
    }
    void set_path(int layer, FeedForwardMode path) override {
        feed_forward_.set_path(layer, weights_.layers[static_cast<std::size_t>(layer)], path);
    }
    PathSpeeds measure_paths() override { return feed_forward_.measure_paths(weights_.layers); }
    std::span<const LayerActivity> activity() const override { return feed_forward_.activity(); }
    void reset_activity() override { feed_forward_.reset_activity(); }
    std::uint64_t decode_weight_bytes() const override;

private:
    struct Scratch {
        float* normed = nullptr;  // [n_batch, n_embd]
        CpuAttention::Scratch attention;
        CpuFeedForward::Scratch feed_forward;
        std::byte* quantized_input = nullptr;  // n_batch tokens of max(n_embd, n_embd_q)
    };
    // Gives every pointer its place from `base` on and returns the bytes. A null `base` only
    // counts.
    static std::uint64_t lay_out(const ModelSpec& spec, int predictor_width, int n_batch,
                                 int n_threads, FeedForwardMode mode, std::byte* base,
                                 Scratch& scratch);

    template <class Body>
    void for_each_token(int n_tokens, Body&& body);

    // Applies a norm to x, in float, and quantises the result if asked.
    ActivationRows normed_input(const NormSpec& norm, const float* x, std::span<const float> weight,
                                std::span<const float> bias, int n_tokens, bool quantize);
    // Norms each head of [n_tokens, n_heads, head_dim] by itself. weight: empty where there is none.
    void norm_heads(std::span<const float> weight, const LayerSpec& spec, float* x, int n_heads,
                    int n_tokens);
    void add_bias(std::span<const float> bias, float* y, int n_tokens);

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    std::string name_;
    ModelSpec spec_;
    CpuWeights weights_;
    CpuLender lender_{weights_};
    CpuAttention attention_;
    CpuFeedForward feed_forward_;
    FeedForwardObserver* observer_ = nullptr;
    AlignedBuffer scratch_buffer_;
    Scratch scratch_;
};

}  // namespace hearth
