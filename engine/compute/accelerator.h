// What a GPU must do for a forward pass: its part of a plan, from memory both sides see, meeting
// the processor where the plan splits a layer.
#pragma once

#include <cstdint>
#include <map>
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

// Where the two sides meet, in the order of a pass. Both derive it from the plan:
//   Give   the processor leaves the residual stream in input(); the GPU waits for it
//   Take   the GPU leaves the residual stream in published(); the processor waits for it
//   Join   the processor leaves its part of a feed-forward block in partial(); the GPU waits for it
//   Heads  the GPU leaves queries, keys and values in heads(); the processor waits for them and
//          leaves what they attended to, for which the GPU waits
struct WalkStep {
    enum class Kind { Give, Take, Join, Heads };
    Kind kind;
    int layer;  // n_layer: after the last
};

// Layers whose attention the GPU has are its own but for cold neurons; the processor does all of
// the others. Precondition: no layer has hot neurons without attention.
std::vector<WalkStep> walk_of(const GpuPart& part, int n_layer, int n_ff);

// Of a pass whose weights are streamed: all layers are the GPU's, but keys and values stay where
// they are. It ends with a Take, whether or not the processor has the output head.
std::vector<WalkStep> streamed_walk_of(const GpuPart& part, int n_layer);

struct PassTask {
    int n_tokens = 0;
    int position = 0;          // of the first token
    bool last_logits = false;  // of the last token; only where the GPU has the output head
    bool streamed = false;     // as the plan's Streaming says
    const Cancellation* cancellation = nullptr;  // looked at by a streamed pass
    bool counts = true;  // what a token alone computes is added to activity()
};

// Floats both sides see, of n_tokens each.
struct SharedHeads {
    const float* q = nullptr;   // [n_tokens, n_embd_q]
    const float* k = nullptr;   // [n_tokens, n_embd_kv]
    const float* v = nullptr;   // [n_tokens, n_embd_kv]
    float* attended = nullptr;  // [n_tokens, n_embd_q]
};

// What dispatches of one kind took.
struct TraceLine {
    std::string label;
    std::uint64_t count = 0;
    double us = 0;            // all of them
    std::uint64_t bytes = 0;  // of weights they read
};

// From the session's thread only. Any call may say DeviceLost: then the accelerator is of no more
// use.
class Accelerator {
public:
    virtual ~Accelerator() = default;
    virtual std::string_view name() const = 0;  // "vulkan/NVIDIA H200"

    // lender: of the processor's part, loaded before; may be null where the plan streams nothing.
    // pool and lender must outlive the accelerator. OutOfMemory, ReadFailed, Cancelled,
    // Unsupported, DeviceLost.
    virtual Result<void> load(const PlanSlice& slice, const WeightLender* lender, ThreadPool& pool,
                              LoadMonitor& monitor) = 0;

    // Floats both sides see, each [n_batch, n_embd].
    virtual float* input() = 0;
    virtual const float* published() const = 0;
    virtual float* partial() = 0;
    virtual SharedHeads heads() = 0;
    // After a Take that a Join follows, of one token: what predictors say of the layer's cold
    // neurons. Null: the accelerator has no predictors for the layer.
    virtual const float* scores(int layer) const = 0;
    // [kLogitRows, n_vocab], what fetch_logits() or output_rows() left last.
    static constexpr int kLogitRows = 16;
    virtual float* logits() = 0;
    // The best of the logits of the latest pass that was to have some and went well, the better
    // first, by better(): kCandidates, or, if fewer of them are numbers, all that are.
    static constexpr int kCandidates = 256;
    virtual std::span<const Candidate> candidates() const = 0;

    // Starts a pass: the GPU goes on by itself until it waits for the processor. A streamed pass
    // goes on in take(), with the pool's threads, which also says Cancelled then.
    virtual Result<void> start(const PassTask& task) = 0;
    // The processor's side of the next step: waits for a Take, announces a Give or Join. Heads are
    // taken, then given.
    virtual Result<void> take() = 0;
    virtual Result<void> give() = 0;
    // The pass is over. Call it also after an error or when the processor gave up half way: what it
    // had not announced is announced, so that nothing waits for ever.
    virtual Result<void> finish() = 0;

    // All logits of that pass, which the GPU kept, into the first row of logits(). Between passes.
    virtual Result<void> fetch_logits() = 0;
    // Logits of tokens [first, first + count) of the latest pass, count <= kLogitRows.
    virtual Result<void> output_rows(int first, int count) = 0;

    // The latest pass, of one token, went well on both sides: what fired for it counts. Without
    // this call it never does, whatever the GPU made of a pass that broke off. Precondition: the
    // plan counts (Plan::counts_firing).
    virtual void count_token() = 0;
    // Adds to the profile, under the file's numbers, how often each of the GPU's neurons fired for
    // the tokens counted since the last time. Between passes; waits for a copy a layer. After an
    // error the profile is as it was and, unless the device is lost, nothing is forgotten: the call
    // may be made again.
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
    // What the driver says this process uses; 0: it does not.
    virtual std::uint64_t driver_bytes() const = 0;

    // From now on every dispatch is timed. trace(): since then, the slowest first.
    virtual void set_tracing(bool on) = 0;
    virtual std::vector<TraceLine> trace() const = 0;
};

}  // namespace hearth
