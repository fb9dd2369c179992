// hearth-cli: the engine from a terminal or a script. Its output is a contract: exit status 0 done,
// 1 failed, 2 wrong usage, 130 interrupted.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>

#include <hearth/engine.h>

#include "program.h"
#include "system.h"

namespace {

using hearth::cli::Program;

// CLI11 reads the arguments from the back.
void parse(CLI::App& app, std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
}

// The option that CLI11's message is about: the message begins or ends with its name.
std::string option_in(const std::string& message) {
    std::size_t begin = message.find("--");
    if (begin == std::string::npos && message.starts_with('-')) {
        begin = 0;
    }
    if (begin == std::string::npos && message.find(": -") != std::string::npos) {
        begin = message.find(": -") + 2;
    }
    if (begin != std::string::npos) {
        return message.substr(begin, message.find_first_of(": =", begin) - begin);
    }
    // "model is required" names an argument without dashes.
    const std::size_t space = message.find(' ');
    const bool required = space != std::string::npos && message.substr(space) == " is required";
    return required ? message.substr(0, space) : "";
}

// The first word that is no option must name a command. Returns that word if it names none, else
// nothing.
std::string unknown_command(const CLI::App& app, const std::vector<std::string>& words) {
    const auto word = std::find_if(words.begin(), words.end(),
                                   [](const std::string& text) { return !text.starts_with('-'); });
    if (word == words.end()) {
        return {};
    }
    const auto commands = app.get_subcommands({});
    const bool known = std::any_of(commands.begin(), commands.end(), [&](const CLI::App* command) {
        return command->get_name() == *word;
    });
    return known ? "" : *word;
}

// Notes the command and --json as far as they are known when the rest makes no sense.
void note_request(const CLI::App& app, const std::vector<std::string>& words, Program& program) {
    program.json = std::find(words.begin(), words.end(), "--json") != words.end();
    for (const CLI::App* command : app.get_subcommands({})) {
        if (!words.empty() && words.front() == command->get_name()) {
            program.command = command->get_name();
        }
    }
}

int run(Program& program, const std::vector<std::string>& words) {
    CLI::App app("Hearth: language models on this computer.", "hearth-cli");
    app.set_version_flag("--version", "hearth-cli " + std::string(hearth::version()));
    app.require_subcommand(1);
    hearth::cli::add_run(app, program);
    hearth::cli::add_serve(app, program);
    hearth::cli::add_bench(app, program);
    hearth::cli::add_logits(app, program);
    hearth::cli::add_tokenize(app, program);
    hearth::cli::add_detokenize(app, program);
    hearth::cli::add_template(app, program);
    hearth::cli::add_perplexity(app, program);
    hearth::cli::add_inspect(app, program);
    hearth::cli::add_devices(app, program);
    hearth::cli::add_quantize(app, program);
    hearth::cli::add_plan(app, program);
    hearth::cli::add_train_predictor(app, program);
    hearth::cli::add_profile(app, program);
    hearth::cli::add_pack(app, program);
    hearth::cli::add_probe_gpu(app, program);
    note_request(app, words, program);
    program.announce_interrupts();
    try {
        parse(app, words);
    } catch (const CLI::CallForVersion& version) {
        program.write(std::string(version.what()) + "\n");
        return program.finish();
    } catch (const CLI::CallForHelp&) {
        const auto chosen = app.get_subcommands();
        program.write(chosen.empty() ? app.help() : chosen.front()->help());
        return program.finish();
    } catch (const CLI::ParseError& error) {
        const std::string word = unknown_command(app, words);
        const int status = word.empty() ? program.usage(error.what(), option_in(error.what()))
                                        : program.usage("unknown command \"" + word + "\"");
        hearth::cli::say("Try hearth-cli " +
                         (program.command.empty() ? "" : program.command + " ") + "--help.\n");
        return status;
    }
    return program.action();
}

}  // namespace

int main(int argc, char** argv) {
    Program program;
    program.main_start = std::chrono::steady_clock::now();
    program.process_to_main_ms = hearth::cli::process_age_ms();
    hearth::cli::prepare_streams();
    // The engine throws nothing. The libraries of this front end may, if only when memory is short.
    try {
        return run(program, hearth::cli::arguments(argc, argv));
    } catch (const std::exception& error) {
        return program.fail({hearth::ErrorCode::Internal, error.what(), "", ""});
    }
}
