// Carries one answer from the model to the client, in the form of the client's API.
#pragma once

#include <string>
#include <string_view>

#include <hearth/engine.h>

#include "answer_form.h"
#include "answer_parts.h"
#include "answer_request.h"
#include "http_server.h"
#include "request_note.h"

namespace hearth::server {

// The queue's thread alone. All that it is made of outlives it; `note` learns the outcome.
class AnswerCarrier {
public:
    AnswerCarrier(const AnswerRequest& request, AnswerForm& form, HttpExchange& exchange,
                  RequestNote& note);
    AnswerCarrier(const AnswerCarrier&) = delete;
    AnswerCarrier& operator=(const AnswerCarrier&) = delete;

    void push(std::string_view piece) { parts_.push(piece); }
    // The answer ended with its call, as the client wished.
    bool is_over() const { return request_.one_call && has_call_; }
    bool has_begun() const { return has_begun_; }

    // One of the two, once.
    void fail(HttpResponse refusal, const std::string& message);
    void end(const GenerationResult& result);

private:
    HttpExchange& opened();

    const AnswerRequest& request_;
    AnswerForm& form_;
    HttpExchange& exchange_;
    RequestNote& note_;
    AnswerParts::Sink sink_;
    AnswerParts parts_{request_, sink_};
    AnswerContent content_;
    int n_reasoning_ = 0;
    bool has_call_ = false;
    bool has_begun_ = false;
};

}  // namespace hearth::server
