// Walks the layers: tokens in, logits out.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/result.h>

#include "compute/accelerator.h"
#include "compute/executor.h"

namespace hearth {

// The view that a session has of a loaded model. It knows no architecture: the spec says what a
// layer is, and the executor computes it.
class Decoder {
public:
    // The scratch bytes that create() will take from the ledger, exactly.
    static std::uint64_t scratch_bytes(const ModelSpec& spec, int n_batch);
    // executor and accelerator must outlive the decoder and be loaded. accelerator: null where the
    // plan gives a GPU nothing.
    static Result<Decoder> create(const ModelSpec& spec, const Plan& plan, Executor& executor,
                                  Ledger& ledger, Accelerator* accelerator = nullptr);

    // Makes an empty past for this decoder's passes. The plan says for how many there is room.
    // OutOfMemory, Internal.
    Result<Past> make_past(Ledger& ledger);

    enum class Want { None, Last, All };
    // Called with the logits [n_vocab] of token `index` of the call, in order. Empty: nobody looks,
    // and the logits of Want::Last stay where they were computed.
    using LogitsSink = std::function<void(std::size_t index, std::span<const float> logits)>;

    // Takes tokens at positions [position, position + tokens.size()), in batches of the plan's
    // size. past holds every position before and gains these. Preconditions: ids inside the
    // vocabulary, the end within the context. Cancelled (looked at once a layer: what the past
    // gained is void), Internal.
    Result<void> forward(std::span<const std::int32_t> tokens, int position, Past& past, Want want,
                         const LogitsSink& sink, const Cancellation& cancellation);

    // Counts from now on which neurons fire for tokens that are passed one at a time. A token whose
    // pass breaks off does not count. The processor's counts are in the profile at once, a GPU's
    // after Accelerator::collect_firing(). Counting stops by itself when the profile's counters are
    // full. Null: stops counting. The profile must live until another one, or null, takes its
    // place. Precondition: where a GPU has neurons, the plan counts.
    void count_firing(SelfProfile* profile);

    // Whether what tokens that are passed alone compute is added to the units' activity(): it is
    // unless told otherwise. A prompt's last batch may be a token too.
    void count_activity(bool on) { counts_activity_ = on; }

    // The logits of the latest Want::Last. The caller may change them until the next forward().
    // Every call fetches a GPU's logits anew. OutOfMemory, DeviceLost.
    Result<std::span<float>> last_logits();
    // The best of these logits, where a GPU has picked them; see Accelerator::candidates().
    std::span<const Candidate> candidates() const;

private:
    Result<void> forward_batch(std::span<const std::int32_t> tokens, int position, Past& past,
                               bool last_logits, const Cancellation& cancellation);
    // The same with an accelerator: computes the processor's side of the walk.
    Result<void> forward_split(std::span<const std::int32_t> tokens, int position, Past& past,
                               bool last_logits, const Cancellation& cancellation);
    Result<void> walk(int n_tokens, int position, Past& past, const Cancellation& cancellation);
    // The walk of a pass whose weights are streamed.
    Result<void> streamed_walk(int n_tokens, int position, Past& past,
                               const Cancellation& cancellation);
    void count_token();
    void layer_on_cpu(int layer, int n_tokens, int position, Past& past);
    Result<void> emit_logits(std::size_t first, std::size_t count, std::size_t offset,
                             const LogitsSink& sink);

    bool logits_on_gpu() const { return accelerator_ != nullptr && part_.output_in_vram; }

    ModelSpec spec_;
    Executor* executor_ = nullptr;
    Accelerator* accelerator_ = nullptr;  // null: there is none
    GpuPart part_;                        // what it has
    Streaming streaming_;
    std::vector<std::vector<Cluster>> clusters_;  // by layer, the processor's
    int n_ctx_ = 0;
    int n_batch_ = 0;
    bool accelerator_counts_ = false;
    bool counts_activity_ = true;
    SelfProfile* profile_ = nullptr;  // null: nothing is counted
    AlignedBuffer scratch_;
    float* x_ = nullptr;               // [n_batch, n_embd] the residual stream
    float* partial_ = nullptr;         // [n_batch, n_embd] what a block adds to it
    float* second_partial_ = nullptr;  // likewise, of parallel layers only
    float* logits_ = nullptr;  // [kLogitRows, n_vocab]; the accelerator's where it has the head
};

}  // namespace hearth
