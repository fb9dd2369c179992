// hearth-cli pack: writes a model with its neurons stored one by one.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>

#include <hearth/tools.h>

#include "model_options.h"
#include "printable.h"
#include "program.h"
#include "report.h"
#include "size.h"
#include "system.h"

namespace hearth::cli {
namespace {

struct Options {
    std::string model;
    std::string checkpoint = "256M";
    bool no_gate_matrices = false;
    tools::PackOptions pack;
};

// "Q4_0 as Q8_0", "F16", or "several types".
std::string down_text(const tools::PackReport& report) {
    const auto& first = report.down_types.front();
    const bool alike =
        std::all_of(report.down_types.begin(), report.down_types.end(), [&](const auto& layer) {
            return layer.source == first.source && layer.stored == first.stored;
        });
    if (!alike) {
        return "several types";
    }
    return first.source == first.stored ? first.stored : first.source + " as " + first.stored;
}

// "1.2 GiB of 4.0 GiB written".
std::string progress_text(const tools::PackProgress& progress) {
    const bool all = progress.written_bytes == progress.output_bytes;
    return format("%s of %s %s",
                  format_size(all ? progress.verified_bytes : progress.written_bytes).c_str(),
                  format_size(progress.output_bytes).c_str(), all ? "verified" : "written");
}

Json report_json(const Options& options, const tools::PackReport& report) {
    Json down = Json::array();
    for (const auto& layer : report.down_types) {
        down.push_back({{"source", layer.source}, {"stored", layer.stored}});
    }
    return {{"path", options.pack.output_path},
            {"model_hash", report.model_hash},
            {"input_bytes", report.input_bytes},
            {"output_bytes", report.output_bytes},
            {"resumed_bytes", report.resumed_bytes},
            {"verified_bytes", report.verified_bytes},
            {"by_hotness", report.by_hotness},
            {"profile_tokens", report.by_hotness ? Json(report.profile_tokens) : Json(nullptr)},
            {"predictor_layers", report.predictor_layers},
            {"down_types", std::move(down)},
            {"gate_matrix_bytes", report.gate_matrix_bytes}};
}

int run(Program& program, Options options) {
    const auto checkpoint = parse_size(options.checkpoint);
    if (!checkpoint) {
        return program.usage("--checkpoint: \"" + options.checkpoint + "\" is no size like 256M",
                             "--checkpoint");
    }
    options.pack.checkpoint_bytes = *checkpoint;
    options.pack.cache_folder = cache_folder();
    options.pack.gate_matrices = !options.no_gate_matrices;
    set_interrupt_target(&program.cancellation);
    const bool to_people = errors_are_terminal();
    const auto report = tools::pack(
        options.model, options.pack,
        [&, told = std::string()](const tools::PackProgress& progress) mutable {
            if (to_people) {
                const std::string text = progress_text(progress);
                if (text != std::exchange(told, text)) {
                    say(format("\r%-40s%s", text.c_str(),
                               progress.verified_bytes == progress.output_bytes ? "\n" : ""));
                }
            }
        },
        program.cancellation);
    if (!report) {
        return program.fail(report.error());
    }
    if (program.json) {
        return program.finish(report_json(options, *report));
    }
    program.write(format("%s: %s, was %s; down rows: %s\n",
                         printable(options.pack.output_path).c_str(),
                         format_size(report->output_bytes).c_str(),
                         format_size(report->input_bytes).c_str(), down_text(*report).c_str()));
    program.write(
        report->by_hotness
            ? format("neurons by hotness, as %llu tokens showed it%s\n",
                     static_cast<unsigned long long>(report->profile_tokens),
                     report->by_itself ? " while the model was used" : "")
            : std::string("neurons in the file's order: there is no profile of enough tokens\n"));
    if (report->gate_matrix_bytes > 0) {
        program.write(
            format("gates also as matrices: %s\n", format_size(report->gate_matrix_bytes).c_str()));
    }
    if (!report->predictor_layers.empty()) {
        program.write(format("predictors of %zu layers\n", report->predictor_layers.size()));
    }
    if (report->resumed_bytes > 0) {
        program.write(format("%s were there from an earlier attempt\n",
                             format_size(report->resumed_bytes).c_str()));
    }
    program.write(format("%s read back and compared with the source\n",
                         format_size(report->verified_bytes).c_str()));
    return program.finish();
}

}  // namespace

void add_pack(CLI::App& app, Program& program) {
    auto options = std::make_shared<Options>();
    tools::PackOptions& pack = options->pack;
    CLI::App* command = app.add_subcommand("pack", "store a sparse model neuron by neuron");
    command->add_option("-m,--model", options->model, "model file")->required()->check(not_empty());
    command->add_option("-o,--output", pack.output_path, "file to write")
        ->required()
        ->check(not_empty());
    command
        ->add_option("--profile", pack.profile_path,
                     "profile: the hottest neurons come first (default: the one "
                     "the model made of itself, if any)")
        ->check(not_empty());
    command->add_option("--predictors", pack.predictors_path, "predictors to put inside")
        ->check(not_empty());
    command
        ->add_option("--predictor-input", pack.predictor_input,
                     "what the predictors read, if their file does not say: normed or residual")
        ->check(CLI::IsMember({"normed", "residual"}));
    command
        ->add_option("--activation", pack.activation,
                     "what the blocks compute, if the file means something else than it says: "
                     "silu, reglu, drelu, relu, relu2, gelu, geglu")
        ->check(CLI::IsMember({"silu", "reglu", "drelu", "relu", "relu2", "gelu", "geglu"}));
    command
        ->add_option("--down-type", pack.down_type,
                     "type of the down rows (default: Q8_0 for Q4_0, others keep theirs)")
        ->check(CLI::IsMember({"F32", "F16", "BF16", "Q8_0", "Q4_0"}));
    command
        ->add_option("--format", pack.format,
                     "2: rows as the processor computes with them (default), 1: as older versions "
                     "of Hearth read them")
        ->check(CLI::IsMember({1, 2}));
    command->add_flag("--no-gate-matrices", options->no_gate_matrices,
                      "leave out the gates' second copy: a smaller file, slower where RAM holds "
                      "half of it");
    command->add_option("--checkpoint", options->checkpoint,
                        "how much an interruption may cost (default: 256M)");
    command->add_flag("--force", pack.force, "also a model whose neurons never fall silent");
    add_json_option(*command, program);
    command->callback([options, &program] {
        program.action = [options, &program] { return run(program, *options); };
    });
}

}  // namespace hearth::cli
