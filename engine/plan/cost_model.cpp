#include "plan/cost_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <numeric>

#include "gguf/rows.h"

namespace hearth {
namespace {

// Neurons a predictor names for each that fires: shipped predictors are tuned for recall.
constexpr double kPredictedPerFiring = 1.25;

// Of the arithmetic measured, what prefill reaches (README: 52 to 70 %).
constexpr double kPrefillShare = 0.6;

std::uint64_t bytes_of(std::initializer_list<const TensorInfo*> tensors) {
    std::uint64_t bytes = 0;
    for (const TensorInfo* tensor : tensors) {
        bytes += tensor != nullptr ? tensor->bytes : 0;
    }
    return bytes;
}

std::uint64_t values_of(std::initializer_list<const TensorInfo*> tensors) {
    std::uint64_t values = 0;
    for (const TensorInfo* tensor : tensors) {
        values += tensor != nullptr && tensor->shape.size() == 2 ? tensor->values() : 0;
    }
    return values;
}

std::uint64_t row_of(const NeuronRows& rows) {
    return rows.present() ? row_bytes(rows.type, static_cast<std::uint64_t>(rows.cols)) : 0;
}

bool usable(double number) {
    return std::isfinite(number) && number > 0;
}

// Whether the profile has every count that this model asks for.
bool is_of(const ActivationProfile& profile, const ModelSpec& spec) {
    return profile.tokens > 0 && spec.n_layer >= 0 &&
           profile.layers.size() == static_cast<std::size_t>(spec.n_layer) &&
           std::all_of(profile.layers.begin(), profile.layers.end(), [&](const LayerProfile& l) {
               return l.fired[0].size() == static_cast<std::size_t>(std::max(spec.n_ff, 0));
           });
}

}  // namespace

std::uint64_t ModelBytes::predictors() const {
    return std::accumulate(
        layers.begin(), layers.end(), std::uint64_t{0},
        [](std::uint64_t sum, const LayerBytes& layer) { return sum + layer.predictor; });
}

ModelBytes model_bytes(const ModelSpec& spec, const ModelTensors& tensors) {
    ModelBytes model;
    model.output = bytes_of({tensors.output_norm, tensors.output});
    model.kv_position = std::uint64_t{2} * sizeof(std::uint16_t) *
                        static_cast<std::uint64_t>(spec.n_layer) *
                        static_cast<std::uint64_t>(spec.n_embd_kv());
    model.multiply_adds = values_of({tensors.output});
    const auto n_ff = static_cast<std::uint64_t>(std::max(spec.n_ff, 1));
    for (const LayerTensors& layer : tensors.layers) {
        LayerBytes bytes;
        bytes.attention =
            bytes_of({layer.attn_norm, layer.attn_q, layer.attn_k, layer.attn_v, layer.attn_q_bias,
                      layer.attn_k_bias, layer.attn_v_bias, layer.attn_output, layer.ffn_norm});
        bytes.neuron = {row_of(layer.ffn_gate), row_of(layer.ffn_up), row_of(layer.ffn_down_t)};
        if (layer.ffn_down != nullptr) {
            // Its columns are neurons; where blocks do not divide among them, what is left over
            // moves with none.
            bytes.neuron.down = layer.ffn_down->bytes / n_ff;
            bytes.neuron.down_whole = true;
            bytes.attention += layer.ffn_down->bytes % n_ff;
        }
        bytes.predictor = layer.predictor.bytes();
        model.multiply_adds +=
            values_of({layer.attn_q, layer.attn_k, layer.attn_v, layer.attn_output}) +
            n_ff * static_cast<std::uint64_t>(spec.n_embd) * (layer.ffn_gate.present() ? 3 : 2);
        model.layers.push_back(bytes);
    }
    return model;
}

NeuronHeat neuron_heat(const ModelSpec& spec, const ActivationProfile* profile) {
    NeuronHeat heat;
    heat.layers.resize(static_cast<std::size_t>(std::max(spec.n_layer, 0)));
    heat.measured = profile != nullptr && is_of(*profile, spec);
    const auto n_ff = static_cast<std::size_t>(std::max(spec.n_ff, 0));
    for (std::size_t l = 0; l < heat.layers.size(); ++l) {
        LayerHeat& layer = heat.layers[l];
        if (!heat.measured) {
            layer.rates.assign(n_ff, 1.0);
            continue;
        }
        const std::vector<std::uint32_t>& fired = profile->layers[l].fired[0];
        layer.order.resize(n_ff);
        std::iota(layer.order.begin(), layer.order.end(), 0);
        std::stable_sort(layer.order.begin(), layer.order.end(), [&](int a, int b) {
            return fired[static_cast<std::size_t>(a)] > fired[static_cast<std::size_t>(b)];
        });
        layer.rates.reserve(n_ff);
        for (const int neuron : layer.order) {
            layer.rates.push_back(
                std::min(1.0, static_cast<double>(fired[static_cast<std::size_t>(neuron)]) /
                                  static_cast<double>(profile->tokens)));
        }
    }
    return heat;
}

FeedForwardMode possible_mode(Activation activation, FeedForwardMode wanted) {
    return is_sparse(activation) ? wanted : FeedForwardMode::Dense;
}

double expected_bytes(const TokenCosts& costs, const NeuronBytes& neuron, double rate) {
    const auto gate = static_cast<double>(neuron.gate);
    const auto up = static_cast<double>(neuron.up);
    const double down = static_cast<double>(neuron.down) * (neuron.down_whole ? 1 : rate);
    switch (costs.mode) {
        case FeedForwardMode::Dense:
        case FeedForwardMode::Thresholded:  // how much is left out no profile says
            break;
        case FeedForwardMode::Exact: {
            if (neuron.gate == 0) {
                return up + down;
            }
            // dReLU needs up for every neuron whose gate is positive, which is more than fire: with
            // gate and up alike and independent, the square root.
            const double open = costs.activation == Activation::DRelu ? std::sqrt(rate) : rate;
            return gate + open * up + down;
        }
        case FeedForwardMode::Predicted: {
            const double named = std::min(1.0, rate * kPredictedPerFiring);
            return named * (gate + up) + down;
        }
    }
    return static_cast<double>(neuron.total());
}

DecodeCosts decode_costs(const TokenCosts& costs, std::span<const int> hot, int positions) {
    DecodeCosts sum;
    sum.ram_bytes = static_cast<double>(costs.bytes.output) +
                    static_cast<double>(costs.bytes.kv_position) * std::max(positions, 0);
    const std::size_t n_layer = std::min(costs.bytes.layers.size(), costs.heat.layers.size());
    for (std::size_t l = 0; l < n_layer; ++l) {
        const LayerBytes& layer = costs.bytes.layers[l];
        const std::vector<double>& rates = costs.heat.layers[l].rates;
        const auto n_hot = hot.empty() ? std::size_t{0} : static_cast<std::size_t>(hot[l]);
        sum.ram_bytes += static_cast<double>(layer.attention);
        if (costs.mode == FeedForwardMode::Predicted) {
            sum.ram_bytes += static_cast<double>(layer.predictor);
        }
        for (std::size_t n = 0; n < rates.size(); ++n) {
            (n < n_hot ? sum.vram_bytes : sum.ram_bytes) +=
                expected_bytes(costs, layer.neuron, rates[n]);
        }
        sum.synchronisations += n_hot > 0 ? 1 : 0;
    }
    return sum;
}

std::optional<double> decode_seconds(const DecodeCosts& costs, const Speeds& speeds) {
    double seconds = 0;
    const auto add = [&](double bytes, const MemoryUnit& unit) {
        if (bytes > 0 && !usable(unit.bandwidth_gb_per_s)) {
            return false;
        }
        seconds += bytes > 0 ? bytes / (unit.bandwidth_gb_per_s * 1e9) : 0;
        return true;
    };
    if (!add(costs.ram_bytes, speeds.ram) || !add(costs.vram_bytes, speeds.vram) ||
        !add(costs.flash_bytes, speeds.flash)) {
        return std::nullopt;
    }
    seconds += costs.synchronisations > 0 ? costs.synchronisations * speeds.vram.sync_us * 1e-6 : 0;
    if (!usable(seconds)) {
        return std::nullopt;
    }
    return seconds;
}

SpeedRange attained_share(FeedForwardMode mode) {
    return mode == FeedForwardMode::Dense ? SpeedRange{0.6, 0.85, 1.0} : SpeedRange{0.5, 0.8, 1.0};
}

Forecast forecast(const TokenCosts& costs, std::span<const int> hot, int positions,
                  const Speeds& speeds) {
    Forecast out;
    if (const auto seconds = decode_seconds(decode_costs(costs, hot, positions), speeds)) {
        const SpeedRange share = attained_share(costs.mode);
        out.decode_per_s =
            SpeedRange{share.low / *seconds, share.mid / *seconds, share.high / *seconds};
    }
    if (usable(speeds.gflop_per_s) && costs.bytes.multiply_adds > 0) {
        const double operations = 2.0 * static_cast<double>(costs.bytes.multiply_adds);
        out.prefill_per_s = kPrefillShare * speeds.gflop_per_s * 1e9 / operations;
        out.ttft_ms = 1000.0 * kForecastPositions / *out.prefill_per_s;
    }
    return out;
}

}  // namespace hearth
