#include "answer_request.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "call_grammars.h"

namespace hearth::server {
namespace {

void put(std::optional<double> value, float& target) {
    if (value) {
        target = static_cast<float>(*value);
    }
}

void put(std::optional<std::int64_t> value, int& target) {
    if (value) {
        target = static_cast<int>(*value);
    }
}

void read_logit_bias(FieldReader& fields, SamplingOptions& sampling) {
    const ApiJson* biases = fields.object("logit_bias");
    if (biases == nullptr) {
        return;
    }
    for (const auto& [key, value] : biases->items()) {
        LogitBias bias;
        const auto [end, wrong] = std::from_chars(key.data(), key.data() + key.size(), bias.token);
        const bool is_id =
            wrong == std::errc() && end == key.data() + key.size() && bias.token >= 0;
        const double number = value.is_number() ? value.get<double>() : 1e9;
        if (!is_id || !(number >= -100 && number <= 100)) {
            fields.refuse("logit_bias", "must have ids of tokens, with numbers from -100 to 100");
            return;
        }
        // -100 is the API's word for a ban.
        bias.bias =
            number <= -100 ? -std::numeric_limits<float>::infinity() : static_cast<float>(number);
        sampling.logit_bias.push_back(bias);
    }
}

// A schema inside another one: its references count from the new root.
void move_references(ApiJson& schema, const std::string& place) {
    if (schema.is_array()) {
        for (ApiJson& element : schema) {
            move_references(element, place);
        }
    }
    if (!schema.is_object()) {
        return;
    }
    for (auto& [key, value] : schema.items()) {
        if (key == "$ref" && value.is_string()) {
            const auto reference = value.get<std::string>();
            if (reference.starts_with('#')) {
                value = "#" + place + reference.substr(1);
            }
        } else {
            move_references(value, place);
        }
    }
}

// The answer is one call of one of the tools.
std::string forced_schema(const AnswerRequest& request) {
    ApiJson any = ApiJson::array();
    for (const ToolDeclaration& tool : request.tools) {
        if (request.forced_tool.empty() || request.forced_tool == tool.name) {
            ApiJson arguments = tool.parameters;
            move_references(arguments,
                            "/anyOf/" + std::to_string(any.size()) + "/properties/arguments");
            any.push_back(
                {{"type", "object"},
                 {"properties",
                  {{"name", {{"const", tool.name}}}, {"arguments", std::move(arguments)}}},
                 {"required", {"name", "arguments"}},
                 {"additionalProperties", false}});
        }
    }
    return to_bytes({{"anyOf", std::move(any)}});
}

ApiJson declarations(const AnswerRequest& request) {
    ApiJson all = ApiJson::array();
    for (const ToolDeclaration& tool : request.tools) {
        all.push_back({{"type", "function"},
                       {"function",
                        {{"name", tool.name},
                         {"description", tool.description},
                         {"parameters", tool.parameters}}}});
    }
    return all;
}

// The form that most models were trained on (Hermes).
std::string calls_as_text(const std::string& tool_calls) {
    std::string text;
    const ApiJson calls = ApiJson::parse(tool_calls, nullptr, false);
    for (const ApiJson& call : calls) {
        const ApiJson function = call.value("function", ApiJson::object());
        text += "<tool_call>\n" + to_bytes(function) + "\n</tool_call>\n";
    }
    return text;
}

void put_calls_in_words(std::vector<ChatMessage>& messages) {
    for (ChatMessage& message : messages) {
        if (!message.tool_calls.empty()) {
            message.content += (message.content.empty() ? "" : "\n") +
                               calls_as_text(std::exchange(message.tool_calls, {}));
        }
    }
}

void put_tools_in_words(AnswerRequest& request) {
    std::string words =
        "You may call functions. To call one, answer with its name and arguments as JSON, like "
        "this:\n<tool_call>\n{\"name\": \"...\", \"arguments\": {...}}\n</tool_call>\nThe "
        "functions are:\n";
    for (const ApiJson& tool : declarations(request)) {
        words += to_bytes(tool["function"]) + "\n";
    }
    auto& messages = request.messages;
    for (ChatMessage& message : messages) {
        if (message.role == "tool") {
            // With its id it is none of the user's own questions.
            message.role = "user";
            message.content = "<tool_response>\n" + message.content + "\n</tool_response>";
        }
    }
    if (request.tools.empty() || request.tool_use == ToolUse::None) {
        return;
    }
    if (!messages.empty() && messages.front().role == "system") {
        messages.front().content += "\n\n" + words;
    } else {
        messages.insert(messages.begin(), ChatMessage{"system", words});
    }
}

}  // namespace

void read_sampling(FieldReader& fields, GenerationOptions& options) {
    constexpr int kMost = std::numeric_limits<int>::max();
    SamplingOptions& sampling = options.sampling;
    put(fields.number("temperature", 0, 100), sampling.temperature);
    if (const auto top_p = fields.number("top_p", 0, 1)) {
        sampling.top_p = std::max(static_cast<float>(*top_p), 1e-6F);  // 0: the likeliest alone
    }
    put(fields.whole("top_k", 0, kMost), sampling.top_k);
    put(fields.number("min_p", 0, 1), sampling.min_p);
    put(fields.number("presence_penalty", -100, 100), sampling.presence_penalty);
    put(fields.number("frequency_penalty", -100, 100), sampling.frequency_penalty);
    if (const auto penalty = fields.number("repeat_penalty", 0.01, 100)) {
        sampling.repeat_penalty = static_cast<float>(*penalty);
    }
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    if (const auto seed = fields.whole("seed", kLeast, std::numeric_limits<std::int64_t>::max())) {
        // 0 means another seed each time in the engine, and one of many in the APIs.
        constexpr std::uint64_t kOfZero = 0x9E3779B97F4A7C15U;
        sampling.seed = *seed == 0 ? kOfZero : static_cast<std::uint64_t>(*seed);
    }
    read_logit_bias(fields, sampling);
}

void read_stops(FieldReader& fields, const char* name, std::vector<std::string>& stops) {
    const ApiJson* value = fields.find(name);
    if (value != nullptr && value->is_string()) {
        stops.push_back(value->get<std::string>());
    } else if (const ApiJson* texts = fields.array(name, kMostStops)) {
        for (const ApiJson& text : *texts) {
            if (!text.is_string()) {
                fields.refuse(name, "must be a string or an array of strings");
                return;
            }
            stops.push_back(text.get<std::string>());
        }
    }
    if (std::any_of(stops.begin(), stops.end(), [](const auto& stop) { return stop.empty(); })) {
        fields.refuse(name, "an empty text would stop everything");
    }
}

void read_format(FieldReader& format, const char* schema_member, GenerationOptions& options) {
    const std::string type = format.needed_text("type");
    if (type == "json_object") {
        options.json_schema = R"({"type":"object"})";
    } else if (type == "json_schema") {
        const ApiJson* schema = format.find(schema_member);
        if (schema == nullptr || !schema->is_object()) {
            format.refuse(schema_member, "must be a JSON schema, which is an object");
        } else {
            options.json_schema = to_bytes(*schema);
        }
    } else if (type != "text") {
        format.refuse("type", "must be text, json_object or json_schema");
    }
}

void read_tool(FieldReader& tool, const char* schema_member, AnswerRequest& request) {
    ToolDeclaration declared;
    declared.name = tool.needed_text("name");
    const bool is_name = !declared.name.empty() && declared.name.size() <= 128 &&
                         std::all_of(declared.name.begin(), declared.name.end(), [](char c) {
                             return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                    (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
                         });
    if (!is_name) {
        tool.refuse("name", "must be 1 to 128 letters, digits, or any of _ - .");
    }
    if (std::any_of(request.tools.begin(), request.tools.end(),
                    [&](const ToolDeclaration& known) { return known.name == declared.name; })) {
        tool.refuse("name", "stands twice");
    }
    declared.description = tool.text("description").value_or(std::string());
    const ApiJson* parameters = tool.object(schema_member);
    declared.parameters = parameters != nullptr
                              ? *parameters
                              : ApiJson{{"type", "object"}, {"properties", ApiJson::object()}};
    request.tools.push_back(std::move(declared));
}

ApiJson call_json(const std::string& id, const std::string& name, const std::string& arguments) {
    ApiJson parsed = ApiJson::object();
    if (!arguments.empty()) {
        // The bounds of a body hold for text inside a string of it, too.
        auto read = read_json_object(arguments);
        parsed = read ? std::move(*read) : ApiJson(arguments);
    }
    return {{"id", id},
            {"type", "function"},
            {"function", {{"name", name}, {"arguments", std::move(parsed)}}}};
}

void name_tool_results(std::vector<ChatMessage>& messages) {
    std::map<std::string, std::string> names;
    for (ChatMessage& message : messages) {
        if (!message.tool_calls.empty()) {
            for (const ApiJson& call : ApiJson::parse(message.tool_calls, nullptr, false)) {
                names[call["id"].get<std::string>()] = call["function"]["name"].get<std::string>();
            }
        } else if (message.role == "tool" && message.name.empty()) {
            if (const auto known = names.find(message.tool_call_id); known != names.end()) {
                message.name = known->second;
            }
        }
    }
}

Result<AnswerRequest> checked(AnswerRequest request, const FieldFault& fault) {
    if (fault.is_set()) {
        return fault.error();
    }
    const auto refused = [](const char* field, const std::string& message) {
        return Error{ErrorCode::InvalidArgument, std::string(field) + ": " + message, {}, field};
    };
    if (request.tools.empty()) {
        if (request.tool_use == ToolUse::Required) {
            return refused("tool_choice", "asks for a call, and there are no tools");
        }
        request.tool_use = ToolUse::None;
    }
    const bool knows_forced =
        request.forced_tool.empty() ||
        std::any_of(request.tools.begin(), request.tools.end(),
                    [&](const auto& tool) { return tool.name == request.forced_tool; });
    if (!knows_forced) {
        return refused("tool_choice", "names no tool of this request");
    }
    if (!request.options.grammar.empty() && !request.options.json_schema.empty()) {
        return refused("grammar", "goes with no other form of the answer");
    }
    if (request.has_grammar() && request.tool_use != ToolUse::None) {
        return refused("tools", "an answer of a given form has no calls: tool_choice must be none");
    }
    name_tool_results(request.messages);
    return request;
}

void add_tools(AnswerRequest& request, bool template_has_tools, bool template_has_calls) {
    if (request.is_raw) {
        return;
    }
    if (!template_has_tools || !template_has_calls) {
        put_calls_in_words(request.messages);
    }
    if (!template_has_tools) {
        put_tools_in_words(request);
    }
    if (request.tool_use != ToolUse::None) {
        request.options.tools = to_bytes(declarations(request));
    }
    if (request.calls_are_forced()) {
        request.options.json_schema = forced_schema(request);
    } else if (request.tool_use == ToolUse::Auto && !request.has_grammar()) {
        request.options.triggered = call_grammars(request.tools);
        request.options.triggered_schemas = call_schemas(request.tools);
    }
    if (request.has_grammar()) {
        request.options.thinking = false;  // the form holds from the first token on
    }
}

}  // namespace hearth::server
