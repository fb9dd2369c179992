// Anthropic's POST /v1/messages.
#pragma once

#include <memory>

#include "answer_form.h"
#include "answer_request.h"

namespace hearth::server {

// InvalidArgument names the field.
Result<AnswerRequest> read_anthropic_message(const ApiJson& body);
std::unique_ptr<AnswerForm> anthropic_message_form(const AnswerRequest& request,
                                                   const AnswerLabel& label);

}  // namespace hearth::server
