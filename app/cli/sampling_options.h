// The options of commands that choose tokens: sampling, and what an answer may be.
#pragma once

#include <hearth/engine.h>
#include <hearth/result.h>

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hearth::cli {

struct SamplingArguments {
    SamplingOptions sampling;
    std::vector<std::string> logit_bias;
    std::vector<std::string> dry_breakers;
    std::string grammar, grammar_file;
    std::string json_schema, json_schema_file;
};

struct Wrong {
    std::string message;  // empty when all is well
    std::string option;
};

// Adds the options to a command. arguments must live as long as the command.
void add_sampling_options(CLI::App& command, SamplingArguments& arguments);

// Checks the arguments, and fills sampling.logit_bias and sampling.dry_breakers.
Wrong check_sampling(SamplingArguments& arguments);

// "TOKEN=VALUE": an id or a text, then a number, or false for a ban. Empty: it is neither.
std::optional<LogitBias> parse_logit_bias(const std::string& text);

// Fills grammar and json_schema of the options, from files where files are named. NotFound,
// NotAFile, PermissionDenied, ReadFailed, Unsupported: see read_text().
Result<void> read_grammar(const SamplingArguments& arguments, GenerationOptions& options);

}  // namespace hearth::cli
