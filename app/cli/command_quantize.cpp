// hearth-cli quantize: converts the weights of a file.
#include <algorithm>
#include <string>

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

Json types_json(const tools::QuantizeReport& report) {
    Json types = Json::object();
    for (const tools::TypeSummary& type : report.types) {
        types[type.type] = {{"tensors", type.tensors}, {"bytes", type.bytes}};
    }
    return types;
}

// What the user may not have meant.
void warn(const tools::QuantizeReport& report) {
    if (report.quantised_before > 0) {
        say(
            format("%llu tensors were quantised before, so they lose twice; F16, BF16 or F32 files "
                   "give better ones\n",
                   static_cast<unsigned long long>(report.quantised_before)));
    }
    constexpr std::size_t kNamed = 3;
    const auto& without = report.without_importance;
    if (!without.empty()) {
        std::string names;
        for (std::size_t i = 0; i < std::min(kNamed, without.size()); ++i) {
            names += (i == 0 ? "" : ", ") + printable(without[i]);
        }
        say(format("%zu tensors have no entry in the importance matrix: %s%s\n", without.size(),
                   names.c_str(), without.size() > kNamed ? ", ..." : ""));
    }
}

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
    warn(*report);
    if (program.json) {
        return program.finish({{"path", options.quantize.output_path},
                               {"type", options.quantize.type},
                               {"input_bytes", report->input_bytes},
                               {"output_bytes", report->output_bytes},
                               {"shared_output", report->shared_output},
                               {"types", types_json(*report)},
                               {"quantised_before", report->quantised_before},
                               {"without_importance", report->without_importance}});
    }
    program.write(format(
        "%s: %s, was %s%s\n", printable(options.quantize.output_path).c_str(),
        format_size(report->output_bytes).c_str(), format_size(report->input_bytes).c_str(),
        report->shared_output ? "; output.weight repeated the embedding and was left out" : ""));
    for (const tools::TypeSummary& type : report->types) {
        program.write(format("  %-5s %4llu tensors, %s\n", type.type.c_str(),
                             static_cast<unsigned long long>(type.tensors),
                             format_size(type.bytes).c_str()));
    }
    return program.finish();
}

}  // namespace

void add_quantize(CLI::App& app, Program& program) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("quantize", "convert the weights of a model file");
    command->add_option("-m,--model", options->model, "model file")->required()->check(not_empty());
    command
        ->add_option("--type", options->quantize.type,
                     "Q4_K_M, Q5_K_M, Q6_K, Q4_0, Q8_0, F16, BF16 or F32; with exceptions: "
                     "Q4_K_M,attn_v=Q8_0")
        ->required();
    command->add_option("--embedding-type", options->quantize.embedding_type,
                        "of the embedding and the output head (default: as --type has it)");
    command
        ->add_option("--imatrix", options->quantize.importance_path,
                     "importance matrix of the model, as llama-imatrix writes it")
        ->check(not_empty());
    command->add_option("-t,--threads", options->quantize.threads, "threads (default: all cores)")
        ->transform(whole_number(1, 1024));
    command->add_option("-o,--output", options->quantize.output_path, "file to write")
        ->required()
        ->check(not_empty());
    add_json_option(*command, program);
    command->callback([options, &program] {
        program.action = [options, &program] { return run(program, *options); };
    });
}

}  // namespace hearth::cli
