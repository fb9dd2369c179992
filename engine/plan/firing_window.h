// How many neurons of each layer are used within a while, by the model's profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/model_spec.h"
#include "plan/profile.h"

namespace hearth {

// A neuron that fires at rate p, each token for itself, fires at least once of `tokens` tokens with
// probability 1 - (1 - p)^tokens. A layer's sum of these is what a cache holds that keeps its
// neurons for so many tokens. (Che, Tung and Wang 2002: the characteristic time of a cache.)
class FiringWindow {
public:
    FiringWindow() = default;  // nothing is known
    // profile: null, of another model or of fewer than kProfileTokensMin tokens: nothing is known.
    FiringWindow(const ModelSpec& spec, const ActivationProfile* profile);
    bool is_known() const { return !layers_.empty(); }

    // Of the layer's neurons but `left_out` that fire most. tokens: above 0, whole or not; more of
    // them never use fewer neurons. Precondition: is_known().
    double neurons(std::size_t layer, double tokens, int left_out = 0) const;
    // A mixture's experts, [experts], those that are chosen most first; empty: of any other layer.
    // Precondition: is_known().
    const std::vector<int>& experts(std::size_t layer) const { return experts_[layer]; }
    // How often each of them, by its number, is chosen beside the others, kMeanUses in the mean.
    // Precondition: is_known().
    static constexpr double kMeanUses = 8;
    const std::vector<std::uint8_t>& expert_uses(std::size_t layer) const { return uses_[layer]; }

private:
    // Neurons that fire about equally often, within an eighth.
    struct Bin {
        double neurons = 0;
        double log_rest = 0;  // of the probability that one of them rests
    };
    std::vector<std::vector<Bin>> layers_;  // each layer's, those that fire most first
    std::vector<std::vector<int>> experts_;
    std::vector<std::vector<std::uint8_t>> uses_;
};

}  // namespace hearth
