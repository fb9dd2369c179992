// The experts that a batch's tokens go through: by the layer's router, or by another unit's choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/chosen_expert.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/task.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

// Belongs to the engine's thread. Allocates nothing.
class ExpertRouter {
public:
    struct Scratch {
        float* products = nullptr;        // [n_batch, n_experts]
        ChosenExpert* chosen = nullptr;   // [n_batch, n_used]
        float* shared_weights = nullptr;  // [n_batch]
    };
    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, Scratch& scratch, Take&& take);

    // spec must outlive this.
    ExpertRouter(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
                 const Scratch& scratch)
        : table_(table), pool_(pool), spec_(spec), scratch_(scratch) {}

    // input: [n_tokens, n_embd], in the form that the router takes. Internal: its products are not
    // finite. Precondition: the layer has the router.
    Result<void> choose(const FeedForwardTask& task, const CpuLayer& layer,
                        const ActivationRows& input);
    // The choice that came with the task. Internal: it names no expert.
    Result<void> take(const FeedForwardTask& task);

    // Until the next call. [n_tokens, n_used], the experts of a token in ascending order.
    std::span<const ChosenExpert> chosen(const FeedForwardTask& task) const {
        return {scratch_.chosen,
                static_cast<std::size_t>(task.n_tokens) * static_cast<std::size_t>(n_used(task))};
    }
    // The experts of the first token.
    std::span<const ChosenExpert> first(const FeedForwardTask& task) const {
        return {scratch_.chosen, static_cast<std::size_t>(n_used(task))};
    }
    // How much of the shared expert a token takes, after choose().
    float shared_weight(std::size_t token) const { return scratch_.shared_weights[token]; }

private:
    int n_used(const FeedForwardTask& task) const { return spec_.layer(task.layer).experts.n_used; }

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    const ModelSpec& spec_;
    Scratch scratch_;
};

template <class Take>
void ExpertRouter::lay_out(const ModelSpec& spec, int n_batch, Scratch& scratch, Take&& take) {
    const auto batch = static_cast<std::uint64_t>(n_batch);
    const auto most = [&](auto size) { return static_cast<std::uint64_t>(spec.most(size)); };
    take(scratch.products,
         batch * most([](const LayerSpec& layer) { return layer.experts.n; }) * sizeof(float));
    take(scratch.chosen, batch * most([](const LayerSpec& layer) { return layer.experts.n_used; }) *
                             sizeof(ChosenExpert));
    take(scratch.shared_weights, batch * sizeof(float));
}

}  // namespace hearth
