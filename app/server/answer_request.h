// One question to the model, in whichever API's form it came.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/engine.h>
#include <hearth/result.h>

#include "request_fields.h"

namespace hearth::server {

inline constexpr std::size_t kMostMessages = 4096;
inline constexpr std::size_t kMostParts = 1024;  // of a message
inline constexpr std::size_t kMostTools = 128;
inline constexpr std::size_t kMostStops = 16;

struct ToolDeclaration {
    std::string name;
    std::string description;
    ApiJson parameters;  // a schema of an object
};

enum class ToolUse {
    None,
    Auto,      // the model may call one
    Required,  // it must
};

struct AnswerRequest {
    std::string model;   // as the client named it; empty: it named none
    std::string client;  // as it named itself or its user; empty: it did not
    bool is_raw = false;
    std::string prompt;                 // of a raw one: continued as it stands
    std::vector<ChatMessage> messages;  // else
    // They lack tools and the schema of forced calls: add_tools() brings both in.
    GenerationOptions options;
    std::vector<ToolDeclaration> tools;
    ToolUse tool_use = ToolUse::None;
    std::string forced_tool;  // of Required; empty: any
    bool one_call = false;    // the answer ends with its first call
    bool streams = false;
    bool streams_usage = false;
    ApiJson echo = ApiJson::object();  // members that the answer repeats

    bool has_grammar() const { return !options.grammar.empty() || !options.json_schema.empty(); }
    bool calls_are_forced() const { return tool_use == ToolUse::Required; }
};

// Reads what the APIs share: temperature, top_p, and the samplers' fields of this engine.
void read_sampling(FieldReader& fields, GenerationOptions& options);
// A text or an array of texts.
void read_stops(FieldReader& fields, const char* name, std::vector<std::string>& stops);
// {"type": "text"}, {"type": "json_object"}, {"type": "json_schema", "schema": {...}}.
void read_format(FieldReader& format, const char* schema_member, GenerationOptions& options);
// The members name, description and `schema_member` of a tool.
void read_tool(FieldReader& tool, const char* schema_member, AnswerRequest& request);
// The arguments of an earlier call, as text: an object, so that templates can walk through it.
ApiJson call_json(const std::string& id, const std::string& name, const std::string& arguments);
// Gives the results of tools the names of those that made them.
void name_tool_results(std::vector<ChatMessage>& messages);
// The last step of reading: what only makes sense together.
Result<AnswerRequest> checked(AnswerRequest request, const FieldFault& fault);

// Puts tools into the options, and for forced calls their schema. If the model's template knows
// nothing of tools, messages tell of them in words, and calls and results become text. If it knows
// them and would leave out calls (ChatTraits), these alone become text.
void add_tools(AnswerRequest& request, bool template_has_tools, bool template_has_calls = true);

}  // namespace hearth::server
