// hearth-cli template: turns a chat into the prompt that the model sees.
#include <CLI/CLI.hpp>

#include <hearth/tools.h>

#include "files.h"
#include "model_options.h"
#include "program.h"

namespace hearth::cli {
namespace {

struct Options : FileOptions {
    std::string messages;
    bool no_generation_prompt = false;
};

Result<std::vector<ChatMessage>> parse_messages(const std::string& text, const std::string& path) {
    const auto failed = [&](const std::string& what) {
        return Error{ErrorCode::BadFile, path + ": " + what, path == "-" ? "" : path, "messages"};
    };
    const nlohmann::json array = nlohmann::json::parse(text, nullptr, false);
    if (array.is_discarded()) {
        return failed("is not JSON");
    }
    if (!array.is_array()) {
        return failed("is no array of messages");
    }
    std::vector<ChatMessage> messages;
    for (const nlohmann::json& item : array) {
        const std::string at = "[" + std::to_string(messages.size()) + "]";
        for (const char* key : {"role", "content"}) {
            if (!item.is_object() || !item.contains(key) || !item[key].is_string()) {
                return failed("message " + at + " has no text \"" + key + "\"");
            }
        }
        messages.push_back({item["role"].get<std::string>(), item["content"].get<std::string>()});
    }
    return messages;
}

int run(Program& program, const Options& options) {
    const Result<std::string> path = model_path(options);
    if (!path) {
        return program.fail(path.error());
    }
    const Result<tools::Vocabulary> vocabulary = tools::Vocabulary::open(*path);
    if (!vocabulary) {
        return program.fail(vocabulary.error());
    }
    const Result<std::string> text = read_text(options.messages);
    if (!text) {
        return program.fail(text.error());
    }
    const Result<std::vector<ChatMessage>> messages = parse_messages(*text, options.messages);
    if (!messages) {
        return program.fail(messages.error());
    }
    const Result<std::string> prompt =
        vocabulary->apply_template(*messages, !options.no_generation_prompt);
    if (!prompt) {
        return program.fail(prompt.error());
    }
    if (program.json) {
        return program.finish({{"text", *prompt}});
    }
    program.write(*prompt);  // the exact bytes, without a line end of ours
    return program.finish();
}

}  // namespace

void add_template(CLI::App& app, Program& program) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("template", "a chat to the exact bytes of its prompt");
    command
        ->add_option("--messages", options->messages,
                     "JSON array of {\"role\", \"content\"}; - is standard input")
        ->required()
        ->check(not_empty());
    command->add_flag("--no-generation-prompt", options->no_generation_prompt,
                      "leave out the beginning of the answer");
    add_file_options(*command, *options, program);
    command->callback([options, &program] {
        program.action = [options, &program] { return run(program, *options); };
    });
}

}  // namespace hearth::cli
