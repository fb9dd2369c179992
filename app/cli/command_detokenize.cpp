// hearth-cli detokenize: token ids from standard input to text.
#include <CLI/CLI.hpp>

#include <hearth/tools.h>

#include "files.h"
#include "model_options.h"
#include "program.h"

namespace hearth::cli {
namespace {

int run(Program& program, const FileOptions& options) {
    const Result<std::string> path = model_path(options);
    if (!path) {
        return program.fail(path.error());
    }
    const Result<tools::Vocabulary> vocabulary = tools::Vocabulary::open(*path);
    if (!vocabulary) {
        return program.fail(vocabulary.error());
    }
    const Result<std::string> input = read_text("-");
    if (!input) {
        return program.fail(input.error());
    }
    const Result<std::vector<std::int32_t>> ids = parse_token_ids(*input);
    if (!ids) {
        return program.fail(ids.error());
    }
    const Result<std::string> text = vocabulary->detokenize(*ids);
    if (!text) {
        return program.fail(text.error());
    }
    if (program.json) {
        return program.finish({{"text", *text}});
    }
    program.write(*text);  // the exact bytes, without a line end of ours
    return program.finish();
}

}  // namespace

void add_detokenize(CLI::App& app, Program& program) {
    auto options = std::make_shared<FileOptions>();
    CLI::App* command =
        app.add_subcommand("detokenize", "token ids from standard input to the exact bytes");
    add_file_options(*command, *options, program);
    command->callback([options, &program] {
        program.action = [options, &program] { return run(program, *options); };
    });
}

}  // namespace hearth::cli
