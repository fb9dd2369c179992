#include <algorithm>

#include "call_readers.h"

namespace hearth::server {
namespace {

constexpr std::string_view kFence = "```";

struct NamedForm {
    std::string_view begin;      // of each call; the first may lack it
    std::string_view separator;  // between name and arguments
    std::string_view end;        // may be missing
};

// NAME, also as functions.NAME:0 or NAME[CALL_ID]ID. A tool may itself be named so.
std::string_view tool_name(std::string_view spelled, const Tools& tools) {
    constexpr std::string_view kSpace = "functions.";
    std::string_view name = trimmed(spelled.substr(0, spelled.find("[CALL_ID]")));
    if (tool_named(name, tools) == nullptr && name.starts_with(kSpace)) {
        name.remove_prefix(kSpace.size());
    }
    const std::size_t colon = name.find_last_not_of("0123456789");
    if (tool_named(name, tools) == nullptr && colon != std::string_view::npos &&
        name[colon] == ':') {
        name = name.substr(0, colon);
    }
    return name;
}

// A call without any arguments may have no text for them.
bool read_named(std::string_view text, const NamedForm& form, const Tools& tools, Calls& calls) {
    bool is_first = true;
    for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
        if (!take(text, form.begin) && !is_first) {
            return false;
        }
        is_first = false;
        const std::size_t separator = text.find(form.separator);
        if (separator == std::string_view::npos) {
            return false;
        }
        std::string_view name = text.substr(0, separator);
        text.remove_prefix(separator + form.separator.size());
        const std::size_t fence = text.find(kFence);
        const bool is_fenced = fence < text.find('{');
        if (is_fenced) {
            const std::string_view line = trimmed(text.substr(0, fence));
            name = line.empty() ? name : line;  // the word before the separator was a type then
            text.remove_prefix(fence + kFence.size());
            take(text, "json");
        }
        text = trimmed(text);
        const std::size_t extent = json_extent(text);
        const bool has_none =
            extent == std::string_view::npos && !form.end.empty() && text.starts_with(form.end);
        if (extent == std::string_view::npos && !has_none) {
            return false;
        }
        if (!add_call(tool_name(name, tools), has_none ? "{}" : text.substr(0, extent), tools,
                      calls)) {
            return false;
        }
        text.remove_prefix(has_none ? 0 : extent);
        if (is_fenced) {
            take(text, kFence);
        }
        take(text, form.end);
    }
    return !calls.empty();
}

}  // namespace

bool read_function_calls(std::string_view text, const Tools& tools, Calls& calls) {
    return read_named(text, {"<function=", ">", "</function>"}, tools, calls);
}

bool read_mistral_calls(std::string_view text, const Tools& tools, Calls& calls) {
    const std::string_view begun = trimmed(text);
    return begun.starts_with('[') || begun.starts_with('{')
               ? read_call_objects(begun, tools, calls)
               : read_named(begun, {"[TOOL_CALLS]", "[ARGS]", ""}, tools, calls);
}

bool read_kimi_calls(std::string_view text, const Tools& tools, Calls& calls) {
    return read_named(text,
                      {"<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"},
                      tools, calls);
}

bool read_deepseek_calls(std::string_view text, const Tools& tools, Calls& calls) {
    return read_named(text,
                      {"<\uFF5Ctool\u2581call\u2581begin\uFF5C>", "<\uFF5Ctool\u2581sep\uFF5C>",
                       "<\uFF5Ctool\u2581call\u2581end\uFF5C>"},
                      tools, calls);
}

bool read_channel_calls(std::string_view text, const Tools& tools, Calls& calls) {
    return read_named(text, {"", "<|message|>", ""}, tools, calls);
}

}  // namespace hearth::server
