// What the processor's side must be able to compute. cpu/ implements it, and session/ walks the
// layers with it. accelerator.h is the GPU's side.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <hearth/result.h>

#include "compute/weight_lender.h"
#include "memory/ledger.h"
#include "memory/past.h"
#include "model/cluster.h"
#include "model/weights.h"
#include "plan/path_choice.h"
#include "plan/plan.h"
#include "plan/self_profile.h"

namespace hearth {

// The plan of which an executor carries out a part, and the places of its bytes.
struct PlanSlice {
    const GgufFile& file;
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

struct EmbedTask {
    std::span<const std::int32_t> tokens;  // each in [0, n_vocab)
    float* x;                              // [n_tokens, n_embd], overwritten
    int position = 0;                      // of the first token, for learned positions
};

struct AttentionTask {
    int layer;
    const float* x;  // [n_tokens, n_embd], the residual stream before the norm
    float* y;        // [n_tokens, n_embd], overwritten: what the block adds to it
    int n_tokens;
    int position;  // of the first token; the past holds all positions before it and gains these
    Past& past;
};

// Attention without its matrices, which another unit multiplies with. Biases are added and heads
// are normed already.
struct HeadsTask {
    int layer;
    const float* q;   // [n_tokens, n_embd_q], not rotated yet
    const float* k;   // [n_tokens, n_embd_kv]
    const float* v;   // [n_tokens, n_embd_kv]
    float* attended;  // [n_tokens, n_embd_q], overwritten
    int n_tokens;
    int position;
    Past& past;
};

struct FeedForwardTask {
    int layer;
    const float* x;  // [n_tokens, n_embd], the residual stream before the norm
    float* y;        // [n_tokens, n_embd], overwritten: the sum over `clusters` of
                     // down(f(gate norm(x), up norm(x))); down's bias comes with place 0
    int n_tokens;
    std::span<const Cluster> clusters;  // of this layer, disjoint, by first neuron; first and count
                                        // multiples of 32, but for a last cluster that ends at
                                        // n_ff. Numbers are the plan's places, of neurons that the
                                        // executor holds.
    // Scores that a predictor on another unit gave the neurons of one token, by place from the
    // first neuron that the executor holds. They must be given where the executor has no predictor
    // of its own for a layer that is predicted.
    const float* scores = nullptr;
    bool counts = true;  // what a token alone computes is added to activity()
};

struct OutputTask {
    const float* x;  // [n_tokens, n_embd]
    float* logits;   // [n_tokens, n_vocab], overwritten
    int n_tokens;
};

// What single tokens computed of a unit's part of a layer's feed-forward block so far. Batches are
// not counted, nor are tokens whose task says so.
struct LayerActivity {
    FeedForwardMode path = FeedForwardMode::Dense;
    std::uint64_t passed = 0;     // tokens, by any path
    std::uint64_t computed = 0;   // neurons whose gate was open, or all of them on a dense path
    std::uint64_t down_rows = 0;  // read of a down projection that is stored by neuron
    // Of tokens computed by a path that leaves neurons out, or could have.
    std::uint64_t tokens = 0;
    std::uint64_t neurons = 0;   // all the unit holds of the layer, once a token
    std::uint64_t examined = 0;  // whose gate was computed (ungated blocks: up)
    std::uint64_t opened = 0;    // whose gate was open; but for Dense, only of them up was computed
    std::uint64_t fired = 0;     // whose hidden value was not 0, so that down was computed
    std::uint64_t inputs = 0;    // of gate and up, where thresholds leave some out; else 0
    std::uint64_t inputs_kept = 0;

    std::uint64_t blocks = 0;    // computed for a token alone, by whatever path, counted or not
    std::uint64_t block_ns = 0;  // time of all of them, without the norm
};

// The inputs of one feed-forward block and the hidden values of its neurons. Valid during the call.
struct FeedForwardRecord {
    int layer;
    int n_tokens;
    const float* residual;  // [n_tokens, n_embd], the residual stream before the norm
    const float* normed;    // [n_tokens, n_embd], what gate and up are multiplied with
    const float* hidden;    // [n_tokens, n_ff], f(gate, up): 0 where a neuron does not fire
    int n_ff;
};

// Called on the thread that called feed_forward(), once per block, layers in order.
struct FeedForwardObserver {
    virtual ~FeedForwardObserver() = default;
    virtual void observed(const FeedForwardRecord& record) = 0;
};

// The arithmetic of one device. Called from the session's thread only. The tasks of one forward
// pass take at most plan.n_batch tokens. A token reads the keys and values of its own batch in
// float, and those of earlier batches from the past, rounded. Apart from that, its results do not
// depend on how a text is cut into batches.
class Executor {
public:
    virtual ~Executor() = default;
    virtual std::string_view name() const = 0;  // "cpu/avx2"

    // Reads and lays out this slice's weights and takes its scratch memory, both through the
    // ledger. OutOfMemory, ReadFailed, Cancelled.
    virtual Result<void> load(const PlanSlice& slice, LoadMonitor& monitor) = 0;

    // Each call starts its work. Until finish() returns, the executor reads and writes what the
    // tasks point to.
    virtual void embed(const EmbedTask& task) = 0;
    virtual void attention(const AttentionTask& task) = 0;
    virtual void heads(const HeadsTask& task) = 0;
    virtual void feed_forward(const FeedForwardTask& task) = 0;
    virtual void output_head(const OutputTask& task) = 0;
    // Adds partial sums: y += x, [n_values].
    virtual void add(const float* x, float* y, int n_values) = 0;
    virtual Result<void> finish() = 0;
    // The weights that a GPU may borrow; null: none.
    virtual const WeightLender* lender() const = 0;
    // While on, threads wait for the next task without sleeping, because tasks come in short
    // intervals.
    virtual void stay_alert(bool on) = 0;

    // Computes every neuron of every block and shows it to the observer from the next call on. The
    // observer must live until another one, or null, takes its place. Precondition: the executor
    // holds all neurons.
    virtual void observe(FeedForwardObserver* observer) = 0;

    // Notes from the next call on which of the executor's neurons fire for a single token, for
    // count_token(). Null: stops noting. The profile must live as long as the observer of
    // observe().
    virtual void count_firing(SelfProfile* profile) = 0;
    // Says that the latest single token came through every layer. Adds what fired for it to the
    // profile, under the file's numbers. Without this call nothing is added, so a token that broke
    // off half way leaves no trace. The caller calls token_done(). False: the token was computed
    // whole for an observer and does not count. Precondition: count_firing().
    virtual bool count_token() = 0;

    // Whether a token alone can take more than one path through the layer's block: Exact, which it
    // takes after load(), and Dense. Only where the plan's mode is Exact.
    virtual bool has_paths(int layer) const = 0;
    // Between two tokens: the path that activity() names from now on. The results of both differ
    // in the order of sums alone. Takes as long as reading and writing the layer's up projection
    // once. Precondition: has_paths(layer), and the path is Exact or Dense.
    virtual void set_path(int layer, FeedForwardMode path) = 0;
    // How fast they are here, by the weights that are loaded: some tens of ms. Not measured where
    // no layer has paths. Precondition: all paths are Exact.
    virtual PathSpeeds measure_paths() = 0;

    // [n_layer], since load() or reset_activity(), which keeps the paths.
    virtual std::span<const LayerActivity> activity() const = 0;
    virtual void reset_activity() = 0;

    // Bytes of weights that one decoded token reads, by activity() where that has counted tokens.
    virtual std::uint64_t decode_weight_bytes() const = 0;
};

}  // namespace hearth
