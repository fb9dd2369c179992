// Any text as a GBNF grammar or a JSON schema, and any bytes against it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/fuzz_input.h"
#include "grammar/automaton.h"
#include "grammar/gbnf.h"
#include "grammar/json_schema.h"
#include "grammar/json_value.h"
#include "grammar/matcher.h"

using namespace hearth;

namespace {

void check_refused(const Error& error, const char* field) {
    FUZZ_CHECK(fuzz::is_fit_message(error.message));
    FUZZ_CHECK(error.message.size() < 1000);
    FUZZ_CHECK(error.code == ErrorCode::InvalidArgument);
    FUZZ_CHECK(error.field == field);
}

// Follows the bytes where they go on, else the next byte that does.
std::string walk(const Automaton& automaton, const std::string& bytes) {
    Matcher matcher(automaton);
    matcher.begin_work();
    Matcher::State state = matcher.start();
    std::string text;
    for (const char wanted : bytes) {
        bool did_forget = false;
        state = matcher.tidy(state, did_forget);
        matcher.begin_work();
        Matcher::State next = Matcher::kDead;
        auto byte = static_cast<std::uint8_t>(wanted);
        for (int tries = 0; tries < 256 && next == Matcher::kDead; ++tries, ++byte) {
            next = matcher.step(state, byte);
            if (next != Matcher::kDead) {
                text += static_cast<char>(byte);
            }
        }
        if (matcher.overflowed()) {
            return {};
        }
        // The sets of a grammar hold characters: some text goes on from every reading.
        FUZZ_CHECK(next != Matcher::kDead || !matcher.goes_on(state));
        if (next == Matcher::kDead) {
            return matcher.may_end(state) ? text : std::string();
        }
        state = next;
    }
    return matcher.may_end(state) ? text : std::string();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::FuzzInput input(data, size);
    const bool is_schema = (input.byte() & 1U) != 0;
    const std::string bytes = input.text();
    const std::string text = input.rest();
    const char* const what = is_schema ? "json_schema" : "grammar";
    const auto grammar = is_schema ? parse_json_schema(text) : parse_gbnf(text);
    if (!grammar) {
        check_refused(grammar.error(), what);
        return 0;
    }
    const auto automaton = Automaton::compile(*grammar, what);
    if (!automaton) {
        check_refused(automaton.error(), what);
        return 0;
    }
    const std::string made = walk(*automaton, bytes);
    if (is_schema && !made.empty()) {
        // The text of every schema is JSON, but for members that stand twice.
        const auto value = parse_json(made, "json");
        FUZZ_CHECK(value || value.error().message.find("stands twice") != std::string::npos ||
                   value.error().message.find("nested deeper") != std::string::npos);
    }
    return 0;
}
