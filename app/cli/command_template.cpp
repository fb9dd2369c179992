// hearth-cli template: turns a chat into the prompt that the model sees.
#include <CLI/CLI.hpp>

#include <hearth/tools.h>

#include "files.h"
#include "model_options.h"
#include "program.h"
#include "system.h"

namespace hearth::cli {
namespace {

struct Options : FileOptions {
    std::string messages;
    bool no_generation_prompt = false;
    std::string tools;  // a file
    std::string think, effort;
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
        ChatMessage message{item["role"].get<std::string>(), item["content"].get<std::string>()};
        const auto text_of = [&](const char* key) {
            const auto found = item.find(key);
            return found != item.end() && found->is_string() ? found->get<std::string>()
                                                             : std::string();
        };
        message.reasoning = text_of("reasoning_content");
        message.tool_call_id = text_of("tool_call_id");
        message.name = text_of("name");
        if (const auto calls = item.find("tool_calls"); calls != item.end() && calls->is_array()) {
            message.tool_calls = calls->dump();
        }
        messages.push_back(std::move(message));
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
    tools::PromptOptions wanted{.add_generation_prompt = !options.no_generation_prompt,
                                .reasoning_effort = options.effort};
    if (!options.think.empty()) {
        wanted.thinking = options.think == "on";
    }
    if (!options.tools.empty()) {
        Result<std::string> declared = read_text(options.tools);
        if (!declared) {
            return program.fail(declared.error());
        }
        wanted.tools = std::move(*declared);
    }
    const Result<tools::Prompt> prompt = vocabulary->apply_template(*messages, wanted);
    if (!prompt) {
        return program.fail(prompt.error());
    }
    if (program.json) {
        return program.finish(
            {{"text", prompt->text},
             {"notice", prompt->notice.empty() ? Json(nullptr) : Json(prompt->notice)}});
    }
    if (!prompt->notice.empty()) {
        say(prompt->notice + "\n");
    }
    program.write(prompt->text);  // the exact bytes, without a line end of ours
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
    command->add_option("--tools", options->tools, "file with a JSON array of functions");
    command->add_option("--think", options->think, "whether the model reasons before it answers")
        ->check(CLI::IsMember({"on", "off"}));
    command->add_option("--reasoning-effort", options->effort, "how much it reasons")
        ->check(CLI::IsMember({"low", "medium", "high"}));
    add_file_options(*command, *options, program);
    command->callback([options, &program] {
        program.action = [options, &program] { return run(program, *options); };
    });
}

}  // namespace hearth::cli
