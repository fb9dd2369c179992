#include "cpu/feed_forward/expert_guess.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/assert.h"
#include "cpu/cold_neurons.h"
#include "cpu/feed_forward/expert_choice.h"
#include "cpu/weight_streams.h"
#include "gguf/finite.h"

namespace hearth {
namespace {

std::uint64_t now_ns() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

ColdNeurons* cold_of(const CpuWeights& weights) {
    return weights.streams() == nullptr ? nullptr : weights.streams()->cold();
}

}  // namespace

ExpertGuess::ExpertGuess(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
                         const CpuWeights& weights, const Scratch& scratch)
    : table_(table),
      pool_(pool),
      spec_(spec),
      weights_(weights),
      scratch_(scratch),
      next_(spec.layers.size(), -1),
      names_(static_cast<std::size_t>(
          spec.most([](const LayerSpec& layer) { return layer.experts.n_used; }))) {
    likely_.reserve(names_.size());
    doubtful_.reserve(names_.size());
    for (auto& guesses : guesses_) {
        guesses.resize(spec.layers.size());
    }
    const ColdNeurons* cold = cold_of(weights);
    if (cold == nullptr || !cold->has_room_ahead()) {
        return;
    }
    never_ = cold->without().guesses;
    always_ = cold->without().trial;
    for (int layer = spec.n_layer() - 1, next = -1; layer >= 0; --layer) {
        next_[static_cast<std::size_t>(layer)] = next;
        if (spec.layer(layer).is_mixture()) {
            next = can_guess(layer) ? layer : -1;
            const int n_used = next < 0 ? 0 : spec.layer(layer).experts.n_used;
            for (const Ahead ahead : kAheads) {
                guess_of(layer, ahead).chosen.resize(static_cast<std::size_t>(n_used));
                guess_of(layer, ahead).missing.resize(static_cast<std::size_t>(n_used));
            }
        }
    }
}

// Another unit that has the router leaves this one no choice to guess.
bool ExpertGuess::can_guess(int layer) const {
    const bool rms = spec_.layer(layer).norm.kind == NormKind::Rms;
    const bool no_norm = weights_.vector(layer, Role::FfnNorm).empty();
    if (spec_.mixes_streams()) {  // what the router reads is no norm of the stream
        return false;
    }
    return weights_.router(layer).present() && cold_of(weights_)->index_of(layer) >= 0 &&
           (rms || no_norm);
}

std::uint64_t ExpertGuess::misses() const {
    const ColdNeurons* cold = cold_of(weights_);
    return cold == nullptr ? 0 : cold->cache().counters().misses;
}

void ExpertGuess::begin_pass(bool one_token) {
    one_ = one_token && !never_;
    on_ = one_ && (always_ || trial_.guesses());
    for (auto& guesses : guesses_) {
        for (Guess& guess : guesses) {
            guess.made = false;
        }
    }
    if (!never_) {  // a pass that was given up leaves what nobody wants
        cold_of(weights_)->cache().expect_nothing();
    }
    if (one_) {
        misses_before_ = misses();
        began_ns_ = now_ns();
    }
}

void ExpertGuess::end_pass() {
    if (one_) {
        trial_.ended(now_ns() - began_ns_, misses() - misses_before_);
    }
    one_ = on_ = false;
}

void ExpertGuess::guess_next(int layer, const float* x) {
    int next = layer;
    for (const Ahead ahead : kAheads) {
        next = next_[static_cast<std::size_t>(next)];
        if (!on_ || next < 0 || spec_.layer(next).experts.routed_early) {
            return;
        }
        guess(next, ahead, x);
    }
}

void ExpertGuess::guess(int layer, Ahead ahead, const float* x) {
    Guess& guess = guess_of(layer, ahead);
    guess.made = route(layer, x, guess.chosen);
    if (!guess.made) {
        return;
    }
    const ColdNeurons& cold = *cold_of(weights_);
    const int index = cold.index_of(layer);
    const CachedLayer& cached = cold.cache().layer(index);
    likely_.clear();
    doubtful_.clear();
    for (std::size_t i = 0; i < guess.chosen.size(); ++i) {
        int place = 0;
        while (place < cached.n_neurons && cached.number(place) != guess.chosen[i].expert) {
            ++place;
        }
        const bool missing = place < cached.n_neurons && !cold.cache().holds(index, place);
        guess.missing[i] = missing ? 1 : 0;
        const Rank& rank = rank_of(guess, ahead, i);
        if (missing && rank.was_right(3, 4)) {
            likely_.push_back(guess.chosen[i]);
        } else if (missing && rank.was_right(1, ahead == Ahead::Next ? 4 : 2)) {
            doubtful_.push_back(guess.chosen[i]);
        }
    }
    (ahead == Ahead::Next ? counters_.named : counters_.second_named) += guess.chosen.size();
    expect(layer, likely_, doubtful_);
}

void ExpertGuess::foresee(int layer, const float* x) {
    Guess& guess = guess_of(layer, Ahead::Next);
    if (one_ && !guess.chosen.empty() && route(layer, x, guess.chosen)) {
        expect(layer, guess.chosen);
    }
}

// False: the products are no numbers. The layer itself will say so, if its own are none either.
bool ExpertGuess::route(int layer, const float* x, std::span<ChosenExpert> chosen) {
    const LayerSpec& of = spec_.layer(layer);
    const ExpertsSpec& spec = of.experts;
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    const std::span<const float> norm =
        spec.routed_early
            ? std::span<const float>()
            : weights_.vector(layer, spec.norms_apart ? Role::RouterNorm : Role::FfnNorm);
    if (norm.empty()) {
        std::copy_n(x, n_embd, scratch_.normed);
    } else {
        table_.rms_norm(x, norm.data(), of.norm.eps, scratch_.normed, spec_.n_embd);
    }
    const PackedMatrix& router = weights_.router(layer);
    const ActivationRows input{scratch_.normed, n_embd, scratch_.quantized, spec_.n_embd, 1};
    if (takes_quantized(router.type)) {
        quantize_into(table_, input, 0, 0, spec_.n_embd / kBlockValues, scratch_.normed);
    }
    const std::span products(scratch_.products, static_cast<std::size_t>(spec.n));
    multiply(pool_, table_, std::array{Product{&router, products.data(), products.size()}}, input);
    for (float& product : products) {
        product *= spec.router_scale;
    }
    if (const auto bias = weights_.vector(layer, Role::RouterProductBias); !bias.empty()) {
        table_.add_vector(bias.data(), products.data(), spec.n);
    }
    if (!all_finite(products)) {
        return false;
    }
    choose_experts(spec, products, weights_.vector(layer, Role::RouterBias), chosen);
    return true;
}

void ExpertGuess::Rank::add(bool was_right) {
    constexpr std::uint32_t kMost = 512;  // what was long ago counts less
    if (++named > kMost) {
        named /= 2;
        right /= 2;
    }
    right += was_right ? 1 : 0;
}

ExpertGuess::Rank& ExpertGuess::rank_of(const Guess& guess, Ahead ahead, std::size_t index) {
    const float weight = guess.chosen[index].weight;
    const auto better =
        std::count_if(guess.chosen.begin(), guess.chosen.end(),
                      [&](const ChosenExpert& other) { return other.weight > weight; });
    return ranks_[static_cast<std::size_t>(ahead)]
                 [static_cast<std::size_t>(std::min<std::ptrdiff_t>(better, kRanks - 1))];
}

void ExpertGuess::expect(int layer, std::span<const ChosenExpert> chosen) {
    expect(layer, chosen, {});
}

void ExpertGuess::expect(int layer, std::span<const ChosenExpert> likely,
                         std::span<const ChosenExpert> doubtful) {
    ColdNeurons* cold = cold_of(weights_);
    const int index = cold == nullptr ? -1 : cold->index_of(layer);
    if (index < 0) {
        return;
    }
    const CachedLayer& cached = cold->cache().layer(index);
    std::size_t n = 0;
    const auto add = [&](std::span<const ChosenExpert> chosen) {
        for (int place = 0; place < cached.n_neurons && n < names_.size(); ++place) {
            const int expert = cached.number(place);
            if (std::any_of(chosen.begin(), chosen.end(),
                            [&](const ChosenExpert& one) { return one.expert == expert; })) {
                names_[n++] = static_cast<std::uint16_t>(place);
            }
        }
    };
    add(likely);
    const std::size_t n_likely = n;
    add(doubtful);
    cold->cache().expect(index, std::span(names_).first(n), n_likely);
}

void ExpertGuess::chose(int layer, std::span<const ChosenExpert> chosen) {
    for (const Ahead ahead : kAheads) {
        Guess& guess = guess_of(layer, ahead);
        if (!std::exchange(guess.made, false)) {
            continue;
        }
        for (std::size_t i = 0; i < guess.chosen.size(); ++i) {
            const bool right = std::any_of(
                chosen.begin(), chosen.end(),
                [&](const ChosenExpert& one) { return one.expert == guess.chosen[i].expert; });
            (ahead == Ahead::Next ? counters_.right : counters_.second_right) += right ? 1 : 0;
            if (guess.missing[i] != 0) {
                rank_of(guess, ahead, i).add(right);
            }
        }
    }
}

}  // namespace hearth
