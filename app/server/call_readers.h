// Readers of calls, by the way in which a form writes name and arguments. Each appends to `calls`
// and returns false where the text is no call of its form, or names a tool that is not there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "call_forms.h"

namespace hearth::server {

using Tools = std::vector<ToolDeclaration>;
using Calls = std::vector<ToolCall>;

// ---- call_objects.cpp: a call is a JSON object ----------------------------------------------

// {"name": ..., "arguments": {...}}, also "tool_name" and "parameters", or an array of such.
bool read_call_objects(std::string_view text, const Tools& tools, Calls& calls);
// [{NAME: {...}}, ...]
bool read_keyed_objects(std::string_view text, const Tools& tools, Calls& calls);

// ---- named_calls.cpp: a name, then arguments as JSON ------------------------------------------

// NAME>{...}</function>
bool read_function_calls(std::string_view text, const Tools& tools, Calls& calls);
// NAME[ARGS]{...}[TOOL_CALLS]NAME[CALL_ID]ID[ARGS]{...}, or call objects
bool read_mistral_calls(std::string_view text, const Tools& tools, Calls& calls);
// <|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{...}<|tool_call_end|>
bool read_kimi_calls(std::string_view text, const Tools& tools, Calls& calls);
// The same with DeepSeek's marks; R1 has a line end, a fence and a type around them.
bool read_deepseek_calls(std::string_view text, const Tools& tools, Calls& calls);
// functions.NAME<|message|>{...}
bool read_channel_calls(std::string_view text, const Tools& tools, Calls& calls);

// ---- tagged_calls.cpp: tags around each argument -----------------------------------------------

// <function=NAME> <parameter=KEY> VALUE </parameter> </function>
bool read_parameter_tags(std::string_view text, const Tools& tools, Calls& calls);
// <invoke name="NAME"> <parameter name="KEY">VALUE</parameter> </invoke>
bool read_invoke_tags(std::string_view text, const Tools& tools, Calls& calls);
// NAME <arg_key>KEY</arg_key> <arg_value>VALUE</arg_value>
bool read_key_tags(std::string_view text, const Tools& tools, Calls& calls);

// ---- literal_calls.cpp: arguments as literals of a language ----------------------------------

// [NAME(KEY='...', KEY={...}), ...], Python's
bool read_python_calls(std::string_view text, const Tools& tools, Calls& calls);
// call:NAME{KEY:<|"|>...<|"|>,...}, Gemma's
bool read_gemma_calls(std::string_view text, const Tools& tools, Calls& calls);
// One value as Python writes it: True, None, {'a': 1}. Discarded: it is none.
ApiJson read_python_value(std::string_view text);

// ---- parts of these, call_text.cpp -------------------------------------------------------------

// The text but for blanks around it.
std::string_view trimmed(std::string_view text);
// Takes the mark, and blanks before it, from the beginning of the text. False: it is not there.
bool take(std::string_view& text, std::string_view mark);
// The bytes of the JSON object or array that the text begins with; npos: it begins with none, or
// none that ends.
std::size_t json_extent(std::string_view text);
const ToolDeclaration* tool_named(std::string_view name, const Tools& tools);
// False: there is no such tool, or the text is no JSON object.
bool add_call(std::string_view name, std::string_view arguments, const Tools& tools, Calls& calls);

}  // namespace hearth::server
