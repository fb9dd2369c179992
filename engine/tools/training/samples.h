// What feed-forward blocks were given and which of their neurons fired, kept for training.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compute/executor.h"
#include "model/predictor_file.h"

namespace hearth::tools {

// A neuron that fired and how strongly, in 32 bits: its index in the upper 20 (a block has at most
// 2^20 neurons), of |value| the exponent and 4 bits after it (1 part in 16 is plenty for weights).
using Fired = std::uint32_t;
inline constexpr int kMostNeurons = 1 << 20;
inline Fired pack_fired(int neuron, float value) {
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFFU;
    return (static_cast<std::uint32_t>(neuron) << 12) | (magnitude >> 19);
}
inline int neuron_of(Fired fired) {
    return static_cast<int>(fired >> 12);
}
inline float magnitude_of(Fired fired) {
    return std::bit_cast<float>(((fired & 0xFFFU) << 19) | 0x40000U);  // the middle of what it was
}

// Some consecutive tokens.
struct SampleRun {
    int n_tokens = 0;
    std::vector<std::uint16_t> inputs;   // [n_tokens, n_embd], halfs
    std::vector<std::uint32_t> offsets;  // [n_tokens + 1] into fired
    std::vector<Fired> fired;            // by token, then by neuron
};

struct TokenSample {
    const std::uint16_t* input = nullptr;  // [n_embd]
    std::span<const Fired> fired;
};

// Of one layer.
struct LayerSamples {
    std::vector<SampleRun> training;
    std::vector<SampleRun> held_back;  // to judge what was learnt on something else

    static std::vector<TokenSample> tokens(const std::vector<SampleRun>& runs, int n_embd);
};

// Watches an executor. Give it the layers first <= layer < end of a model; others are passed over.
class SampleCollector : public FeedForwardObserver {
public:
    SampleCollector(const ModelSpec& spec, PredictorInput input, int first_layer, int end_layer);

    // Whether what comes now is held back.
    void hold_back(bool held) { held_back_ = held; }
    void observed(const FeedForwardRecord& record) override;

    // Of layer `layer` of the model. What was collected is the caller's then.
    LayerSamples take(int layer);

private:
    int n_embd_;
    PredictorInput input_;
    int first_layer_;
    bool held_back_ = false;
    std::vector<LayerSamples> layers_;
};

}  // namespace hearth::tools
