#include "responses.h"

#include <limits>
#include <utility>

#include "chat_completions.h"

namespace hearth::server {
namespace {

// ---- the request
// ---------------------------------------------------------------------------------

void read_message_item(FieldReader& item, AnswerRequest& request) {
    ChatMessage message;
    message.role = item.needed_text("role");
    if (message.role != "user" && message.role != "assistant" && message.role != "system" &&
        message.role != "developer") {
        item.refuse("role", "must be user, assistant, system or developer");
        return;
    }
    if (!item.has("content")) {
        item.refuse("content", "is missing");
    }
    message.content =
        read_text_parts(item, "content", {"input_text", "output_text", "text", "refusal"});
    // Reasoning is an item of its own, before the message that it led to.
    auto& messages = request.messages;
    if (message.role == "assistant" && !messages.empty() && messages.back().role == "assistant" &&
        messages.back().content.empty() && messages.back().tool_calls.empty()) {
        messages.back().content = std::move(message.content);
        return;
    }
    messages.push_back(std::move(message));
}

// Calls are items of their own, behind the message or the reasoning that they belong to.
ChatMessage& assistant_of(AnswerRequest& request) {
    if (request.messages.empty() || request.messages.back().role != "assistant") {
        request.messages.push_back({"assistant", ""});
    }
    return request.messages.back();
}

void read_call_item(FieldReader& item, AnswerRequest& request) {
    ChatMessage& message = assistant_of(request);
    ApiJson calls = message.tool_calls.empty() ? ApiJson::array()
                                               : ApiJson::parse(message.tool_calls, nullptr, false);
    if (calls.size() >= kMostTools) {
        item.refuse("", "a turn has more calls than 128");
        return;
    }
    calls.push_back(call_json(item.needed_text("call_id"), item.needed_text("name"),
                              item.text("arguments").value_or(std::string())));
    message.tool_calls = to_bytes(calls);
}

void read_item(FieldReader& item, AnswerRequest& request) {
    const std::string type = item.text("type").value_or("message");
    if (type == "message") {
        read_message_item(item, request);
    } else if (type == "function_call") {
        read_call_item(item, request);
    } else if (type == "function_call_output") {
        ChatMessage result{"tool", read_text_parts(item, "output", {"input_text", "output_text"})};
        result.tool_call_id = item.needed_text("call_id");
        request.messages.push_back(std::move(result));
    } else if (type == "reasoning") {
        const std::string text = read_text_parts(item, "content", {"reasoning_text"});
        if (!text.empty()) {
            request.messages.push_back({"assistant", ""});
            request.messages.back().reasoning = text;
        }
    } else {
        item.refuse("type", "\"" + type.substr(0, 40) + "\" is not supported");
    }
}

void read_input(FieldReader& fields, AnswerRequest& request) {
    const ApiJson* input = fields.find("input");
    if (input != nullptr && input->is_string()) {
        request.messages.push_back({"user", input->get<std::string>()});
    } else if (!fields.objects("input", kMostMessages,
                               [&](FieldReader& item) { read_item(item, request); })) {
        fields.refuse("input", "is missing");
    } else if (input->empty()) {
        fields.refuse("input", "must have at least one item");
    }
}

// Answers repeat the settings that they were made with.
void keep_echo(const ApiJson& body, AnswerRequest& request) {
    const ApiJson usual = {{"instructions", nullptr},
                           {"max_output_tokens", nullptr},
                           {"metadata", ApiJson::object()},
                           {"parallel_tool_calls", true},
                           {"temperature", nullptr},
                           {"text", {{"format", {{"type", "text"}}}}},
                           {"tool_choice", "auto"},
                           {"tools", ApiJson::array()},
                           {"top_p", nullptr},
                           {"truncation", "disabled"}};
    for (const auto& [key, value] : usual.items()) {
        const auto given = body.find(key);
        request.echo[key] = given == body.end() || given->is_null() ? value : *given;
    }
}

// ---- the answer
// ----------------------------------------------------------------------------------

class ResponseForm final : public AnswerForm {
public:
    ResponseForm(const AnswerRequest& request, AnswerLabel label)
        : label_(std::move(label)), echo_(request.echo) {}

    std::string whole(const AnswerContent& content, const AnswerEnd& end) override {
        if (!content.reasoning.empty()) {
            reasoning(content.reasoning);
        }
        if (!content.text.empty() || content.calls.empty()) {
            text(content.text);
        }
        for (const CallOfAnswer& one : content.calls) {
            call(one);
        }
        close_item();
        return to_bytes(response(end_status(end), &end));
    }

    std::string begin() override {
        const ApiJson json = response("in_progress", nullptr);
        std::string out = event("response.created", {{"response", json}});
        return out + event("response.in_progress", {{"response", json}});
    }
    std::string reasoning(std::string_view piece) override {
        std::string out = open_item("reasoning");
        text_ += piece;
        return out + event("response.reasoning_text.delta", at_part({{"delta", piece}}));
    }
    std::string text(std::string_view piece) override {
        std::string out = open_item("message");
        text_ += piece;
        return out + event("response.output_text.delta",
                           at_part({{"delta", piece}, {"logprobs", ApiJson::array()}}));
    }
    std::string call(const CallOfAnswer& call) override {
        std::string out = close_item();
        const std::string id = "fc_" + label_.id + std::to_string(output_.size());
        const auto item = [&](const char* status, const std::string& arguments) {
            return ApiJson{{"type", "function_call"}, {"id", id},
                           {"call_id", call.id},      {"name", call.call.name},
                           {"arguments", arguments},  {"status", status}};
        };
        const ApiJson place = {{"item_id", id}, {"output_index", output_.size()}};
        const auto at = [&](ApiJson fields) {
            fields.update(place);
            return fields;
        };
        out += event("response.output_item.added",
                     {{"output_index", output_.size()}, {"item", item("in_progress", "")}});
        out +=
            event("response.function_call_arguments.delta", at({{"delta", call.call.arguments}}));
        out += event("response.function_call_arguments.done",
                     at({{"name", call.call.name}, {"arguments", call.call.arguments}}));
        const ApiJson done = item("completed", call.call.arguments);
        out +=
            event("response.output_item.done", {{"output_index", output_.size()}, {"item", done}});
        output_.push_back(done);
        return out;
    }
    std::string end(const AnswerEnd& end) override {
        std::string out = close_item();
        const std::string status = end_status(end);
        return out + event(("response." + status).c_str(), {{"response", response(status, &end)}});
    }
    std::string failure(const std::string& message) override {
        ApiJson json = response("failed", nullptr);
        json["error"] = {{"code", "server_error"}, {"message", message}};
        return event("response.failed", {{"response", json}});
    }

private:
    static std::string end_status(const AnswerEnd& end) {
        return end.finish == FinishReason::Stop ? "completed" : "incomplete";
    }

    std::string event(const char* type, const ApiJson& fields) {
        ApiJson json = {{"type", type}};
        json.update(fields);
        json["sequence_number"] = sequence_++;
        return event_text(type, json);
    }

    ApiJson response(const std::string& status, const AnswerEnd* end) const {
        ApiJson json = {{"id", "resp_" + label_.id},
                        {"object", "response"},
                        {"created_at", label_.created},
                        {"status", status},
                        {"error", nullptr},
                        {"incomplete_details", nullptr},
                        {"model", label_.model},
                        {"output", output_},
                        {"previous_response_id", nullptr},
                        {"store", false},
                        {"usage", nullptr}};
        json.update(echo_);
        if (status == "incomplete") {
            json["incomplete_details"] = {{"reason", "max_output_tokens"}};
        }
        if (end != nullptr) {
            json["usage"] = {
                {"input_tokens", end->prompt_tokens},
                {"input_tokens_details", {{"cached_tokens", end->cached_tokens}}},
                {"output_tokens", end->answer_tokens},
                {"output_tokens_details", {{"reasoning_tokens", end->reasoning_tokens}}},
                {"total_tokens", end->prompt_tokens + end->answer_tokens}};
        }
        return json;
    }

    bool is_message() const { return kind_ == "message"; }
    std::string item_id() const {
        return (is_message() ? "msg_" : "rs_") + label_.id + std::to_string(output_.size());
    }
    ApiJson part() const {
        return is_message() ? ApiJson{{"type", "output_text"},
                                      {"text", text_},
                                      {"annotations", ApiJson::array()},
                                      {"logprobs", ApiJson::array()}}
                            : ApiJson{{"type", "reasoning_text"}, {"text", text_}};
    }
    ApiJson item(const char* status, ApiJson content) const {
        ApiJson json = {{"type", kind_}, {"id", item_id()}, {"status", status}};
        if (is_message()) {
            json["role"] = "assistant";
        } else {
            json["summary"] = ApiJson::array();
        }
        json["content"] = std::move(content);
        return json;
    }
    ApiJson at_part(ApiJson fields) const {
        fields.update(ApiJson{
            {"item_id", item_id()}, {"output_index", output_.size()}, {"content_index", 0}});
        return fields;
    }

    std::string open_item(const std::string& kind) {
        if (kind_ == kind) {
            return {};
        }
        std::string out = close_item();
        kind_ = kind;
        out += event(
            "response.output_item.added",
            {{"output_index", output_.size()}, {"item", item("in_progress", ApiJson::array())}});
        return out + event("response.content_part.added", at_part({{"part", part()}}));
    }
    std::string close_item() {
        if (kind_.empty()) {
            return {};
        }
        std::string out = is_message()
                              ? event("response.output_text.done",
                                      at_part({{"text", text_}, {"logprobs", ApiJson::array()}}))
                              : event("response.reasoning_text.done", at_part({{"text", text_}}));
        out += event("response.content_part.done", at_part({{"part", part()}}));
        const ApiJson done = item("completed", ApiJson::array({part()}));
        out +=
            event("response.output_item.done", {{"output_index", output_.size()}, {"item", done}});
        output_.push_back(done);
        kind_.clear();
        text_.clear();
        return out;
    }

    AnswerLabel label_;
    ApiJson echo_;
    ApiJson output_ = ApiJson::array();  // items that are whole
    std::string kind_;  // of the item that grows: "message", "reasoning"; empty: none
    std::string text_;  // of that item
    int sequence_ = 0;
};

}  // namespace

Result<AnswerRequest> read_response_request(const ApiJson& body) {
    FieldFault fault;
    FieldReader fields(body, "", fault);
    AnswerRequest request;
    request.model = fields.text("model").value_or(std::string());
    for (const char* name : {"safety_identifier", "user"}) {
        request.client = fields.text(name).value_or(std::move(request.client));
    }
    if (const auto told = fields.text("instructions")) {
        request.messages.push_back({"system", *told});
    }
    read_input(fields, request);
    read_sampling(fields, request.options);
    if (const auto most = fields.whole("max_output_tokens", 1, std::numeric_limits<int>::max())) {
        request.options.max_tokens = static_cast<int>(*most);
    }
    fields.objects("tools", kMostTools, [&](FieldReader& tool) {
        if (tool.needed_text("type") != "function") {
            tool.refuse("type", "must be function: this server has no tools of its own");
            return;
        }
        read_tool(tool, "parameters", request);
    });
    read_tool_choice(fields, request);
    request.one_call = !fields.flag("parallel_tool_calls").value_or(true);
    if (const ApiJson* text = fields.object("text")) {
        FieldReader inside(*text, "text", fault);
        if (const ApiJson* format = inside.object("format")) {
            FieldReader reader(*format, "text.format", fault);
            read_format(reader, "schema", request.options);
        }
    }
    if (const ApiJson* reasoning = fields.object("reasoning")) {
        FieldReader inside(*reasoning, "reasoning", fault);
        read_effort(inside, "effort", request.options);
    }
    const std::string truncation = fields.text("truncation").value_or("disabled");
    if (truncation != "auto" && truncation != "disabled") {
        fields.refuse("truncation", "must be auto or disabled");
    }
    request.options.drop_oldest_messages = truncation == "auto";
    request.streams = fields.flag("stream").value_or(false);
    if (fields.flag("background").value_or(false)) {
        fields.refuse("background", "is not supported");
    }
    fields.refuse_if_present({"previous_response_id", "conversation", "prompt"});
    keep_echo(body, request);
    return checked(std::move(request), fault);
}

std::unique_ptr<AnswerForm> response_form(const AnswerRequest& request, const AnswerLabel& label) {
    return std::make_unique<ResponseForm>(request, label);
}

}  // namespace hearth::server
