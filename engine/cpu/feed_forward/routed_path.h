// A layer whose neurons stand in experts and are computed one by one: a router names the experts,
// and the paths of layers without experts compute their neurons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/activity.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/batch_path.h"
#include "cpu/feed_forward/expert_router.h"
#include "cpu/feed_forward/task.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/cluster.h"
#include "model/model_spec.h"

namespace hearth {

// A token alone asks for the neurons of its experts: to the path that computes it they are some of
// the layer's clusters, and their hidden values are multiplied with their expert's weight. A batch
// goes through the experts one after the other, each with the tokens that have it, as through
// layers of their own. (PowerInfer-2 computes TurboSparse-Mixtral by neuron, too.)
//
// Belongs to the engine's thread. Everything is done when a call returns. Allocates nothing after
// it is made.
class RoutedPath {
public:
    struct Scratch {
        ExpertRouter::Scratch router;
        // For the tokens of one expert:
        float* inputs = nullptr;      // [n_batch, n_embd]
        std::byte* blocks = nullptr;  // the same, quantised
        float* outputs = nullptr;     // [n_batch, n_embd]
    };
    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, Scratch& scratch, Take&& take) {
        const std::uint64_t values =
            static_cast<std::uint64_t>(n_batch) * static_cast<std::uint64_t>(spec.n_embd);
        ExpertRouter::lay_out(spec, n_batch, scratch.router, take);
        take(scratch.inputs, values * sizeof(float));
        take(scratch.blocks, quantized_bytes(spec.n_embd, n_batch));
        take(scratch.outputs, values * sizeof(float));
    }

    // spec and batch must outlive this.
    RoutedPath(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
               int n_batch, BatchPath& batch, const Scratch& scratch);

    // The task of one token with the clusters and the weights of the experts that the router names,
    // until the next call. input: as for the paths. Internal: the router's products are not finite.
    Result<FeedForwardTask> of_token(const FeedForwardTask& task, const CpuLayer& layer,
                                     const ActivationRows& input);

    // Computes task.y of any number of tokens, all neurons of their experts. Returns what a token
    // alone computed (of several tokens, the first). Internal as above. Precondition: all neurons
    // of the layer are here, and down lies in rows.
    Result<LayerActivity> run(const FeedForwardTask& task, const CpuLayer& layer,
                              const ActivationRows& input);

private:
    int gather(const FeedForwardTask& task, const ActivationRows& input, int expert);
    void add_outputs(const FeedForwardTask& task, int n);

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    const ModelSpec& spec_;
    BatchPath& batch_;
    Scratch scratch_;
    ExpertRouter router_;
    std::vector<Cluster> clusters_;     // [n_used], of a token
    std::vector<float> weights_;        // [n_experts], likewise
    std::vector<std::int32_t> tokens_;  // [n_batch] of one expert
    std::vector<float> shares_;         // likewise: the weights of these
};

}  // namespace hearth
