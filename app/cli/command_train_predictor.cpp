// hearth-cli train-predictor: fits activation predictors to a text.
#include <CLI/CLI.hpp>

#include <hearth/tools.h>

#include "files.h"
#include "model_options.h"
#include "printable.h"
#include "program.h"
#include "report.h"
#include "size.h"
#include "system.h"

namespace hearth::cli {
namespace {

struct Options : ModelOptions {
    std::string file;
    std::string layers;  // "3-7", "3", empty: all
    std::string width = "auto";
    std::string sample_memory;
    bool plain_text = false;
    tools::PredictorOptions train;
};

// "3-7" or "3".
bool parse_layers(const std::string& text, tools::PredictorOptions& train) {
    int first = 0;
    int last = 0;
    int used = 0;
    const int found = std::sscanf(text.c_str(), "%6d-%6d%n", &first, &last, &used);
    if (found == 1) {
        used = 0;
        last = first;
        if (std::sscanf(text.c_str(), "%6d%n", &first, &used) != 1) {
            return false;
        }
    }
    if (found < 1 || static_cast<std::size_t>(used) != text.size() || first < 0 || last < first) {
        return false;
    }
    train.first_layer = first;
    train.last_layer = last;
    return true;
}

// Empty if all is well, else the wrong option and the message.
std::pair<std::string, std::string> complete(Options& options) {
    if (!options.layers.empty() && !parse_layers(options.layers, options.train)) {
        return {"--layers", "\"" + options.layers + "\" is no layer and no range such as 3-7"};
    }
    if (options.width != "auto") {
        int used = 0;
        if (std::sscanf(options.width.c_str(), "%6d%n", &options.train.width, &used) != 1 ||
            static_cast<std::size_t>(used) != options.width.size() || options.train.width <= 0 ||
            options.train.width % 32 != 0) {
            return {"--width", "\"" + options.width + "\" is neither auto nor a multiple of 32"};
        }
    }
    if (!options.sample_memory.empty()) {
        const auto bytes = parse_size(options.sample_memory);
        if (!bytes) {
            return {"--sample-memory", "\"" + options.sample_memory + "\" is no size"};
        }
        options.train.sample_bytes = *bytes;
    }
    if (options.file.empty() &&
        (options.train.kind != "low_rank" || !options.train.weights_path.empty())) {
        return {"--file", "is required: a text is what thresholds are set and predictors learn by"};
    }
    options.train.parse_special = !options.plain_text;
    return {};
}

Json layer_json(const tools::PredictorLayerReport& layer) {
    return {{"index", layer.layer},
            {"written", layer.written},
            {"reason", layer.reason.empty() ? Json(nullptr) : Json(layer.reason)},
            {"resumed", layer.resumed},
            {"width", layer.width},
            {"threshold", layer.threshold},
            {"recall", layer.recall},
            {"weighted_recall", layer.weighted_recall},
            {"precision", layer.precision},
            {"predicted", layer.predicted},
            {"active", layer.active},
            {"skew", layer.skew},
            {"predictor_bytes", layer.predictor_bytes},
            {"gate_bytes", layer.gate_bytes},
            {"seconds", layer.seconds}};
}

std::string layer_line(const tools::PredictorLayerReport& layer) {
    return format("%5d %5d  %9.3f  %6.3f  %8.4f  %9.3f  %9.4f  %6.4f  %s of %s%s%s\n", layer.layer,
                  layer.width, static_cast<double>(layer.threshold), layer.recall,
                  layer.weighted_recall, layer.precision, layer.predicted, layer.active,
                  format_size(layer.predictor_bytes).c_str(), format_size(layer.gate_bytes).c_str(),
                  layer.written ? "" : "; runs exact: ", layer.reason.c_str());
}

int run(Program& program, Options& options) {
    if (const auto [option, message] = complete(options); !option.empty()) {
        return program.usage(option + ": " + message, option);
    }
    std::string text;
    if (!options.file.empty()) {
        auto read = read_text(options.file);
        if (!read) {
            return program.fail(read.error());
        }
        text = std::move(*read);
    }
    ModelOptions whole = options;
    whole.gpu = "none";  // every neuron must be seen
    const Loaded loaded = load_model(program, whole);
    if (loaded.engine == nullptr) {
        return loaded.status;
    }
    const bool to_people = errors_are_terminal();
    int told_layer = -1;
    std::string told_what;
    const auto progress = [&](std::string_view what, int layer, double fraction) {
        if (to_people) {
            say(format("\r%s, layer %d: %3.0f %%   %s", std::string(what).c_str(), layer,
                       fraction * 100, fraction >= 1 ? "\n" : ""));
        } else if (told_layer != layer || told_what != what) {  // a log gets one line a step
            say(format("%s, layer %d: %3.0f %%\n", std::string(what).c_str(), layer,
                       fraction * 100));
        }
        told_layer = layer;
        told_what = what;
    };
    const auto report = tools::train_predictors(*loaded.engine, text, options.train, progress,
                                                program.cancellation);
    if (!report) {
        return program.fail(report.error());
    }
    if (program.json) {
        Json layers = Json::array();
        for (const auto& layer : report->layers) {
            layers.push_back(layer_json(layer));
        }
        return program.finish({{"model", model_json(loaded.engine->model())},
                               {"path", options.train.output_path},
                               {"kind", options.train.kind},
                               {"input", options.train.input},
                               {"type", options.train.type},
                               {"training_tokens", report->training_tokens},
                               {"held_back_tokens", report->held_back_tokens},
                               {"output_bytes", report->output_bytes},
                               {"seconds", report->seconds},
                               {"layers", std::move(layers)}});
    }
    std::string table =
        "layer width  threshold  recall  weighted  precision  predicted  active  predictor, gate\n";
    for (const auto& layer : report->layers) {
        table += layer_line(layer);
    }
    program.write(table + format("%s: %s; learnt from %llu tokens, judged on %llu others, %.0f s\n",
                                 printable(options.train.output_path).c_str(),
                                 format_size(report->output_bytes).c_str(),
                                 static_cast<unsigned long long>(report->training_tokens),
                                 static_cast<unsigned long long>(report->held_back_tokens),
                                 report->seconds));
    return program.finish();
}

}  // namespace

void add_train_predictor(CLI::App& app, Program& program) {
    auto options = std::make_shared<Options>();
    options->n_ctx = 512;  // length of the windows that the text is cut into
    tools::PredictorOptions& train = options->train;
    CLI::App* command = app.add_subcommand("train-predictor",
                                           "fit activation predictors of a sparse model to a text");
    command->add_option("-f,--file", options->file, "the text; - is standard input")
        ->check(not_empty());
    command->add_option("-o,--output", train.output_path, "file to write")
        ->required()
        ->check(not_empty());
    command
        ->add_option("--kind", train.kind,
                     "trained (default), or low_rank: from the gate itself, needs no text")
        ->check(CLI::IsMember({"trained", "low_rank"}));
    command->add_option("--input", train.input, "what predictors read: normed (default), residual")
        ->check(CLI::IsMember({"normed", "residual"}));
    command->add_option("--type", train.type, "of the weights (default: Q8_0)")
        ->check(CLI::IsMember({"F32", "F16", "BF16", "Q8_0", "Q4_0"}));
    command->add_option("--layers", options->layers, "first and last, 3-7 (default: all)");
    command->add_option("--width", options->width,
                        "a multiple of 32, or auto: each layer's own (default)");
    command
        ->add_option("--recall", train.recall,
                     "share of the output's squared contributions that predicted neurons must hold "
                     "(default: 0.97)")
        ->check(real_number(1e-9, 1.0));
    command
        ->add_option("--weights", train.weights_path,
                     "predictors file whose weights to keep, to set only thresholds anew")
        ->check(not_empty());
    command->add_option("--max-tokens", train.max_tokens, "of the text (default: all)")
        ->transform(whole_number(1, std::int64_t{1} << 40));
    command->add_option("--passes", train.passes, "over the text (default: 6)")
        ->transform(whole_number(1, 1000));
    command->add_option("--seed", train.seed, "of the first weights and the order of the text")
        ->transform(seed_number());
    command->add_option("--sample-memory", options->sample_memory,
                        "most memory for what is learnt from (default: 2G)");
    command->add_flag("--plain-text", options->plain_text,
                      "special tokens written out in the text are text");
    add_model_options(*command, *options, program);
    command->get_option("--ctx")->description("tokens of a window (default: 512, and the most)");
    command->callback([options, &program] {
        program.action = [options, &program] { return run(program, *options); };
    });
}

}  // namespace hearth::cli
