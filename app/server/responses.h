// OpenAI's POST /v1/responses. Nothing is kept: each request brings its whole conversation.
#pragma once

#include <memory>

#include "answer_form.h"
#include "answer_request.h"

namespace hearth::server {

// InvalidArgument names the field.
Result<AnswerRequest> read_response_request(const ApiJson& body);
std::unique_ptr<AnswerForm> response_form(const AnswerRequest& request, const AnswerLabel& label);

}  // namespace hearth::server
