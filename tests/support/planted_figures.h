// What a benchmark of a planted TinyModel must count, to the neuron.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <hearth/engine.h>

#include "session/loaded_model.h"
#include "support/tiny_model.h"

namespace hearth::test {

// The tokens that tools::bench() passes alone at temperature 0: it begins with token 0, since these
// models have no first token of their own, and draws one less than it passes. Empty after an error.
inline std::vector<TokenId> tokens_that_bench_decodes(Engine& engine, std::size_t count) {
    Session& session = *engine.impl().session;
    Sampler sampler({.temperature = 0, .seed = 1}, TinyModel::kVocab);
    session.clear();
    std::vector<TokenId> tokens{0};
    while (tokens.size() < count) {
        const auto passed = session.decode_one(tokens.back(), {});
        const auto next =
            passed ? session.draw(sampler, tokens, {}) : Result<TokenId>(passed.error());
        if (!next) {
            return {};
        }
        tokens.push_back(*next);
    }
    return tokens;
}

struct PlantedCounts {
    std::uint64_t opened = 0, fired = 0;  // of all tokens together
};

// Of the neurons at places [first, end) of a layer. order: place i holds neuron order[i]; empty: i.
inline PlantedCounts planted_counts(int layer, std::span<const TokenId> tokens, int first, int end,
                                    std::span<const int> order = {}) {
    PlantedCounts counts;
    for (const TokenId token : tokens) {
        for (int place = first; place < end; ++place) {
            const int neuron = order.empty() ? place : order[static_cast<std::size_t>(place)];
            counts.opened += TinyModel::planted_opens(layer, neuron, token) ? 1U : 0U;
            counts.fired += TinyModel::planted_fires(layer, neuron, token) ? 1U : 0U;
        }
    }
    return counts;
}

}  // namespace hearth::test
