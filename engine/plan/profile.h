// How often each neuron of a model fires. This makes a neuron hot or cold.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hearth {

// Numbers of consecutive tokens that are looked at together. The more tokens, the more neurons fire
// for at least one of them. (PowerInfer-2, section 4.1: the hot share follows the batch.)
inline constexpr std::array kProfileBatches = {1, 2, 4, 8, 16, 32};

// A profile of fewer tokens measures nothing: plans take every neuron as firing for every token. Of
// a hundred tokens, a neuron that never fired fires for at most 3 % of them (95 % confidence),
// which tells it from those that make up a block's work.
inline constexpr std::uint64_t kProfileTokensMin = 100;

// How often a neuron fires that fired for `fired` of `tokens` tokens, 0 to 1: Jeffreys' estimator,
// (fired + 1/2) / (tokens + 1). A neuron that was never seen firing still fires now and then, and
// one that always did may rest.
constexpr double firing_rate(std::uint64_t fired, std::uint64_t tokens) {
    const double seen = static_cast<double>(fired < tokens ? fired : tokens);
    return (seen + 0.5) / (static_cast<double>(tokens) + 1);
}

struct LayerProfile {
    // fired[b][n]: groups of kProfileBatches[b] consecutive tokens of which at least one fired
    // neuron n (its hidden value is not 0). fired[0] counts tokens. Each vector: [n_ff].
    std::array<std::vector<std::uint32_t>, kProfileBatches.size()> fired;
};

struct ActivationProfile {
    std::string model_hash;    // of the model that was profiled
    std::uint64_t tokens = 0;  // tokens seen
    // groups[b]: groups of kProfileBatches[b] tokens that were looked at; groups[0] == tokens.
    std::array<std::uint64_t, kProfileBatches.size()> groups{};
    std::vector<LayerProfile> layers;
};

}  // namespace hearth
