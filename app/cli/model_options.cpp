#include "model_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <vector>

#include "program.h"
#include "report.h"
#include "size.h"
#include "system.h"

namespace hearth::cli {
namespace {

// The folder holds one model; of several the first by name is taken.
std::optional<std::string> first_model_in(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> found;
    std::error_code ignored;
    for (std::filesystem::directory_iterator it(folder, ignored), end; !ignored && it != end;
         it.increment(ignored)) {
        if (it->path().extension() == ".gguf") {
            found.push_back(it->path());
        }
    }
    if (found.empty()) {
        return std::nullopt;
    }
    const std::u8string utf8 = std::min_element(found.begin(), found.end())->u8string();
    return std::string(utf8.begin(), utf8.end());
}

template <class T>
CLI::Validator number_between(T smallest, T greatest) {
    const auto check = [=](std::string& text) -> std::string {
        T value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool number = end == text.data() + text.size() && !text.empty();
        const bool negative = text.size() > 1 && text[0] == '-' &&
                              text.find_first_not_of("0123456789", 1) == std::string::npos;
        if ((number && error == std::errc{} && value < smallest) || (negative && smallest >= 0)) {
            return text + " is too small; at least " + std::to_string(smallest);
        }
        if (number && (error == std::errc::result_out_of_range || value > greatest)) {
            return text + " is too large; at most " + std::to_string(greatest);
        }
        if (!number || error != std::errc{}) {
            return "\"" + text + "\" is no whole number";
        }
        text = std::to_string(value);  // CLI11 would take a leading 0 for octal
        return {};
    };
    return CLI::Validator(check, "");
}

}  // namespace

CLI::Validator whole_number(std::int64_t smallest, std::int64_t greatest) {
    return number_between<std::int64_t>(smallest, greatest);
}

CLI::Validator seed_number() {
    return number_between<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max());
}

CLI::Validator real_number(double smallest, double greatest) {
    return CLI::Validator(
        [=](const std::string& text) {
            double value = 0;
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), value);
            const bool inside = error == std::errc{} && end == text.data() + text.size() &&
                                value >= smallest && value <= greatest;
            return inside ? std::string()
                          : "\"" + text + "\" is no number from " + format("%g", smallest) +
                                " to " + format("%g", greatest);
        },
        "");
}

CLI::Validator not_empty() {
    return CLI::Validator(
        [](const std::string& text) { return text.empty() ? "names nothing" : std::string(); }, "");
}

void add_json_option(CLI::App& command, Program& program) {
    command.add_flag("--json", program.json, "one JSON object on standard output, nothing else");
}

void add_file_options(CLI::App& command, FileOptions& options, Program& program) {
    command.add_option("-m,--model", options.model, "model file (default: the starter model)")
        ->check(not_empty());
    add_json_option(command, program);
}

void add_model_options(CLI::App& command, ModelOptions& options, Program& program) {
    add_file_options(command, options, program);
    command
        .add_option("-t,--threads", options.threads,
                    "threads (default: what this machine is worth)")
        ->transform(whole_number(1, 1024));
    command.add_option("--ctx", options.n_ctx, "context in tokens (default: the model's own)")
        ->transform(whole_number(1, 1 << 24));
    command.add_option("--gpu", options.gpu, "auto, none, an index or a name");
    command.add_option("--vram", options.vram, "GPU memory to use: 512M, 3.5G, auto");
    command.add_option("--ram", options.ram, "memory to use: 512M, 3.5G, auto");
    command
        .add_option(
            "--kv", options.kv,
            "how the conversation's keys and values are held: f16, or q8_0 in half the memory")
        ->check(CLI::IsMember({"f16", "q8_0"}));
    command.add_flag("--trace", options.trace, "time every dispatch of the GPU (slows it down)");
    CLI::Option* exact =
        command.add_flag("--exact", options.exact,
                         "compute every neuron that fires (default: but where so many fire that "
                         "this costs time, every neuron)");
    CLI::Option* predicted =
        command.add_flag("--predicted", options.predicted, "compute the neurons predictors name");
    CLI::Option* dense = command.add_flag("--dense", options.dense, "compute every neuron");
    CLI::Option* approximate = command.add_flag(
        "--approximate", options.approximate,
        "leave out what lies below --thresholds: faster, other text (models with SiLU)");
    exact->excludes(predicted)->excludes(dense)->excludes(approximate);
    predicted->excludes(dense)->excludes(approximate);
    dense->excludes(approximate);
    approximate->needs(command
                           .add_option("--thresholds", options.thresholds,
                                       "file that profile --sparsity made, for --approximate")
                           ->check(not_empty())
                           ->needs(approximate));
    command
        .add_option("--predictors", options.predictors,
                    "file with predictors (default: those inside the model file)")
        ->check(not_empty())
        ->needs(predicted);
    command
        .add_option("--predictor-input", options.predictor_input,
                    "normed or residual, for files that do not say")
        ->check(CLI::IsMember({"normed", "residual"}))
        ->needs(predicted);
    command
        .add_option("--activation", options.activation,
                    "silu, reglu, drelu, relu, relu2, gelu, geglu, for files that do not say")
        ->check(CLI::IsMember({"silu", "reglu", "drelu", "relu", "relu2", "gelu", "geglu"}));
}

Result<std::string> model_path(const FileOptions& options) {
    if (!options.model.empty()) {
        return options.model;
    }
    const std::string program = executable_path();
    const std::filesystem::path executable(std::u8string(program.begin(), program.end()));
    if (auto found = first_model_in(executable.parent_path().parent_path() / "share" / "hearth" /
                                    "starter-model")) {
        return *found;
    }
    return Error{ErrorCode::NotFound,
                 "no starter model came with this program; name a model file with -m", "", "model"};
}

Loaded load_model(Program& program, const ModelOptions& options) {
    EngineOptions engine_options;
    if (const auto wrong = parse_budget("--vram", options.vram, engine_options.vram_bytes)) {
        return {nullptr, program.usage(*wrong, "--vram")};
    }
    if (const auto wrong = parse_budget("--ram", options.ram, engine_options.ram_bytes)) {
        return {nullptr, program.usage(*wrong, "--ram")};
    }
    if (const auto wrong =
            parse_budget("--kept-pasts", options.kept_pasts, engine_options.kept_pasts_bytes)) {
        return {nullptr, program.usage(*wrong, "--kept-pasts")};
    }
    Result<std::string> path = model_path(options);
    if (!path) {
        return {nullptr, program.fail(path.error())};
    }
    engine_options.model_path = *path;
    engine_options.threads = options.threads;
    engine_options.n_ctx = options.n_ctx;
    engine_options.kv = options.kv;
    engine_options.gpu = options.gpu;
    engine_options.cache_folder = cache_folder();
    engine_options.program_path = executable_path();
    engine_options.mode = options.predicted     ? "predicted"
                          : options.approximate ? "approximate"
                          : options.dense       ? "dense"
                          : options.exact       ? "exact"
                                                : "";
    engine_options.thresholds_path = options.thresholds;
    engine_options.predictors_path = options.predictors;
    engine_options.predictor_input = options.predictor_input;
    engine_options.activation = options.activation;
    engine_options.profile_folder =
        options.reads_profile || options.keeps_profile ? cache_folder() : std::string();
    engine_options.keeps_profile = options.keeps_profile;
    engine_options.heeds_memory_pressure = options.heeds_memory_pressure;
    engine_options.flash_without = options.flash_without;

    set_interrupt_target(&program.cancellation);
    Result<std::unique_ptr<Engine>> engine =
        Engine::load(engine_options, {}, &program.cancellation);
    if (!engine) {
        return {nullptr, program.fail(engine.error())};
    }
    const ModelInfo& model = (*engine)->model();
    program.warn(tokenizer_warning(model.tokenizer_pre, model.tokenizer_fallback));
    if (options.trace) {
        (*engine)->set_tracing(true);
    }
    return {std::move(*engine), kDone};
}

}  // namespace hearth::cli
