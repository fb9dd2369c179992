// The text of an answer, piece by piece, taken apart: reasoning, text, calls of tools.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer_request.h"

namespace hearth::server {

struct ToolCall {
    std::string name;
    std::string arguments;  // JSON, an object
};

// The calls in what a model wrote, in any of the forms that models are trained on:
// - {"name": ..., "arguments": {...}}, or "parameters", or an array of such,
// - <function=NAME><parameter=KEY>VALUE</parameter></function>,
// - NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>,
// - NAME[ARGS]{...}.
// Empty: it is none of these, or names another tool.
std::vector<ToolCall> read_calls(std::string_view text, const std::vector<ToolDeclaration>& tools);

// Belongs to one answer and one thread. The parts do not depend on how the text was cut
// into pieces.
class AnswerParts {
public:
    struct Sink {
        std::function<void(std::string_view)> reasoning;
        std::function<void(std::string_view)> text;
        std::function<void(const ToolCall&)> call;
    };
    // request, sink: must outlive it.
    AnswerParts(const AnswerRequest& request, const Sink& sink);

    void push(std::string_view piece);
    // No more comes: what was held back goes to the sink.
    void finish();

private:
    enum class State {
        Beginning,  // may begin with <think>
        Reasoning,
        Gap,  // blanks behind the reasoning
        Answer,
        Call,   // behind a mark
        Whole,  // the answer may be one call: it is read at its end
    };

    void work(bool is_end);
    bool begin(bool is_end);
    bool reason(bool is_end);
    bool answer(bool is_end);
    bool call(bool is_end);
    void show(std::string_view text);

    const AnswerRequest& request_;
    const Sink& sink_;
    bool reads_calls_;
    State state_ = State::Beginning;
    std::string held_;
    std::string mark_;           // that began the call; empty: none did
    std::string gap_;            // blanks before it, which are text if it is no call
    bool had_text_ = false;      // of the answer
    bool follows_call_ = false;  // blanks behind a call are nobody's text
};

}  // namespace hearth::server
