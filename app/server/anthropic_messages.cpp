#include "anthropic_messages.h"

#include <limits>
#include <utility>

#include "chat_completions.h"

namespace hearth::server {
namespace {

// ---- the request
// ---------------------------------------------------------------------------------

// One message of the API may be several of the model's: each result of a tool is one.
void read_block(FieldReader& block, const std::string& role, ChatMessage& message, ApiJson& calls,
                std::vector<ChatMessage>& results) {
    const std::string type = block.needed_text("type");
    if (type == "text") {
        message.content += block.needed_text("text");
    } else if (type == "tool_use" && role == "assistant") {
        const ApiJson* input = block.object("input");
        calls.push_back(call_json(block.needed_text("id"), block.needed_text("name"),
                                  input == nullptr ? std::string() : to_bytes(*input)));
    } else if (type == "tool_result" && role == "user") {
        ChatMessage result{"tool", read_text_parts(block, "content", {"text"})};
        result.tool_call_id = block.needed_text("tool_use_id");
        results.push_back(std::move(result));
    } else if (type == "thinking" && role == "assistant") {
        message.reasoning += block.needed_text("thinking");
    } else if (type != "redacted_thinking" || role != "assistant") {
        block.refuse("type", "\"" + type.substr(0, 40) + "\" is not supported here");
    }
}

void read_turn(FieldReader& turn, AnswerRequest& request) {
    ChatMessage message;
    message.role = turn.needed_text("role");
    if (message.role != "user" && message.role != "assistant") {
        turn.refuse("role", "must be user or assistant");
        return;
    }
    const ApiJson* content = turn.find("content");
    if (content == nullptr) {
        turn.refuse("content", "is missing");
        return;
    }
    if (content->is_string()) {
        message.content = content->get<std::string>();
        request.messages.push_back(std::move(message));
        return;
    }
    ApiJson calls = ApiJson::array();
    std::vector<ChatMessage> results;
    turn.objects("content", kMostParts, [&](FieldReader& block) {
        read_block(block, message.role, message, calls, results);
    });
    if (!calls.empty()) {
        message.tool_calls = to_bytes(calls);
    }
    const bool has_own = results.empty() || !message.content.empty();
    request.messages.insert(request.messages.end(), std::make_move_iterator(results.begin()),
                            std::make_move_iterator(results.end()));
    if (has_own) {
        request.messages.push_back(std::move(message));
    }
}

void read_choice(FieldReader& choice, AnswerRequest& request) {
    const std::string type = choice.needed_text("type");
    if (type == "none") {
        request.tool_use = ToolUse::None;
    } else if (type == "any" || type == "tool") {
        request.tool_use = ToolUse::Required;
        if (type == "tool") {
            request.forced_tool = choice.needed_text("name");
        }
    } else if (type != "auto") {
        choice.refuse("type", "must be auto, any, tool or none");
    }
    request.one_call = choice.flag("disable_parallel_tool_use").value_or(false);
}

// ---- the answer
// ----------------------------------------------------------------------------------

std::string stop_reason(const AnswerEnd& end, bool has_calls) {
    if (end.finish == FinishReason::Length || end.finish == FinishReason::Grammar) {
        return "max_tokens";
    }
    if (!end.stop_string.empty()) {
        return "stop_sequence";
    }
    return has_calls ? "tool_use" : "end_turn";
}

ApiJson stop_sequence(const AnswerEnd& end) {
    return end.stop_string.empty() ? ApiJson(nullptr) : ApiJson(end.stop_string);
}

// Here the tokens of the prompt are those that were computed.
ApiJson usage_of(const AnswerEnd& end) {
    return {{"input_tokens", end.prompt_tokens - end.cached_tokens},
            {"cache_creation_input_tokens", 0},
            {"cache_read_input_tokens", end.cached_tokens},
            {"output_tokens", end.answer_tokens}};
}

ApiJson input_of(const CallOfAnswer& call) {
    return ApiJson::parse(call.call.arguments, nullptr, false);
}

class AnthropicMessageForm final : public AnswerForm {
public:
    explicit AnthropicMessageForm(AnswerLabel label) : label_(std::move(label)) {}

    std::string whole(const AnswerContent& content, const AnswerEnd& end) override {
        ApiJson blocks = ApiJson::array();
        if (!content.reasoning.empty()) {
            blocks.push_back(
                {{"type", "thinking"}, {"thinking", content.reasoning}, {"signature", ""}});
        }
        if (!content.text.empty() || content.calls.empty()) {
            blocks.push_back({{"type", "text"}, {"text", content.text}});
        }
        for (const CallOfAnswer& call : content.calls) {
            blocks.push_back({{"type", "tool_use"},
                              {"id", call.id},
                              {"name", call.call.name},
                              {"input", input_of(call)}});
        }
        ApiJson json = message(std::move(blocks));
        json["stop_reason"] = stop_reason(end, !content.calls.empty());
        json["stop_sequence"] = stop_sequence(end);
        json["usage"] = usage_of(end);
        return to_bytes(json);
    }

    // The prompt's tokens are not counted yet: message_delta says them at the end.
    std::string begin() override {
        ApiJson json = message(ApiJson::array());
        json["usage"] = usage_of({});
        return event("message_start", {{"message", std::move(json)}});
    }
    std::string reasoning(std::string_view piece) override {
        return in_block("thinking", {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}},
                        {{"type", "thinking_delta"}, {"thinking", piece}});
    }
    std::string text(std::string_view piece) override {
        return in_block("text", {{"type", "text"}, {"text", ""}},
                        {{"type", "text_delta"}, {"text", piece}});
    }
    std::string call(const CallOfAnswer& call) override {
        has_calls_ = true;
        return in_block(call.id,
                        {{"type", "tool_use"},
                         {"id", call.id},
                         {"name", call.call.name},
                         {"input", ApiJson::object()}},
                        {{"type", "input_json_delta"}, {"partial_json", call.call.arguments}});
    }
    std::string end(const AnswerEnd& end) override {
        const ApiJson delta = {{"stop_reason", stop_reason(end, has_calls_)},
                               {"stop_sequence", stop_sequence(end)}};
        std::string text = close_block();
        text += event("message_delta", {{"delta", delta}, {"usage", usage_of(end)}});
        return text + event("message_stop", ApiJson::object());
    }
    std::string failure(const std::string& message) override {
        return event_text("error", anthropic_error_json(500, message));
    }

private:
    static std::string event(const char* type, const ApiJson& fields) {
        ApiJson json = {{"type", type}};
        json.update(fields);
        return event_text(type, json);
    }

    ApiJson message(ApiJson blocks) const {
        return {{"id", "msg_" + label_.id}, {"type", "message"}, {"role", "assistant"},
                {"model", label_.model},    {"content", blocks}, {"stop_reason", nullptr},
                {"stop_sequence", nullptr}};
    }

    // kind: of the block; another one than before begins another block.
    std::string in_block(const std::string& kind, const ApiJson& empty, const ApiJson& delta) {
        std::string text;
        if (block_ != kind) {
            text = close_block();
            text += event("content_block_start", {{"index", index_}, {"content_block", empty}});
            block_ = kind;
        }
        return text + event("content_block_delta", {{"index", index_}, {"delta", delta}});
    }
    std::string close_block() {
        if (block_.empty()) {
            return {};
        }
        block_.clear();
        return event("content_block_stop", {{"index", index_++}});
    }

    AnswerLabel label_;
    int index_ = 0;
    std::string block_;  // the kind of the open one; empty: none is open
    bool has_calls_ = false;
};

}  // namespace

Result<AnswerRequest> read_anthropic_message(const ApiJson& body) {
    FieldFault fault;
    FieldReader fields(body, "", fault);
    AnswerRequest request;
    request.options.drop_oldest_messages = false;
    request.model = fields.text("model").value_or(std::string());
    if (const ApiJson* metadata = fields.object("metadata")) {
        FieldReader inside(*metadata, "metadata", fault);
        request.client = inside.text("user_id").value_or(std::string());
    }
    if (fields.has("system")) {
        request.messages.push_back({"system", read_text_parts(fields, "system", {"text"})});
    }
    const std::size_t n_system = request.messages.size();
    if (!fields.objects("messages", kMostMessages,
                        [&](FieldReader& turn) { read_turn(turn, request); }) ||
        request.messages.size() == n_system) {
        fields.refuse("messages", "must be an array with at least one message");
    }
    if (!fields.has("max_tokens")) {
        fields.refuse("max_tokens", "is missing");
    }
    request.options.max_tokens = static_cast<int>(
        fields.whole("max_tokens", 1, std::numeric_limits<int>::max()).value_or(1));
    read_sampling(fields, request.options);
    read_stops(fields, "stop_sequences", request.options.stop);
    fields.objects("tools", kMostTools, [&](FieldReader& tool) {
        if (tool.text("type").value_or("custom") != "custom") {
            tool.refuse("type", "must be custom: this server has no tools of its own");
            return;
        }
        read_tool(tool, "input_schema", request);
    });
    request.tool_use = ToolUse::Auto;
    if (const ApiJson* choice = fields.object("tool_choice")) {
        FieldReader inside(*choice, "tool_choice", fault);
        read_choice(inside, request);
    }
    if (const ApiJson* thinking = fields.object("thinking")) {
        FieldReader inside(*thinking, "thinking", fault);
        const std::string type = inside.needed_text("type");
        if (type != "enabled" && type != "disabled" && type != "adaptive") {
            inside.refuse("type", "must be enabled, disabled or adaptive");
        }
        request.options.thinking = type != "disabled";
    }
    if (const ApiJson* format = fields.object("output_format")) {
        FieldReader inside(*format, "output_format", fault);
        read_format(inside, "schema", request.options);
    }
    if (const ApiJson* config = fields.object("output_config")) {
        FieldReader inside(*config, "output_config", fault);
        read_effort(inside, "effort", request.options);
        if (const ApiJson* format = inside.object("format")) {
            FieldReader reader(*format, "output_config.format", fault);
            read_format(reader, "schema", request.options);
        }
    }
    request.streams = fields.flag("stream").value_or(false);
    fields.refuse_if_present({"mcp_servers", "container"});
    return checked(std::move(request), fault);
}

std::unique_ptr<AnswerForm> anthropic_message_form(const AnswerRequest&, const AnswerLabel& label) {
    return std::make_unique<AnthropicMessageForm>(label);
}

}  // namespace hearth::server
