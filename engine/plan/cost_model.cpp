#include "plan/cost_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "model/past_shape.h"
#include "plan/batch_costs.h"
#include "plan/steps.h"

namespace hearth {
namespace {

// How many neurons a predictor names for each one that fires. Shipped predictors are tuned for
// recall.
constexpr double kPredictedPerFiring = 1.25;

// The part's bytes and its matrices' values, of which a token multiplies with each once.
struct Sums {
    std::uint64_t bytes = 0;
    std::uint64_t values = 0;
};
Sums sums_of(Part part, const ByRole<Weight>& weights) {
    Sums sums;
    for (std::size_t i = 0; i < kRoles; ++i) {
        const RoleRow& row = row_of(static_cast<Role>(i));
        if (row.part == part) {
            sums.bytes += weights[row.role].bytes();
            sums.values += row.is_vector() ? 0 : weights[row.role].values();
        }
    }
    return sums;
}

bool usable(double number) {
    return std::isfinite(number) && number > 0;
}

std::uint64_t floats(int count) {
    return sizeof(float) * static_cast<std::uint64_t>(std::max(count, 0));
}

// Queries, keys and values, or what a state takes instead of them.
int n_to_heads(const LayerSpec& layer) {
    const int values = layer.is_latent() ? layer.n_embd_v() : layer.n_embd_kv();
    return layer.n_embd_q() + (layer.attention.has_own_past() ? layer.n_embd_kv() + values : 0);
}

}  // namespace

ModelBytes model_bytes(const ModelSpec& spec, const ModelTensors& tensors) {
    ModelBytes model;
    const Sums output = sums_of(Part::Output, tensors.weights);
    const Weight& layer_inputs = tensors[Role::LayerInputProj];
    model.output = output.bytes;
    model.layer_inputs = layer_inputs.bytes();
    model.output_multiply_adds = output.values;
    model.multiply_adds = output.values + layer_inputs.values();
    model.stream = sizeof(float) * static_cast<std::uint64_t>(std::max(spec.n_residual(), 0));
    for (std::size_t i = 0; i < tensors.layers.size(); ++i) {
        const LayerTensors& layer = tensors.layers[i];
        const auto n_ff = static_cast<std::uint64_t>(spec.layers[i].n_ff);
        LayerBytes bytes;
        const PastShape past = past_shape(spec.layers[i], 1);
        bytes.state = past.state_bytes();
        bytes.kv_position = past.bytes_of(1) - bytes.state;
        bytes.attended =
            bytes.kv_position > 0
                ? static_cast<std::uint64_t>(std::max(spec.layers[i].n_embd_q(), 0)) +
                      static_cast<std::uint64_t>(std::max(spec.layers[i].n_left_by_heads(), 0))
                : 0;
        bytes.to_heads = floats(n_to_heads(spec.layers[i]));
        bytes.from_heads = floats(spec.layers[i].n_left_by_heads());
        bytes.past_of = spec.layers[i].attention.past_of;
        bytes.window = spec.layers[i].attention.window;
        bytes.kept = spec.layers[i].attention.kept;
        const Sums attention = sums_of(Part::Attention, layer.weights);
        const Sums first = sums_of(Part::FirstNeuron, layer.weights);
        const Sums each = sums_of(Part::EachNeuron, layer.weights);
        const std::uint64_t with_first = first.bytes + each.bytes;
        const bool mixture = spec.layers[i].is_mixture();
        bytes.expert_neurons = mixture ? spec.layers[i].experts.n_ff : 0;
        bytes.block = mixture ? with_first : 0;
        bytes.attention = attention.bytes + (mixture ? 0 : with_first);
        if (!layer[Role::FfnNorm].same_as(layer[Role::AttnNorm])) {  // some norm once for both
            bytes.attention += sums_of(Part::BlockInput, layer.weights).bytes;
        }
        const ExpertsSpec& experts = spec.layers[i].experts;
        const double chosen = experts.present() ? experts.used_share() : 1.0;
        model.multiply_adds +=
            attention.values + first.values + each.values +
            static_cast<std::uint64_t>(
                chosen * static_cast<double>(sums_of(Part::Neurons, layer.weights).values));
        if (n_ff == 0) {
            model.layers.push_back(bytes);
            continue;
        }
        const Weight& down = layer[Role::Down];
        bytes.neuron = {layer[Role::Gate].row_size(), layer[Role::Up].row_size(),
                        down.by_neuron ? down.row_size() : down.bytes() / n_ff};
        bytes.neuron.of_expert = mixture;
        bytes.neuron.asked_share = spec.layers[i].is_routed() ? chosen : 1.0;
        bytes.neuron.up += layer[Role::UpBias].bytes() / n_ff;
        if (!down.by_neuron) {
            // Its columns are neurons. Bytes that do not divide evenly among them belong to none.
            bytes.neuron.down_whole = true;
            bytes.neuron.block = static_cast<int>(dtype_info(down.type).block_values);
            bytes.attention += down.bytes() % n_ff;
        }
        bytes.predictor = sums_of(Part::Predictor, layer.weights).bytes;
        bytes.predictor_row = layer[Role::PredictorFc2].bytes() / n_ff;
        model.layers.push_back(bytes);
    }
    return model;
}

int border_of_pasts(const ModelBytes& bytes, int border) {
    for (int layer = static_cast<int>(bytes.layers.size()) - 1; layer >= border; --layer) {
        const int source = bytes.layers[static_cast<std::size_t>(layer)].past_of;
        border = source == AttentionSpec::kOwnPast ? border : std::min(border, source);
    }
    return border;
}

bool counts_every_neuron(const ActivationProfile& profile, const ModelSpec& spec) {
    return profile.tokens >= kProfileTokensMin &&
           std::equal(profile.layers.begin(), profile.layers.end(), spec.layers.begin(),
                      spec.layers.end(), [](const LayerProfile& counts, const LayerSpec& layer) {
                          return counts.fired[0].size() ==
                                 static_cast<std::size_t>(layer.n_counted());
                      });
}

NeuronHeat neuron_heat(const ModelSpec& spec, const ActivationProfile* profile,
                       const ModelBytes* bytes) {
    NeuronHeat heat;
    heat.layers.resize(spec.layers.size());
    heat.measured = profile != nullptr && counts_every_neuron(*profile, spec);
    for (std::size_t l = 0; l < heat.layers.size(); ++l) {
        const auto n_ff = static_cast<std::size_t>(spec.layers[l].n_ff);
        LayerHeat& layer = heat.layers[l];
        const ExpertsSpec& experts = spec.layers[l].experts;
        if (!heat.measured) {
            layer.rates.assign(n_ff, experts.present() ? experts.used_share() : 1.0);
            continue;
        }
        const std::vector<std::uint32_t>& fired = profile->layers[l].fired[0];
        layer.order.resize(fired.size());
        std::iota(layer.order.begin(), layer.order.end(), 0);
        const bool fixed =
            bytes != nullptr && bytes->layers[l].neuron.down_whole && !spec.layers[l].is_mixture();
        if (!fixed) {
            std::stable_sort(layer.order.begin(), layer.order.end(), [&](int a, int b) {
                return fired[static_cast<std::size_t>(a)] > fired[static_cast<std::size_t>(b)];
            });
        }
        layer.rates.reserve(n_ff);
        for (const int neuron : layer.order) {
            layer.rates.insert(
                layer.rates.end(), static_cast<std::size_t>(spec.layers[l].n_ff_counted()),
                firing_rate(fired[static_cast<std::size_t>(neuron)], profile->tokens));
        }
        if (fixed) {
            layer.order.clear();
        }
    }
    return heat;
}

FeedForwardMode possible_mode(const ModelSpec& spec, FeedForwardMode wanted) {
    return is_sparse(spec.activation()) && !spec.has_experts() ? wanted : FeedForwardMode::Dense;
}

double weight_bytes(const TokenCosts& costs) {
    auto bytes = static_cast<double>(costs.bytes.output);
    for (std::size_t l = 0; l < costs.bytes.layers.size(); ++l) {
        const LayerBytes& layer = costs.bytes.layers[l];
        bytes += static_cast<double>(layer.attention) + static_cast<double>(layer.block) +
                 static_cast<double>(layer.neuron.total()) *
                     static_cast<double>(costs.heat.layers[l].rates.size());
    }
    return bytes;
}

double processor_weight_bytes(const TokenCosts& costs, const Placement& placement) {
    double bytes = weight_bytes(costs);
    bytes -= placement.output_in_vram() ? static_cast<double>(costs.bytes.output) : 0;
    for (std::size_t l = 0; l < costs.bytes.layers.size(); ++l) {
        const LayerBytes& layer = costs.bytes.layers[l];
        const auto index = static_cast<int>(l);
        const int hot = placement.hot(index);
        bytes -= placement.attention_in_vram(index) ? static_cast<double>(layer.attention) : 0;
        bytes -= static_cast<double>(layer.neuron.total()) * hot +
                 (hot > 0 ? static_cast<double>(layer.block) : 0);
    }
    return std::max(bytes, 0.0);
}

double expected_bytes(const TokenCosts& costs, const NeuronBytes& neuron, double rate) {
    const auto gate = static_cast<double>(neuron.gate);
    const auto up = static_cast<double>(neuron.up);
    const double down = static_cast<double>(neuron.down) * (neuron.down_whole ? 1 : rate);
    switch (costs.mode) {
        case FeedForwardMode::Dense:
        case FeedForwardMode::Thresholded:  // no profile says how much is left out
            break;
        case FeedForwardMode::Exact: {
            if (neuron.gate == 0) {
                return neuron.asked_share * up + down;
            }
            // dReLU needs up for every neuron whose gate is positive, and more gates are positive
            // than neurons fire. If gate and up are alike and independent, that share is the square
            // root.
            const double open = costs.activation == Activation::DRelu ? std::sqrt(rate) : rate;
            return neuron.asked_share * gate + std::min(open, neuron.asked_share) * up + down;
        }
        case FeedForwardMode::Predicted: {
            const double named = std::min(1.0, rate * kPredictedPerFiring);
            return named * (gate + up) + down;
        }
    }
    return (neuron.of_expert ? rate : neuron.asked_share) * static_cast<double>(neuron.total());
}

std::vector<double> neuron_bytes_sums(const TokenCosts& costs, std::size_t layer) {
    std::vector<double> sums{0};
    for (const double rate : costs.heat.layers[layer].rates) {
        sums.push_back(sums.back() + expected_bytes(costs, costs.bytes.layers[layer].neuron, rate));
    }
    return sums;
}

namespace {

// The positions that a token reads, of so many before it.
int positions_read(const LayerBytes& bytes, int positions) {
    const int all = std::max(positions, 0);
    return bytes.window > 0 ? std::min(all, bytes.window) : all;
}

// Of what is read of n neurons, the bytes that lie one after the other.
double in_order(const TokenCosts& costs, const NeuronBytes& neuron, int n) {
    double bytes = neuron.down_whole ? static_cast<double>(neuron.down) : 0;
    switch (costs.mode) {
        case FeedForwardMode::Dense:
        case FeedForwardMode::Thresholded:
            bytes = neuron.asked_share * static_cast<double>(neuron.total());
            break;
        case FeedForwardMode::Exact:  // what decides which neurons fire
            bytes += neuron.asked_share *
                     static_cast<double>(neuron.gate == 0 ? neuron.up : neuron.gate);
            break;
        case FeedForwardMode::Predicted:
            break;
    }
    return bytes * n;
}

// Of the GPU's dispatches for a token (vulkan/layer_recorder.h), those that wait for the one
// before. Attention and the picking of candidates take as long as several.
constexpr int kAttentionSteps = 4;  // q, k, v with their norm; attention, as two; its output
constexpr int kBlockSteps = 2;      // gate and up; down
constexpr int kNormSteps = 1;       // of a block whose norm others read, too (decision 91)
constexpr int kRowSteps = 1;        // down by neuron: the sum of its parts
constexpr int kRouteSteps = 2;      // of a mixture: the router's product, the choice
constexpr int kPredictorSteps = 5;  // both matrices, rounding before each, the processor's scores
constexpr int kHeadSteps = 6;       // norm; output; candidates, as four

// alone: the processor has none of the layer's neurons.
int block_steps(const TokenCosts& costs, const LayerBytes& bytes, bool alone) {
    const bool predicted = costs.mode == FeedForwardMode::Predicted;
    return kBlockSteps + (bytes.neuron.down_whole ? 0 : kRowSteps) +
           (bytes.is_mixture() ? kRouteSteps : 0) + (predicted ? kPredictorSteps : 0) +
           (bytes.is_mixture() || (alone && !predicted) ? 0 : kNormSteps);
}

}  // namespace

LayerWork layer_work(const TokenCosts& costs, std::size_t layer, std::span<const double> sums,
                     bool attention_in_vram, int hot, int positions) {
    const LayerBytes& bytes = costs.bytes.layers[layer];
    const auto n_ff = static_cast<int>(sums.size()) - 1;
    const LayerSteps list =
        layer_steps(static_cast<int>(layer), n_ff, attention_in_vram, hot, PassKind::Resident);
    LayerWork work;
    for (std::size_t i = 0; i < static_cast<std::size_t>(list.count); ++i) {
        const Step& step = list.steps[i];
        const bool on_gpu = step.unit == Unit::Gpu;
        double& attention = on_gpu ? work.vram_attention : work.ram_attention;
        double& block = on_gpu ? work.vram_block : work.ram_block;
        switch (step.op) {
            case Op::AttentionIn:
                attention += static_cast<double>(bytes.attention);
                work.attention_steps += on_gpu ? kAttentionSteps : 0;
                break;
            case Op::Attend:
                attention +=
                    static_cast<double>(bytes.kv_position) * positions_read(bytes, positions) +
                    2 * static_cast<double>(bytes.state);
                break;
            case Op::FeedForward: {
                const double neurons =
                    sums[static_cast<std::size_t>(step.first_neuron + step.n_neurons)] -
                    sums[static_cast<std::size_t>(step.first_neuron)];
                block += neurons + (step.first_neuron == 0 ? static_cast<double>(bytes.block) : 0);
                work.ram_rows += on_gpu || bytes.is_mixture()
                                     ? 0
                                     : neurons - in_order(costs, bytes.neuron, step.n_neurons);
                work.block_steps += on_gpu ? block_steps(costs, bytes, step.n_neurons == n_ff) : 0;
                if (costs.mode == FeedForwardMode::Predicted) {
                    block += static_cast<double>(bytes.predictor) -
                             static_cast<double>(bytes.predictor_row) * (n_ff - step.n_neurons);
                }
                break;
            }
            case Op::AttentionOut:  // read with AttentionIn's
            case Op::Sum:
            case Op::Embed:
            case Op::Head:
                break;
        }
        const int input = list.inputs[i];
        work.n_signals +=
            input >= 0 && list.steps[static_cast<std::size_t>(input)].unit != step.unit ? 1 : 0;
    }
    return work;
}

namespace {

double seconds_for(double bytes, double gb_per_s) {
    return bytes > 0 ? bytes / (gb_per_s * 1e9) : 0;
}

double round_trip_seconds(const TokenCosts& costs, const Speeds& speeds) {
    const auto stream = static_cast<double>(costs.bytes.stream);
    const auto pass = [&](double gb_per_s) {
        return usable(gb_per_s) ? seconds_for(stream, gb_per_s) : 0;
    };
    return speeds.vram.sync_us * 1e-6 + pass(speeds.to_vram_gb_per_s) +
           pass(speeds.from_vram_gb_per_s);
}

// The signals of a pass outside of its layers: with the residual stream from one to the next, and
// with the logits.
int stream_signals(const TokenCosts& costs, const Placement& placement) {
    std::vector<int> n_ff;
    for (const LayerHeat& layer : costs.heat.layers) {
        n_ff.push_back(static_cast<int>(layer.rates.size()));
    }
    const std::vector<Step> steps = compile(n_ff, placement, PassKind::Resident);
    return static_cast<int>(std::count_if(steps.begin(), steps.end(), [](const Step& step) {
        return step.signal > 0 &&
               (step.op == Op::Embed || step.op == Op::Sum || step.op == Op::Head);
    }));
}

double step_seconds(int steps, const Speeds& speeds) {
    return usable(speeds.vram.step_us) ? steps * speeds.vram.step_us * 1e-6 : 0;
}

double block_seconds(const LayerWork& work, const Speeds& speeds) {
    const double in_order = speeds.ram.bandwidth_gb_per_s;
    const double rows = usable(speeds.ram_rows_gb_per_s) ? speeds.ram_rows_gb_per_s : in_order;
    return std::max(
        seconds_for(work.ram_block - work.ram_rows, in_order) + seconds_for(work.ram_rows, rows),
        seconds_for(work.vram_block, speeds.vram.bandwidth_gb_per_s) +
            step_seconds(work.block_steps, speeds));
}

// Calls visit(work) for every layer.
template <class Visit>
void for_each_layer(const TokenCosts& costs, const Placement& placement, int positions,
                    Visit&& visit) {
    const std::size_t n_layer = std::min(costs.bytes.layers.size(), costs.heat.layers.size());
    for (std::size_t l = 0; l < n_layer; ++l) {
        const auto layer = static_cast<int>(l);
        visit(layer_work(costs, l, neuron_bytes_sums(costs, l), placement.attention_in_vram(layer),
                         placement.hot(layer), positions));
    }
}

}  // namespace

DecodeCosts decode_costs(const TokenCosts& costs, const Placement& placement, int positions) {
    DecodeCosts sum;
    (placement.output_in_vram() ? sum.vram_bytes : sum.ram_bytes) =
        static_cast<double>(costs.bytes.output);
    sum.ram_bytes += static_cast<double>(costs.bytes.layer_inputs);
    sum.round_trips = stream_signals(costs, placement) / 2.0;
    for_each_layer(costs, placement, positions, [&](const LayerWork& work) {
        sum.ram_bytes += work.ram_attention + work.ram_block;
        sum.vram_bytes += work.vram_attention + work.vram_block;
        sum.round_trips += work.n_signals / 2.0;
    });
    return sum;
}

double layer_seconds(const LayerWork& work, const TokenCosts& costs, const Speeds& speeds) {
    return seconds_for(work.ram_attention, speeds.ram.bandwidth_gb_per_s) +
           seconds_for(work.vram_attention, speeds.vram.bandwidth_gb_per_s) +
           step_seconds(work.attention_steps, speeds) + block_seconds(work, speeds) +
           (work.n_signals > 0 ? work.n_signals / 2.0 * round_trip_seconds(costs, speeds) : 0);
}

double other_seconds(const TokenCosts& costs, const Placement& placement, const Speeds& speeds) {
    const MemoryUnit& unit = placement.output_in_vram() ? speeds.vram : speeds.ram;
    const int n_signals = stream_signals(costs, placement);
    return seconds_for(static_cast<double>(costs.bytes.output), unit.bandwidth_gb_per_s) +
           seconds_for(static_cast<double>(costs.bytes.layer_inputs),
                       speeds.ram.bandwidth_gb_per_s) +
           step_seconds(placement.output_in_vram() ? kHeadSteps : 0, speeds) +
           (n_signals > 0 ? n_signals / 2.0 * round_trip_seconds(costs, speeds) : 0);
}

std::optional<double> decode_seconds(const TokenCosts& costs, const Placement& placement,
                                     int positions, const Speeds& speeds) {
    const DecodeCosts all = decode_costs(costs, placement, positions);
    if ((all.ram_bytes > 0 && !usable(speeds.ram.bandwidth_gb_per_s)) ||
        (all.vram_bytes > 0 && !usable(speeds.vram.bandwidth_gb_per_s))) {
        return std::nullopt;
    }
    double seconds = other_seconds(costs, placement, speeds);
    for_each_layer(costs, placement, positions,
                   [&](const LayerWork& work) { seconds += layer_seconds(work, costs, speeds); });
    if (!usable(seconds)) {
        return std::nullopt;
    }
    return seconds;
}

SpeedRange attained_share(FeedForwardMode mode) {
    return mode == FeedForwardMode::Dense ? SpeedRange{0.65, 0.85, 1.0}
                                          : SpeedRange{0.65, 0.92, 1.0};
}

double FlashWork::token_reads() const {
    return std::accumulate(layer_reads.begin(), layer_reads.end(), 0.0);
}

double FlashWork::expert_bytes() const {
    return std::accumulate(layer_bytes.begin(), layer_bytes.end(), 0.0);
}

// (1 - share)^5; below kRoom the misses rise, and at kNone they are all.
double missed_share(double share) {
    constexpr double kRoom = 0.125;
    constexpr double kNone = 0.035;
    const double missed = std::pow(1 - std::clamp(share, kRoom, 1.0), 5);
    const double crowded = std::clamp((kRoom - share) / (kRoom - kNone), 0.0, 1.0);
    return missed + crowded * (1 - missed);
}

FlashWork flash_work(const TokenCosts& costs, const Placement& placement, std::uint64_t token_bytes,
                     std::uint64_t batch_bytes) {
    FlashWork work{.token_bytes = static_cast<double>(token_bytes),
                   .batch_bytes = static_cast<double>(batch_bytes)};
    if (!placement.has_slots()) {
        return work;
    }
    work.layer_reads.resize(placement.layers.size());
    work.layer_bytes.resize(placement.layers.size());
    for (std::size_t l = 0; l < placement.layers.size(); ++l) {
        const LayerPlacement& layer = placement.layers[l];
        if (layer.n_slots == 0) {
            continue;
        }
        const std::vector<double>& all = costs.heat.layers[l].rates;
        if (costs.bytes.layers[l].is_mixture()) {
            const auto bytes = static_cast<double>(costs.bytes.layers[l].neuron.total());
            const auto missing = std::min(all.begin() + layer.hot() + layer.n_slots, all.end());
            work.layer_bytes[l] = std::accumulate(missing, all.end(), 0.0) * bytes;
            work.batch_bytes += static_cast<double>(all.end() - missing) * bytes;
            continue;
        }
        std::vector<double> rates(all.begin() + layer.hot(), all.end());
        std::sort(rates.begin(), rates.end(), std::greater<>());
        const auto held = std::min(static_cast<std::size_t>(layer.n_slots), rates.size());
        const double rest =
            std::accumulate(rates.begin() + static_cast<std::ptrdiff_t>(held), rates.end(), 0.0);
        const double asked = std::accumulate(rates.begin(), rates.end(), 0.0);
        const double share = static_cast<double>(held) / static_cast<double>(rates.size());
        work.layer_reads[l] = held < rates.size() ? std::max(rest, asked * missed_share(share)) : 0;
    }
    return work;
}

namespace {

// Shares of what was measured.
struct Attained {
    double memory = 1;
    double reads = 1;   // scattered
    double stream = 1;  // in order
};

// Of a token. decode: of the same token with all weights in memory.
double streamed_seconds(double decode, const TokenCosts& costs, const Placement& placement,
                        int positions, const Speeds& speeds, const FlashWork& flash,
                        const Attained& attained) {
    double seconds = decode / attained.memory;
    double reads_seconds = 0;
    std::size_t layer = 0;
    for_each_layer(costs, placement, positions, [&](const LayerWork& work) {
        const double reads = layer < flash.layer_reads.size() ? flash.layer_reads[layer] : 0;
        const double bytes = layer < flash.layer_bytes.size() ? flash.layer_bytes[layer] : 0;
        ++layer;
        if (reads > 0 || bytes > 0) {
            const double block = block_seconds(work, speeds) / attained.memory;
            const double read =
                seconds_for(bytes, speeds.flash.bandwidth_gb_per_s * attained.stream) +
                (reads > 0 ? reads / (speeds.flash_reads_per_s * attained.reads) : 0);
            seconds += std::max(0.0, read - block);
            reads_seconds += read;
        }
    });
    const double disk =
        seconds_for(flash.token_bytes, speeds.flash.bandwidth_gb_per_s * attained.stream) +
        reads_seconds;
    return std::max(seconds, disk);
}

}  // namespace

Forecast forecast(const TokenCosts& costs, const Placement& placement, int positions,
                  const Speeds& speeds, const WeightUpload& upload, int n_batch,
                  const FlashWork& flash) {
    Forecast out;
    const bool streams = flash.token_bytes > 0 || flash.batch_bytes > 0 || flash.expert_bytes() > 0;
    if ((streams && !usable(speeds.flash.bandwidth_gb_per_s)) ||
        (flash.token_reads() > 0 && !usable(speeds.flash_reads_per_s))) {
        return out;
    }
    const double batch_disk_seconds =
        seconds_for(flash.batch_bytes, speeds.flash.bandwidth_gb_per_s);
    if (const auto seconds = decode_seconds(costs, placement, positions, speeds)) {
        const bool in_vram = decode_costs(costs, placement, positions).ram_bytes <=
                             static_cast<double>(costs.bytes.layer_inputs);
        const SpeedRange share =
            in_vram && usable(speeds.vram.step_us) ? kAttainedInVram : attained_share(costs.mode);
        const auto at = [&](double SpeedRange::*point) {
            return 1 /
                   streamed_seconds(*seconds, costs, placement, positions, speeds, flash,
                                    {share.*point, kAttainedReads.*point, kAttainedStream.*point});
        };
        out.decode_per_s =
            SpeedRange{at(&SpeedRange::low), at(&SpeedRange::mid), at(&SpeedRange::high)};
    }
    const auto batch_of = [&](int n_tokens) {
        const auto seconds = batch_seconds(costs, placement, speeds, upload, n_tokens);
        return seconds ? std::optional(std::max(*seconds, batch_disk_seconds)) : std::nullopt;
    };
    const int batch = n_batch > 0 ? n_batch : kForecastPositions;
    const auto seconds = batch_of(batch);
    if (!seconds) {
        return out;
    }
    out.prefill_per_s = batch / *seconds;
    const int whole = kForecastPositions / batch;
    const int rest = kForecastPositions % batch;
    const double of_rest = rest > 0 ? batch_of(rest).value_or(0) : 0;
    out.ttft_ms = 1000 * ((whole > 0 ? whole * *seconds : 0) + of_rest);
    return out;
}

}  // namespace hearth
