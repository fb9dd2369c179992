#include "plan/batch_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hearth {
namespace {

// The share of the measured arithmetic that prefill reaches. The rest goes to attention and to what
// lies between the products (docs/measurements/nvidia-h200.md: 76 to 107 %).
constexpr double kPrefillShare = 0.85;
// A GPU's products of a mixture: each expert has a few of a batch's tokens. 0.31 was measured for
// 512 tokens and 8 of 128 experts.
constexpr double kMixturePrefillShare = 0.31;

// The share of the bus that weights reach on their way to a batch: 173 ms of 200 where 8.1 GB of a
// mixture passed it, and 0.85 to 1 in other rows (docs/measurements/nvidia-h200.md).
constexpr double kUploadShare = 0.87;

// Attention of a batch on the processor where its speed was not measured, in products' arithmetic:
// 4,096 tokens of an 8B came to about 0.75 Tflop/s of heads where products reach 2.5
// (docs/measurements/nvidia-h200.md).
constexpr double kHeadsShare = 0.3;
// Queries, keys and values pass the bus, and the processor copies them and what comes of them. This
// is the rest of the 6.2 ms that such a layer of a 7B takes for 512 tokens, with the arithmetic
// (2.9) and the bus (0.84) taken off.
constexpr double kHandOverGbPerS = 14;

constexpr double kForever = std::numeric_limits<double>::infinity();

bool usable(double number) {
    return std::isfinite(number) && number > 0;
}

// `amount` things at so many a second, in the same unit.
double seconds_for(double amount, double per_s) {
    return amount <= 0 ? 0 : usable(per_s) ? amount / per_s : kForever;
}
// Over a bus: crossing one that was not measured takes no time.
double crossing_seconds(double bytes, double gb_per_s) {
    return usable(gb_per_s) ? bytes / (gb_per_s * 1e9) : 0;
}

bool has_mixture(const TokenCosts& costs) {
    return std::any_of(costs.bytes.layers.begin(), costs.bytes.layers.end(),
                       [](const LayerBytes& layer) { return layer.is_mixture(); });
}

int n_ff(const TokenCosts& costs, std::size_t layer) {
    return static_cast<int>(costs.heat.layers[layer].rates.size());
}

}  // namespace

BatchCosts::BatchCosts(const TokenCosts& costs, const Speeds& speeds, const WeightUpload& upload,
                       int n_tokens)
    : costs_(costs),
      speeds_(speeds),
      n_tokens_(n_tokens),
      uploads_(upload.applies_to(n_tokens)),
      gpu_share_(has_mixture(costs) ? kMixturePrefillShare : kPrefillShare) {
    auto bytes = static_cast<double>(costs.bytes.layer_inputs);
    chosen_.resize(costs.bytes.layers.size());
    for (std::size_t l = 0; l < costs.bytes.layers.size(); ++l) {
        const LayerBytes& layer = costs.bytes.layers[l];
        if (layer.is_mixture()) {
            const std::vector<double>& rates = costs.heat.layers[l].rates;
            chosen_[l].push_back(0);
            for (std::size_t first = 0; first < rates.size();
                 first += static_cast<std::size_t>(layer.expert_neurons)) {
                chosen_[l].push_back(chosen_[l].back() + rates[first]);
            }
        }
        bytes += static_cast<double>(layer.attention) + static_cast<double>(layer.block) +
                 neuron_bytes(l, n_ff(costs, l));
    }
    const ModelBytes& all = costs.bytes;
    const auto multiply_adds = static_cast<double>(
        all.multiply_adds - std::min(all.multiply_adds, all.output_multiply_adds));
    gflop_per_byte_ = bytes > 0 ? 2e-9 * multiply_adds * n_tokens / bytes : 0;
}

double BatchCosts::neuron_bytes(std::size_t layer, int n) const {
    const LayerBytes& bytes = costs_.bytes.layers[layer];
    const auto neuron = static_cast<double>(bytes.neuron.total());
    if (!bytes.is_mixture()) {
        return neuron * n;  // a batch multiplies with all
    }
    return neuron * bytes.expert_neurons *
           chosen_[layer][static_cast<std::size_t>(n / bytes.expert_neurons)];
}

double BatchCosts::gpu_seconds(double bytes) const {
    return seconds_for(bytes * gflop_per_byte_, speeds_.vram_gflop_per_s) / gpu_share_;
}

double BatchCosts::cpu_seconds(double bytes) const {
    return seconds_for(bytes * gflop_per_byte_, speeds_.gflop_per_s) / kPrefillShare;
}

// On the processor, for the GPU: the tokens of a batch see half of it in the mean.
double BatchCosts::attention_seconds(const LayerBytes& layer) const {
    const int seen = std::max(1, n_tokens_ / 2);
    const double attended = static_cast<double>(layer.attended) *
                            (layer.window > 0 ? std::min(layer.window, seen) : seen);
    // Four times with each value of a state: it fades, is asked twice, and takes the token in.
    const double recurred = static_cast<double>(layer.state);
    const double gflop = 2e-9 * (attended + recurred) * n_tokens_;
    const double to_heads = static_cast<double>(layer.to_heads) * n_tokens_;
    const double from_heads = static_cast<double>(layer.from_heads) * n_tokens_;
    return seconds_for(gflop, usable(speeds_.heads_gflop_per_s)
                                  ? speeds_.heads_gflop_per_s
                                  : speeds_.gflop_per_s * kHeadsShare) +
           crossing_seconds(to_heads, speeds_.from_vram_gb_per_s) +
           crossing_seconds(from_heads, speeds_.to_vram_gb_per_s) +
           seconds_for(to_heads + from_heads, kHandOverGbPerS * 1e9);
}

double BatchCosts::layer_seconds(std::size_t layer, bool attention_in_vram, int hot) const {
    const LayerBytes& bytes = costs_.bytes.layers[layer];
    const int all = n_ff(costs_, layer);
    const auto attention = static_cast<double>(bytes.attention);
    const auto block = static_cast<double>(bytes.block);
    if (uploads_) {
        const double cold = static_cast<double>(bytes.neuron.total()) * (all - hot);
        const double uploaded = (attention_in_vram ? 0 : attention) + (hot > 0 ? 0 : block) + cold;
        return std::max(gpu_seconds(attention + block + neuron_bytes(layer, all)),
                        seconds_for(uploaded, speeds_.to_vram_gb_per_s * 1e9 * kUploadShare)) +
               (attention_in_vram ? 0 : attention_seconds(bytes));
    }
    const double vram =
        (attention_in_vram ? attention : 0) + (hot > 0 ? block : 0) + neuron_bytes(layer, hot);
    const double ram = (attention_in_vram ? 0 : attention) + (hot > 0 ? 0 : block) +
                       neuron_bytes(layer, all) - neuron_bytes(layer, hot);
    return gpu_seconds(vram) + cpu_seconds(ram);
}

double BatchCosts::other_seconds() const {
    return cpu_seconds(static_cast<double>(costs_.bytes.layer_inputs));
}

std::optional<double> batch_seconds(const TokenCosts& costs, const Placement& placement,
                                    const Speeds& speeds, const WeightUpload& upload,
                                    int n_tokens) {
    if (costs.bytes.multiply_adds == 0) {
        return std::nullopt;
    }
    const BatchCosts batch(costs, speeds, upload, n_tokens);
    double seconds = batch.other_seconds();
    const std::size_t n_layer = std::min(costs.bytes.layers.size(), costs.heat.layers.size());
    for (std::size_t l = 0; l < n_layer; ++l) {
        const auto layer = static_cast<int>(l);
        seconds += batch.layer_seconds(l, placement.attention_in_vram(layer), placement.hot(layer));
    }
    return usable(seconds) ? std::optional(seconds) : std::nullopt;
}

ExchangeCosts::ExchangeCosts(const TokenCosts& costs, const Speeds& speeds,
                             const WeightUpload& upload, int n_batch)
    : costs_(costs),
      speeds_(speeds),
      batch_(costs, speeds, upload, std::clamp(n_batch, 1, kUsualPrompt)) {
    const bool known = costs.bytes.multiply_adds > 0 && usable(speeds.gflop_per_s) &&
                       usable(speeds.vram_gflop_per_s);
    weight_ = known ? kPromptPerWritten / std::clamp(n_batch, 1, kUsualPrompt) : 0;
}

double ExchangeCosts::layer_seconds(double decode, std::size_t layer, bool attention_in_vram,
                                    int hot) const {
    return weight_ > 0 ? decode + weight_ * batch_.layer_seconds(layer, attention_in_vram, hot)
                       : decode;
}

double ExchangeCosts::other_seconds(double decode) const {
    return weight_ > 0 ? decode + weight_ * batch_.other_seconds() : decode;
}

std::optional<double> ExchangeCosts::seconds(const Placement& placement, int positions) const {
    auto seconds = decode_seconds(costs_, placement, positions, speeds_);
    if (!seconds || weight_ == 0) {
        return seconds;
    }
    *seconds += weight_ * batch_.other_seconds();
    for (std::size_t l = 0; l < costs_.heat.layers.size(); ++l) {
        const auto layer = static_cast<int>(l);
        *seconds += weight_ * batch_.layer_seconds(l, placement.attention_in_vram(layer),
                                                   placement.hot(layer));
    }
    return seconds;
}

}  // namespace hearth
