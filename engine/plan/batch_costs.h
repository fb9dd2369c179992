// The time of a prompt's batches, as a sum over layers: what each takes follows from where its
// attention lies and how many of its neurons are in VRAM, so that a split can be chosen by it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "plan/cost_model.h"
#include "plan/plan.h"

namespace hearth {

// Batches of n_tokens without a past. The references must stay valid.
//
// A GPU that weights are uploaded to multiplies with all of a layer while the next bytes pass the
// bus: the slots hold less than a layer, so it is the longer of both in each layer, and a layer
// whose weights lie in VRAM does not wait for the bus. The processor attends to pasts that RAM
// holds, and neither the GPU nor the bus works meanwhile. If nothing is uploaded each unit
// multiplies with what it holds, one after the other.
//
// The output head is left out: a prompt needs the logits of its last token alone.
class BatchCosts {
public:
    BatchCosts(const TokenCosts& costs, const Speeds& speeds, const WeightUpload& upload,
               int n_tokens);

    // The layer's first `hot` neurons are in VRAM. Infinite: a speed that is needed is unknown.
    double layer_seconds(std::size_t layer, bool attention_in_vram, int hot) const;
    // The processor multiplies some before the first layer.
    double other_seconds() const;

private:
    // Weights count as often as a token multiplies with them.
    double neuron_bytes(std::size_t layer, int n) const;
    double attention_seconds(const LayerBytes& layer) const;
    double gpu_seconds(double bytes) const;
    double cpu_seconds(double bytes) const;

    const TokenCosts& costs_;
    const Speeds& speeds_;
    const int n_tokens_;
    const bool uploads_;
    const double gpu_share_;  // of its measured arithmetic
    double gflop_per_byte_ = 0;
    // [n_layer]: of a mixture the sum of its first experts' rates, [experts + 1]; else empty
    std::vector<std::vector<double>> chosen_;
};

// The seconds of a batch. Empty: arithmetic is not known of a unit that takes part, or of the
// model.
std::optional<double> batch_seconds(const TokenCosts& costs, const Placement& placement,
                                    const Speeds& speeds, const WeightUpload& upload, int n_tokens);

// A prompt and its answer: so many tokens of prompt are read for each that is written. A judgement,
// nothing that was measured: chats write more than they read, documents and code are read many
// times as long as what is written about them. A token of a 7B that lies in RAM and VRAM takes 16
// ms, three of its prompt 0.5 to 1.1 (docs/measurements/nvidia-h200.md).
inline constexpr double kPromptPerWritten = 3;
// Tokens of that prompt: it is computed in batches of so many, or the largest there are.
inline constexpr int kUsualPrompt = 512;

// Splits of a model are compared by this: a written token with its share of the prompt.
class ExchangeCosts {
public:
    // n_batch: the most tokens of a batch. Prompts count where the arithmetic of both units and of
    // the model is known.
    ExchangeCosts(const TokenCosts& costs, const Speeds& speeds, const WeightUpload& upload,
                  int n_batch);

    // decode: of the same part, for a token. The first `hot` neurons are in VRAM.
    double layer_seconds(double decode, std::size_t layer, bool attention_in_vram, int hot) const;
    double other_seconds(double decode) const;
    // The sum of all; empty: as decode_seconds().
    std::optional<double> seconds(const Placement& placement, int positions) const;

private:
    const TokenCosts& costs_;
    const Speeds& speeds_;
    BatchCosts batch_;
    double weight_ = 0;  // of a batch's seconds
};

}  // namespace hearth
