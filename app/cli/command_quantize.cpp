// hearth-cli quantize: converts the weights of a file.
#include <CLI/CLI.hpp>

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
    tools::QuantizeOptions quantize;
};

int run(Program& program, const Options& options) {
    set_interrupt_target(&program.cancellation);
    const bool to_people = errors_are_terminal();
    const auto report = tools::quantize(
        options.model, options.quantize,
        [&](double fraction) {
            if (to_people) {
                say(format("\r%3.0f %%%s", fraction * 100, fraction >= 1 ? "\n" : ""));
            }
        },
        program.cancellation);
    if (!report) {
        const Error& error = report.error();
        const bool wrong = error.code == ErrorCode::InvalidArgument &&
                           (error.field == "type" || error.field == "embedding_type");
        return wrong ? program.usage(error.message,
                                     error.field == "type" ? "--type" : "--embedding-type")
                     : program.fail(error);
    }
    if (program.json) {
        return program.finish({{"path", options.quantize.output_path},
                               {"type", options.quantize.type},
                               {"input_bytes", report->input_bytes},
                               {"output_bytes", report->output_bytes},
                               {"shared_output", report->shared_output}});
    }
    program.write(format(
        "%s: %s, was %s%s\n", printable(options.quantize.output_path).c_str(),
        format_size(report->output_bytes).c_str(), format_size(report->input_bytes).c_str(),
        report->shared_output ? "; output.weight repeated the embedding and was left out" : ""));
    return program.finish();
}

}  // namespace

void add_quantize(CLI::App& app, Program& program) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("quantize", "convert the weights of a model file");
    command->add_option("-m,--model", options->model, "model file")->required()->check(not_empty());
    command
        ->add_option("--type", options->quantize.type,
                     "Q4_0, Q8_0, F16, BF16 or F32; with exceptions: Q4_0,attn_v=Q8_0")
        ->required();
    command->add_option("--embedding-type", options->quantize.embedding_type,
                        "of the embedding and the output head (default: as --type)");
    command->add_option("-o,--output", options->quantize.output_path, "file to write")
        ->required()
        ->check(not_empty());
    add_json_option(*command, program);
    command->callback([options, &program] {
        program.action = [options, &program] { return run(program, *options); };
    });
}

}  // namespace hearth::cli
