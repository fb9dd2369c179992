#include "answer_carrier.h"

#include <algorithm>
#include <utility>

#include "access_rules.h"

namespace hearth::server {

AnswerCarrier::AnswerCarrier(const AnswerRequest& request, AnswerForm& form, HttpExchange& exchange,
                             RequestNote& note)
    : request_(request), form_(form), exchange_(exchange), note_(note) {
    sink_.reasoning = [this](std::string_view piece) {
        ++n_reasoning_;
        if (request_.streams) {
            opened().write(form_.reasoning(piece));
        } else {
            content_.reasoning += piece;
        }
    };
    sink_.text = [this](std::string_view piece) {
        if (is_over()) {
            return;
        }
        if (request_.streams) {
            opened().write(form_.text(piece));
        } else {
            content_.text += piece;
        }
    };
    sink_.call = [this](const ToolCall& call) {
        if (is_over()) {
            return;
        }
        // Some templates want ids of nine letters and digits.
        CallOfAnswer made{make_id(9), call};
        has_call_ = true;
        if (request_.streams) {
            opened().write(form_.call(made));
        } else {
            content_.calls.push_back(std::move(made));
        }
        if (is_over()) {
            exchange_.cancellation().request();
        }
    };
}

void AnswerCarrier::fail(HttpResponse refusal, const std::string& message) {
    note_.status = has_begun_ ? 200 : refusal.status;
    note_.is_cut = has_begun_;
    if (!has_begun_) {
        exchange_.respond(std::move(refusal));
        return;
    }
    exchange_.write(form_.failure(message));
    exchange_.end_stream();
}

void AnswerCarrier::end(const GenerationResult& result) {
    parts_.finish();
    const bool is_own = std::find(request_.options.stop.begin(), request_.options.stop.end(),
                                  result.stop_string) != request_.options.stop.end();
    AnswerEnd end;
    end.finish = is_over() ? FinishReason::Stop : result.finish;
    end.stop_string = is_own ? result.stop_string : std::string();
    end.prompt_tokens = result.prompt_tokens;
    end.cached_tokens = result.cached_tokens;
    end.answer_tokens = static_cast<int>(result.token_ids.size());
    note_.status = 200;
    note_.prompt_tokens = end.prompt_tokens;
    note_.answer_tokens = end.answer_tokens;
    end.reasoning_tokens = std::min(n_reasoning_, end.answer_tokens);
    if (!request_.streams) {
        HttpResponse response = json_response(200, nullptr);
        response.body = form_.whole(content_, end);
        exchange_.respond(std::move(response));
        return;
    }
    HttpExchange& stream = opened();  // events have numbers: the first come first
    stream.write(form_.end(end));
    stream.end_stream();
}

// The head waits for the first piece: what fails before it has a status of its own.
HttpExchange& AnswerCarrier::opened() {
    if (!std::exchange(has_begun_, true)) {
        HttpResponse head{200,
                          {{"content-type", "text/event-stream; charset=utf-8"},
                           {"cache-control", "no-store"},
                           {"x-content-type-options", "nosniff"}},
                          {}};
        exchange_.begin_stream(std::move(head));
        exchange_.write(form_.begin());
    }
    return exchange_;
}

}  // namespace hearth::server
