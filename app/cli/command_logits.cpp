// hearth-cli logits: the network's raw output, for comparing engines.
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
    std::string tokens;
    bool all = false;
    std::string output;
};

int run(Program& program, const Options& options) {
    std::string text = options.tokens;
    if (text == "-") {
        Result<std::string> input = read_text("-");
        if (!input) {
            return program.fail(input.error());
        }
        text = std::move(*input);
    }
    const Result<std::vector<std::int32_t>> tokens = parse_token_ids(text);
    if (!tokens && options.tokens == "-") {
        return program.fail(tokens.error());  // the content of a stream is no command line
    }
    if (!tokens) {
        return program.usage("--tokens: " + tokens.error().message, "--tokens");
    }
    if (tokens->empty()) {
        return program.usage("--tokens: no token ids", "--tokens");
    }
    // The target is set before the output file exists: from then on SIGINT must remove it.
    set_interrupt_target(&program.cancellation);
    // The output is opened before the model: a wrong path should not cost the time to load.
    FileOrPipe output;
    if (Result<void> opened = output.open(options.output); !opened) {
        return program.fail(opened.error());
    }
    const Loaded loaded = load_model(program, options);
    if (loaded.engine == nullptr) {
        return loaded.status;
    }
    std::uint64_t rows = 0;
    Result<void> done = tools::logits(
        *loaded.engine, *tokens, options.all,
        [&](int, std::span<const float> row) -> Result<void> {
            if (program.cancellation.requested()) {
                return Error{ErrorCode::Cancelled, "stopped", "", ""};
            }
            ++rows;
            return output.write(std::as_bytes(row));
        },
        &program.cancellation);
    if (done) {
        done = output.finish();
    }
    if (!done) {
        return program.fail(done.error());
    }
    const int n_vocab = loaded.engine->model().n_vocab;
    if (program.json) {
        return program.finish({{"model", model_json(loaded.engine->model())},
                               {"tokens", tokens->size()},
                               {"path", options.output},
                               {"shape", {rows, n_vocab}},
                               {"type", "F32"},
                               {"output_bytes", output.bytes()}});
    }
    program.write(format("%s: float32 [%llu, %d], %s\n", printable(options.output).c_str(),
                         static_cast<unsigned long long>(rows), n_vocab,
                         format_size(output.bytes()).c_str()));
    return program.finish();
}

}  // namespace

void add_logits(CLI::App& app, Program& program) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("logits", "write the logits of given tokens to a file");
    command->add_option("--tokens", options->tokens, "ids: 1,2,3; - reads them from standard input")
        ->required();
    command->add_flag("--all", options->all, "every position, not the last alone");
    command->add_option("-o,--output", options->output, "float32, row-major")
        ->required()
        ->check(not_empty());
    add_model_options(*command, *options, program);
    command->callback([options, &program] {
        program.action = [options, &program] { return run(program, *options); };
    });
}

}  // namespace hearth::cli
