// What a unit must be able to do. The processor and the GPU implement the one interface, each in
// its own folder, and session/ runs lists of steps with it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/result.h>

#include "compute/activity.h"
#include "compute/block_paths.h"
#include "compute/candidate.h"
#include "compute/chosen_expert.h"
#include "compute/weight_source.h"
#include "memory/ledger.h"
#include "memory/past.h"
#include "model/weights.h"
#include "plan/plan.h"
#include "plan/self_profile.h"
#include "plan/steps.h"

namespace hearth {

// The plan of which an executor carries out a part, and the places of its bytes.
struct PlanSlice {
    const GgufFile& file;  // outlives the executor
    const ModelSpec& spec;
    const ModelTensors& tensors;
    const Plan& plan;
    Ledger& ledger;
};

// Called between two tensors with the share of bytes read; returning false stops the load
// (Cancelled).
struct LoadMonitor {
    virtual ~LoadMonitor() = default;
    virtual bool loaded(double fraction) = 0;
};

// Memory that both units see and a GPU owns, floats of n_batch tokens: where a unit leaves what
// plan/steps.h says that a step leaves for the other one. Null: there is none.
struct SharedMemory {
    float* stream_to_gpu = nullptr;        // [n_tokens, n_embd]
    const float* stream_to_cpu = nullptr;  // [n_tokens, n_embd], also the block's input
    float* partial = nullptr;              // [n_tokens, n_embd], the processor's part of a block
    const float* q = nullptr;              // [n_tokens, n_embd_q]
    const float* k = nullptr;              // [n_tokens, n_embd_kv]
    const float* v = nullptr;              // [n_tokens, n_embd_kv]
    float* attended = nullptr;             // [n_tokens, n_embd_q]
    const float* scores = nullptr;         // [the processor's neurons], of one token
    float* layer_inputs = nullptr;         // [n_tokens, n_layer * n_embd_layer], left by Embed
    const ChosenExpert* chosen = nullptr;  // [n_tokens, n_used] of the layer's router
    // [n_tokens, n_embd], the stream that a layer began with whose experts are all the processor's,
    // where its router reads that (ExpertsSpec::routed_early).
    const float* routed = nullptr;
};

// The tokens of one pass with PassTask::each_alone.
inline constexpr int kEachAloneMost = kMostAhead;

struct PassTask {
    PassKind kind = PassKind::Resident;
    std::span<const Step> steps{};  // compile()'s; the same list for every pass of the kind
    std::span<const std::int32_t> tokens{};  // each in [0, n_vocab); at most plan.n_batch
    int position = 0;                        // of the first token
    bool last_logits = false;                // Head computes the last token's
    bool counts = true;                      // what a token alone computes is added to activity()
    // Each token has the bits that it has when it is passed alone, and recurrent layers keep what
    // their states would take of it, for Executor::take_ahead(). Preconditions:
    // Executor::can_pass_each_alone(), and 2 to kEachAloneMost tokens.
    bool each_alone = false;
    SharedMemory shared{};                       // the GPU's
    Past* past = nullptr;                        // where the unit's part was made by make_past()
    const Cancellation* cancellation = nullptr;  // for a unit that is slow to come to its next step

    int n_tokens() const { return static_cast<int>(tokens.size()); }
};

// The experts that a token chose among those of a unit.
struct ExpertsOfToken {
    std::uint64_t chosen = 0;
    std::uint64_t read = 0;  // of these, from disk, since memory had none of them
};

// The time that dispatches of one kind took.
struct TraceLine {
    std::string label;
    std::uint64_t count = 0;
    double us = 0;            // all of them
    std::uint64_t bytes = 0;  // of weights they read
};

// What a unit read from flash while it computed, since it was loaded.
struct FlashReads {
    std::uint64_t bytes_per_pass = 0;  // of the file's weights; 0: none are read so
    std::string why_not_direct{};      // the page cache takes part; empty: it does not
    std::uint64_t reads = 0;
    std::uint64_t bytes = 0;    // as the disk gave them
    std::uint64_t busy_ns = 0;  // while at least one read was in flight
    std::uint64_t read_p50_ns = 0, read_p90_ns = 0, read_p99_ns = 0;  // of one read
    bool caches_neurons = false;
    // Neurons that a token named and the cache had, or had not and read.
    std::uint64_t neuron_hits = 0;
    std::uint64_t neuron_misses = 0;
    std::uint64_t experts_passed = 0;  // of the misses, that got no place in the cache
    // Experts that were guessed before their layer chose, and those of them that it chose; guessed
    // experts that were read before they were chosen, and those of them that were chosen then.
    std::uint64_t experts_guessed = 0, guessed_right = 0;
    std::uint64_t read_ahead = 0, read_ahead_used = 0;
    // Guesses of the mixture behind the next one, and those of them that were right.
    std::uint64_t second_guessed = 0, second_right = 0;
    // The latest trial: whether guessing pays, and the share of a token's time that it saved. 0
    // trials: there was none yet.
    int guess_trials = 0;
    bool guesses_pay = false;
    double guess_gain = 0;
    // Of a pass, time spent waiting for the disk by each of the threads.
    std::uint64_t stall_p50_ns = 0, stall_p90_ns = 0, stall_p99_ns = 0;
};

// Weights of one layer that lie on flash, since the unit was loaded.
struct FlashOfLayer {
    std::uint64_t bytes_not_held = 0;  // of the file; memory has them not, or for a moment only
    std::uint64_t neuron_hits = 0;     // as in FlashReads
    std::uint64_t neuron_misses = 0;
    std::uint64_t bytes = 0;  // asked of the disk, without what it reads around them
};

// The arithmetic of one device. Called from the session's thread only. A token reads the keys and
// values of its own batch in float, and those of earlier batches from the past, rounded; a token
// alone, or in a pass with each_alone, reads all of them from the past. Apart
// from that, its results do not depend on how a text is cut into batches. A function that means
// nothing on a unit does nothing there. Any call may return DeviceLost. The executor must not be
// used after that.
class Executor {
public:
    virtual ~Executor() = default;
    virtual std::string_view name() const = 0;  // "cpu/avx2", "vulkan/NVIDIA H200"

    // Reads and lays out this slice's weights and takes its scratch memory. What of that lies in
    // the machine's memory goes through the ledger. OutOfMemory, ReadFailed, Cancelled,
    // Unsupported. A unit that keeps_weights() may be loaded again between passes, for another plan
    // of the same model: it reads only what it does not have. After an error it is not loaded.
    virtual Result<void> load(const PlanSlice& slice, LoadMonitor& monitor) = 0;
    virtual bool keeps_weights() const { return false; }
    // True if a pass of several tokens can give each of them the bits that it has alone: no layer
    // has a way of computing that only a token alone takes.
    virtual bool can_pass_each_alone() const { return false; }
    // Bytes of the file that the latest load() read for memory to hold. 0 where nobody counts.
    virtual std::uint64_t load_read_bytes() const { return 0; }
    // Makes the GPU's part of a past, empty. Null: this is the processor, whose part is Past::cpu.
    // Internal: the plan has no room for one more.
    virtual Result<std::unique_ptr<GpuPast>> make_past() { return std::unique_ptr<GpuPast>{}; }
    // The weights that this unit holds, for uploading them; null: they cannot be uploaded.
    virtual const WeightSource* weights() const { return nullptr; }

    // A pass: begin() of both units, then run() of each unit's steps in the list's order, then
    // end(). Call end() also after an error, or when the pass is given up half way. A unit may run
    // its steps by itself from begin() on, as far as they do not wait for the other unit's points.
    virtual Result<void> begin(const PassTask& task) = 0;
    // Not finite: Internal. Cancelled.
    virtual Result<void> run(const Step& step) = 0;
    virtual Result<void> end() { return {}; }
    // Between passes. Takes the unit's states past these tokens of the past's latest pass, which
    // had each_alone, with the bits that passing them would have left. It begins with the first,
    // and goes on where the call before ended.
    virtual Result<void> take_ahead(Past&, const Snapshots::Taking&) { return {}; }
    // Returns when this unit has reached its point. A unit that returns from run() when the step is
    // done has nothing to wait for.
    virtual Result<void> wait(int point) = 0;
    // Says that the other unit has reached its point.
    virtual Result<void> signal(int point) = 0;
    virtual SharedMemory shared() { return {}; }

    // Of the unit that has the output head. The rows of logits that it writes at once:
    static constexpr int kLogitRows = 16;
    // The logits of the latest pass, which had last_logits, [n_vocab]; the caller may change them.
    virtual Result<std::span<float>> last_logits() = 0;
    // Computes, or fetches, the logits of tokens [first, first + count) of the latest pass,
    // [count, n_vocab]; the caller may change them. count <= kLogitRows.
    virtual Result<std::span<float>> logits(int first, int count) = 0;
    // The best logits of the latest pass that had last_logits or each_alone, in the order of
    // better(), where the unit has picked them: kCandidates, or all that are numbers if those are
    // fewer. token: of the pass with each_alone; else 0.
    static constexpr int kCandidates = 256;
    virtual std::span<const Candidate> candidates(int /*token*/) const { return {}; }

    // Computes every neuron of every block and shows it to the observer from the next pass on. The
    // observer must live until another one, or null, takes its place. Precondition: the executor
    // holds all neurons.
    virtual void observe(FeedForwardObserver*) {}

    // Notes from the next pass on which of the unit's neurons fire for a token alone, for
    // count_token(). Null: stops noting. The profile must live as long as the observer of
    // observe(). Precondition: the plan counts (Plan::counts_firing) where a GPU has neurons.
    virtual void count_firing(SelfProfile*) {}
    // Says that the latest pass, of one token, succeeded on both units, so that what fired for it
    // counts. Without this call it never counts, whatever was computed of a pass that broke off.
    // The caller calls SelfProfile::token_done(). False: the token was computed whole for an
    // observer and does not count. Precondition: count_firing().
    virtual bool count_token() { return true; }
    // Between passes. Adds to the profile, under the file's numbers, how often each neuron fired
    // for the tokens that were counted, where that is not in it already. After an error the profile
    // is as it was, and the call may be made again: nothing is forgotten unless the device is lost.
    virtual Result<void> collect_firing(SelfProfile&) { return {}; }

    // The experts that the latest pass chose, if it was of one token. Only the processor says so.
    virtual ExpertsOfToken experts_of_token() const { return {}; }

    // Between passes. Experts, or neurons, have changed places in slice.plan.placement, one pair
    // after the other; the plan is the loaded one otherwise. The unit reads those that are its own
    // now: the processor first, from which the GPU takes what it uploads. After an error it has no
    // weights, and must be loaded anew. ReadFailed, BadFile. Precondition: nothing that was counted
    // waits to be collected; a neuron's down projection is stored by neuron.
    virtual Result<void> exchange(const PlanSlice&, std::span<const PlaceExchange>) { return {}; }

    // Null: every token takes the plan's mode.
    virtual BlockPaths* paths() { return nullptr; }

    // [n_layer], what single tokens computed of this unit's neurons since load() or
    // reset_activity(), which keeps the paths. Only passes with PassTask::counts went through.
    // Between passes; a GPU waits for a copy a layer.
    virtual Result<std::span<const LayerActivity>> activity() = 0;
    virtual void reset_activity() = 0;
    // Bytes of weights that one decoded token reads of this unit's memory, in the mean of the
    // tokens that activity() showed last; before that, if every neuron fires. Without norms and
    // biases.
    virtual std::uint64_t decode_weight_bytes() const = 0;

    // How many bytes cross the bus for a decoded token, where candidates suffice.
    virtual std::uint64_t bus_bytes_per_token() const { return 0; }
    // Bytes of the device's own memory held, by purpose.
    virtual MemoryBytes held() const { return {}; }
    // The bytes of it that this process uses, as the driver says; 0: it does not say.
    virtual std::uint64_t driver_bytes() const { return 0; }
    virtual FlashReads flash() const { return {}; }
    // [n_layer + 1], the last one of weights that are no layer's; empty: nothing lies on flash. Any
    // thread, while the unit is loaded.
    virtual std::vector<FlashOfLayer> flash_of_layers() const { return {}; }
    // Of what the unit holds of the machine's memory, the bytes that it can do without, and is
    // slower.
    virtual std::uint64_t most_spared_ram() const { return 0; }
    // Between passes. Does without `bytes` of them from now on, at most most_spared_ram(); the
    // system has their pages. Results do not change.
    virtual void set_spared_ram(std::uint64_t) {}
    // Times every dispatch from now on. trace() gives the times since then, the slowest first.
    virtual void set_tracing(bool) {}
    virtual std::vector<TraceLine> trace() const { return {}; }
};

}  // namespace hearth
