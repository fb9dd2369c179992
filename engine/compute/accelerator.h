// What a GPU must do for a forward pass: its part of a plan, from memory both sides see, meeting
// the processor where the plan splits a layer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/executor.h"

namespace hearth {

// Where the two sides meet, in the order of a pass. Both derive it from the plan:
//   Give   the processor leaves the residual stream in input(); the GPU waits for it
//   Take   the GPU leaves the residual stream in published(); the processor waits for it
//   Join   the processor leaves its part of a feed-forward block in partial(); the GPU waits for it
struct WalkStep {
    enum class Kind { Give, Take, Join };
    Kind kind;
    int layer;  // n_layer: after the last
};

// Layers whose attention the GPU has are its own but for cold neurons; the processor does all of
// the others. Precondition: no layer has hot neurons without attention.
std::vector<WalkStep> walk_of(const GpuPart& part, int n_layer, int n_ff);

struct PassTask {
    int n_tokens = 0;
    int position = 0;          // of the first token
    bool last_logits = false;  // of the last token; only where the GPU has the output head
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

    // OutOfMemory, ReadFailed, Cancelled, Unsupported, DeviceLost.
    virtual Result<void> load(const PlanSlice& slice, ThreadPool& pool, LoadMonitor& monitor) = 0;

    // Floats both sides see, each [n_batch, n_embd].
    virtual float* input() = 0;
    virtual const float* published() const = 0;
    virtual float* partial() = 0;
    // After a Take that a Join follows, of one token: what predictors say of the layer's cold
    // neurons. Null: the accelerator has no predictors for the layer.
    virtual const float* scores(int layer) const = 0;
    // [kLogitRows, n_vocab], of the latest rows asked for.
    static constexpr int kLogitRows = 16;
    virtual float* logits() = 0;

    // Starts a pass: the GPU goes on by itself until it waits for the processor.
    virtual Result<void> start(const PassTask& task) = 0;
    // The processor's side of the next step: waits for a Take, announces a Give or Join.
    virtual Result<void> take() = 0;
    virtual Result<void> give() = 0;
    // The pass is over. Call it also after an error or when the processor gave up half way: what it
    // had not announced is announced, so that nothing waits for ever.
    virtual Result<void> finish() = 0;

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

    // Bytes of weights and keys one decoded token reads of the GPU's memory, and how many cross the
    // bus for it.
    virtual std::uint64_t decode_weight_bytes() const = 0;
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
