// Where a model's parts would live on this machine, from its header alone.
#include <algorithm>
#include <cstddef>
#include <utility>

#include <hearth/tools.h>

#include "base/guarded.h"
#include "compute/kernel_speeds.h"
#include "gguf/reader.h"
#include "hardware/core_scaling.h"
#include "hardware/cpu_features.h"
#include "hardware/memory_info.h"
#include "plan/cost_model.h"
#include "plan/known_profile.h"
#include "plan/planner.h"
#include "plan/profile_file.h"
#include "session/loaded_model.h"
#include "session/machine_plan.h"
#include "session/model_mode.h"
#include "session/processor.h"

namespace hearth::tools {

struct SpeedMemory::Impl {
    SpeedBook book;
};

namespace {

SpeedForecast shown(const hearth::Forecast& forecast, const Plan& plan, const Machine& machine) {
    SpeedForecast out;
    out.ram_read_gb_per_s = machine.ram_read_gb_per_s;
    if (plan.reads_flash()) {
        out.disk_read_gb_per_s = machine.disk_read_gb_per_s;
    }
    if (forecast.decode_per_s) {
        out.decode_per_s = SpeedForecast::Range{
            forecast.decode_per_s->low, forecast.decode_per_s->mid, forecast.decode_per_s->high};
    }
    out.prefill_per_s = forecast.prefill_per_s;
    out.ttft_ms = forecast.ttft_ms;
    return out;
}

// The weights of which the processor's part is read in turn. Caches serve some of it from token to
// token where it is small: a server's 300 MB held all that a card had left of a 1B, and tokens were
// twice as fast as by the memory's speed.
UsualMatrix usual_of_part(UsualMatrix usual, const TokenCosts& tokens, const Plan& plan) {
    if (plan.vram.total() > 0) {
        const double bytes = processor_weight_bytes(tokens, plan.placement);
        usual.read_bytes = std::min(usual.read_bytes, static_cast<std::uint64_t>(bytes));
    }
    return usual;
}

ModeOptions mode_options(const PlanOptions& options, const std::string& mode) {
    return {.mode = mode,
            .activation = options.activation,
            .predictors_path = options.predictors_path,
            .predictor_input = options.predictor_input,
            .thresholds_path = options.thresholds_path,
            .kv = options.kv};
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

// Of n neurons of the layer, those of gate, up and down that are read in each pass.
std::uint64_t streamed_neuron_bytes(const Plan& plan, const TokenCosts& tokens, std::size_t layer,
                                    std::uint64_t n) {
    const NeuronBytes& neuron = tokens.bytes.layers[layer].neuron;
    const auto of = [&](Role role, std::uint64_t bytes) {
        return plan.placement.streamed(static_cast<int>(layer)).has(role) ? bytes : 0;
    };
    return (of(Role::Gate, neuron.gate) + of(Role::Up, neuron.up) + of(Role::Down, neuron.down)) *
           n;
}

// Of n neurons those for which the cache of their layer has no room; of the mode Exact without
// gates.
std::uint64_t cold_neuron_bytes(const NeuronBytes& neuron, FeedForwardMode mode, std::uint64_t n,
                                int n_cached) {
    const std::uint64_t bytes =
        neuron.up + neuron.down + (mode == FeedForwardMode::Predicted ? neuron.gate : 0);
    return bytes * (n - std::min(n, static_cast<std::uint64_t>(n_cached)));
}

void describe_layers(const Plan& plan, const TokenCosts& tokens, PlanReport& report) {
    const auto memory_of = [](Unit unit) { return unit == Unit::Gpu ? "vram" : "ram"; };
    report.output = memory_of(unit_of(plan.placement.output));
    report.flash_weights_bytes = plan.flash_bytes + plan.flash_neuron_bytes;
    for (std::size_t l = 0; l < plan.placement.layers.size(); ++l) {
        const LayerPlacement& placed = plan.placement.layers[l];
        PlanReport::Layer layer;
        layer.index = static_cast<int>(l);
        layer.attention = layer.kv = memory_of(placed.attention);
        const std::uint64_t neuron_bytes = tokens.bytes.layers[l].neuron.total();
        layer.hot_neurons = placed.hot();
        if (const int expert = tokens.bytes.layers[l].expert_neurons; expert > 0) {
            layer.n_experts = placed.n_neurons() / expert;
            layer.hot_experts = layer.hot_neurons / expert;
        }
        const auto own = static_cast<std::uint64_t>(placed.n_neurons() - layer.hot_neurons);
        const std::uint64_t of_cpu = neuron_bytes * own;
        const std::uint64_t on_flash =
            placed.n_slots > 0
                ? cold_neuron_bytes(tokens.bytes.layers[l].neuron, plan.mode, own, placed.n_slots)
                : streamed_neuron_bytes(plan, tokens, l, own);
        layer.ffn_vram_bytes = neuron_bytes * static_cast<std::uint64_t>(layer.hot_neurons);
        layer.ffn_ram_bytes = of_cpu - std::min(of_cpu, on_flash);
        layer.ffn_flash_bytes = on_flash;
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

Result<SplitSolver> read_solver(const std::string& name, SplitPolicy policy) {
    if (name.empty() || name == "forecast") {
        return SplitSolver::Forecast;
    }
    if (name != "paper") {
        return Error{ErrorCode::InvalidArgument,
                     "\"" + name + "\" is no solver: forecast, paper",
                     {},
                     "solver"};
    }
    if (policy == SplitPolicy::Layers) {
        return Error{ErrorCode::InvalidArgument,
                     "the solver \"paper\" places neurons; the split \"layers\" places none",
                     {},
                     "solver"};
    }
    return SplitSolver::Paper;
}

// Why no GPU takes part, where somebody might expect one to.
void add_gpu_reasons(const PlanOptions& options, const WantedGpu& wanted,
                     const std::string& unsupported, PlanReport& report) {
    if (options.assume_gpu || (wanted.gpu != nullptr && unsupported.empty())) {
        return;
    }
    std::string why = unsupported.empty() ? wanted.note : unsupported;
    if (why.empty() && !options.vram_bytes) {
        return;  // a machine without one
    }
    if (why.empty()) {
        why = options.gpu == "none" ? "none was asked for" : wanted.no_devices;
    }
    report.vram_budget_bytes = 0;
    report.reasons.push_back("no GPU is used: " + why +
                             (options.vram_bytes ? "; a budget of VRAM changes nothing" : ""));
}

Result<PlanReport> make_report(const PlanOptions& options) {
    const auto file = GgufFile::open(options.model_path);
    if (!file) {
        return file.error();
    }
    const auto model = open_mode(mode_options(options, options.mode), *file);
    if (!model) {
        return model.error();
    }
    const ModelSpec& spec = model->spec;
    PlanReport report;
    FeedForwardMode mode = model->mode;
    if (mode == FeedForwardMode::Exact) {
        mode = possible_mode(spec, mode);
    }
    if (mode != model->mode) {
        report.reasons.push_back(
            spec.has_experts() ? "it is a mixture: every neuron of a token's experts is computed"
                               : "its activation (" + std::string(to_string(spec.activation())) +
                                     ") leaves no neuron at zero: every neuron is computed");
    }
    const auto profile = find_profile(*file, spec, options.profile_path, options.cache_folder);
    if (!profile) {
        return profile.error();
    }

    const auto policy = read_policy(options.split);
    if (!policy) {
        return policy.error();
    }
    const auto solver = read_solver(options.solver, *policy);
    if (!solver) {
        return solver.error();
    }

    if (mode == FeedForwardMode::Exact || mode == FeedForwardMode::Predicted) {
        report.reasons.push_back(profile_text(*profile));
    }
    const Environment environment = read_environment();
    PlanRequest request{
        .file = *file,
        .spec = spec,
        .tensors = model->tensors,
        .mode = mode,
        .budget = {options.ram_bytes, options.vram_bytes, options.n_ctx, options.threads, *policy,
                   *solver},
        .profile = profile->get(),
        .profile_folder = options.cache_folder,
        .isa = environment.cpu,
        .speeds = options.speeds,
        .cache_folder = options.cache_folder,
        .disk_folder = options.disk_folder,
        .freed = {options.freed_ram_bytes, options.freed_vram_bytes},
        .book = options.speed_memory != nullptr ? &options.speed_memory->impl().book : nullptr};
    report.threads = request.budget.threads = threads_for(request);
    WantedGpu gpu;
    const auto no_gpu = why_no_gpu(mode, options.gpu);
    if (!no_gpu) {
        return no_gpu.error();
    }
    if (!no_gpu->empty()) {
        gpu.note = *no_gpu;
    } else if (options.assume_gpu) {
        const AssumedGpu& given = *options.assume_gpu;
        request.assumed_gpu =
            GpuUnit{"assumed", {given.capacity_bytes, given.read_gb_per_s, given.sync_us}};
        report.reasons.push_back("the GPU is assumed, not found: nothing here would compute on it");
    } else {
        auto opened = open_wanted_gpu(options.gpu,
                                      {.program = options.program_path,
                                       .cache_folder = options.cache_folder,
                                       .environment = environment},
                                      options.speeds);
        if (!opened) {
            return std::move(opened).error();
        }
        gpu = std::move(*opened);
        request.gpu = gpu.gpu.get();
        request.gpu_speeds = gpu.speeds;
        request.gpu_named = names_one(options.gpu);
    }
    const TokenCosts tokens = token_costs(request);
    report.mode = to_string(mode);
    report.has_profile = tokens.heat.measured;
    auto planned = plan_for_machine(request);
    Machine machine =
        planned ? planned->machine : Machine{detect_cpu_features(), read_memory_info()};
    report.ram_budget_bytes = ram_budget_bytes(machine, request.budget);
    if (request.gpu != nullptr || request.assumed_gpu) {
        const GpuUnit unit = request.gpu != nullptr ? gpu_unit(*request.gpu, request.gpu_speeds)
                                                    : *request.assumed_gpu;
        report.vram_budget_bytes = vram_budget_bytes(unit, request.budget);
    }
    add_gpu_reasons(options, gpu, planned ? planned->gpu_unsupported : std::string(), report);
    if (!planned) {
        if (planned.error().code != ErrorCode::OverBudget) {
            return planned.error();
        }
        report.fits = "no";
        report.reasons.push_back(planned.error().message);
        return report;
    }
    const Plan* plan = &planned->plan;
    report.ram_budget_bytes = plan->ram_budget_bytes;
    if (plan->vram_budget_bytes > 0) {
        report.vram_budget_bytes = plan->vram_budget_bytes;
    }
    const UsualMatrix usual = usual_matrix(request.spec, request.tensors);
    bool busy = measure_processor(machine, report.threads, request.isa, request.speeds, usual,
                                  request.book);
    const UsualMatrix of_part = usual_of_part(usual, tokens, *plan);
    const std::uint64_t measured = std::min(
        usual.read_bytes, measured_bytes(machine.cpu.cache_bytes, machine.memory.available_bytes));
    if (of_part.read_bytes > 0 && of_part.read_bytes < measured) {
        machine.ram_read_gb_per_s = 0;
        busy = measure_processor(machine, report.threads, request.isa, request.speeds, of_part,
                                 request.book) ||
               busy;
    }
    report.busy = busy || planned->busy;
    if (report.busy) {
        report.reasons.push_back(
            "other work took the processor while it was measured: the forecast may be too low");
    }
    if (plan->reads_flash()) {
        if (options.disk_folder.empty()) {
            measure_disk(machine, options.model_path, options.cache_folder, request.book);
        } else {
            measure_disk_of_folder(machine, options.disk_folder, options.cache_folder,
                                   request.book);
        }
        if (machine.disk_read_gb_per_s <= 0) {
            report.reasons.push_back("the speed of the disk could not be measured: no forecast");
        }
    }
    report.ram_read_gb_per_s = machine.ram_read_gb_per_s;
    if (machine.ram_read_gb_per_s <= 0) {
        report.reasons.push_back("the bandwidth of RAM could not be measured: no forecast");
    }
    report.gpu = plan->vram.total() > 0 ? machine.gpus.front().name : std::string();
    report.n_ctx = plan->n_ctx;
    const Placement& placement = plan->placement;
    report.ram = shown(plan->ram, predictor_bytes(tokens, [&](int layer, int n_ff) {
                           return n_ff - placement.hot(layer);
                       }));
    report.vram = shown(
        plan->vram, predictor_bytes(tokens, [&](int layer, int) { return placement.hot(layer); }));
    describe_layers(*plan, tokens, report);
    report.fits = fits(report);
    if (plan->solver) {
        const SolverReport& found = *plan->solver;
        report.solver = PlanReport::Solver{found.chosen, found.integer_value, found.greedy_value,
                                           found.ms, found.optimal};
    }
    report.forecast = shown(
        forecast_for_machine(tokens, *plan, machine, std::min(kForecastPositions, plan->n_ctx)),
        *plan, machine);
    report.peak_ram_bytes = plan->ram.total();
    report.peak_vram_bytes = plan->vram.total();
    report.reasons.insert(report.reasons.end(), plan->reasons.begin(), plan->reasons.end());
    return report;
}

}  // namespace

SpeedMemory::SpeedMemory() : impl_(std::make_unique<Impl>()) {}
SpeedMemory::~SpeedMemory() = default;

Result<PlanReport> plan(const PlanOptions& options) {
    return guarded(options.model_path, [&]() -> Result<PlanReport> {
        auto report = make_report(options);
        if (!report && report.error().path.empty()) {
            report.error().path = options.model_path;
        }
        return report;
    });
}

Result<std::vector<ModeReport>> modes(const PlanOptions& options) {
    return guarded(options.model_path, [&]() -> Result<std::vector<ModeReport>> {
        const auto file = GgufFile::open(options.model_path);
        if (!file) {
            return file.error();
        }
        std::vector<ModeReport> out;
        for (const FeedForwardMode mode :
             {FeedForwardMode::Dense, FeedForwardMode::Exact, FeedForwardMode::Predicted,
              FeedForwardMode::Thresholded}) {
            const std::string name(to_string(mode));
            auto opened = open_mode(mode_options(options, name), *file);
            out.push_back({name, opened ? std::nullopt : std::optional(opened.error())});
            if (out.back().refused && out.back().refused->path.empty()) {
                out.back().refused->path = options.model_path;
            }
            if (mode == FeedForwardMode::Dense && out.back().refused) {
                return *out.back().refused;  // of the model, not of the mode
            }
        }
        return out;
    });
}

Result<SpeedForecast> forecast(std::unique_ptr<Engine> engine, int positions, int prompt_tokens) {
    const std::string path = engine->impl().info.path;
    return guarded(path, [&]() -> Result<SpeedForecast> {
        const LoadedModel& impl = engine->impl();
        const auto profile = find_profile(impl.file, impl.spec, {}, impl.options.profile_folder);
        if (!profile) {
            return profile.error();
        }
        const TokenCosts tokens = token_costs({.file = impl.file,
                                               .spec = impl.spec,
                                               .tensors = impl.tensors,
                                               .mode = impl.plan.mode,
                                               .budget = {},
                                               .profile = profile->get()});
        Machine machine{detect_cpu_features(), read_memory_info()};
        if (impl.gpu != nullptr) {
            machine.gpus.push_back(gpu_unit(*impl.gpu, impl.gpu_speeds));
        }
        Plan plan = impl.plan;
        if (prompt_tokens > 0) {
            plan.n_batch = std::min(plan.n_batch, prompt_tokens);
        }
        UsualMatrix usual = usual_of_part(usual_matrix(impl.spec, impl.tensors), tokens, plan);
        if (plan.reads_flash()) {  // a budget below the model's size has no room for more
            usual.read_bytes = std::min(usual.read_bytes, plan.ram.weights);
        }
        const EngineOptions options = impl.options;
        const std::string isa = impl.environment.cpu;
        engine.reset();
        measure_processor(machine, plan.threads, isa, options.speeds, usual);
        if (plan.reads_flash()) {
            measure_disk(machine, path, options.cache_folder);
        }
        return shown(forecast_for_machine(tokens, plan, machine, positions), plan, machine);
    });
}

}  // namespace hearth::tools
