#include "chat_completions.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace hearth::server {
namespace {

constexpr int kMostTokens = std::numeric_limits<int>::max();

void read_calls_of(FieldReader& message, ChatMessage& out) {
    ApiJson calls = ApiJson::array();
    message.objects("tool_calls", kMostTools, [&](FieldReader& call) {
        const std::string id = call.needed_text("id");
        if (call.text("type").value_or("function") != "function") {
            call.refuse("type", "must be function");
        }
        const ApiJson* function = call.object("function");
        if (function == nullptr) {
            call.refuse("function", "is missing");
            return;
        }
        FieldReader inside(*function, call.place_of("function"), call.fault());
        calls.push_back(call_json(id, inside.needed_text("name"),
                                  inside.text("arguments").value_or(std::string())));
    });
    if (!calls.empty()) {
        out.tool_calls = to_bytes(calls);
    }
}

void read_message(FieldReader& message, AnswerRequest& request) {
    ChatMessage out;
    out.role = message.needed_text("role");
    static constexpr std::string_view kRoles[] = {"system", "developer", "user", "assistant",
                                                  "tool"};
    if (std::find(std::begin(kRoles), std::end(kRoles), out.role) == std::end(kRoles)) {
        message.refuse("role", "must be system, developer, user, assistant or tool");
        return;
    }
    if (out.role == "assistant") {
        read_calls_of(message, out);
        out.reasoning = message.text("reasoning_content").value_or(std::string());
        message.refuse_if_present({"function_call", "audio"});
    } else if (out.role == "tool") {
        out.tool_call_id = message.needed_text("tool_call_id");
    }
    if (!message.has("content") && out.tool_calls.empty()) {
        message.refuse("content", "is missing");
    }
    out.content = read_text_parts(message, "content", {"text", "refusal"});
    request.messages.push_back(std::move(out));
}

std::string finish_word(const AnswerEnd& end, bool has_calls) {
    if (end.finish == FinishReason::Length || end.finish == FinishReason::Grammar) {
        return "length";
    }
    return has_calls ? "tool_calls" : "stop";
}

class ChatCompletionForm final : public AnswerForm {
public:
    ChatCompletionForm(const AnswerRequest& request, AnswerLabel label)
        : label_(std::move(label)), streams_usage_(request.streams_usage) {}

    std::string whole(const AnswerContent& content, const AnswerEnd& end) override {
        ApiJson message = {
            {"role", "assistant"},
            {"content", content.text.empty() && !content.calls.empty() ? ApiJson(nullptr)
                                                                       : ApiJson(content.text)}};
        if (!content.reasoning.empty()) {
            message["reasoning_content"] = content.reasoning;
        }
        message["refusal"] = nullptr;
        for (const CallOfAnswer& call : content.calls) {
            message["tool_calls"].push_back(json_of(call));
        }
        ApiJson json = envelope("chat.completion");
        ApiJson choice = {{"index", 0},
                          {"message", std::move(message)},
                          {"logprobs", nullptr},
                          {"finish_reason", finish_word(end, !content.calls.empty())}};
        json["choices"] = ApiJson::array({std::move(choice)});
        json["usage"] = usage_json(end);
        return to_bytes(json);
    }

    std::string begin() override {
        return chunk({{"role", "assistant"}, {"content", ""}}, nullptr);
    }
    std::string reasoning(std::string_view piece) override {
        return chunk({{"reasoning_content", piece}}, nullptr);
    }
    std::string text(std::string_view piece) override {
        return chunk({{"content", piece}}, nullptr);
    }
    std::string call(const CallOfAnswer& call) override {
        ApiJson json = {{"index", n_calls_++}};
        json.update(json_of(call));
        return chunk({{"tool_calls", ApiJson::array({std::move(json)})}}, nullptr);
    }
    std::string end(const AnswerEnd& end) override {
        std::string text = chunk(ApiJson::object(), finish_word(end, n_calls_ > 0));
        if (streams_usage_) {
            ApiJson json = envelope("chat.completion.chunk");
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
    static ApiJson json_of(const CallOfAnswer& call) {
        return {{"id", call.id},
                {"type", "function"},
                {"function", {{"name", call.call.name}, {"arguments", call.call.arguments}}}};
    }

    ApiJson envelope(const char* object) const {
        return {{"id", "chatcmpl-" + label_.id},
                {"object", object},
                {"created", label_.created},
                {"model", label_.model}};
    }

    std::string chunk(ApiJson delta, const ApiJson& finish) const {
        ApiJson json = envelope("chat.completion.chunk");
        ApiJson choice = {{"index", 0},
                          {"delta", std::move(delta)},
                          {"logprobs", nullptr},
                          {"finish_reason", finish}};
        json["choices"] = ApiJson::array({std::move(choice)});
        if (streams_usage_) {
            json["usage"] = nullptr;
        }
        return event_text("", json);
    }

    AnswerLabel label_;
    bool streams_usage_;
    int n_calls_ = 0;
};

}  // namespace

ApiJson usage_json(const AnswerEnd& end) {
    return {{"prompt_tokens", end.prompt_tokens},
            {"completion_tokens", end.answer_tokens},
            {"total_tokens", end.prompt_tokens + end.answer_tokens},
            {"prompt_tokens_details", {{"cached_tokens", end.cached_tokens}}},
            {"completion_tokens_details", {{"reasoning_tokens", end.reasoning_tokens}}}};
}

std::string read_text_parts(FieldReader& message, const char* name,
                            std::initializer_list<std::string_view> types) {
    const ApiJson* content = message.find(name);
    if (content == nullptr) {
        return {};
    }
    if (content->is_string()) {
        return content->get<std::string>();
    }
    std::string all;
    message.objects(name, kMostParts, [&](FieldReader& part) {
        const std::string type = part.needed_text("type");
        if (std::find(types.begin(), types.end(), type) == types.end()) {
            part.refuse("type", "\"" + type.substr(0, 40) + "\" is not supported: text alone is");
            return;
        }
        all += part.needed_text(type == "refusal" ? "refusal" : "text");
    });
    return all;
}

void read_tool_choice(FieldReader& fields, AnswerRequest& request) {
    request.tool_use = ToolUse::Auto;
    const ApiJson* choice = fields.find("tool_choice");
    if (choice == nullptr) {
        return;
    }
    const std::string word = choice->is_string() ? choice->get<std::string>() : std::string();
    if (word == "none") {
        request.tool_use = ToolUse::None;
    } else if (word == "required") {
        request.tool_use = ToolUse::Required;
    } else if (choice->is_object()) {
        FieldReader named(*choice, fields.place_of("tool_choice"), fields.fault());
        if (named.needed_text("type") != "function") {
            named.refuse("type", "must be function");
        }
        request.tool_use = ToolUse::Required;
        if (const ApiJson* function = named.object("function")) {
            FieldReader inside(*function, named.place_of("function"), fields.fault());
            request.forced_tool = inside.needed_text("name");
        } else {
            request.forced_tool = named.needed_text("name");
        }
    } else if (word != "auto") {
        fields.refuse("tool_choice", "must be none, auto, required or a function");
    }
}

void read_effort(FieldReader& fields, const char* name, GenerationOptions& options) {
    const std::string effort = fields.text(name).value_or(std::string());
    if (effort == "none") {
        options.thinking = false;
    } else if (effort == "minimal") {
        options.reasoning_effort = "low";
    } else if (effort == "xhigh" || effort == "max") {
        options.reasoning_effort = "high";
    } else if (effort == "low" || effort == "medium" || effort == "high") {
        options.reasoning_effort = effort;
    } else if (!effort.empty()) {
        fields.refuse(name, "must be none, minimal, low, medium, high, xhigh or max");
    }
}

Result<AnswerRequest> read_chat_completion(const ApiJson& body) {
    FieldFault fault;
    FieldReader fields(body, "", fault);
    AnswerRequest request;
    request.options.drop_oldest_messages = false;  // nothing is left out in silence
    request.model = fields.text("model").value_or(std::string());
    request.client = fields.text("user").value_or(std::string());
    if (!fields.objects("messages", kMostMessages,
                        [&](FieldReader& message) { read_message(message, request); }) ||
        request.messages.empty()) {
        fields.refuse("messages", "must be an array with at least one message");
    }
    read_sampling(fields, request.options);
    read_stops(fields, "stop", request.options.stop);
    for (const char* name : {"max_tokens", "max_completion_tokens"}) {
        if (const auto most = fields.whole(name, 1, kMostTokens)) {
            request.options.max_tokens = static_cast<int>(*most);
        }
    }
    fields.objects("tools", kMostTools, [&](FieldReader& tool) {
        if (tool.needed_text("type") != "function") {
            tool.refuse("type", "must be function");
            return;
        }
        const ApiJson* function = tool.object("function");
        if (function == nullptr) {
            tool.refuse("function", "is missing");
            return;
        }
        FieldReader inside(*function, tool.place_of("function"), fault);
        read_tool(inside, "parameters", request);
    });
    read_tool_choice(fields, request);
    request.one_call = !fields.flag("parallel_tool_calls").value_or(true);
    if (const ApiJson* format = fields.object("response_format")) {
        FieldReader reader(*format, "response_format", fault);
        if (const ApiJson* named = reader.object("json_schema");
            named != nullptr && reader.text("type") == "json_schema") {
            FieldReader inside(*named, "response_format.json_schema", fault);
            const ApiJson* schema = inside.object("schema");
            if (schema == nullptr) {
                inside.refuse("schema", "is missing");
            } else {
                request.options.json_schema = to_bytes(*schema);
            }
        } else {
            read_format(reader, "json_schema", request.options);
        }
    }
    request.options.grammar = fields.text("grammar").value_or(std::string());
    read_effort(fields, "reasoning_effort", request.options);
    if (const ApiJson* switches = fields.object("chat_template_kwargs")) {
        FieldReader inside(*switches, "chat_template_kwargs", fault);
        if (const auto thinking = inside.flag("enable_thinking")) {
            request.options.thinking = thinking;
        }
    }
    request.streams = fields.flag("stream").value_or(false);
    if (const ApiJson* options = fields.object("stream_options")) {
        FieldReader inside(*options, "stream_options", fault);
        request.streams_usage = inside.flag("include_usage").value_or(false);
    }
    if (fields.whole("n", 1, 128).value_or(1) != 1) {
        fields.refuse("n", "one answer at a time is all there is");
    }
    if (fields.flag("logprobs").value_or(false)) {
        fields.refuse("logprobs", "is not supported");
    }
    if (const ApiJson* kinds = fields.array("modalities", 8);
        kinds != nullptr && *kinds != ApiJson::array({"text"})) {
        fields.refuse("modalities", "text is the only one");
    }
    fields.refuse_if_present({"audio", "functions", "function_call", "web_search_options"});
    return checked(std::move(request), fault);
}

std::unique_ptr<AnswerForm> chat_completion_form(const AnswerRequest& request,
                                                 const AnswerLabel& label) {
    return std::make_unique<ChatCompletionForm>(request, label);
}

}  // namespace hearth::server
