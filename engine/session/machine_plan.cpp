#include "session/machine_plan.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <sstream>
#include <utility>

#include <hearth/engine.h>

#include "compute/kernel_speeds.h"
#include "flash/disk_probe_file.h"
#include "flash/disk_sample.h"
#include "flash/read_queue.h"
#include "hardware/core_scaling.h"
#include "hardware/memory_info.h"
#include "model/packed_layout.h"
#include "plan/cost_model.h"
#include "plan/profile_file.h"
#include "session/processor.h"

namespace hearth {
namespace {

constexpr std::chrono::milliseconds kProbeLimit(500);  // somebody waits for the plan

bool holds_everything(const Placement& placement, const ModelSpec& spec) {
    bool all = placement.output_in_vram();
    for (int layer = 0; layer < spec.n_layer(); ++layer) {
        all = all && placement.attention_in_vram(layer) &&
              placement.hot(layer) == spec.layer(layer).n_ff;
    }
    return all;
}

GpuSpeeds gpu_speeds(const MachineSpeeds& all) {
    return {all.gpu_read_gb_per_s, all.to_gpu_gb_per_s, all.from_gpu_gb_per_s,
            all.round_trip_us,     all.gpu_gflop_per_s, all.gpu_step_us};
}

// Whether the model makes a profile of itself. One whose file holds a profile needs none to be
// placed by, but with a GPU its neurons follow what fires.
bool counts_firing(const PlanRequest& request) {
    const bool rests = is_sparse(request.spec.activation()) &&
                       possible_mode(request.spec, request.mode) != FeedForwardMode::Dense;
    return (rests || request.spec.has_experts()) && !request.profile_folder.empty() &&
           (!holds_profile(request.file) || request.gpu != nullptr);
}

// Of the devices listed. Empty: the list is not that of the drivers any more, to be made anew.
Result<std::optional<WantedGpu>> open_listed_gpu(const std::string& wanted, const GpuTrials& trials,
                                                 Listing listing,
                                                 const std::optional<MachineSpeeds>& speeds) {
    using Opened = std::optional<WantedGpu>;
    auto known = find_gpus(trials, listing);
    if (!known) {
        return std::move(known).error();
    }
    const auto selection = choose_gpu(*known, wanted, trials);
    if (!selection) {
        return listing == Listing::Kept ? Result<Opened>(Opened()) : selection.error();
    }
    WantedGpu out;
    if (selection->chosen < 0) {
        out.no_devices = known->none;
        for (std::size_t i = 0; i < known->gpus.size(); ++i) {
            out.note += (out.note.empty() ? "" : "; ") + known->gpus[i].name + ": " +
                        selection->left_out[i];
        }
        return Opened(std::move(out));
    }
    const auto chosen = static_cast<std::size_t>(selection->chosen);
    Environment environment = trials.environment;
    environment.vulkan_drivers = known->drivers;
    auto gpu = open_gpu(known->gpus[chosen].index, environment);
    if (listing == Listing::Kept && !(gpu && (*gpu)->info().uuid == known->gpus[chosen].uuid)) {
        return Opened();
    }
    if (!gpu) {
        if (names_one(wanted)) {
            return std::move(gpu).error();
        }
        out.note = gpu.error().message;
        return Opened(std::move(out));
    }
    out.speeds = speeds && speeds->gpu_read_gb_per_s > 0 ? gpu_speeds(*speeds)
                                                         : known->probes[chosen].speeds;
    if (out.speeds.read_gb_per_s <= 0) {
        out.speeds = (*gpu)->measure();
    }
    out.gpu = std::move(*gpu);
    return Opened(std::move(out));
}

MemoryInfo memory_without(const FreedMemory& freed) {
    MemoryInfo memory = read_memory_info();
    if (memory.total_bytes > 0) {
        const std::uint64_t most =
            std::min(memory.total_bytes, memory.limit_bytes.value_or(memory.total_bytes));
        memory.available_bytes = std::min(memory.available_bytes + freed.ram, most);
    }
    return memory;
}

GpuUnit unit_without(const OpenGpu& gpu, const PlanRequest& request) {
    GpuUnit unit = gpu_unit(gpu, request.gpu_speeds);
    if (unit.available_bytes > 0) {
        unit.available_bytes =
            std::min(unit.available_bytes + request.freed.vram, unit.memory.capacity_bytes);
    }
    return unit;
}

void set_disk(Machine& machine, const DiskProbe& probe) {
    constexpr std::uint64_t kNeuron = 8 << 10;  // about what a neuron of a 7B model takes
    machine.disk_read_gb_per_s = probe.sequential_bytes_per_s / 1e9;
    for (const RandomReads& reads : probe.random) {
        if (reads.bytes <= kNeuron || machine.disk_reads_per_s == 0) {
            machine.disk_reads_per_s = reads.per_s;
        }
    }
}

// NeuronHeat::source of a packed file.
Result<NeuronOrder> source_order(const GgufFile& packed, const ModelSpec& spec) {
    const auto layout = read_packed_layout(packed, spec);
    if (!layout) {
        return layout.error();
    }
    auto order = read_neuron_order(packed, *layout);
    if (!order) {
        return order;
    }
    for (std::vector<std::int32_t>& layer : *order) {
        if (std::is_sorted(layer.begin(), layer.end())) {
            layer.clear();
        }
    }
    return order;
}

}  // namespace

bool names_one(const std::string& wanted) {
    return wanted != "auto" && wanted != "none";
}

Result<WantedGpu> open_wanted_gpu(const std::string& wanted, GpuTrials trials,
                                  const std::optional<MachineSpeeds>& speeds) {
    if (wanted == "none") {
        return WantedGpu{};
    }
    trials.drivers_here = names_one(wanted);
    auto opened = open_listed_gpu(wanted, trials, Listing::Kept, speeds);
    if (opened && !*opened) {
        opened = open_listed_gpu(wanted, trials, Listing::Anew, speeds);
    }
    if (!opened) {
        return std::move(opened).error();
    }
    return *opened ? std::move(**opened) : WantedGpu{};
}

GpuUnit gpu_unit(const OpenGpu& gpu, const GpuSpeeds& speeds) {
    GpuUnit unit;
    unit.name = gpu.info().name;
    unit.memory = {gpu.info().memory_bytes(), speeds.read_gb_per_s, speeds.round_trip_us,
                   speeds.step_us};
    unit.available_bytes = gpu.info().available_bytes();
    unit.gflop_per_s = speeds.gflop_per_s;
    unit.shares_ram = gpu.info().shares_ram;
    unit.to_gb_per_s = speeds.to_gpu_gb_per_s;
    unit.from_gb_per_s = speeds.from_gpu_gb_per_s;
    return unit;
}

bool measure_processor(Machine& machine, int threads, const std::string& isa,
                       const std::optional<MachineSpeeds>& speeds, const UsualMatrix& usual,
                       SpeedBook* book) {
    if (speeds && machine.ram_read_gb_per_s <= 0) {
        machine.ram_read_gb_per_s = speeds->ram_read_gb_per_s;
    }
    if (speeds && machine.gflop_per_s <= 0) {
        machine.gflop_per_s = speeds->cpu_gflop_per_s;
    }
    if (machine.ram_read_gb_per_s > 0 && machine.gflop_per_s > 0) {
        return false;
    }
    const std::uint64_t most_bytes =
        measured_bytes(machine.cpu.cache_bytes, machine.memory.available_bytes);
    const auto measure = [&] {
        ThreadPool pool(threads);
        const KernelSpeeds found =
            measure_kernel_speeds(machine.cpu.flags, isa, pool, usual, most_bytes);
        return std::vector{found.read_gb_per_s, found.rows_gb_per_s, found.gflop_per_s,
                           found.heads_gflop_per_s};
    };
    // Two models with weights alike are as fast as each other.
    std::ostringstream key;
    key << "kernels " << isa << ' ' << threads << ' ' << dtype_info(usual.type).name << ' '
        << usual.rows << ' ' << usual.cols << ' ' << std::min(usual.read_bytes, most_bytes);
    const SpeedBook::Speeds speeds_found =
        book != nullptr ? book->get(key.str(), measure) : SpeedBook::Speeds{measure(), false};
    const KernelSpeeds measured{speeds_found.values[0], speeds_found.values[1],
                                speeds_found.values[2], speeds_found.values[3]};
    if (machine.ram_read_gb_per_s <= 0) {
        machine.ram_read_gb_per_s = measured.read_gb_per_s;
        machine.ram_rows_gb_per_s = measured.rows_gb_per_s;
    }
    if (machine.gflop_per_s <= 0) {
        machine.gflop_per_s = measured.gflop_per_s;
        machine.heads_gflop_per_s = measured.heads_gflop_per_s;
    }
    return speeds_found.busy;
}

namespace {

// `probe` is asked where nothing is known of the disk that `path` lies on.
void measure_disk_at(Machine& machine, const std::string& path, const std::string& cache_folder,
                     SpeedBook* book, const std::function<Result<DiskProbe>()>& probe) {
    if (const auto known = read_disk_probe(cache_folder, version(), path)) {
        set_disk(machine, *known);
        return;
    }
    const auto measure = [&] {
        if (const auto found = probe(); found && found->direct) {
            set_disk(machine, *found);
        }
        return std::vector{machine.disk_read_gb_per_s, machine.disk_reads_per_s};
    };
    const std::string disk = disk_of(path);
    if (book == nullptr || disk.empty()) {
        measure();
        return;
    }
    const SpeedBook::Speeds found = book->get("disk " + disk, measure);
    machine.disk_read_gb_per_s = found.values[0];
    machine.disk_reads_per_s = found.values[1];
}

}  // namespace

void measure_disk(Machine& machine, const std::string& model_path, const std::string& cache_folder,
                  SpeedBook* book) {
    measure_disk_at(machine, model_path, cache_folder, book,
                    [&] { return probe_disk(model_path, kProbeLimit); });
}

void measure_disk_of_folder(Machine& machine, const std::string& folder,
                            const std::string& cache_folder, SpeedBook* book) {
    measure_disk_at(machine, folder, cache_folder, book,
                    [&] { return probe_folder(folder, kProbeLimit); });
}

DiskReads known_disk_reads(const std::string& model_path, const std::string& cache_folder,
                           bool experts) {
    constexpr std::uint64_t kLargestRead = 1 << 20;  // each in flight may need so much memory
    constexpr std::uint64_t kLargestGap = 128 << 10;
    DiskReads reads;
    const auto known = read_disk_probe(cache_folder, version(), model_path);
    if (known && known->direct) {
        reads = {known->depth, std::min(known->largest_read_bytes, kLargestRead),
                 std::min(known->merge_gap_bytes, kLargestGap)};
    }
    // A token waits for whole experts, never for a part of one: the fewer reads the better.
    if (experts) {
        reads.merge_gap_bytes = reads.largest_read_bytes > 0 ? reads.merge_gap_bytes
                                                             : ReadQueueOptions{}.merge_gap_bytes;
        reads.largest_read_bytes = kLargestRead;
    }
    return reads;
}

int threads_for(const PlanRequest& request) {
    if (request.budget.threads > 0) {
        return request.budget.threads;
    }
    const std::uint64_t bytes = weights_bytes(request.spec, request.tensors, request.mode);
    const auto measure = [bytes] { return default_threads(detect_cpu_features(), bytes); };
    if (request.book == nullptr || bytes < kMeasuredWeightsBytes) {
        return measure();
    }
    const SpeedBook::Speeds found =
        request.book->get("threads", [&] { return std::vector{static_cast<double>(measure())}; });
    return static_cast<int>(found.values.front());
}

namespace {

// The layer that foretells makes answers faster where there is memory to spare, and takes none that
// the model needs: neither the context nor what RAM holds becomes smaller for it.
void add_foretelling(const PlanBasis& basis, MachinePlan& out) {
    Plan& plan = out.plan;
    std::string why = basis.no_foretelling;
    if (basis.foretelling != nullptr) {
        const MemoryBytes bytes =
            foretelling_bytes(*basis.foretelling, basis.spec->n_vocab, plan.n_ctx, plan.threads);
        if (plan.placement.output_in_vram()) {
            why = "a GPU has the output head";
        } else if (plan.reads_flash()) {
            why = "RAM does not hold the model";
        } else if (plan.ram.total() + bytes.total() > plan.ram_budget_bytes) {
            why = "it needs " + std::to_string(bytes.total() >> 20) + " MiB more RAM";
        } else {
            plan.ram.weights += bytes.weights;
            plan.ram.kv += bytes.kv;
            plan.ram.scratch += bytes.scratch;
            out.foretells = true;
        }
    }
    if (!why.empty()) {
        plan.reasons.push_back("the layer that foretells tokens is left out: " + why);
    }
}

}  // namespace

PlanBasis plan_basis(const PlanRequest& request) {
    PlanBasis basis{.spec = &request.spec,
                    .mode = request.mode,
                    .counts_firing = counts_firing(request),
                    .budget = request.budget,
                    .machine = {detect_cpu_features(), memory_without(request.freed)},
                    .costs = {},
                    .gpu_named = request.gpu_named,
                    .gpu_assumed = request.assumed_gpu.has_value(),
                    .isa = request.isa,
                    .speeds = request.speeds,
                    .usual = usual_matrix(request.spec, request.tensors),
                    .book = request.book};
    basis.budget.threads = threads_for(request);
    FoundForetelling found = find_foretelling(request.file, request.spec);
    if (found.model) {
        basis.foretelling = std::make_shared<const ForetellingModel>(std::move(*found.model));
    }
    basis.no_foretelling = std::move(found.why_not);
    basis.costs =
        memory_costs(request.spec, request.tensors, request.mode, basis.budget.threads,
                     basis.budget.flash_without, FiringWindow(request.spec, request.profile));
    if (request.gpu != nullptr) {
        const OpenGpu& gpu = *request.gpu;
        auto gpu_costs =
            gpu.memory_costs(request.spec, request.tensors, request.mode, basis.counts_firing);
        if (gpu_costs) {
            basis.costs.gpu = std::move(*gpu_costs);
            basis.costs.scratch_bytes =
                [of_cpu = basis.costs.scratch_bytes, of_gpu = gpu.host_bytes(request.spec)](
                    int n_ctx, int n_batch) { return of_cpu(n_ctx, n_batch) + of_gpu(n_batch); };
            basis.machine.gpus.push_back(unit_without(gpu, request));
        } else {
            basis.gpu_unsupported = gpu_costs.error().message;
        }
    }
    if (request.gpu == nullptr && request.assumed_gpu) {
        basis.costs.gpu = assumed_gpu_costs(token_costs(request));
        basis.machine.gpus.push_back(*request.assumed_gpu);
    }
    if (!basis.machine.gpus.empty()) {
        basis.tokens = token_costs(request);
        // Where `file` is only a header, the permutations are not there, and no forecast asks.
        if (request.disk_folder.empty() && is_packed(request.file)) {
            if (auto order = source_order(request.file, request.spec)) {
                basis.tokens->heat.source = std::move(*order);
            } else {
                basis.no_source_order = order.error().message;
            }
        }
        const std::string& place =
            request.disk_folder.empty() ? request.file.path() : request.disk_folder;
        if (const auto disk = read_disk_probe(request.cache_folder, version(), place)) {
            set_disk(basis.machine, *disk);
        }
    }
    return basis;
}

Result<MachinePlan> plan_on(const PlanBasis& basis, Budget budget) {
    const ModelSpec& spec = *basis.spec;
    MachinePlan out;
    Machine& machine = out.machine;
    machine = basis.machine;
    out.gpu_unsupported = basis.gpu_unsupported;
    const auto use = [&](Plan plan) {
        out.plan = std::move(plan);
        // Thresholds leave out inputs, whatever the activation.
        out.plan.mode = basis.mode == FeedForwardMode::Thresholded
                            ? basis.mode
                            : possible_mode(spec, basis.mode);
        out.plan.counts_firing = basis.counts_firing;
        if (out.plan.vram.total() > 0 && !basis.no_source_order.empty()) {
            out.plan.reasons.push_back("neurons lie as in the packed file: " +
                                       basis.no_source_order);
        }
        add_foretelling(basis, out);
    };
    if (machine.gpus.empty()) {
        auto plan = make_plan(spec, machine, budget, basis.costs);
        if (!plan) {
            return std::move(plan).error();
        }
        use(std::move(*plan));
        return out;
    }
    const TokenCosts& tokens = *basis.tokens;
    const double gpu_gb_per_s = machine.gpus.front().memory.bandwidth_gb_per_s;
    // Half as fast as the GPU until that matters: measuring takes 0.4 s.
    const double known_gb_per_s = machine.ram_read_gb_per_s;
    machine.ram_read_gb_per_s = gpu_gb_per_s / 2;
    auto plan = make_plan(spec, machine, budget, basis.costs, &tokens);
    machine.ram_read_gb_per_s = known_gb_per_s;
    if (!plan || !holds_everything(plan->placement, spec) || basis.gpu_assumed) {
        out.busy = measure_processor(machine, budget.threads, basis.isa, basis.speeds, basis.usual,
                                     basis.book);
        Machine planned = machine;
        if (basis.gpu_named) {  // who names a GPU wants it used, faster or not
            planned.ram_read_gb_per_s = std::min(planned.ram_read_gb_per_s, 0.9 * gpu_gb_per_s);
        }
        plan = make_plan(spec, planned, budget, basis.costs, &tokens);
        if (basis.gpu_named && plan && plan->vram.total() == 0) {
            budget.split = SplitPolicy::Neurons;
            plan = make_plan(spec, planned, budget, basis.costs, &tokens);
        }
    }
    if (!plan) {
        return std::move(plan).error();
    }
    use(std::move(*plan));
    return out;
}

Result<MachinePlan> plan_for_machine(const PlanRequest& request) {
    const PlanBasis basis = plan_basis(request);
    return plan_on(basis, basis.budget);
}

TokenCosts token_costs(const PlanRequest& request) {
    const ModelBytes bytes = model_bytes(request.spec, request.tensors);
    return {bytes, neuron_heat(request.spec, request.profile, &bytes),
            possible_mode(request.spec, request.mode), request.spec.activation()};
}

Forecast forecast_for_machine(const TokenCosts& tokens, const Plan& plan, const Machine& machine,
                              int positions) {
    const GpuUnit* gpu = plan.vram.total() > 0 ? &machine.gpus.front() : nullptr;
    return forecast(tokens, plan.placement, positions, speeds_of(machine, gpu), plan.upload,
                    plan.n_batch,
                    flash_work(tokens, plan.placement, plan.flash_bytes, plan.flash_batch_bytes));
}

}  // namespace hearth
