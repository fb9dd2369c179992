// hearth-cli serve: the model for other programs of this computer, over HTTP.
#include <CLI/CLI.hpp>
#include <chrono>
#include <thread>

#include "files.h"
#include "model_options.h"
#include "printable.h"
#include "program.h"
#include "server/access_rules.h"
#include "server/answer_model.h"
#include "server/local_api.h"
#include "server/turn_queue.h"
#include "system.h"

namespace hearth::cli {
namespace {

constexpr std::size_t kWaitingMost = 32;  // requests in the queue

struct ServeOptions : ModelOptions {
    int port = 8080;
    bool ipv6 = false;
    std::string token_file;
};

struct ChosenToken {
    std::string text;
    bool is_new = false;  // nobody knows it yet
};

Result<ChosenToken> token_of(const ServeOptions& options) {
    ChosenToken token;
    std::string from = "the environment's token";
    if (!options.token_file.empty()) {
        auto text = read_text(options.token_file);
        if (!text) {
            return std::move(text).error();
        }
        token.text = text->substr(0, text->find_last_not_of(" \t\r\n") + 1);
        from = "--token-file";
    } else {
        token.text = environment_token();
        if (token.text.empty()) {
            token = {server::make_token(), true};
            if (token.text.empty()) {
                return Error{ErrorCode::Internal, "this system has no random numbers", {}, {}};
            }
        }
    }
    if (!server::is_usable_token(token.text)) {
        return Error{ErrorCode::InvalidArgument,
                     from + ": a token has 16 to 512 characters of ASCII without blanks",
                     {},
                     "token-file"};
    }
    return token;
}

int serve(Program& program, ServeOptions& options) {
    // Before loading, which takes long.
    const Result<ChosenToken> token = token_of(options);
    if (!token) {
        return program.fail(token.error());
    }
    options.keeps_profile = true;
    const Loaded loaded = load_model(program, options);
    if (loaded.engine == nullptr) {
        return loaded.status;
    }
    program.cancellation.reset();
    set_interrupt_target(&program.cancellation);
    termination_interrupts();
    server::EngineModel model(*loaded.engine);
    // After an error of adapt() the next answer loads the weights again, or fails with what is
    // wrong.
    server::TurnQueue queue(kWaitingMost, [&](const Cancellation& cancellation) {
        static_cast<void>(loaded.engine->adapt(cancellation).has_value());
    });
    auto api = server::LocalApi::start(
        {.endpoint = {.ipv6 = options.ipv6, .port = static_cast<std::uint16_t>(options.port)},
         .token = token->text},
        model, queue);
    if (!api) {
        return program.fail(api.error());
    }
    const std::string address = (*api)->url() + "/v1";
    const std::string shown = token->is_new ? token->text : std::string();
    int status = kDone;
    if (program.json) {
        status = program.finish({{"address", address},
                                 {"token", shown.empty() ? Json(nullptr) : Json(shown)},
                                 {"model", model.served().id}});
    } else {
        program.write(printable(address) + "\n");
        if (!shown.empty()) {
            program.write("token " + shown + "\n");
        }
        status = program.finish();
    }
    if (status == kDone) {
        say(printable(model.served().id) + " answers. Ctrl-C ends.\n");
    }
    while (status == kDone && !program.cancellation.requested()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    (*api)->stop();
    queue.stop();  // nobody but this thread has the engine from here on
    if (const auto saved = loaded.engine->save_profile(); !saved) {
        say("the profile of this model was not saved: " + saved.error().message + "\n");
    }
    return status;
}

}  // namespace

void add_serve(CLI::App& app, Program& program) {
    auto options = std::make_shared<ServeOptions>();
    CLI::App* command = app.add_subcommand(
        "serve",
        "answer other programs of this computer over HTTP, as OpenAI's and Anthropic's "
        "APIs do");
    command->add_option("--port", options->port, "port of 127.0.0.1; 0: any that is free")
        ->capture_default_str()
        ->transform(whole_number(0, 65535));
    command->add_flag("--ipv6", options->ipv6, "listen at ::1 instead");
    command
        ->add_option("--token-file", options->token_file,
                     "file with the token that requests must bring (default: the variable "
                     "HEARTH_API_TOKEN, else a new one, which is printed)")
        ->check(not_empty());
    command->add_option("--kept-pasts", options->kept_pasts,
                        "memory, within --ram, for what other conversations have left, so that "
                        "they are not read anew: 2G, 0, auto (half of what the model leaves, at "
                        "most 8G)");
    add_model_options(*command, *options, program);
    command->callback([options, &program] {
        program.action = [options, &program] { return serve(program, *options); };
    });
}

}  // namespace hearth::cli
