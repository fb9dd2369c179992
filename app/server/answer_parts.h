// The text of an answer, piece by piece, taken apart: reasoning, text, calls of tools.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer_request.h"
#include "call_forms.h"

namespace hearth::server {

// Belongs to one answer and one thread. The parts do not depend on how the text was cut
// into pieces. Calls are those of call_forms(), and one without marks that is the whole answer.
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
    bool skip_stray(bool is_end);
    bool call(bool is_end);
    bool whole(bool is_end);
    void end_call(std::string_view looks_like, const std::vector<ToolCall>& calls);
    void show(std::string_view text);

    const AnswerRequest& request_;
    const Sink& sink_;
    bool reads_calls_;
    State state_ = State::Beginning;
    std::string held_;
    const CallForm* form_ = nullptr;      // of the call that is open, or of the latest one
    std::optional<ClosingMark> closing_;  // of the call that is open
    std::string gap_;                     // blanks before it, which are text if it is no call
    bool had_text_ = false;               // of the answer
    bool follows_call_ = false;           // blanks behind a call are nobody's text
};

}  // namespace hearth::server
