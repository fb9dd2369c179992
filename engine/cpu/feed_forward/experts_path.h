// A mixture of experts: each token goes through those that the layer's router chooses for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/activity.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/expert_guess.h"
#include "cpu/feed_forward/expert_router.h"
#include "cpu/feed_forward/expert_slots.h"
#include "cpu/feed_forward/firing_notes.h"
#include "cpu/feed_forward/scratch.h"
#include "cpu/feed_forward/task.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

// Sorts the tokens by expert. An expert's matrices are read once for all of its tokens, and those
// of an expert that no token has are not read. The shared expert comes last and has all tokens. One
// token takes the same way as several. A token's weights multiply hidden values, before down, so
// that outputs are added as they come: in ascending order of experts, whatever the batch.
//
// Where a matrix makes the experts' inputs (ExpertsSpec::n_latent), their outputs are added beside
// the token's, and another matrix makes the token's of the sum before the shared expert adds its
// own.
//
// Experts that RAM does not hold come into the slots of a cache: some of the batch's at a time, in
// their order, while those before them are computed. Hidden values of what is here are computed
// while the others are read. Results are those of a layer that has all experts, bit by bit.
//
// Belongs to the engine's thread. Everything is done when run() returns. Allocates nothing after it
// is made.
class ExpertsPath {
public:
    struct Scratch {
        ExpertRouter::Scratch router;
        std::byte* inputs = nullptr;     // quantised, of each expert's tokens
        float* hidden = nullptr;         // [pairs of a token and an expert, n_ff]
        std::byte* quantized = nullptr;  // the same, quantised
        // Of experts that have such: inputs, the sum of outputs, and one of these quantised.
        float* latent = nullptr;      // [n_batch, n_latent]
        float* latent_sum = nullptr;  // likewise
        std::byte* quantized_latent = nullptr;
        // Null: no layer's norms are apart (ExpertsSpec::norms_apart).
        float* normed = nullptr;       // [n_batch, n_embd] for the router, then for experts
        float* shared_sums = nullptr;  // [n_batch, n_embd] of the shared expert
        // `normed`, or what routers read early, quantised. Null: no layer has such.
        std::byte* normed_blocks = nullptr;
        ThreadMemory sums;  // [n_batch, kStep] floats
        ThreadMemory rows;  // [kFloatTokens, n_embd or n_latent] floats
    };
    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, int n_threads, Scratch& scratch,
                        Take&& take);

    // spec and guess must outlive this.
    ExpertsPath(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
                int n_batch, FiringNotes& fired, ExpertGuess& guess, const Scratch& scratch);

    // Computes task.y and returns what a token alone computed (of several tokens, the first).
    // input: norm(task.x), [n_tokens, n_embd], in float and in the forms that gates and ups take.
    // It is the shared expert's alone if norms are apart, and not the router's if it reads
    // task.routed.
    // Internal: the router's products are not finite, or task.chosen names no expert. ReadFailed,
    // BadFile: of experts that are read. Precondition: the layer is a mixture. Its experts from
    // some place on are here or have slots; the first unit has the router and the shared expert.
    Result<LayerActivity> run(const FeedForwardTask& task, const CpuLayer& layer,
                              const ActivationRows& input);

private:
    static constexpr int kStep = 128;        // rows of a matrix that a task multiplies at most
    static constexpr int kFloatTokens = 16;  // whose inputs are gathered at a time

    // An expert and its tokens: pairs [first, first + count).
    struct Group {
        PackedMatrix gate, up, down;
        // Null: none. [n_ff] and [n_embd] of down.
        const float *gate_bias = nullptr, *up_bias = nullptr, *down_bias = nullptr;
        int expert = -1;  // -1: the shared one
        int n_ff = 0;
        int width = 0;  // of inputs and outputs
        bool reads_latent = false;
        int first = 0;
        int count = 0;
        bool reads_all = false;  // its tokens are the batch's, in their order
        // The places where its values begin:
        std::size_t input = 0;      // bytes
        std::size_t hidden = 0;     // floats
        std::size_t quantized = 0;  // bytes
    };
    struct Inputs {
        ActivationRows experts;
        ActivationRows shared;  // of the shared expert
    };
    // Most experts that n_batch tokens have together, with the shared one.
    static int most_groups(const ModelSpec& spec, int n_batch);
    static std::uint64_t most_quantized(const ModelSpec& spec, int n_batch, int cols);
    // Of inputs of experts, the shared one too.
    static int widest(const ModelSpec& spec) {
        return std::max(spec.n_embd,
                        spec.most([](const LayerSpec& layer) { return layer.experts.n_latent; }));
    }

    void note_choice(const FeedForwardTask& task, const CpuLayer& layer);
    void find_places(const CpuLayer& layer, const ExpertsSpec& spec);
    void sort(const FeedForwardTask& task, const CpuLayer& layer);
    void add_group(Group group);
    // norm(task.x) by a weight of the layer, until the next call.
    ActivationRows normed(const FeedForwardTask& task, const CpuLayer& layer, Role weight,
                          bool quantize);
    // task.routed as the router takes it, until the next call.
    ActivationRows routed(const FeedForwardTask& task, bool quantize);
    void gather(const Inputs& inputs);
    void make_latent(const FeedForwardTask& task, const CpuLayer& layer,
                     const ActivationRows& input);
    // Makes the tokens' outputs of the experts' sum, if it is a latent one.
    void end_latent(const FeedForwardTask& task, const CpuLayer& layer);
    void quantize_latent(const ActivationRows& rows);
    Result<void> run_cached(const FeedForwardTask& task, const CpuLayer& layer,
                            const Inputs& inputs);
    void show_experts(const CpuLayer& layer, int first, int end);
    std::span<const int> chosen_of(int first, int end, bool read);
    // The hidden values of some groups, by their places in groups_.
    void compute_hidden(const FeedForwardTask& task, const Inputs& inputs,
                        std::span<const int> some);
    std::span<const int> all_groups() const { return std::span(numbers_).first(groups_.size()); }
    void hidden_rows(const LayerSpec& spec, const Group& group, const Inputs& inputs, int first,
                     int end, int worker);
    // Adds the outputs of the groups to y, [n_tokens, their width], or makes it of them. The groups
    // are of one width.
    struct Sums {
        float* y;
        int n_tokens;
        bool from_nothing;
    };
    void add_down(const Sums& sums, std::span<const Group> groups);
    void add_outputs(const Sums& sums, std::span<const Group> groups, int first, int end,
                     int worker);
    Sums sum_of_experts(const FeedForwardTask& task, bool from_nothing) const {
        return {groups_.front().reads_latent ? scratch_.latent_sum : task.y, task.n_tokens,
                from_nothing};
    }
    // Adds the shared expert's outputs to those of the experts. Both are normed before, if norms
    // are apart. Precondition: the layer has a shared expert.
    void add_shared(const FeedForwardTask& task, const CpuLayer& layer);
    bool has_shared() const { return !groups_.empty() && groups_.back().expert < 0; }
    std::span<const Group> experts() const {
        return std::span(groups_).first(groups_.size() - (has_shared() ? 1 : 0));
    }
    void multiply_inputs(const PackedMatrix& matrix, const Group& group, const Inputs& inputs,
                         int worker, float* y, std::size_t y_stride);
    // The tokens' inputs that a group's are some of.
    const ActivationRows& inputs_of(const Group& group, const Inputs& inputs) const {
        return group.reads_latent ? latent_ : group.expert < 0 ? inputs.shared : inputs.experts;
    }
    ActivationRows input_of(const Group& group, const Inputs& inputs) const;
    ActivationRows hidden_of(const Group& group) const;
    std::span<const std::int32_t> tokens_of(const Group& group) const {
        return std::span(tokens_).subspan(static_cast<std::size_t>(group.first),
                                          static_cast<std::size_t>(group.count));
    }

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    const ModelSpec& spec_;
    FiringNotes& fired_;
    ExpertGuess& guess_;
    Scratch scratch_;
    ExpertRouter router_;
    ExpertSlots slots_;
    ActivationRows latent_{};           // of the layer that is computed, if it has such
    std::vector<std::int32_t> tokens_;  // of each pair
    std::vector<float> weights_;        // likewise
    std::vector<int> places_;           // [n_experts] among those that are here, -1: elsewhere
    std::vector<int> counts_;           // [n_experts + 1]
    std::vector<Group> groups_;
    std::vector<int> numbers_;          // 0, 1, 2, ...
    std::vector<int> some_;             // of groups_
    std::vector<std::uint16_t> noted_;  // [n_used]
};

template <class Take>
void ExpertsPath::lay_out(const ModelSpec& spec, int n_batch, int n_threads, Scratch& scratch,
                          Take&& take) {
    const auto batch = static_cast<std::uint64_t>(n_batch);
    const auto most = [&](auto size) { return static_cast<std::uint64_t>(spec.most(size)); };
    const std::uint64_t n_used = most([](const LayerSpec& layer) { return layer.experts.n_used; });
    const std::uint64_t n_ff = most([](const LayerSpec& layer) { return layer.experts.n_ff; });
    const std::uint64_t n_shared =
        most([](const LayerSpec& layer) { return layer.experts.n_ff_shared; });
    ExpertRouter::lay_out(spec, n_batch, scratch.router, take);
    const std::uint64_t n_latent =
        most([](const LayerSpec& layer) { return layer.experts.n_latent; });
    take(scratch.inputs, most_quantized(spec, n_batch, widest(spec)));
    take(scratch.hidden, batch * (n_used * n_ff + n_shared) * sizeof(float));
    take(scratch.quantized, most_quantized(spec, n_batch, static_cast<int>(n_ff)) +
                                quantized_bytes(static_cast<int>(n_shared), n_batch));
    take(scratch.latent, batch * n_latent * sizeof(float));
    take(scratch.latent_sum, batch * n_latent * sizeof(float));
    take(scratch.quantized_latent,
         n_latent == 0 ? 0 : quantized_bytes(static_cast<int>(n_latent), n_batch));
    const bool apart = spec.any([](const LayerSpec& layer) { return layer.experts.norms_apart; });
    if (apart) {
        const std::uint64_t rows = batch * static_cast<std::uint64_t>(spec.n_embd) * sizeof(float);
        take(scratch.normed, rows);
        take(scratch.shared_sums, rows);
    }
    if (apart || spec.any([](const LayerSpec& layer) { return layer.experts.routed_early; })) {
        take(scratch.normed_blocks, quantized_bytes(spec.n_embd, n_batch));
    }
    ThreadMemory::lay_out(batch * kStep * sizeof(float), n_threads, scratch.sums, take);
    ThreadMemory::lay_out(kFloatTokens * static_cast<std::uint64_t>(widest(spec)) * sizeof(float),
                          n_threads, scratch.rows, take);
}

}  // namespace hearth
