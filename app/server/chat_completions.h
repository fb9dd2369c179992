// OpenAI's POST /v1/chat/completions.
#pragma once

#include <memory>

#include "answer_form.h"
#include "answer_request.h"

namespace hearth::server {

// InvalidArgument names the field.
Result<AnswerRequest> read_chat_completion(const ApiJson& body);
std::unique_ptr<AnswerForm> chat_completion_form(const AnswerRequest& request,
                                                 const AnswerLabel& label);

// prompt_tokens and so on, as the completions' APIs have it.
ApiJson usage_json(const AnswerEnd& end);
// A text, or an array of parts of the types that `types` names, each with a "text": joined.
std::string read_text_parts(FieldReader& message, const char* name,
                            std::initializer_list<std::string_view> types);
// "tool_choice", in OpenAI's three forms.
void read_tool_choice(FieldReader& fields, AnswerRequest& request);
// "none", "minimal", "low", "medium", "high", "xhigh", "max".
void read_effort(FieldReader& fields, const char* name, GenerationOptions& options);

}  // namespace hearth::server
