#include "chat_loop.h"

#include <optional>
#include <vector>

#include "files.h"
#include "printable.h"
#include "report.h"
#include "system.h"

namespace hearth::cli {
namespace {

class Chat {
public:
    Chat(Program& program, Engine& engine, const std::string& system)
        : program_(program), engine_(engine), system_(system) {
        start_over();
    }

    void start_over() {
        messages_.clear();
        if (!system_.empty()) {
            messages_.push_back({"system", system_});
        }
    }

    // Returns false once nobody reads the answers any more.
    bool answer(const std::string& text, const GenerationOptions& options, bool to_people) {
        messages_.push_back({"user", text});
        program_.cancellation.reset();
        set_interrupt_target(&program_.cancellation);
        Result<GenerationResult> result = engine_.chat(
            messages_, options,
            [&](std::string_view piece) {
                if (!program_.write(piece)) {
                    program_.cancellation.request();
                }
            },
            program_.cancellation);
        if (!result) {
            set_interrupt_target(nullptr);
            // The failed message leaves the conversation, so that the next one has a chance.
            messages_.pop_back();
            failed_ = true;
            program_.fail(result.error());
            return !program_.write_failed();
        }
        failed_ = false;
        messages_.push_back({"assistant", result->text});
        program_.write("\n");
        if (to_people) {
            print_notes(*result);
        }
        const auto moved = engine_.adapt(program_.cancellation);
        if (!moved) {
            // The next answer loads the model again, or fails with what is wrong.
            say(moved.error().message + "\n");
        } else if (const std::string line = moved_line(*moved, result->experts.all() > 0);
                   !line.empty() && to_people) {
            say("[" + line + "]\n");
        }
        set_interrupt_target(nullptr);
        return !program_.write_failed();
    }

    bool failed() const { return failed_; }

private:
    static void print_notes(const GenerationResult& result) {
        std::string line = format("[%zu tokens, %.1f/s, first after %.0f ms",
                                  result.token_ids.size(), result.decode_per_s, result.ttft_ms);
        if (result.finish == FinishReason::Cancelled) {
            line += ", stopped";
        } else if (result.finish == FinishReason::Length) {
            line += ", cut at the length limit";
        } else if (result.finish == FinishReason::Grammar) {
            line += ", nothing goes on with the grammar";
        }
        if (result.dropped_messages > 0) {
            line += format(", %d oldest messages no longer fit", result.dropped_messages);
        }
        say(line + "]\n");
        if (const std::string experts = experts_line(result.experts); !experts.empty()) {
            say("[" + experts + "]\n");
        }
        if (!result.notice.empty()) {
            say("[" + result.notice + "]\n");
        }
    }

    Program& program_;
    Engine& engine_;
    const std::string& system_;
    std::vector<ChatMessage> messages_;
    bool failed_ = false;  // the latest message got no answer
};

}  // namespace

int chat_loop(Program& program, Engine& engine, const std::string& system,
              const GenerationOptions& options) {
    const bool to_people = input_is_terminal() && errors_are_terminal();
    set_interrupt_target(nullptr);
    if (to_people) {
        say(format("%s%s. Type a message; /new starts over, /quit ends, Ctrl-C stops an answer.\n",
                   printable(engine.model().name).c_str(),
                   engine.settings().mode == "approximate" ? " (approximate)" : ""));
    }
    Chat chat(program, engine, system);
    while (true) {
        if (to_people) {
            say("\n> ");
        }
        const std::optional<std::string> line = read_line();
        if (!line || *line == "/quit") {
            if (!line && to_people) {
                say("\n");
            }
            break;
        }
        if (line->find_first_not_of(" \t") == std::string::npos) {
            continue;
        }
        if (*line == "/new") {
            chat.start_over();
        } else if (!chat.answer(*line, options, to_people)) {
            break;
        }
    }
    // A person has seen each error; a script learns of it by the status.
    return program.write_failed() || (chat.failed() && !to_people) ? kFailed : kDone;
}

}  // namespace hearth::cli
