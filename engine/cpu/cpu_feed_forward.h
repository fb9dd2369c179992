// Computes the feed-forward block on the CPU, or the part of it that the CPU holds: all of it at
// once for a batch, and for a single token only what it needs, where that can be known.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/activity.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/batch_path.h"
#include "cpu/feed_forward/block_activity.h"
#include "cpu/feed_forward/cached_token_path.h"
#include "cpu/feed_forward/column_batch_path.h"
#include "cpu/feed_forward/column_token_path.h"
#include "cpu/feed_forward/experts_path.h"
#include "cpu/feed_forward/firing_notes.h"
#include "cpu/feed_forward/routed_path.h"
#include "cpu/feed_forward/task.h"
#include "cpu/feed_forward/token_path.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"
#include "model/weights.h"

namespace hearth {

// Has the paths that the model can take in the plan's mode, each a class in feed_forward/, and
// chooses among them by the layer's form and by how many tokens there are. One more path is a class
// there, its scratch memory in Scratch, and a line in one_token() or all_neurons().
//
// Belongs to the engine's thread. Everything is done when a call returns. Only set_up(),
// count_firing() and measure_paths() allocate.
class CpuFeedForward {
public:
    // A path's scratch is empty where the path is not there. Paths take turns, so that hidden
    // values and the index of neurons are one memory for all of them.
    struct Scratch {
        std::optional<BatchPath::Scratch> batch;
        std::optional<TokenPath::Scratch> token;
        std::optional<ColumnBatchPath::Scratch> column_batch;
        std::optional<ColumnTokenPath::Scratch> column_token;
        std::optional<ExpertsPath::Scratch> experts;
        std::optional<RoutedPath::Scratch> routed;
        ExpertGuess::Scratch guess;
        int n_batch = 0;
    };
    // Calls take(pointer, bytes) for every buffer, in a fixed order.
    template <class Take>
    static void lay_out(const ModelSpec& spec, int predictor_width, int n_batch, int n_threads,
                        FeedForwardMode mode, Scratch& scratch, Take&& take);

    CpuFeedForward(const kernels::KernelTable& table, ThreadPool& pool)
        : table_(table), pool_(pool) {}
    CpuFeedForward(const CpuFeedForward&) = delete;  // paths refer to it
    CpuFeedForward& operator=(const CpuFeedForward&) = delete;

    void set_up(const ModelSpec& spec, const ModelTensors& tensors, const CpuWeights& weights,
                const Scratch& scratch);

    // input: norm(task.x), in float and in the forms that the layer's first matrices take.
    // ReadFailed, BadFile: of a layer whose neurons are cached. Internal: of a mixture, whose
    // router gives no numbers.
    Result<void> run(const FeedForwardTask& task, const CpuLayer& layer,
                     const ActivationRows& input, FeedForwardObserver* observer);

    // The neurons of a layer that must find room at once where they are cached.
    static int least_slots(int n_neurons);

    // As the executor's. layer: weights of set_up()'s.
    void set_path(int layer, CpuLayer& weights, FeedForwardMode path);
    PathSpeeds measure_paths(const CpuWeights& weights);

    // As the executor's functions of the same name. layers: those of set_up().
    void count_firing(SelfProfile* profile, std::span<const CpuLayer> layers) {
        fired_.count_firing(profile, layers);
    }
    void count_token(std::span<const CpuLayer> layers) { fired_.count_token(layers); }
    void begin_pass(int n_tokens);
    void end_pass();
    // As ExpertGuess::foresee(). Precondition: the model is a mixture.
    void foresee(int layer, const float* x) { guess_->foresee(layer, x); }
    ExpertsOfToken experts_of_token() const { return experts_of_token_; }
    // Null: the model is no mixture.
    const ExpertGuess* guess() const { return guess_ ? &*guess_ : nullptr; }
    std::span<const LayerActivity> activity() const { return activity_.layers(); }
    void reset_activity() { activity_.reset(); }
    // Bytes of the layer's feed-forward weights here that one token reads, in the mean of those
    // that were counted.
    double decode_bytes(int layer, const CpuLayer& weights) const {
        return hearth::decode_bytes(activity_.layer(layer), spec_, spec_.layer(layer).experts,
                                    weights);
    }

private:
    Result<LayerActivity> all_neurons(const FeedForwardTask& task, const CpuLayer& layer,
                                      const ActivationRows& input, FeedForwardObserver* observer);
    Result<LayerActivity> one_token(const FeedForwardTask& task, const CpuLayer& layer,
                                    const ActivationRows& input);

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    ModelSpec spec_;
    BlockActivity activity_;
    ExpertsOfToken experts_of_token_;  // of the running pass
    FiringNotes fired_;
    std::optional<BatchPath> batch_;               // in every mode but Thresholded
    std::optional<TokenPath> token_;               // likewise, of a sparse activation
    std::optional<CachedTokenPath> cached_token_;  // if layers have cached neurons
    std::optional<ColumnBatchPath> column_batch_;  // in the mode Thresholded
    std::optional<ColumnTokenPath> column_token_;  // likewise
    std::optional<ExpertGuess> guess_;             // if layers are mixtures
    std::optional<ExpertsPath> experts_;           // likewise
    std::optional<RoutedPath> routed_;             // if a router chooses single neurons of layers
};

template <class Take>
void CpuFeedForward::lay_out(const ModelSpec& spec, int predictor_width, int n_batch, int n_threads,
                             FeedForwardMode mode, Scratch& scratch, Take&& take) {
    scratch = {};
    if (spec.has_experts()) {
        scratch.n_batch = n_batch;
        ExpertsPath::lay_out(spec, n_batch, n_threads, scratch.experts.emplace(), take);
        ExpertGuess::lay_out(spec, scratch.guess, take);
    }
    if (spec.n_ff_max() == 0) {
        return;
    }
    HiddenScratch hidden;
    HiddenScratch::lay_out(spec, n_batch, hidden, take);
    if (mode == FeedForwardMode::Thresholded) {
        ColumnTokenPath::Scratch& token = scratch.column_token.emplace();
        token.hidden = hidden;
        KeptInputs::lay_out(spec, token.inputs, take);
        ColumnBatchPath::lay_out(spec, n_threads, hidden, scratch.column_batch.emplace(), take);
        return;
    }
    BatchPath::Scratch& batch = scratch.batch.emplace();
    batch.hidden = hidden;
    const bool sparse = is_sparse(spec.activation()) && !spec.has_experts();
    if (spec.has_routed_neurons()) {
        scratch.n_batch = n_batch;
        RoutedPath::lay_out(spec, n_batch, scratch.routed.emplace(), take);
    }
    if (sparse || spec.any(&LayerSpec::down_by_neuron)) {
        BatchRows::lay_out(spec, n_batch, n_threads, hidden, batch.rows.emplace(), take);
    }
    if (sparse) {
        TokenPath::lay_out(spec, predictor_width, *batch.rows, scratch.token.emplace(), take);
    }
}

}  // namespace hearth
