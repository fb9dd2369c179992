#include "text_completions.h"

#include <limits>
#include <utility>

#include "chat_completions.h"

namespace hearth::server {
namespace {

std::string text_finish_word(const AnswerEnd& end) {
    return end.finish == FinishReason::Stop ? "stop" : "length";
}

class TextCompletionForm final : public AnswerForm {
public:
    TextCompletionForm(const AnswerRequest& request, AnswerLabel label)
        : label_(std::move(label)), streams_usage_(request.streams_usage) {}

    std::string whole(const AnswerContent& content, const AnswerEnd& end) override {
        ApiJson json = object_with(content.text, text_finish_word(end));
        json["usage"] = usage_json(end);
        return to_bytes(json);
    }
    std::string begin() override { return {}; }
    std::string reasoning(std::string_view) override { return {}; }  // the text is not taken apart
    std::string text(std::string_view piece) override {
        return event_text("", object_with(piece, nullptr));
    }
    std::string call(const CallOfAnswer&) override { return {}; }
    std::string end(const AnswerEnd& end) override {
        std::string text = event_text("", object_with("", text_finish_word(end)));
        if (streams_usage_) {
            ApiJson json = object_with("", nullptr);
            json["choices"] = ApiJson::array();
            json["usage"] = usage_json(end);
            text += event_text("", json);
        }
        return text + "data: [DONE]\n\n";
    }
    std::string failure(const std::string& message) override {
        return event_text("", openai_error_json(500, message));
    }

private:
    ApiJson object_with(std::string_view text, const ApiJson& finish) const {
        ApiJson choice = {
            {"text", text}, {"index", 0}, {"logprobs", nullptr}, {"finish_reason", finish}};
        return {{"id", "cmpl-" + label_.id},
                {"object", "text_completion"},
                {"created", label_.created},
                {"model", label_.model},
                {"choices", ApiJson::array({std::move(choice)})}};
    }

    AnswerLabel label_;
    bool streams_usage_;
};

}  // namespace

Result<AnswerRequest> read_text_completion(const ApiJson& body) {
    FieldFault fault;
    FieldReader fields(body, "", fault);
    AnswerRequest request;
    request.is_raw = true;
    request.model = fields.text("model").value_or(std::string());
    request.client = fields.text("user").value_or(std::string());
    const ApiJson* prompt = fields.find("prompt");
    if (prompt != nullptr && prompt->is_array() && prompt->size() == 1 &&
        prompt->front().is_string()) {
        request.prompt = prompt->front().get<std::string>();
    } else if (prompt != nullptr && prompt->is_array()) {
        fields.refuse("prompt", "must be one text");
    } else {
        request.prompt = fields.needed_text("prompt");
    }
    read_sampling(fields, request.options);
    read_stops(fields, "stop", request.options.stop);
    constexpr int kUsual = 16;  // as OpenAI's API has it
    request.options.max_tokens = static_cast<int>(
        fields.whole("max_tokens", 1, std::numeric_limits<int>::max()).value_or(kUsual));
    if (const ApiJson* format = fields.object("response_format")) {
        FieldReader reader(*format, "response_format", fault);
        read_format(reader, "schema", request.options);
    }
    request.options.grammar = fields.text("grammar").value_or(std::string());
    request.streams = fields.flag("stream").value_or(false);
    if (const ApiJson* options = fields.object("stream_options")) {
        FieldReader inside(*options, "stream_options", fault);
        request.streams_usage = inside.flag("include_usage").value_or(false);
    }
    for (const char* name : {"n", "best_of"}) {
        if (fields.whole(name, 1, 128).value_or(1) != 1) {
            fields.refuse(name, "one answer at a time is all there is");
        }
    }
    if (fields.flag("echo").value_or(false)) {
        fields.refuse("echo", "is not supported");
    }
    fields.refuse_if_present({"suffix", "logprobs"});
    return checked(std::move(request), fault);
}

std::unique_ptr<AnswerForm> text_completion_form(const AnswerRequest& request,
                                                 const AnswerLabel& label) {
    return std::make_unique<TextCompletionForm>(request, label);
}

}  // namespace hearth::server
