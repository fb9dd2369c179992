#include "program.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <hearth/engine.h>

#include "printable.h"
#include "system.h"

namespace hearth::cli {
namespace {

Json or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

// Maps the engine's parameter to the option that a user knows.
std::string option_name(const std::string& field) {
    if (field == "output_path") {
        return "output";
    }
    if (field == "input_path") {
        return "model";
    }
    if (field == "bench") {
        return "ctx";  // the tests need a longer one
    }
    return field.starts_with('-')
               ? field.substr(std::min(field.find_first_not_of('-'), field.size()))
               : field;
}

}  // namespace

std::string to_text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool Program::write(std::string_view bytes) {
    withdraw_interrupt_output();
    if (write_errno_ == 0 && !bytes.empty()) {
        errno = 0;
        if (!write_text(stdout, bytes)) {
            write_errno_ = errno != 0 ? errno : EIO;
        }
    }
    return write_errno_ == 0;
}

Json Program::envelope() const {
    return {{"schema", 1}, {"command", or_null(command)}, {"version", std::string(version())}};
}

int Program::finish(const Json& fields) {
    Json object = envelope();
    object.update(fields);
    write(to_text(object) + "\n");
    return finish();
}

int Program::finish() {
    if (write_errno_ == 0) {
        return kDone;
    }
    // A reader that has seen enough ("| head") needs no message.
    if (write_errno_ != EPIPE) {
        say("hearth-cli: cannot write to standard output: " +
            std::generic_category().message(write_errno_) + "\n");
    }
    return kFailed;
}

Json Program::error_object(const Error& error) const {
    Json object = envelope();
    object["error"] = {{"code", std::string(to_string(error.code))},
                       {"message", error.message},
                       {"path", or_null(error.path)},
                       {"field", or_null(option_name(error.field))}};
    return object;
}

void Program::announce_interrupts() const {
    if (json) {
        const Error error{ErrorCode::Cancelled, "stopped by an interrupt", "", ""};
        offer_interrupt_output(to_text(error_object(error)) + "\n");
    }
}

void Program::report(const Error& error) {
    if (json) {
        write(to_text(error_object(error)) + "\n");
    }
    std::string line = "hearth-cli";
    if (!command.empty()) {
        line += " " + command;
    }
    line += ": ";
    if (!error.path.empty() && error.message.find(error.path) == std::string::npos) {
        line += error.path + ": ";
    }
    say(printable(line + error.message) + "\n");
}

void Program::warn(const std::string& sentence) const {
    if (!sentence.empty()) {
        say(printable("hearth-cli " + command + ": " + sentence) + "\n");
    }
}

int Program::fail(const Error& error) {
    // The reader of the output has left. The model is not at fault, and there is nothing to report.
    if (write_errno_ != 0) {
        return finish();
    }
    report(error);
    return error.code == ErrorCode::Cancelled ? kInterrupted : kFailed;
}

int Program::usage(const std::string& message, const std::string& option) {
    report(Error{ErrorCode::InvalidArgument, message, "", option});
    return kUsage;
}

}  // namespace hearth::cli
