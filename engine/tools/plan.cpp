// Where a model's parts would live on this machine, from its header alone.
#include <algorithm>
#include <cstddef>
#include <utility>

#include <hearth/tools.h>

#include "base/guarded.h"
#include "engine_impl.h"
#include "gguf/reader.h"
#include "hardware/bandwidth.h"
#include "hardware/cpu_features.h"
#include "hardware/memory_info.h"
#include "model/model_hash.h"
#include "model/predictor_file.h"
#include "plan/cost_model.h"
#include "plan/planner.h"
#include "plan/profile_file.h"
#include "session/make_executors.h"

namespace hearth::tools {
namespace {

SpeedForecast shown(const hearth::Forecast& forecast) {
    SpeedForecast out;
    if (forecast.decode_per_s) {
        out.decode_per_s = SpeedForecast::Range{
            forecast.decode_per_s->low, forecast.decode_per_s->mid, forecast.decode_per_s->high};
    }
    out.prefill_per_s = forecast.prefill_per_s;
    out.ttft_ms = forecast.ttft_ms;
    return out;
}

// The profile to plan with: the one named, else the one inside; null is none.
Result<std::unique_ptr<ActivationProfile>> find_profile(const GgufFile& file, const ModelSpec& spec,
                                                        const std::string& path) {
    const auto held =
        [](Result<ActivationProfile> profile) -> Result<std::unique_ptr<ActivationProfile>> {
        if (!profile) {
            return std::move(profile).error();
        }
        return std::make_unique<ActivationProfile>(std::move(*profile));
    };
    if (path.empty()) {
        if (!holds_profile(file)) {
            return std::unique_ptr<ActivationProfile>();
        }
        return held(read_profile(file, spec));
    }
    const auto side_file = GgufFile::open(path);
    if (!side_file) {
        return side_file.error();
    }
    const auto hash = model_hash(file);
    if (!hash) {
        return hash.error();
    }
    return held(read_profile(*side_file, spec, *hash));
}

// Predictors cost memory and bandwidth; without any the model runs exact. `held` keeps the file
// they are in.
Result<void> add_predictors(const PlanOptions& options, const GgufFile& model,
                            const ModelSpec& spec, std::unique_ptr<GgufFile>& held,
                            ModelTensors& tensors) {
    std::optional<PredictorInput> stated;
    if (!options.predictor_input.empty()) {
        stated = predictor_input_from_name(options.predictor_input);
        if (!stated) {
            return Error{ErrorCode::InvalidArgument,
                         "\"" + options.predictor_input + "\" is no predictor input",
                         {},
                         "predictor_input"};
        }
    }
    const GgufFile* file = &model;
    std::string hash;
    if (!options.predictors_path.empty()) {
        auto opened = GgufFile::open(options.predictors_path);
        if (!opened) {
            return std::move(opened).error();
        }
        held = std::make_unique<GgufFile>(std::move(*opened));
        file = held.get();
        auto of_model = model_hash(model);
        if (!of_model) {
            return std::move(of_model).error();
        }
        hash = *of_model;
    }
    const auto predictors = bind_predictors(*file, spec, hash, stated);
    if (!predictors) {
        return predictors.error();
    }
    use_predictors(*file, *predictors, tensors);
    return {};
}

PlanReport::Bytes shown(const MemoryBytes& bytes, std::uint64_t predictors) {
    return {bytes.weights - std::min(bytes.weights, predictors), predictors, bytes.kv,
            bytes.scratch};
}

// Of the predictors, what the unit holds that has so many neurons of each layer.
template <class Neurons>
std::uint64_t predictor_bytes(const TokenCosts& tokens, Neurons&& neurons) {
    std::uint64_t bytes = 0;
    for (std::size_t l = 0; l < tokens.bytes.layers.size(); ++l) {
        const LayerBytes& layer = tokens.bytes.layers[l];
        const int n_ff = static_cast<int>(tokens.heat.layers[l].rates.size());
        const int n = neurons(static_cast<int>(l), n_ff);
        if (n > 0 && tokens.mode == FeedForwardMode::Predicted) {
            bytes += layer.predictor - static_cast<std::uint64_t>(n_ff - n) * layer.predictor_row;
        }
    }
    return bytes;
}

void describe_layers(const Plan& plan, const TokenCosts& tokens, PlanReport& report) {
    report.output = plan.output_in_vram ? "vram" : "ram";
    for (std::size_t l = 0; l < tokens.bytes.layers.size(); ++l) {
        PlanReport::Layer layer;
        layer.index = static_cast<int>(l);
        layer.attention = layer.kv = plan.has_attention(layer.index) ? "vram" : "ram";
        const std::uint64_t neuron_bytes = tokens.bytes.layers[l].neuron.total();
        for (const ClusterPlacement& placed : plan.clusters) {
            if (placed.cluster.layer != layer.index) {
                continue;
            }
            const std::uint64_t bytes =
                neuron_bytes * static_cast<std::uint64_t>(placed.cluster.count);
            switch (placed.residency) {
                case Residency::Vram:
                    layer.ffn_vram_bytes += bytes;
                    layer.hot_neurons += placed.cluster.count;
                    break;
                case Residency::Ram:
                    layer.ffn_ram_bytes += bytes;
                    break;
                case Residency::Flash:
                    layer.ffn_flash_bytes += bytes;
                    break;
            }
        }
        report.flash_weights_bytes += layer.ffn_flash_bytes;
        report.layers.push_back(std::move(layer));
    }
}

std::string fits(const PlanReport& report) {
    if (report.flash_weights_bytes > 0) {
        return "flash";
    }
    const auto in_vram = [](const PlanReport::Layer& layer) {
        return layer.ffn_ram_bytes == 0 && layer.attention == "vram";
    };
    if (report.vram.total() == 0) {
        return "ram";
    }
    return report.output == "vram" &&
                   std::all_of(report.layers.begin(), report.layers.end(), in_vram)
               ? "gpu"
               : "split";
}

Result<SplitPolicy> read_policy(const std::string& name) {
    if (name.empty() || name == "auto") {
        return SplitPolicy::Auto;
    }
    if (name == "neurons") {
        return SplitPolicy::Neurons;
    }
    if (name == "layers") {
        return SplitPolicy::Layers;
    }
    return Error{ErrorCode::InvalidArgument,
                 "\"" + name + "\" is no split: auto, neurons, layers",
                 {},
                 "split"};
}

Result<PlanReport> make_report(const PlanOptions& options) {
    const auto file = GgufFile::open(options.model_path);
    if (!file) {
        return file.error();
    }
    std::optional<Activation> activation;
    if (!options.activation.empty()) {
        activation = activation_from_name(options.activation);
        if (!activation) {
            return Error{ErrorCode::InvalidArgument,
                         "\"" + options.activation + "\" is no activation",
                         {},
                         "activation"};
        }
    }
    const auto spec = read_model_spec(*file, activation);
    if (!spec) {
        return spec.error();
    }
    auto tensors = bind_tensors(*file, *spec);
    if (!tensors) {
        return tensors.error();
    }
    PlanReport report;
    const FeedForwardMode wanted = options.dense       ? FeedForwardMode::Dense
                                   : options.predicted ? FeedForwardMode::Predicted
                                                       : FeedForwardMode::Exact;
    FeedForwardMode mode = possible_mode(spec->activation, wanted);
    if (mode != wanted) {
        report.reasons.push_back("its activation (" + std::string(to_string(spec->activation)) +
                                 ") leaves no neuron at zero: every neuron is computed");
    }
    std::unique_ptr<GgufFile> predictor_file;
    if (mode == FeedForwardMode::Predicted) {
        if (auto added = add_predictors(options, *file, *spec, predictor_file, *tensors); !added) {
            return std::move(added).error();
        }
        if (tensors->predictor_width() == 0) {
            mode = FeedForwardMode::Exact;
            report.reasons.push_back("the model holds no predictors: it would run exact");
        }
    }
    const auto profile = find_profile(*file, *spec, options.profile_path);
    if (!profile) {
        return profile.error();
    }

    const auto policy = read_policy(options.split);
    if (!policy) {
        return policy.error();
    }

    const ModelBytes bytes = model_bytes(*spec, *tensors);
    const TokenCosts tokens{bytes, neuron_heat(*spec, profile->get(), &bytes), mode,
                            spec->activation};
    if (mode != FeedForwardMode::Dense && !tokens.heat.measured) {
        report.reasons.push_back(
            "without a profile the forecast takes every neuron as firing for every token");
    }
    Machine machine{detect_cpu_features(), read_memory_info()};
    report.threads = options.threads > 0
                         ? options.threads
                         : default_threads(machine.cpu, weights_bytes(*spec, *tensors, mode));
    MemoryCosts costs = memory_costs(*spec, *tensors, mode, report.threads);
    machine.ram_read_gb_per_s = options.assume_ram_gb_per_s > 0
                                    ? options.assume_ram_gb_per_s
                                    : measure_ram_read_gb_per_s(report.threads);
    if (machine.ram_read_gb_per_s <= 0) {
        report.reasons.push_back("the bandwidth of RAM could not be measured: no forecast");
    }
    if (options.assume_gpu) {
        const AssumedGpu& gpu = *options.assume_gpu;
        machine.gpus.push_back({"assumed", {gpu.capacity_bytes, gpu.read_gb_per_s, gpu.sync_us}});
        costs.gpu = assumed_gpu_costs(tokens);
        report.reasons.push_back("the GPU is assumed, not found: nothing here would compute on it");
    }
    const Budget budget{options.ram_bytes, options.vram_bytes, options.n_ctx, report.threads,
                        *policy};
    report.mode = to_string(mode);
    report.has_profile = tokens.heat.measured;
    report.ram_read_gb_per_s = machine.ram_read_gb_per_s;
    report.ram_budget_bytes = ram_budget_bytes(machine, budget);
    if (!machine.gpus.empty()) {
        report.vram_budget_bytes = vram_budget_bytes(machine.gpus.front(), budget);
    } else if (options.vram_bytes) {
        report.reasons.push_back(
            "this version computes on the processor only: a budget of VRAM "
            "changes nothing");
    }
    const auto plan = make_plan(*spec, machine, budget, costs, &tokens);
    if (!plan) {
        if (plan.error().code != ErrorCode::OverBudget) {
            return plan.error();
        }
        report.fits = "no";
        report.reasons.push_back(plan.error().message);
        return report;
    }
    report.n_ctx = plan->n_ctx;
    report.ram = shown(plan->ram, predictor_bytes(tokens, [&](int layer, int n_ff) {
                           return n_ff - plan->hot(layer);
                       }));
    report.vram = shown(plan->vram,
                        predictor_bytes(tokens, [&](int layer, int) { return plan->hot(layer); }));
    describe_layers(*plan, tokens, report);
    report.fits = fits(report);
    if (plan->solver) {
        const SolverReport& solver = *plan->solver;
        report.solver = PlanReport::Solver{solver.chosen, solver.integer_value, solver.greedy_value,
                                           solver.ms, solver.optimal};
    }
    report.forecast = shown(hearth::forecast(
        tokens, *plan, std::min(kForecastPositions, plan->n_ctx), speeds_of(machine)));
    report.peak_ram_bytes = plan->ram.total();
    report.peak_vram_bytes = plan->vram.total();
    report.reasons.insert(report.reasons.end(), plan->reasons.begin(), plan->reasons.end());
    return report;
}

}  // namespace

Result<PlanReport> plan(const PlanOptions& options) {
    return guarded(options.model_path, [&]() -> Result<PlanReport> {
        auto report = make_report(options);
        if (!report && report.error().path.empty()) {
            report.error().path = options.model_path;
        }
        return report;
    });
}

Result<SpeedForecast> forecast(Engine& engine, int positions) {
    return guarded(engine.model().path, [&]() -> Result<SpeedForecast> {
        const Engine::Impl& impl = engine.impl();
        const auto profile = find_profile(impl.file, impl.spec, {});
        if (!profile) {
            return profile.error();
        }
        const ModelBytes bytes = model_bytes(impl.spec, impl.tensors);
        const TokenCosts tokens{bytes, neuron_heat(impl.spec, profile->get(), &bytes),
                                impl.plan.mode, impl.spec.activation};
        Machine machine;
        machine.ram_read_gb_per_s = measure_ram_read_gb_per_s(impl.plan.threads);
        SpeedForecast out =
            shown(hearth::forecast(tokens, impl.plan, positions, speeds_of(machine)));
        out.ram_read_gb_per_s = machine.ram_read_gb_per_s;
        return out;
    });
}

}  // namespace hearth::tools
