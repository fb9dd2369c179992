// Runs lists of steps: tokens in, logits out.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/engine.h>
#include <hearth/result.h>

#include "compute/executor.h"
#include "compute/foretelling.h"
#include "session/ram_budget.h"

namespace hearth {

// The view that a session has of a loaded model. It knows no architecture: the steps say what is
// computed where, and the executors compute it.
class Decoder {
public:
    // The executors must outlive the decoder and be loaded. gpu: null where the plan gives a GPU
    // nothing.
    Decoder(const ModelSpec& spec, const Plan& plan, Executor& cpu, Executor* gpu = nullptr);

    // Makes an empty past for this decoder's passes. The plan says for how many there is room.
    // OutOfMemory, Internal.
    Result<Past> make_past(Ledger& ledger);
    // True if passes of this plan can continue with a past that others have filled: no GPU has a
    // part of either, and it is as large as make_past() would make it.
    static bool can_keep(const Past& past, const ModelSpec& spec, const Plan& plan);

    // EachAlone: as All, and each token has the bits that it has when it is passed alone. Drafts:
    // likewise, but logits stay where they were computed if a GPU has picked candidates of them and
    // the call is one pass.
    enum class Want { None, Last, All, EachAlone, Drafts };
    // Precondition of Want::EachAlone and Want::Drafts.
    bool can_pass_each_alone() const;
    // After a pass of Want::EachAlone or Want::Drafts: makes the past's states those of `position`,
    // one that Past::latest() returns. forward() does so by itself. DeviceLost.
    Result<void> settle(Past& past, int position);
    // Called with the logits [n_vocab] of token `index` of the call, in order; with none where they
    // stay: candidates_of() and logits_of() have them until the next forward(). Empty: nobody
    // looks, and the logits of Want::Last stay where they were computed.
    using LogitsSink = std::function<void(std::size_t index, std::span<const float> logits)>;

    // Takes tokens at positions [position, position + tokens.size()), in batches of the plan's
    // size. past holds every position before and gains these. Preconditions: ids inside the
    // vocabulary, the end within the context, and Past::latest(position) is `position`. Cancelled
    // (looked at before each step: what the past gained is void), Internal.
    Result<void> forward(std::span<const std::int32_t> tokens, int position, Past& past, Want want,
                         const LogitsSink& sink, const Cancellation& cancellation);

    // As forward(), but gives up the tokens that are left when `ends` says so after a batch. How
    // many were passed.
    Result<std::size_t> forward_until(std::span<const std::int32_t> tokens, int position,
                                      Past& past, Want want, const LogitsSink& sink,
                                      const Cancellation& cancellation,
                                      const std::function<bool()>& ends);

    // Counts from now on which neurons fire for tokens that are passed one at a time. A token whose
    // pass breaks off does not count. The processor's counts are in the profile at once, a GPU's
    // after Executor::collect_firing(). Counting stops by itself when the profile's counters are
    // full. Null: stops counting. The profile must live until another one, or null, takes its
    // place. Precondition: where a GPU has neurons, the plan counts.
    void count_firing(SelfProfile* profile);

    // Whether what tokens that are passed alone compute is added to the units' activity(): it is
    // unless told otherwise. A prompt's last batch may be a token too.
    void count_activity(bool on) { counts_activity_ = on; }

    // The experts that the latest pass chose, if it was of one token; else none.
    ExpertsServed experts_of_token() const;

    // Looked at between passes; must outlive the decoder. None: the executors keep what they have.
    void set_ram_budget(RamBudget& budget) { ram_budget_ = &budget; }

    // The layer that foretells, if the model has one; it must outlive the decoder. follow():
    // whether it is told of passes from now on; it is not unless told otherwise.
    void set_foretelling(Foretelling* layer) { foretelling_ = layer; }
    Foretelling* foretelling() const { return foretelling_; }
    void follow(bool on) { follows_ = on; }

    // The logits of the latest Want::Last. The caller may change them until the next forward().
    // Every call fetches a GPU's logits anew. OutOfMemory, DeviceLost.
    Result<std::span<float>> last_logits() { return head_->last_logits(); }
    // The best of these logits, where a GPU has picked them; see Executor::candidates().
    std::span<const Candidate> candidates() const { return head_->candidates(0); }
    // The same of token `index` of the latest Want::Drafts. DeviceLost.
    std::span<const Candidate> candidates_of(std::size_t index) const {
        return head_->candidates(static_cast<int>(index));
    }
    Result<std::span<float>> logits_of(std::size_t index) {
        return head_->logits(static_cast<int>(index), 1);
    }

private:
    Executor* unit(Unit which) const { return units_[static_cast<std::size_t>(which)]; }
    Result<void> run(PassTask& task);
    Result<void> run_steps(const PassTask& task);
    void count_token();
    Result<void> show_logits(int count, std::size_t offset, const LogitsSink& sink);

    std::array<Executor*, 2> units_{};  // by Unit; the GPU's is null where there is none
    Executor* head_ = nullptr;          // of the unit that has the output head
    WeightUpload upload_;
    ModelSpec spec_;
    Placement placement_;
    std::array<std::vector<Step>, 2> steps_;  // by PassKind
    std::uint64_t experts_a_token_ = 0;       // that a token chooses, in all layers
    bool latest_is_token_ = false;
    int n_ctx_ = 0;
    int n_batch_ = 0;
    bool gpu_counts_ = false;
    bool counts_activity_ = true;
    SelfProfile* profile_ = nullptr;  // null: nothing is counted
    RamBudget* ram_budget_ = nullptr;
    Foretelling* foretelling_ = nullptr;
    bool follows_ = false;
};

}  // namespace hearth
