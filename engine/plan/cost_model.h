// What a token costs: the bytes each memory must deliver for it, and from measured bandwidths how
// long that takes. Decoding one token is bound by memory (PowerInfer, SOSP'24, section 6.3:
// T = bytes / bandwidth), so bytes are all a forecast needs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/model_spec.h"
#include "model/weights.h"
#include "plan/placement.h"
#include "plan/plan.h"
#include "plan/profile.h"

namespace hearth {

// Bytes of the rows of one neuron.
struct NeuronBytes {
    std::uint64_t gate = 0;  // 0: the block has no gate, up decides what fires
    std::uint64_t up = 0;
    std::uint64_t down = 0;
    // down is stored by output, so that its columns are no rows to choose from: read whole.
    bool down_whole = false;

    std::uint64_t total() const { return gate + up + down; }
};

struct LayerBytes {
    std::uint64_t attention = 0;  // its matrices, norms and biases: read whole for every token
    NeuronBytes neuron;           // all neurons of a layer are alike
    std::uint64_t predictor = 0;  // read whole for every token when predicted
};

struct ModelBytes {
    std::vector<LayerBytes> layers;
    std::uint64_t output = 0;         // final norm and output head
    std::uint64_t kv_position = 0;    // keys and values of one position, all layers, F16
    std::uint64_t multiply_adds = 0;  // of all matrices, for one token

    std::uint64_t predictors() const;
};

// As tensors have them in the file; tensors that are not there count nothing. Predictors are those
// the layers use.
ModelBytes model_bytes(const ModelSpec& spec, const ModelTensors& tensors);

// The neurons of a layer, those that fire most often first.
struct LayerHeat {
    std::vector<int> order;     // [n_ff]: which neuron; empty: as the file has them
    std::vector<double> rates;  // [n_ff], not ascending: how often each fires per token, 0 to 1
};
struct NeuronHeat {
    std::vector<LayerHeat> layers;  // [n_layer]
    bool measured = false;          // false: every neuron counts as firing for every token
};
// `profile` may be null, or be of another model: then nothing is measured.
NeuronHeat neuron_heat(const ModelSpec& spec, const ActivationProfile* profile);

// All that decides what a token costs.
struct TokenCosts {
    ModelBytes bytes;
    NeuronHeat heat;
    FeedForwardMode mode = FeedForwardMode::Dense;
    Activation activation = Activation::SiluGated;
};

// The mode that can be had: Dense where the activation leaves no hidden value at 0.
FeedForwardMode possible_mode(Activation activation, FeedForwardMode wanted);

// Bytes read for a neuron that fires at `rate`, on average.
double expected_bytes(const TokenCosts& costs, const NeuronBytes& neuron, double rate);

// Positions a forecast assumes the KV cache to hold: a short conversation.
inline constexpr int kForecastPositions = 256;

// What one decoded token reads on average.
struct DecodeCosts {
    double ram_bytes = 0;
    double vram_bytes = 0;
    double flash_bytes = 0;
    int synchronisations = 0;  // layers in which two units meet
};
// hot: of each layer so many of its first neurons in heat's order are in VRAM; empty: none.
// Attention, KV cache, predictors and output are in RAM.
DecodeCosts decode_costs(const TokenCosts& costs, std::span<const int> hot, int positions);

// Measured; 0: unknown.
struct Speeds {
    MemoryUnit ram;
    MemoryUnit vram;
    MemoryUnit flash;
    double gflop_per_s = 0;
};

// Seconds a token takes if every memory delivers what was measured, one after another: what units
// gain by working at the same time is not counted before an executor has shown it. Empty: a
// bandwidth that is needed is unknown.
std::optional<double> decode_seconds(const DecodeCosts& costs, const Speeds& speeds);

// The share of measured bandwidth that arrives in tokens. Dense decode reaches 60 to 94 % of it on
// the machines of the README, mostly around 85; rows picked one by one are read less evenly. high
// is the limit itself.
struct SpeedRange {
    double low = 0, mid = 0, high = 0;
};
SpeedRange attained_share(FeedForwardMode mode);

struct Forecast {
    std::optional<SpeedRange> decode_per_s;  // tokens
    std::optional<double> prefill_per_s;     // tokens; empty: arithmetic was not measured
    std::optional<double> ttft_ms;           // for kForecastPositions tokens of prompt
};
Forecast forecast(const TokenCosts& costs, std::span<const int> hot, int positions,
                  const Speeds& speeds);

}  // namespace hearth
