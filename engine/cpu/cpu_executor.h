// The executor that computes with the processor's own instruction set.
#pragma once

#include <memory>
#include <string>

#include "base/thread_pool.h"
#include "compute/executor.h"
#include "cpu/cpu_attention.h"
#include "cpu/cpu_block_choice.h"
#include "cpu/cpu_delta_net.h"
#include "cpu/cpu_feed_forward.h"
#include "cpu/cpu_gated_conv.h"
#include "cpu/cpu_latent.h"
#include "cpu/cpu_ngrams.h"
#include "cpu/cpu_short_conv.h"
#include "cpu/cpu_state_space.h"
#include "cpu/cpu_streams.h"
#include "cpu/cpu_weight_source.h"
#include "cpu/cpu_weights.h"
#include "cpu/kernels/kernels.h"
#include "cpu/weight_streams.h"

namespace hearth {

struct AttentionTask {
    const float* x;  // [n_tokens, n_residual], the residual stream before the norm
    float* y;        // [n_tokens, n_embd], overwritten: what the block adds to it
    HeadsTask heads;
};

// Holds what the plan leaves to the processor: attention of the layers whose attention is not in
// VRAM, the clusters that are not, and the output head if it is not in VRAM. It holds the
// embeddings always. It is asked for nothing else.
//
// A step is done when run() returns. Allocates in load() and count_firing() only.
class CpuExecutor final : public Executor, public BlockPaths {
public:
    CpuExecutor(const kernels::KernelTable& table, ThreadPool& pool);

    // The scratch bytes that load() will take from the ledger, exactly.
    static std::uint64_t scratch_bytes(const ModelSpec& spec, int predictor_width, int n_batch,
                                       int n_threads, FeedForwardMode mode);

    std::string_view name() const override { return name_; }
    Result<void> load(const PlanSlice& slice, LoadMonitor& monitor) override;
    bool keeps_weights() const override { return true; }
    bool can_pass_each_alone() const override;
    std::uint64_t load_read_bytes() const override { return weights_.load_read_bytes(); }
    const WeightSource* weights() const override { return &source_; }
    Result<void> exchange(const PlanSlice& slice, std::span<const PlaceExchange> pairs) override {
        return weights_.exchange(slice, pairs, pool_);
    }
    Result<void> begin(const PassTask& task) override;
    Result<void> run(const Step& step) override;
    Result<void> end() override;
    Result<void> take_ahead(Past& past, const Snapshots::Taking& tokens) override;
    Result<void> wait(int) override { return {}; }
    Result<void> signal(int) override { return {}; }
    Result<std::span<float>> last_logits() override;
    Result<std::span<float>> logits(int first, int count) override;
    void observe(FeedForwardObserver* observer) override { observer_ = observer; }
    void count_firing(SelfProfile* profile) override {
        feed_forward_.count_firing(profile, weights_.layers());
    }
    bool count_token() override;
    BlockPaths* paths() override { return this; }
    bool has_paths(int layer) const override { return weights_.layer(layer).two_layouts; }
    void set_path(int layer, FeedForwardMode path) override {
        weights_.rearrange(
            layer, [&](CpuLayer& weights) { feed_forward_.set_path(layer, weights, path); });
    }
    PathSpeeds measure_paths() override { return feed_forward_.measure_paths(weights_); }
    Result<std::span<const LayerActivity>> activity() override { return feed_forward_.activity(); }
    ExpertsOfToken experts_of_token() const override { return feed_forward_.experts_of_token(); }
    void reset_activity() override { feed_forward_.reset_activity(); }
    std::uint64_t decode_weight_bytes() const override;
    FlashReads flash() const override;
    std::vector<FlashOfLayer> flash_of_layers() const override {
        return weights_.streams() == nullptr ? std::vector<FlashOfLayer>{}
                                             : weights_.streams()->of_layers();
    }

    std::uint64_t most_spared_ram() const override {
        return weights_.streams() == nullptr ? 0 : weights_.streams()->most_spared();
    }
    void set_spared_ram(std::uint64_t bytes) override {
        if (weights_.streams() != nullptr) {
            weights_.streams()->set_spared(bytes);
        }
    }

    // For the layer that foretells: what the model's passes leave, and what they compute with.
    const kernels::KernelTable& table() const { return table_; }
    ThreadPool& pool() const { return pool_; }
    const ModelSpec& spec() const { return spec_; }
    const CpuWeights& held_weights() const { return weights_; }
    // The latest pass's [n_tokens, n_residual], until the next one begins: where its head ran
    // here, behind the last layer.
    const float* stream() const { return scratch_.x; }

    // A layer's blocks by themselves.
    Result<void> attention(const AttentionTask& task);
    Result<void> feed_forward(const FeedForwardTask& task);

private:
    struct Scratch {
        float* x = nullptr;      // [n_batch, n_residual] the residual stream
        float* block = nullptr;  // [n_batch, n_embd] what a block adds to it
        float* attention_block =
            nullptr;              // likewise, of attention; `block` if one follows the other
        float* logits = nullptr;  // [kLogitRows, n_vocab]
        float* normed = nullptr;  // [n_batch, n_embd]
        float* gates = nullptr;   // [n_batch, n_gate]
        float* wide_q = nullptr;  // [n_batch, n_rows_q] of gated attention, before it is parted
        // [n_batch, n_embd] the stream that a layer begins with; null, unless a router reads it
        float* routed = nullptr;
        CpuAttention::Scratch heads;
        CpuShortConv::Scratch short_conv;
        CpuDeltaNet::Scratch delta_net;
        CpuStateSpace::Scratch state_space;
        CpuLatent::Scratch latent;
        CpuBlockChoice::Scratch block_choice;
        CpuStreams::Scratch streams;
        CpuNgrams::Scratch ngrams;
        CpuFeedForward::Scratch feed_forward;
        // n_batch tokens of the widest of n_embd, n_embd_q and n_attended
        std::byte* quantized_input = nullptr;
        // Null, unless layers have inputs of their own.
        float* layer_inputs = nullptr;  // [n_batch, n_layer_inputs]
        float* layer_gates = nullptr;   // [n_batch, n_embd_layer]
        float* table_rows = nullptr;  // [n_threads, 2, n_layer_inputs]: a row as it is, and floats
    };
    // Gives every pointer its place from `base` on and returns the bytes. A null `base` only
    // counts.
    static std::uint64_t lay_out(const ModelSpec& spec, int predictor_width, int n_batch,
                                 int n_threads, FeedForwardMode mode, std::byte* base,
                                 Scratch& scratch);

    // The stream of a token of the pass.
    float* residual(int token) const {
        return scratch_.x +
               static_cast<std::size_t>(token) * static_cast<std::size_t>(spec_.n_residual());
    }
    Result<void> compute(const Step& step);
    Result<void> embed();
    Result<void> embed_for_layers();
    Result<void> add_table_row(std::int32_t token, float* row, float* inputs,
                               std::span<const float> weight) const;
    Result<void> add_layer_input(int index);
    Result<void> finish_layer(int index);
    Result<void> add_ngrams(int index);
    // The layer's attention reads this, before its norm where it has one.
    const float* attention_input(const LayerSpec& spec, const CpuLayer& layer, const float* x,
                                 int n_tokens);
    Result<void> queries(int layer, const float* x, int n_tokens);
    void part_gates(const LayerSpec& spec, int n_tokens);
    Result<void> attend(const HeadsTask& task);
    void gate_attended(int layer, const CpuLayer& weights, int n_tokens);
    Result<void> attention_output(int layer, float* y, int n_tokens);
    Result<void> neurons(const Step& step);
    // Adds a block's output to the stream, or to each of the streams.
    void add_block(int index, Role post_norm, float* block);
    void add(const float* x, float* y);
    // Between memory that both units see and the processor's own, which alone is fast to read and
    // write out of order.
    void receive(const Step& step);
    void leave(const Step& step);
    void copy(const float* from, float* to, int width);

    template <class Body>
    void for_each_token(int n_tokens, Body&& body);

    // Applies a norm to x, in float, and quantises the result if asked.
    ActivationRows normed_input(const NormSpec& norm, const float* x, std::span<const float> weight,
                                std::span<const float> bias, int n_tokens, bool quantize);
    // Norms each head of [n_tokens, n_heads, head_dim] by itself. weight: empty where there is
    // none.
    void norm_heads(std::span<const float> weight, const LayerSpec& spec, float* x, int n_heads,
                    int n_tokens);
    void add_bias(std::span<const float> bias, float* y, int n_tokens);

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    std::string name_;
    ModelSpec spec_;
    CpuWeights weights_;
    CpuWeightSource source_{weights_};
    CpuAttention attention_;
    CpuShortConv short_conv_;
    CpuDeltaNet delta_net_;
    CpuGatedConv gated_conv_;
    CpuStateSpace state_space_;
    CpuLatent latent_;
    CpuBlockChoice block_choice_;
    CpuStreams streams_;
    CpuNgrams ngrams_;
    CpuFeedForward feed_forward_;
    FeedForwardObserver* observer_ = nullptr;
    const InputFile* file_ = nullptr;  // of the plan's slice
    Weight layer_table_;               // of file_; not there: the model has none
    std::vector<float> ones_;  // the weight of norms that have none: [head_dim] of the largest head
    PassTask task_;            // the running pass
    AlignedBuffer scratch_buffer_;
    Scratch scratch_;
};

// A task is a group of tokens: their quantised values share cache lines.
template <class Body>
void CpuExecutor::for_each_token(int n_tokens, Body&& body) {
    const int width = kernels::group_width(n_tokens);
    pool_.run((n_tokens + width - 1) / width, [&](int group, int) {
        for (int t = group * width; t < std::min(n_tokens, (group + 1) * width); ++t) {
            body(t);
        }
    });
}

}  // namespace hearth
