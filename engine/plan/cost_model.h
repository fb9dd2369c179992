// The cost of a token: the bytes that each memory must deliver for it, and, from measured
// bandwidths, the time that takes. Decoding one token is bound by memory (PowerInfer, SOSP'24,
// section 6.3: T = bytes / bandwidth), so a forecast needs only the bytes and the cost of a
// round trip between the units.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/model_spec.h"
#include "model/weights.h"
#include "plan/firing_split.h"
#include "plan/plan.h"
#include "plan/profile.h"

namespace hearth {

// Bytes of the rows of one neuron.
struct NeuronBytes {
    std::uint64_t gate = 0;  // 0: the block has no gate, up decides what fires
    std::uint64_t up = 0;    // with its bias, if there is one
    std::uint64_t down = 0;
    // down is stored by output. Its columns cannot be read one by one, so it is read whole.
    bool down_whole = false;
    int block = 1;           // the number of columns of such a down projection that stay together
    bool of_expert = false;  // read whole if its expert is chosen, and else not
    // The share of the neurons that a token asks for, if a router chooses single neurons.
    double asked_share = 1;

    std::uint64_t total() const { return gate + up + down; }
};

struct LayerBytes {
    // Its matrices, both norms, all biases but up's: read whole for every token.
    std::uint64_t attention = 0;
    NeuronBytes neuron;      // all neurons of a layer are alike
    int expert_neurons = 0;  // of an expert, which is placed whole; 0: the layer is no mixture
    // Its router, its shared expert and the matrices before and behind its experts, read by the
    // first neuron's unit. The other unit's copy of the last two counts as nothing.
    std::uint64_t block = 0;
    std::uint64_t kv_position = 0;  // keys and values of one position, as they are read
    // Multiplications with the keys and values of one position, of each token that attends to it.
    std::uint64_t attended = 0;
    // The heads read and leave so much of one token, in floats, where they are another unit's.
    std::uint64_t to_heads = 0, from_heads = 0;
    int past_of = AttentionSpec::kOwnPast;  // the layer that holds them
    int window = 0;                         // so many positions are read at most; 0: all
    int kept = 0;                           // AttentionSpec::kept
    std::uint64_t state = 0;          // of a recurrent layer, read and written for every token
    std::uint64_t predictor = 0;      // read whole for every token when predicted
    std::uint64_t predictor_row = 0;  // the part of one neuron: a unit reads those of its neurons,
                                      // and the rest of the predictor if it has any neuron

    bool is_mixture() const { return expert_neurons > 0; }
};

struct ModelBytes {
    std::vector<LayerBytes> layers;
    std::uint64_t output = 0;                // final norm with its bias, and output head
    std::uint64_t multiply_adds = 0;         // of all matrices, for one token
    std::uint64_t output_multiply_adds = 0;  // of these, the output head's
    std::uint64_t stream = 0;        // the residual stream of one token, which units pass on
    std::uint64_t layer_inputs = 0;  // what the processor reads for a token's inputs of layers
};

// The greatest border up to `border` that parts no layer from the one whose keys and values it
// reads: layers before it may be one unit's, layers from it on the other's.
int border_of_pasts(const ModelBytes& bytes, int border);

// The bytes of the tensors in the file. Tensors that are not there count as nothing. Counts the
// predictors that the layers use.
ModelBytes model_bytes(const ModelSpec& spec, const ModelTensors& tensors);

// The neurons of a layer. Those that fire most often come first if they can be moved.
struct LayerHeat {
    // [n_ff]: which neuron; of a mixture [experts]: which expert; empty: as the file has them
    std::vector<int> order;
    // [n_ff]: how often each fires per token by firing_rate(), 0 to 1; not ascending if there is an
    // order. A mixture's neurons fire where their expert is chosen.
    std::vector<double> rates;
};
struct NeuronHeat {
    std::vector<LayerHeat> layers;  // [n_layer]
    // false: every neuron counts as firing for every token, and experts as chosen alike
    bool measured = false;
    // [n_layer]: of a packed file, which neuron of the file that it was made from each of a layer's
    // is, [n_ff]; empty: each the same. Empty: of every layer.
    std::vector<std::vector<std::int32_t>> source;
};
// Whether the profile is of enough tokens and has a count for each neuron of such a model.
bool counts_every_neuron(const ActivationProfile& profile, const ModelSpec& spec);
// `profile` may be null, of another model, or of fewer than kProfileTokensMin tokens: then nothing
// is measured. Where `bytes` says that down is stored by output, neurons keep the file's order: a
// column cannot leave its block.
NeuronHeat neuron_heat(const ModelSpec& spec, const ActivationProfile* profile,
                       const ModelBytes* bytes = nullptr);

// Everything that decides what a token costs.
struct TokenCosts {
    ModelBytes bytes;
    NeuronHeat heat;
    FeedForwardMode mode = FeedForwardMode::Dense;
    Activation activation = Activation::SiluGated;
};

// The bytes of all weights, whatever a token reads of them.
double weight_bytes(const TokenCosts& costs);

// The part of these that lies in RAM or on flash.
double processor_weight_bytes(const TokenCosts& costs, const Placement& placement);

// The mode that is possible: Dense where the activation leaves no hidden value at 0, and of a
// mixture, whose tokens read all neurons of their experts.
FeedForwardMode possible_mode(const ModelSpec& spec, FeedForwardMode wanted);

// The bytes that are read on average for a neuron that fires at `rate`.
double expected_bytes(const TokenCosts& costs, const NeuronBytes& neuron, double rate);

// Positions a forecast assumes the KV cache to hold: a short conversation.
inline constexpr int kForecastPositions = 256;

// Measured speeds; 0: unknown.
struct Speeds {
    MemoryUnit ram;
    MemoryUnit vram;
    MemoryUnit flash;
    double ram_rows_gb_per_s = 0;  // of rows that are picked; unknown: as fast as all others
    double flash_reads_per_s = 0;  // scattered ones of a neuron's size
    double gflop_per_s = 0;        // of the processor
    double heads_gflop_per_s = 0;  // of its attention; unknown: a share of that of products
    double vram_gflop_per_s = 0;
    double to_vram_gb_per_s = 0;  // over the bus; unknown: crossing it takes no time
    double from_vram_gb_per_s = 0;
};

// What one decoded token reads on average.
struct DecodeCosts {
    double ram_bytes = 0;
    double vram_bytes = 0;
    double flash_bytes = 0;
    // Round trips between units: half of the signals of the pass.
    double round_trips = 0;
};
// Each layer's first hot() neurons of heat's order are in VRAM. The placement's own order says only
// which those are. positions: those in the KV cache.
DecodeCosts decode_costs(const TokenCosts& costs, const Placement& placement, int positions);

// The bytes that each unit reads in the steps of one layer.
struct LayerWork {
    double ram_attention = 0, vram_attention = 0;  // bytes, with the KV cache
    double ram_block = 0, vram_block = 0;
    double ram_rows = 0;  // of ram_block: in rows that are picked here and there
    // Of the GPU, one after the other: what each takes beside its bytes counts where they are few.
    int attention_steps = 0, block_steps = 0;
    int n_signals = 0;  // of one unit to the other within the layer
};
// The expected bytes of the first n neurons of a layer in heat's order, [n_ff + 1].
std::vector<double> neuron_bytes_sums(const TokenCosts& costs, std::size_t layer);
// sums: neuron_bytes_sums() of the layer.
LayerWork layer_work(const TokenCosts& costs, std::size_t layer, std::span<const double> sums,
                     bool attention_in_vram, int hot, int positions);

// The seconds of a layer if every memory delivers the measured bandwidth, and each of the GPU's
// steps takes vram.step_us besides. Units work on a block's neurons at the same time, and on
// everything else one after the other. Precondition: the bandwidths that are needed are known.
double layer_seconds(const LayerWork& work, const TokenCosts& costs, const Speeds& speeds);
// The seconds outside of layers: the output head and the changes of units.
double other_seconds(const TokenCosts& costs, const Placement& placement, const Speeds& speeds);
// The seconds of a whole token. Empty: a bandwidth that is needed is unknown.
std::optional<double> decode_seconds(const TokenCosts& costs, const Placement& placement,
                                     int positions, const Speeds& speeds);

// The share of the bandwidth of single products that decoding reaches: attention and the steps
// between take the rest (docs/measurements/nvidia-h200.md: dense 77 to 97 %, sparse 88 to 99 %).
// high is the limit itself.
struct SpeedRange {
    double low = 0, mid = 0, high = 0;
};
SpeedRange attained_share(FeedForwardMode mode);
// Where the GPU does all of it, and what its steps cost is counted: of that sum. Kernels differ in
// what they cost beside their bytes, so the sum is no limit (docs/measurements/nvidia-h200.md: 0.78
// to 1.2 of it).
inline constexpr SpeedRange kAttainedInVram{0.75, 0.95, 1.2};
// Likewise of scattered reads: bursts, which other threads' arithmetic competes with.
inline constexpr SpeedRange kAttainedReads{0.5, 0.8, 1.0};
// Of the disk's bandwidth in order, by weights that stream.
inline constexpr SpeedRange kAttainedStream{0.7, 0.9, 1.0};

// What passes read from disk.
struct FlashWork {
    double token_bytes = 0;             // in the file's order
    std::vector<double> layer_reads{};  // of neurons that RAM has not; empty: of no layer
    std::vector<double> layer_bytes{};  // of a mixture's experts that RAM has not; likewise
    double batch_bytes = 0;
    double token_reads() const;
    double expert_bytes() const;  // of a token, in all layers
};

// Of the neurons that a token asks for, the share that a cache with slots for `share` of a layer's
// neurons has not: about what was measured (docs/measurements/replayed-caches.md). With little more
// room than one token asks for, what is used often gives way to what is used once.
double missed_share(double share);

// Of the neurons that the processor has, the expected number: those beyond the slots if each
// layer's slots hold what fires most, which no cache betters, or by missed_share(), whichever is
// more. A mixture's experts count as chosen alike, and a batch reads all that have no slot.
// placement: as for decode_costs().
FlashWork flash_work(const TokenCosts& costs, const Placement& placement, std::uint64_t token_bytes,
                     std::uint64_t batch_bytes);

struct Forecast {
    std::optional<SpeedRange> decode_per_s;  // tokens
    std::optional<double> prefill_per_s;     // tokens; empty: arithmetic was not measured
    std::optional<double> ttft_ms;           // for kForecastPositions tokens of prompt
};
// Prefill is that of batches of n_batch tokens, 0: of kForecastPositions; batch_costs.h says what
// they take. A pass takes at least as long as what it reads from disk. Neurons are read while their
// layer's block computes, and not while attention does: a layer takes its attention and the longer
// of both. Nothing is forecast where the disk's speed is needed and not known.
Forecast forecast(const TokenCosts& costs, const Placement& placement, int positions,
                  const Speeds& speeds, const WeightUpload& upload = {}, int n_batch = 0,
                  const FlashWork& flash = {});

}  // namespace hearth
