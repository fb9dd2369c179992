// hearth-cli perplexity: how well a model predicts a text.
#include <CLI/CLI.hpp>

#include <hearth/tools.h>

#include "files.h"
#include "model_options.h"
#include "program.h"
#include "report.h"
#include "system.h"

namespace hearth::cli {
namespace {

struct Options : ModelOptions {
    std::string file;
    bool token_by_token = false;
};

int run(Program& program, const Options& options) {
    if (options.n_ctx < 2) {
        return program.usage(
            "--ctx: a window has at least 2 tokens, since the first of a text has none before it",
            "--ctx");
    }
    const Result<std::string> text = read_text(options.file);
    if (!text) {
        return program.fail(text.error());
    }
    const Loaded loaded = load_model(program, options);
    if (loaded.engine == nullptr) {
        return loaded.status;
    }
    const bool to_people = errors_are_terminal();
    const auto progress = [&](int done, int windows) {
        if (to_people) {
            say(format("\rwindow %d of %d%s", done, windows, done == windows ? "\n" : ""));
        }
    };
    const auto report = tools::perplexity(*loaded.engine, *text, options.n_ctx, progress,
                                          program.cancellation, options.token_by_token);
    if (!report) {
        return program.fail(report.error());
    }
    if (was_interrupted()) {
        return program.fail({ErrorCode::Cancelled, "stopped before the end of the text", "", ""});
    }
    if (program.json) {
        return program.finish({{"model", model_json(loaded.engine->model())},
                               {"ctx", options.n_ctx},
                               {"perplexity", report->perplexity},
                               {"standard_error", report->standard_error},
                               {"loss", report->loss},
                               {"tokens", report->tokens},
                               {"windows", report->windows},
                               {"memory", memory_json(loaded.engine->memory())}});
    }
    const auto decoded = loaded.engine->decode_statistics();
    if (!decoded) {
        return program.fail(decoded.error());
    }
    std::string sparsity;
    if (const auto& layers = decoded->layers; !layers.empty()) {
        double examined = 0, inputs = 0, fired = 0;
        for (const LayerStatistics& layer : layers) {
            examined += layer.examined / static_cast<double>(layers.size());
            inputs += layer.inputs / static_cast<double>(layers.size());
            fired += layer.fired / static_cast<double>(layers.size());
        }
        sparsity = loaded.engine->settings().mode == "approximate"
                       ? format("; approximate: %.1f %% of inputs, %.1f %% of neurons kept",
                                100 * inputs, 100 * fired)
                       : format("; %.1f %% of the gates computed", 100 * examined);
    }
    program.write(format("perplexity %.4f +- %.4f  (%llu tokens, %d windows of %d; loss %.5f%s)\n",
                         report->perplexity, report->standard_error,
                         static_cast<unsigned long long>(report->tokens), report->windows,
                         options.n_ctx, report->loss, sparsity.c_str()));
    return program.finish();
}

}  // namespace

void add_perplexity(CLI::App& app, Program& program) {
    auto options = std::make_shared<Options>();
    options->n_ctx = 512;  // the window's length; a longer context is not needed
    CLI::App* command = app.add_subcommand("perplexity", "how well a model foretells a text");
    command->add_option("-f,--file", options->file, "the text; - is standard input")
        ->required()
        ->check(not_empty());
    command->add_flag(
        "--token-by-token", options->token_by_token,
        "as answers are computed, not in batches (always so with --predicted and --approximate)");
    add_model_options(*command, *options, program);
    command->get_option("--ctx")->description("tokens of a window (default: 512)");
    command->callback([options, &program] {
        program.action = [options, &program] { return run(program, *options); };
    });
}

}  // namespace hearth::cli
