// hearth-cli plan: where all parts of a model would lie and how fast it would run, without loading.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include <hearth/tools.h>

#include "model_options.h"
#include "printable.h"
#include "program.h"
#include "report.h"
#include "size.h"
#include "system.h"

namespace hearth::cli {
namespace {

struct Options : FileOptions {
    tools::PlanOptions plan;
    std::string vram = "auto";
    std::string ram = "auto";
    bool exact = false, predicted = false, dense = false;
    std::string assume_gpu;
    std::string assume_ram;
};

template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

bool parse_number(std::string_view text, double& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() && std::isfinite(number) &&
           number >= 0;
}

// "24G,900,20": memory, GB/s, microseconds.
std::optional<tools::AssumedGpu> parse_gpu(std::string_view text) {
    const std::size_t first = text.find(',');
    const std::size_t second = text.find(',', first == text.npos ? first : first + 1);
    if (second == text.npos) {
        return std::nullopt;
    }
    tools::AssumedGpu gpu;
    const auto capacity = parse_size(text.substr(0, first));
    if (!capacity || !parse_number(text.substr(first + 1, second - first - 1), gpu.read_gb_per_s) ||
        !parse_number(text.substr(second + 1), gpu.sync_us)) {
        return std::nullopt;
    }
    gpu.capacity_bytes = *capacity;
    return gpu;
}

Json bytes_json(const tools::PlanReport::Bytes& bytes) {
    return {{"weights_bytes", bytes.weights},
            {"predictors_bytes", bytes.predictors},
            {"kv_bytes", bytes.kv},
            {"scratch_bytes", bytes.scratch}};
}

Json solver_json(const std::optional<tools::PlanReport::Solver>& solver) {
    if (!solver) {
        return {{"chosen", nullptr},
                {"integer_value", nullptr},
                {"greedy_value", nullptr},
                {"ms", nullptr},
                {"optimal", nullptr}};
    }
    return {{"chosen", solver->chosen},
            {"integer_value", or_null(solver->integer_value)},
            {"greedy_value", or_null(solver->greedy_value)},
            {"ms", solver->ms},
            {"optimal", solver->optimal}};
}

Json report_json(const tools::PlanReport& report) {
    Json layers = Json::array();
    for (const tools::PlanReport::Layer& layer : report.layers) {
        layers.push_back({{"index", layer.index},
                          {"attention", layer.attention},
                          {"kv", layer.kv},
                          {"ffn",
                           {{"vram_bytes", layer.ffn_vram_bytes},
                            {"ram_bytes", layer.ffn_ram_bytes},
                            {"flash_bytes", layer.ffn_flash_bytes},
                            {"hot_neurons", layer.hot_neurons}}}});
        if (layer.n_experts > 0) {
            layers.back()["experts"] = {{"count", layer.n_experts}, {"vram", layer.hot_experts}};
        }
    }
    const auto& decode = report.forecast.decode_per_s;
    return {{"budgets",
             {{"vram_bytes", report.vram_budget_bytes}, {"ram_bytes", report.ram_budget_bytes}}},
            {"residency",
             {{"vram", bytes_json(report.vram)},
              {"ram", bytes_json(report.ram)},
              {"flash", {{"weights_bytes", report.flash_weights_bytes}}}}},
            {"layers", std::move(layers)},
            {"output", report.output},
            {"solver", solver_json(report.solver)},
            {"forecast",
             {{"decode_per_s",
               {{"low", decode ? Json(decode->low) : Json(nullptr)},
                {"mid", decode ? Json(decode->mid) : Json(nullptr)},
                {"high", decode ? Json(decode->high) : Json(nullptr)}}},
              {"prefill_per_s", or_null(report.forecast.prefill_per_s)},
              {"ttft_ms", or_null(report.forecast.ttft_ms)},
              {"peak_ram_bytes", or_null(report.peak_ram_bytes)},
              {"peak_vram_bytes", or_null(report.peak_vram_bytes)}}},
            {"fits", report.fits},
            {"reasons", report.reasons}};
}

std::string memory_text(const char* name, const tools::PlanReport::Bytes& bytes,
                        std::uint64_t budget) {
    std::string text = format("%-9s %s of %s: weights %s", name, format_size(bytes.total()).c_str(),
                              format_size(budget).c_str(), format_size(bytes.weights).c_str());
    const auto part = [&](const char* what, std::uint64_t size) {
        text += size > 0 ? format(", %s %s", what, format_size(size).c_str()) : "";
    };
    part("predictors", bytes.predictors);
    part("KV cache", bytes.kv);
    part("scratch", bytes.scratch);
    return text + "\n";
}

std::string value_text(const std::optional<double>& value) {
    return value ? format("%.2f", *value) : "none";
}

std::string solver_text(const tools::PlanReport::Solver& solver) {
    std::string text = "placement ";
    if (solver.chosen == "layers") {
        text += "whole layers";
    } else if (solver.chosen == "forecast") {
        text += "the neurons forecast to be fastest";
    } else {
        text += solver.chosen == "integer" ? "the integer program's" : "the greedy one";
    }
    if (solver.integer_value || solver.greedy_value) {
        text += format("; firings per token on the GPU: integer program %s%s, greedy %s",
                       value_text(solver.integer_value).c_str(),
                       solver.integer_value && solver.optimal ? " (proven)" : "",
                       value_text(solver.greedy_value).c_str());
    }
    return text + format("; %.0f ms\n", solver.ms);
}

std::string report_text(const tools::PlanReport& report, bool assumed) {
    std::string text;
    if (report.fits == "no") {
        text = "does not fit\n";
    } else {
        text += format("fits      %s; %s, context %d, %d threads\n", report.fits.c_str(),
                       report.mode.c_str(), report.n_ctx, report.threads);
        if (!report.gpu.empty() && !assumed) {
            text += "gpu       " + printable(report.gpu) + "\n";
        }
        text += memory_text("ram", report.ram, report.ram_budget_bytes);
        if (report.vram_budget_bytes > 0) {
            text +=
                memory_text(assumed ? "assumed" : "vram", report.vram, report.vram_budget_bytes);
        }
        text += layers_text(report.layers);
        text += format("output head in %s\n", report.output == "vram" ? "VRAM" : "RAM");
    }
    if (report.solver) {
        text += solver_text(*report.solver);
    }
    if (const auto& prefill = report.forecast.prefill_per_s) {
        text += format("prefill   %.1f tokens/s; first token of a prompt of 256 after %.0f ms\n",
                       *prefill, report.forecast.ttft_ms.value_or(0));
    }
    if (const auto& decode = report.forecast.decode_per_s) {
        text += format("forecast  %.1f tokens/s (%.1f to %.1f) at %.1f GB/s%s\n", decode->mid,
                       decode->low, decode->high, report.ram_read_gb_per_s,
                       assumed ? ", with the assumed GPU" : "");
    }
    for (const std::string& reason : report.reasons) {
        text += "- " + printable(reason) + "\n";
    }
    return text;
}

int run(Program& program, const Options& options) {
    tools::PlanOptions plan = options.plan;
    plan.mode = options.predicted ? "predicted" : options.dense ? "dense" : "";
    if (const auto wrong = parse_budget("--vram", options.vram, plan.vram_bytes)) {
        return program.usage(*wrong, "--vram");
    }
    if (const auto wrong = parse_budget("--ram", options.ram, plan.ram_bytes)) {
        return program.usage(*wrong, "--ram");
    }
    if (!options.assume_gpu.empty()) {
        plan.assume_gpu = parse_gpu(options.assume_gpu);
        if (!plan.assume_gpu) {
            return program.usage("--assume-gpu: \"" + options.assume_gpu +
                                     "\" is not memory, GB/s and microseconds as in 24G,900,20",
                                 "--assume-gpu");
        }
    }
    if (!options.assume_ram.empty()) {
        plan.speeds.emplace();
        if (!parse_number(options.assume_ram, plan.speeds->ram_read_gb_per_s)) {
            return program.usage(
                "--assume-ram: \"" + options.assume_ram + "\" is no number of GB/s",
                "--assume-ram");
        }
    }
    Result<std::string> path = model_path(options);
    if (!path) {
        return program.fail(path.error());
    }
    plan.model_path = *path;
    plan.cache_folder = cache_folder();
    plan.program_path = executable_path();
    const Result<tools::PlanReport> report = tools::plan(plan);
    if (!report) {
        return program.fail(report.error());
    }
    if (program.json) {
        return program.finish(report_json(*report));
    }
    program.write(report_text(*report, plan.assume_gpu.has_value()));
    return program.finish();
}

}  // namespace

void add_plan(CLI::App& app, Program& program) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("plan", "where a model would live and how fast it would run");
    add_file_options(*command, *options, program);
    command
        ->add_option("-t,--threads", options->plan.threads,
                     "threads (default: what this machine is worth)")
        ->transform(whole_number(1, 1024));
    command
        ->add_option("--ctx", options->plan.n_ctx, "context in tokens (default: the model's own)")
        ->transform(whole_number(1, 1 << 24));
    command->add_option("--gpu", options->plan.gpu, "auto, none, an index or a name");
    command
        ->add_option(
            "--kv", options->plan.kv,
            "how the conversation's keys and values are held: f16, or q8_0 in half the memory")
        ->check(CLI::IsMember({"f16", "q8_0"}));
    command->add_option("--vram", options->vram, "GPU memory to use: 512M, 3.5G, auto");
    command->add_option("--ram", options->ram, "memory to use: 512M, 3.5G, auto");
    command
        ->add_option("--split", options->plan.split,
                     "what a GPU gets: neurons, layers (whole ones), auto (the faster)")
        ->check(CLI::IsMember({"auto", "neurons", "layers"}));
    command
        ->add_option("--solver", options->plan.solver,
                     "who places a GPU's neurons: forecast (the fastest, as loading does), paper "
                     "(PowerInfer's integer program, through COIN-OR CBC)")
        ->check(CLI::IsMember({"forecast", "paper"}));
    command
        ->add_option("--profile", options->plan.profile_path,
                     "activation profile (default: the one in the model, else the one it made of "
                     "itself)")
        ->check(not_empty());
    tools::PlanOptions& plan = options->plan;
    CLI::Option* exact =
        command->add_flag("--exact", options->exact, "compute every neuron that fires (default)");
    CLI::Option* predicted =
        command->add_flag("--predicted", options->predicted, "compute the neurons predictors name");
    CLI::Option* dense = command->add_flag("--dense", options->dense, "compute every neuron");
    exact->excludes(predicted)->excludes(dense);
    predicted->excludes(dense);
    command
        ->add_option("--predictors", plan.predictors_path,
                     "file with predictors (default: those inside the model file)")
        ->check(not_empty())
        ->needs(predicted);
    command
        ->add_option("--predictor-input", plan.predictor_input,
                     "normed or residual, for files that do not say")
        ->check(CLI::IsMember({"normed", "residual"}))
        ->needs(predicted);
    command
        ->add_option("--activation", plan.activation,
                     "silu, reglu, drelu, relu, relu2, gelu, geglu, for files that do not say")
        ->check(CLI::IsMember({"silu", "reglu", "drelu", "relu", "relu2", "gelu", "geglu"}));
    command->add_option("--assume-gpu", options->assume_gpu,
                        "plan for a GPU that is not there: its memory, GB/s and what a "
                        "synchronisation takes in microseconds, as in 24G,900,20");
    command->add_option("--assume-ram", options->assume_ram,
                        "GB/s that memory delivers, instead of measuring");
    command->callback([options, &program] {
        program.action = [options, &program] { return run(program, *options); };
    });
}

}  // namespace hearth::cli
