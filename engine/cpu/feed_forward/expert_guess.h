// Which experts the next mixture will choose, before its input is there: its router, applied to the
// stream as it is now. RAM may lack some of them, which are then read while this layer is computed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "compute/chosen_expert.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/guess_trial.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

struct GuessCounters {
    std::uint64_t named = 0;  // experts that were guessed, in RAM or not
    std::uint64_t right = 0;  // of these, that the layer then chose
    // The same of the mixture behind the next one.
    std::uint64_t second_named = 0, second_right = 0;
};

// Experts that RAM lacks are those that are chosen seldom, so that a guess of one is less often
// right than a guess of any. The best of a token's guesses are right more often than the last. A
// missing expert is read where guesses of its rank were right once in four times: a read that
// nobody wants costs about a third of the time that a token waits for one that it wants. Where they
// were right three times in four, more are read at once.
//
// The mixture behind the next one is guessed likewise, for the time in which the disk would rest:
// its experts are read where guesses of their rank were right every second time.
//
// A guess decides what is read early, and nothing else. Belongs to the engine's thread.
// Allocates nothing after it is made.
class ExpertGuess {
public:
    struct Scratch {
        float* normed = nullptr;         // [n_embd]
        std::byte* quantized = nullptr;  // the same
        float* products = nullptr;       // [n_experts]
    };
    template <class Take>
    static void lay_out(const ModelSpec& spec, Scratch& scratch, Take&& take);

    // spec and weights must outlive this. weights: as they were loaded.
    ExpertGuess(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
                const CpuWeights& weights, const Scratch& scratch);

    // A pass begins. one_token: of which guesses may be worth anything.
    void begin_pass(bool one_token);
    // It ended well.
    void end_pass();

    // The layer's slots have what they have. x: [n_embd], the stream before the norm. The experts
    // of the next two mixtures are guessed from it and expected, if the running pass guesses.
    void guess_next(int layer, const float* x);
    // The layer is about to begin, and its router reads the stream x, [n_embd], that it begins with
    // (ExpertsSpec::routed_early): what it will choose is known, and is expected.
    void foresee(int layer, const float* x);
    // The layer's experts are known before it runs: those that are not in RAM are read from now on.
    // Precondition: the layer does not run.
    void expect(int layer, std::span<const ChosenExpert> chosen);
    // Counts what the layer chose.
    void chose(int layer, std::span<const ChosenExpert> chosen);

    const GuessCounters& counters() const { return counters_; }
    const GuessTrial& trial() const { return trial_; }

private:
    // A layer's experts as the running pass guessed them, ascending.
    struct Guess {
        std::vector<ChosenExpert> chosen;   // [n_used]; empty: they cannot be guessed here
        std::vector<std::uint8_t> missing;  // [n_used]: RAM lacked it
        bool made = false;
    };
    // Guesses of experts that RAM lacked, by their place among a token's: 0 is the best.
    struct Rank {
        std::uint32_t named = 0, right = 0;
        // They were right n times of m, as far as is known.
        bool was_right(std::uint32_t n, std::uint32_t m) const {
            return m * (right + 1) >= n * (named + 2);
        }
        void add(bool was_right);
    };
    static constexpr int kRanks = 64;  // the last one is of all that come behind it
    // How far ahead a mixture is guessed.
    enum class Ahead : std::uint8_t { Next, Second };
    static constexpr std::array kAheads{Ahead::Next, Ahead::Second};

    Guess& guess_of(int layer, Ahead ahead) {
        return guesses_[static_cast<std::size_t>(ahead)][static_cast<std::size_t>(layer)];
    }
    bool can_guess(int layer) const;
    void guess(int layer, Ahead ahead, const float* x);
    bool route(int layer, const float* x, std::span<ChosenExpert> chosen);
    Rank& rank_of(const Guess& guess, Ahead ahead, std::size_t index);
    void expect(int layer, std::span<const ChosenExpert> likely,
                std::span<const ChosenExpert> doubtful);
    std::uint64_t misses() const;

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    const ModelSpec& spec_;
    const CpuWeights& weights_;
    Scratch scratch_;
    std::vector<int> next_;  // [n_layer], the next mixture that can be guessed; none: -1
    std::array<std::vector<Guess>, kAheads.size()> guesses_;  // [n_layer]
    std::array<std::array<Rank, kRanks>, kAheads.size()> ranks_{};
    std::vector<ChosenExpert> likely_, doubtful_;
    std::vector<std::uint16_t> names_;  // of experts as they lie
    GuessTrial trial_;
    GuessCounters counters_;
    bool always_ = false;
    bool never_ = true;
    bool on_ = false;   // in the running pass
    bool one_ = false;  // the pass has one token
    std::uint64_t began_ns_ = 0;
    std::uint64_t misses_before_ = 0;
};

template <class Take>
void ExpertGuess::lay_out(const ModelSpec& spec, Scratch& scratch, Take&& take) {
    const auto most = [&](int ExpertsSpec::*size) {
        return static_cast<std::uint64_t>(
            spec.most([&](const LayerSpec& layer) { return layer.experts.*size; }));
    };
    take(scratch.normed, static_cast<std::uint64_t>(spec.n_embd) * sizeof(float));
    take(scratch.quantized, quantized_bytes(spec.n_embd, 1));
    take(scratch.products, most(&ExpertsSpec::n) * sizeof(float));
}

}  // namespace hearth
