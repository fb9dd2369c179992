// What a GPU must do for a forward pass: compute its part of a plan, exchange values with the
// processor through memory that both sides see, and meet the processor where the plan splits a
// layer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/candidate.h"
#include "compute/executor.h"

namespace hearth {

// A meeting of the two sides. Both sides derive the list of meetings from the plan:
//   Give   the processor leaves the residual stream in input(); the GPU waits for it
//   Take   the GPU leaves the residual stream in published(); the processor waits for it
//   Join   the processor leaves its part of a feed-forward block in partial(); the GPU waits for it
//   Heads  the GPU leaves queries, keys and values in heads(); the processor waits for them and
//          leaves the heads' output, for which the GPU waits
struct WalkStep {
    enum class Kind { Give, Take, Join, Heads };
    Kind kind;
    int layer;  // n_layer: after the last
};

// The GPU computes the layers whose attention it has, except for their cold neurons. The processor
// computes all other layers. Precondition: no layer has hot neurons without attention.
std::vector<WalkStep> walk_of(const GpuPart& part, const ModelSpec& spec);

// The meetings of a pass whose weights are streamed. The GPU computes all layers, but the processor
// computes the heads of layers whose keys and values it holds. The pass ends with a Take, whether
// or not the processor has the output head.
std::vector<WalkStep> streamed_walk_of(const GpuPart& part, int n_layer);

struct PassTask {
    int n_tokens = 0;
    int position = 0;          // of the first token
    bool last_logits = false;  // of the last token; only where the GPU has the output head
    bool streamed = false;     // as the plan's Streaming says
    const Cancellation* cancellation = nullptr;  // only a streamed pass looks at it
    bool counts = true;    // what a token alone computes is added to activity()
    Past* past = nullptr;  // with a part that make_past() made
};

// Memory that both sides see, floats of n_tokens tokens.
struct SharedHeads {
    const float* q = nullptr;   // [n_tokens, n_embd_q]
    const float* k = nullptr;   // [n_tokens, n_embd_kv]
    const float* v = nullptr;   // [n_tokens, n_embd_kv]
    float* attended = nullptr;  // [n_tokens, n_embd_q]
};

// The time that dispatches of one kind took.
struct TraceLine {
    std::string label;
    std::uint64_t count = 0;
    double us = 0;            // all of them
    std::uint64_t bytes = 0;  // of weights they read
};

// Called from the session's thread only. Any call may return DeviceLost. The accelerator must not
// be used after that.
class Accelerator {
public:
    virtual ~Accelerator() = default;
    virtual std::string_view name() const = 0;  // "vulkan/NVIDIA H200"

    // lender: lends the processor's part, which must be loaded before. It may be null where the
    // plan streams nothing. pool and lender must outlive the accelerator. OutOfMemory, ReadFailed,
    // Cancelled, Unsupported, DeviceLost.
    virtual Result<void> load(const PlanSlice& slice, const WeightLender* lender, ThreadPool& pool,
                              LoadMonitor& monitor) = 0;

    // Makes the GPU's part of a past, empty. Internal: the plan has no room for one more.
    virtual Result<std::unique_ptr<GpuPast>> make_past() = 0;

    // Memory that both sides see, floats, each [n_batch, n_embd].
    virtual float* input() = 0;
    virtual const float* published() const = 0;
    virtual float* partial() = 0;
    virtual SharedHeads heads() = 0;
    // The predictor's scores of the layer's cold neurons, for one token, after a Take that a Join
    // follows. Null: the accelerator has no predictor for the layer.
    virtual const float* scores(int layer) const = 0;
    // The logits that fetch_logits() or output_rows() wrote last, [kLogitRows, n_vocab].
    static constexpr int kLogitRows = 16;
    virtual float* logits() = 0;
    // The best logits of the latest successful pass that computed logits, in the order of better().
    // There are kCandidates, or all that are numbers if those are fewer.
    static constexpr int kCandidates = 256;
    virtual std::span<const Candidate> candidates() const = 0;

    // Starts a pass. The GPU goes on by itself until it waits for the processor. A streamed pass
    // goes on in take(), with the pool's threads; take() may then return Cancelled.
    virtual Result<void> start(const PassTask& task) = 0;
    // The processor's side of the next meeting: take() waits for a Take, give() signals a Give or a
    // Join. For Heads the processor calls take(), then give().
    virtual Result<void> take() = 0;
    virtual Result<void> give() = 0;
    // Ends the pass. Call it also after an error, or when the processor gave up half way: it
    // signals what the processor had not signalled, so that the GPU does not wait for ever.
    virtual Result<void> finish() = 0;

    // Copies all logits of the latest pass, which the GPU kept, to the first row of logits().
    // Between passes.
    virtual Result<void> fetch_logits() = 0;
    // Computes the logits of tokens [first, first + count) of the latest pass. count <= kLogitRows.
    virtual Result<void> output_rows(int first, int count) = 0;

    // Says that the latest pass, of one token, succeeded on both sides, so that what fired for it
    // counts. Without this call it never counts, whatever the GPU computed of a pass that broke
    // off. Precondition: the plan counts (Plan::counts_firing).
    virtual void count_token() = 0;
    // Adds to the profile, under the file's numbers, how often each of the GPU's neurons fired for
    // the tokens that were counted since the last call. Between passes. Waits for one copy per
    // layer. After an error the profile is as it was, and the call may be made again: nothing is
    // forgotten unless the device is lost.
    virtual Result<void> collect_firing(SelfProfile& profile) = 0;

    // [n_layer], what single tokens computed of the GPU's neurons since load() or reset_activity();
    // only passes that went through count. Between passes; waits for a copy a layer.
    virtual Result<std::vector<LayerActivity>> activity() = 0;
    virtual void reset_activity() = 0;

    // Bytes of weights one decoded token reads of the GPU's memory: if every neuron fires, and in
    // the mean of the tokens of an activity(). Matrices only, without norms and biases.
    virtual std::uint64_t decode_weight_bytes() const = 0;
    virtual std::uint64_t decode_weight_bytes(std::span<const LayerActivity> activity) const = 0;
    // How many cross the bus for it, where candidates suffice.
    virtual std::uint64_t bus_bytes_per_token() const = 0;
    // Bytes of the GPU's memory held, by purpose.
    virtual MemoryBytes held() const = 0;
    // The bytes that this process uses, as the driver says; 0: it does not say.
    virtual std::uint64_t driver_bytes() const = 0;

    // Times every dispatch from now on. trace() gives the times since then, the slowest first.
    virtual void set_tracing(bool on) = 0;
    virtual std::vector<TraceLine> trace() const = 0;
};

}  // namespace hearth
