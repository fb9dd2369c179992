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
