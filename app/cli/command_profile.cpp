// hearth-cli profile: how often each neuron fires on a text, or how large its inputs are.
#include <CLI/CLI.hpp>
#include <optional>

#include <hearth/tools.h>

#include "files.h"
#include "model_options.h"
#include "printable.h"
#include "program.h"
#include "report.h"
#include "system.h"

namespace hearth::cli {
namespace {

struct Options : ModelOptions {
    std::string file;
    tools::ProfileOptions profile;
    std::optional<double> sparsity;  // set: writes thresholds instead of counts
};

double mean_sparsity(const tools::ProfileReport& report) {
    double sum = 0;
    for (const tools::LayerFirings& layer : report.layers) {
        sum += layer.sparsity;
    }
    return sum / static_cast<double>(report.layers.size());
}

Json layers_json(const tools::ProfileReport& report) {
    Json layers = Json::array();
    for (const tools::LayerFirings& layer : report.layers) {
        layers.push_back({{"index", layer.index},
                          {"sparsity", layer.sparsity},
                          {"hottest_20_share", layer.hottest_20_share}});
    }
    return layers;
}

using Progress = std::function<void(int done, int windows)>;

int calibrate(Program& program, Engine& engine, const std::string& text, const Options& options,
              const Progress& progress) {
    const tools::CalibrationOptions wanted{.n_ctx = options.n_ctx,
                                           .max_tokens = options.profile.max_tokens,
                                           .sparsity = *options.sparsity,
                                           .output_path = options.profile.output_path};
    const auto report = tools::calibrate(engine, text, wanted, progress, program.cancellation);
    if (!report) {
        return program.fail(report.error());
    }
    if (program.json) {
        Json layers = Json::array();
        for (const tools::CalibrationReport::Layer& layer : report->layers) {
            layers.push_back({{"index", layer.index},
                              {"input_threshold", layer.input_threshold},
                              {"hidden_threshold", layer.hidden_threshold},
                              {"input_below", layer.input_below},
                              {"hidden_below", layer.hidden_below}});
        }
        return program.finish({{"model", model_json(engine.model())},
                               {"path", wanted.output_path},
                               {"ctx", wanted.n_ctx},
                               {"model_hash", report->model_hash},
                               {"tokens", report->tokens},
                               {"sparsity", wanted.sparsity},
                               {"layers", layers}});
    }
    program.write("layer  inputs below        hidden values below\n");
    for (const tools::CalibrationReport::Layer& layer : report->layers) {
        program.write(format("%5d  %-9.3g %5.1f %%   %-9.3g %5.1f %%\n", layer.index,
                             layer.input_threshold, 100 * layer.input_below, layer.hidden_threshold,
                             100 * layer.hidden_below));
    }
    program.write(format("%s: thresholds from %llu tokens; --approximate --thresholds uses them\n",
                         printable(wanted.output_path).c_str(),
                         static_cast<unsigned long long>(report->tokens)));
    return program.finish();
}

int run(Program& program, const Options& options) {
    const Result<std::string> text = read_text(options.file);
    if (!text) {
        return program.fail(text.error());
    }
    ModelOptions whole = options;
    whole.gpu = "none";  // every neuron must be seen
    const Loaded loaded = load_model(program, whole);
    if (loaded.engine == nullptr) {
        return loaded.status;
    }
    const bool to_people = errors_are_terminal();
    const auto progress = [&](int done, int windows) {
        if (to_people) {
            say(format("\rwindow %d of %d%s", done, windows, done == windows ? "\n" : ""));
        }
    };
    if (options.sparsity) {
        return calibrate(program, *loaded.engine, *text, options, progress);
    }
    tools::ProfileOptions profile = options.profile;
    profile.n_ctx = options.n_ctx;
    const auto report =
        tools::profile(*loaded.engine, *text, profile, progress, program.cancellation);
    if (!report) {
        return program.fail(report.error());
    }
    if (program.json) {
        return program.finish({{"model", model_json(loaded.engine->model())},
                               {"path", profile.output_path},
                               {"ctx", profile.n_ctx},
                               {"model_hash", report->model_hash},
                               {"tokens", report->tokens},
                               {"sparsity", mean_sparsity(*report)},
                               {"layers", layers_json(*report)}});
    }
    program.write("layer  zeros   hottest 20 % hold\n");
    for (const tools::LayerFirings& layer : report->layers) {
        program.write(format("%5d  %5.1f %%  %5.1f %% of the activity\n", layer.index,
                             100 * layer.sparsity, 100 * layer.hottest_20_share));
    }
    program.write(format(
        "%s: %llu tokens, %.1f %% zeros on average\n", printable(profile.output_path).c_str(),
        static_cast<unsigned long long>(report->tokens), 100 * mean_sparsity(*report)));
    return program.finish();
}

}  // namespace

void add_profile(CLI::App& app, Program& program) {
    auto options = std::make_shared<Options>();
    options->n_ctx = options->profile.n_ctx;
    CLI::App* command =
        app.add_subcommand("profile", "count how often each neuron fires, or set thresholds");
    command->add_option("-f,--file", options->file, "sample text; - is standard input")
        ->required()
        ->check(not_empty());
    command->add_option("-o,--output", options->profile.output_path, "profile to write")
        ->required()
        ->check(not_empty());
    command
        ->add_option("-n,--tokens", options->profile.max_tokens,
                     "tokens of the text (default: all)")
        ->transform(whole_number(1, std::int64_t{1} << 31));
    CLI::Option* add = command->add_flag("--add", options->profile.add,
                                         "add to the profile that is there already");
    command
        ->add_option("--sparsity", options->sparsity,
                     "write thresholds for --approximate instead, below which this share of a "
                     "SiLU model's values lies: 0.25, 0.4, 0.5")
        ->check(real_number(0.0, 0.99))
        ->excludes(add);
    add_model_options(*command, *options, program);
    command->get_option("--ctx")->description("tokens of a window (default: 1024)");
    command->callback([options, &program] {
        program.action = [options, &program] { return run(program, *options); };
    });
}

}  // namespace hearth::cli
