#include <algorithm>
#include <utility>

#include "call_readers.h"

namespace hearth::server {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    return begin == std::string_view::npos
               ? std::string_view()
               : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool take(std::string_view& text, std::string_view mark) {
    const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
    if (!text.substr(begin).starts_with(mark)) {
        return false;
    }
    text.remove_prefix(begin + mark.size());
    return true;
}

std::size_t json_extent(std::string_view text) {
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            i += c == '\\' ? 1U : 0U;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && depth > 0 && --depth == 0) {
            return i + 1;
        }
        if (depth == 0) {
            return std::string_view::npos;
        }
    }
    return std::string_view::npos;
}

const ToolDeclaration* tool_named(std::string_view name, const Tools& tools) {
    const auto found = std::find_if(tools.begin(), tools.end(),
                                    [&](const auto& tool) { return tool.name == name; });
    return found == tools.end() ? nullptr : &*found;
}

bool add_call(std::string_view name, std::string_view arguments, const Tools& tools, Calls& calls) {
    const ToolDeclaration* tool = tool_named(name, tools);
    if (tool == nullptr) {
        return false;
    }
    const auto read = read_json_object(arguments);
    if (!read) {
        return false;
    }
    calls.push_back({tool->name, to_bytes(*read)});
    return true;
}

}  // namespace hearth::server
