// How an API writes an answer: whole, or as a stream of events.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/engine.h>

#include "answer_parts.h"
#include "answer_request.h"
#include "http_message.h"

namespace hearth::server {

// An answer says this beside the model's words.
struct AnswerLabel {
    std::string id;            // letters and digits
    std::string model;         // the served model's name
    std::int64_t created = 0;  // seconds since 1970
};

struct AnswerEnd {
    FinishReason finish = FinishReason::Stop;
    std::string stop_string;  // of the client's, that ended the answer; empty: none did
    int prompt_tokens = 0;
    int cached_tokens = 0;  // of the prompt, those that were not computed again
    int answer_tokens = 0;
    int reasoning_tokens = 0;  // of these, the pieces that were reasoning
};

struct CallOfAnswer {
    std::string id;
    ToolCall call;
};

// A whole answer, taken apart.
struct AnswerContent {
    std::string reasoning;
    std::string text;
    std::vector<CallOfAnswer> calls;
};

// Belongs to one answer and one thread. Members return bytes of the stream, complete events; they
// may be empty. Parts come in any order between begin() and end().
class AnswerForm {
public:
    virtual ~AnswerForm() = default;
    virtual std::string whole(const AnswerContent& content, const AnswerEnd& end) = 0;

    virtual std::string begin() = 0;
    virtual std::string reasoning(std::string_view piece) = 0;
    virtual std::string text(std::string_view piece) = 0;
    virtual std::string call(const CallOfAnswer& call) = 0;
    virtual std::string end(const AnswerEnd& end) = 0;
    // Instead of end(): the answer fails midway. message: a sentence.
    virtual std::string failure(const std::string& message) = 0;
};

// "event: NAME" (unless it is empty) and "data: JSON", as one event.
std::string event_text(std::string_view name, const ApiJson& data);

// OpenAI's: {"error": {...}}. param, code: null where empty.
HttpResponse openai_error(int status, const std::string& message, const std::string& param = {},
                          const std::string& code = {});
ApiJson openai_error_json(int status, const std::string& message, const std::string& param = {},
                          const std::string& code = {});
// Anthropic's: {"type": "error", "error": {...}}.
HttpResponse anthropic_error(int status, const std::string& message);
ApiJson anthropic_error_json(int status, const std::string& message);
HttpResponse json_response(int status, const ApiJson& json);

}  // namespace hearth::server
