// card_plans [--cards FILE.json] [--models SHAPE:TYPE[:FINER],...] [--ctx N] [--split auto]
//
// The planner and cards that people have, without such a card: plans and forecasts for
// models of random weights' shapes, of which only headers are written, on machines described by
// figures. A Vulkan device, any, says how many bytes a model costs a GPU; without one they are
// assumed, without scratch. Nothing is measured: the table is forecasts.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/environment.h"
#include "bench/random_model.h"
#include "gguf/reader.h"
#include "plan/batch_costs.h"
#include "plan/planner.h"
#include "session/machine_plan.h"
#include "session/model_mode.h"
#include "session/open_gpu.h"
#include "session/processor.h"

namespace {

using namespace hearth;

// Published figures of the card, turned into what a trial would have measured by what it measured
// of the one card whose figures both are known, an H200 (docs/measurements/nvidia-h200.md): 0.9 of
// the memory's bandwidth, 0.74 and 0.6 of the bus's to the card and back, and as much arithmetic
// as the card has in single precision without matrix units.
constexpr std::uint64_t kDesktopBytes = 400'000'000;  // that others hold

struct Card {
    const char* name;
    double gib;
    double memory_gb_per_s, bus_gb_per_s, gflop_per_s;

    GpuUnit unit() const {
        GpuUnit gpu;
        gpu.name = name;
        gpu.memory = {static_cast<std::uint64_t>(gib * (1 << 30)), 0.9 * memory_gb_per_s, 20, 6};
        gpu.available_bytes = gpu.memory.capacity_bytes - kDesktopBytes;
        gpu.to_gb_per_s = 0.74 * bus_gb_per_s;
        gpu.from_gb_per_s = 0.6 * bus_gb_per_s;
        gpu.gflop_per_s = gflop_per_s;
        return gpu;
    }
};
constexpr Card kCards[] = {{"RTX 2060, 6 GB", 6, 336, 15.75, 6450},
                           {"RTX 4060, 8 GB", 8, 272, 15.75, 15110},
                           {"RTX 3060, 12 GB", 12, 360, 31.5, 12740}};

struct Wanted {
    const bench::ModelShape* shape;
    DType type, finer;
};

std::vector<std::string> parts_of(const std::string& text, char border) {
    std::vector<std::string> parts;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, border);) {
        parts.push_back(part);
    }
    return parts;
}

std::optional<Wanted> wanted_model(const std::string& text) {
    const std::vector<std::string> parts = parts_of(text, ':');
    const bench::ModelShape* shape = parts.empty() ? nullptr : bench::find_shape(parts[0]);
    const auto type = dtype_from_name(parts.size() > 1 ? parts[1] : "Q4_K");
    const auto finer = dtype_from_name(parts.size() > 2   ? parts[2]
                                       : parts.size() > 1 ? parts[1]
                                                          : "Q6_K");
    if (shape == nullptr || !type || !finer) {
        return std::nullopt;
    }
    return Wanted{shape, *type, *finer};
}

// "GiB,GB/s,to GB/s,from GB/s,us a meeting,us a step,Gflop/s", as a trial measures them.
std::optional<GpuUnit> measured_card(const std::string& text) {
    std::vector<double> figures;
    for (const std::string& part : parts_of(text, ',')) {
        figures.push_back(std::strtod(part.c_str(), nullptr));
    }
    if (figures.size() != 7) {
        return std::nullopt;
    }
    GpuUnit gpu;
    gpu.name = "measured";
    gpu.memory = {static_cast<std::uint64_t>(figures[0] * (1 << 30)), figures[1], figures[4],
                  figures[5]};
    gpu.to_gb_per_s = figures[2];
    gpu.from_gb_per_s = figures[3];
    gpu.gflop_per_s = figures[6];
    return gpu;
}

struct Settings {
    double vram_gib = 0;
    double ram_gb = 28, ram_gb_per_s = 50, gflop_per_s = 800;
    double disk_gb_per_s = 3, disk_reads_per_s = 150'000;
    int cores = 8;
    int n_ctx = 0;
    bool details = false;
    SplitPolicy split = SplitPolicy::Auto;
};

Machine machine_of(const GpuUnit& card, const Settings& settings) {
    Machine machine;
    machine.cpu.physical_cores = settings.cores;
    machine.memory.total_bytes = static_cast<std::uint64_t>(settings.ram_gb * 1.2e9);
    machine.memory.available_bytes = static_cast<std::uint64_t>(settings.ram_gb * 1e9);
    machine.ram_read_gb_per_s = settings.ram_gb_per_s;
    machine.ram_rows_gb_per_s = 0.7 * settings.ram_gb_per_s;
    machine.gflop_per_s = settings.gflop_per_s;
    machine.disk_read_gb_per_s = settings.disk_gb_per_s;
    machine.disk_reads_per_s = settings.disk_reads_per_s;
    machine.gpus = {card};
    return machine;
}

struct Costs {
    MemoryCosts memory;
    TokenCosts tokens;
};

Result<Costs> costs_of(const GgufFile& file, const ModeModel& model, const OpenGpu* gpu,
                       const Settings& settings) {
    Costs costs;
    costs.tokens = token_costs({.file = file,
                                .spec = model.spec,
                                .tensors = model.tensors,
                                .mode = FeedForwardMode::Dense,
                                .budget = {}});
    costs.memory = memory_costs(model.spec, model.tensors, FeedForwardMode::Dense, settings.cores);
    if (gpu == nullptr) {
        costs.memory.gpu = assumed_gpu_costs(costs.tokens);
        return costs;
    }
    auto of_gpu = gpu->memory_costs(model.spec, model.tensors, FeedForwardMode::Dense, false);
    if (!of_gpu) {
        return std::move(of_gpu).error();
    }
    costs.memory.gpu = std::move(*of_gpu);
    costs.memory.scratch_bytes = [of_cpu = costs.memory.scratch_bytes,
                                  host = gpu->host_bytes(model.spec)](int n_ctx, int n_batch) {
        return of_cpu(n_ctx, n_batch) + host(n_batch);
    };
    return costs;
}

std::string speed_text(std::optional<double> per_s) {
    char text[32] = "";
    std::snprintf(text, sizeof text, per_s && *per_s >= 100 ? "%.0f" : "%.1f", per_s.value_or(0));
    return text;
}

std::string placement_text(const Plan& plan, const TokenCosts& tokens) {
    int attention = 0, whole = 0;
    double hot = 0, all = 0;
    const int n_layer = static_cast<int>(tokens.heat.layers.size());
    for (int l = 0; l < n_layer; ++l) {
        const auto n_ff =
            static_cast<double>(tokens.heat.layers[static_cast<std::size_t>(l)].rates.size());
        attention += plan.placement.attention_in_vram(l) ? 1 : 0;
        whole += plan.placement.attention_in_vram(l) && plan.placement.hot(l) == n_ff ? 1 : 0;
        hot += plan.placement.hot(l);
        all += n_ff;
    }
    char text[128];
    std::snprintf(text, sizeof text, "attention %d of %d, neurons %.0f %% (%d layers whole)%s",
                  attention, n_layer, all > 0 ? 100 * hot / all : 0.0, whole,
                  plan.placement.output_in_vram() ? ", head" : "");
    return text;
}

// To standard error: what a batch costs, and each layer's part.
void print_details(const Plan* plan, const Costs& costs) {
    const GpuMemoryCosts& gpu = *costs.memory.gpu;
    for (const int batch : {128, 256, 512, 1024, 2048}) {
        std::fprintf(stderr, "batch %d: scratch %.0f MB of VRAM, uploads %.0f MB, slots of %.0f\n",
                     batch, static_cast<double>(gpu.scratch_bytes(4096, batch)) / 1e6,
                     static_cast<double>(gpu.upload_bytes(
                         batch, std::max<std::uint64_t>(32 << 20, gpu.slot_bytes_min))) /
                         1e6,
                     static_cast<double>(gpu.slot_bytes_min) / 1e6);
    }
    for (std::size_t l = 0; plan != nullptr && l < plan->placement.layers.size(); ++l) {
        const auto layer = static_cast<int>(l);
        std::fprintf(stderr, "%s%d%s:%d", l % 8 == 0 ? "\n" : "  ", layer,
                     plan->placement.attention_in_vram(layer) ? "a" : "",
                     plan->placement.hot(layer));
    }
    std::fprintf(stderr, "\n");
}

void print_row(const GpuUnit& card, const Wanted& wanted, const Costs& costs,
               const ModeModel& model, const Settings& settings) {
    const Machine machine = machine_of(card, settings);
    Budget budget;
    budget.n_ctx = settings.n_ctx;
    budget.split = settings.split;
    if (settings.vram_gib > 0) {
        budget.vram_bytes = static_cast<std::uint64_t>(settings.vram_gib * (1 << 30));
    }
    const auto plan = make_plan(model.spec, machine, budget, costs.memory, &costs.tokens);
    const std::string name =
        std::string(wanted.shape->name) + " " + std::string(dtype_info(wanted.type).name);
    if (settings.details) {
        print_details(plan ? &*plan : nullptr, costs);
    }
    if (!plan) {
        std::printf("| %s | %s | %s |\n", card.name.c_str(), name.c_str(),
                    plan.error().message.c_str());
        return;
    }
    Plan usual = *plan;
    usual.n_batch = std::min(usual.n_batch, kUsualPrompt);
    const Forecast forecast = forecast_for_machine(costs.tokens, usual, machine,
                                                   std::min(kForecastPositions, plan->n_ctx));
    std::printf(
        "| %s | %s | %s | %d, %d | %.1f + %.1f, flash %.1f | %s | %s | %s |\n", card.name.c_str(),
        name.c_str(), placement_text(*plan, costs.tokens).c_str(), plan->n_ctx, plan->n_batch,
        static_cast<double>(plan->vram.total()) / 1e9, static_cast<double>(plan->ram.total()) / 1e9,
        static_cast<double>(plan->flash_bytes + plan->flash_neuron_bytes) / 1e9,
        plan->upload.slot_bytes > 0 ? ("from " + std::to_string(plan->upload.tokens_min)).c_str()
                                    : "no",
        speed_text(forecast.decode_per_s ? std::optional(forecast.decode_per_s->mid) : std::nullopt)
            .c_str(),
        speed_text(forecast.prefill_per_s).c_str());
}

int run(const std::vector<GpuUnit>& cards, const std::vector<std::string>& models,
        const Settings& settings) {
    const Environment environment = read_environment();
    std::unique_ptr<OpenGpu> gpu;
    if (auto opened = open_gpu(0, environment)) {
        gpu = std::move(*opened);
    } else {
        std::fprintf(stderr, "card_plans: no device, a GPU's bytes are assumed: %s\n",
                     opened.error().message.c_str());
    }
    std::printf(
        "| card | model | in VRAM | context, batch | GB of VRAM, RAM | uploads | decode | prefill "
        "of 512 |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    const std::string path = (std::filesystem::temp_directory_path() / "card_plans.gguf").string();
    ModeOptions dense;
    dense.mode = "dense";
    for (const GpuUnit& card : cards) {
        for (const std::string& text : models) {
            const auto wanted = wanted_model(text);
            if (!wanted) {
                std::fprintf(stderr, "card_plans: there is no model \"%s\"\n", text.c_str());
                return 2;
            }
            const auto written =
                bench::write_model_header(path, *wanted->shape, wanted->type, wanted->finer);
            const auto file = written ? GgufFile::open(path) : Result<GgufFile>(written.error());
            const auto model = file ? open_mode(dense, *file) : Result<ModeModel>(file.error());
            const auto costs =
                model ? costs_of(*file, *model, gpu.get(), settings) : Result<Costs>(model.error());
            std::filesystem::remove(path);
            if (!costs) {
                std::fprintf(stderr, "card_plans: %s: %s\n", text.c_str(),
                             costs.error().message.c_str());
                continue;
            }
            print_row(card, *wanted, *costs, *model, settings);
        }
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    std::string models =
        "qwen3-4b:Q4_K:Q6_K,llama-3.1-8b:Q4_K:Q6_K,llama-2-13b:Q4_K:Q6_K,gemma4-e4b:Q4_K:Q6_K,"
        "gpt-oss-20b:MXFP4:Q8_0,qwen3-30b-a3b:Q4_K:Q6_K,qwen3.5-35b-a3b:Q4_K:Q6_K,"
        "mixtral-8x7b:Q4_K:Q6_K";
    std::string split = "auto";
    std::string only, measured;
    CLI::App app("Plans and forecasts for cards that are described by figures");
    app.add_option("--models", models, "SHAPE:TYPE:FINER, with commas between");
    app.add_option("--card", only, "only cards whose name has this");
    app.add_option("--measured", measured,
                   "another card, as its trial measured it: GiB,GB/s,to GB/s,from GB/s,us a "
                   "meeting,us a step,Gflop/s");
    app.add_option("--budget", settings.vram_gib, "GiB of the card that are used; 0: as planned");
    app.add_option("--ctx", settings.n_ctx, "context; 0: as a plan chooses it");
    app.add_option("--ram", settings.ram_gb, "GB of RAM that are free");
    app.add_option("--ram-speed", settings.ram_gb_per_s, "GB/s");
    app.add_option("--cpu-gflops", settings.gflop_per_s, "of the processor");
    app.add_flag("--details", settings.details, "each layer's part, to standard error");
    app.add_option("--split", split, "auto, neurons, layers")
        ->check(CLI::IsMember({"auto", "neurons", "layers"}));
    CLI11_PARSE(app, argc, argv);
    settings.split = split == "layers"    ? SplitPolicy::Layers
                     : split == "neurons" ? SplitPolicy::Neurons
                                          : SplitPolicy::Auto;
    std::vector<GpuUnit> cards;
    for (const Card& card : kCards) {
        if (measured.empty() && std::string(card.name).find(only) != std::string::npos) {
            cards.push_back(card.unit());
        }
    }
    if (!measured.empty()) {
        const auto card = measured_card(measured);
        if (!card) {
            std::fprintf(stderr, "card_plans: --measured takes seven numbers\n");
            return 2;
        }
        cards.push_back(*card);
    }
    return run(cards, parts_of(models, ','), settings);
}
