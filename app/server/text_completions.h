// OpenAI's older POST /v1/completions: a text is continued as it stands.
#pragma once

#include <memory>

#include "answer_form.h"
#include "answer_request.h"

namespace hearth::server {

// InvalidArgument names the field.
Result<AnswerRequest> read_text_completion(const ApiJson& body);
std::unique_ptr<AnswerForm> text_completion_form(const AnswerRequest& request,
                                                 const AnswerLabel& label);

}  // namespace hearth::server
