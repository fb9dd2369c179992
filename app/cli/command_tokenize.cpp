// hearth-cli tokenize: turns the bytes of standard input into token ids.
#include <CLI/CLI.hpp>

#include <hearth/tools.h>

#include "files.h"
#include "model_options.h"
#include "program.h"
#include "report.h"

namespace hearth::cli {
namespace {

struct Options : FileOptions {
    bool no_bos = false;
    bool parse_special = false;
};

int run(Program& program, const Options& options) {
    const Result<std::string> path = model_path(options);
    if (!path) {
        return program.fail(path.error());
    }
    const Result<tools::Vocabulary> vocabulary = tools::Vocabulary::open(*path);
    if (!vocabulary) {
        return program.fail(vocabulary.error());
    }
    program.warn(tokenizer_warning(vocabulary->tokenizer_pre(), vocabulary->tokenizer_fallback()));
    const Result<std::string> text = read_text("-");
    if (!text) {
        return program.fail(text.error());
    }
    const Result<std::vector<std::int32_t>> ids =
        vocabulary->tokenize(*text, !options.no_bos, options.parse_special);
    if (!ids) {
        return program.fail(ids.error());
    }
    if (program.json) {
        // The contract wants the bare array here.
        program.write(to_text(Json(*ids)) + "\n");
        return program.finish();
    }
    std::string line;
    for (const std::int32_t id : *ids) {
        line += (line.empty() ? "" : " ") + std::to_string(id);
    }
    program.write(line + "\n");
    return program.finish();
}

}  // namespace

void add_tokenize(CLI::App& app, Program& program) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("tokenize", "text from standard input to token ids");
    command->add_flag("--no-bos", options->no_bos, "add no special token");
    command->add_flag("--parse-special", options->parse_special,
                      "special tokens written out in the text become their ids");
    add_file_options(*command, *options, program);
    command->callback([options, &program] {
        program.action = [options, &program] { return run(program, *options); };
    });
}

}  // namespace hearth::cli
