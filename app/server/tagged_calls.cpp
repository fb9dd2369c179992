#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "call_readers.h"

namespace hearth::server {
namespace {

constexpr std::size_t kMostArguments = 512;

struct TagForm {
    std::string_view open, open_end, close;  // around a call, and behind its name; may be empty
    std::string_view key, key_end;           // around an argument's name
    std::string_view value, value_end;       // around its value; value may be empty
    bool has_lines;                          // line ends around a value belong to the tags
};

constexpr TagForm kParameterTags = {
    "<function=", ">", "</function>", "<parameter=", ">", "", "</parameter>", true};
constexpr TagForm kInvokeTags = {
    "<invoke name=\"", "\">", "</invoke>", "<parameter name=\"", "\">", "", "</parameter>", false};
constexpr TagForm kKeyTags = {
    "", "", "", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", false};

// "string", "null", ...: as schemas name the types of values.
std::string_view type_of(const ApiJson& value) {
    if (value.is_number_integer()) {
        return "integer";
    }
    return value.is_null()      ? "null"
           : value.is_boolean() ? "boolean"
           : value.is_number()  ? "number"
           : value.is_array()   ? "array"
           : value.is_object()  ? "object"
                                : "string";
}

// The schema of one argument; null: the tool's schema does not name it.
const ApiJson* schema_of(const std::string& key, const ToolDeclaration& tool) {
    const auto properties = tool.parameters.find("properties");
    if (properties == tool.parameters.end() || !properties->is_object()) {
        return nullptr;
    }
    const auto property = properties->find(key);
    return property != properties->end() && property->is_object() ? &*property : nullptr;
}

// True if the schema's own keywords let the value be of this type. All types go where it has none.
bool allows(const ApiJson& schema, std::string_view type) {
    const auto is_type = [&](const ApiJson& named) {
        return named.is_string() && (named == type || (named == "number" && type == "integer"));
    };
    if (const auto types = schema.find("type"); types != schema.end()) {
        return types->is_array() ? std::any_of(types->begin(), types->end(), is_type)
                                 : is_type(*types);
    }
    if (const auto values = schema.find("enum"); values != schema.end() && values->is_array()) {
        return std::any_of(values->begin(), values->end(),
                           [&](const ApiJson& value) { return type_of(value) == type; });
    }
    return true;
}

// Values have no quotes: what is no string is JSON, or a literal of Python, as templates print it.
ApiJson value_of(std::string_view text, const std::string& key, const ToolDeclaration& tool) {
    const ApiJson* schema = schema_of(key, tool);
    const auto is_allowed = [&](const ApiJson& value) {
        return schema == nullptr || allows(*schema, type_of(value));
    };
    // A value goes through the same bounds as a body.
    auto read = read_json_object("{\"value\":" + std::string(text) + "}");
    if (read && read->size() == 1 && !(*read)["value"].is_string() &&
        is_allowed((*read)["value"])) {
        return std::move((*read)["value"]);
    }
    ApiJson literal = read_python_value(trimmed(text));
    if (!literal.is_discarded() && !literal.is_string() && is_allowed(literal)) {
        return literal;
    }
    // Quotes are part of a value that the schema says is a string.
    const bool is_text = schema != nullptr && schema->value("type", ApiJson()) == "string";
    if (!is_text && read && read->size() == 1 && (*read)["value"].is_string()) {
        return std::move((*read)["value"]);
    }
    return std::string(text);
}

// The end of a value: a closing tag that another argument or the call's end follows, since the
// value itself may have such tags. npos: none.
std::size_t end_of_value(std::string_view text, const TagForm& form) {
    std::size_t first = std::string_view::npos;
    for (std::size_t at = text.find(form.value_end); at != std::string_view::npos;
         at = text.find(form.value_end, at + form.value_end.size())) {
        std::string_view rest = text.substr(at + form.value_end.size());
        take(rest, "");
        if (rest.empty() || rest.starts_with(form.key) ||
            (!form.close.empty() && rest.starts_with(form.close))) {
            return at;
        }
        first = std::min(first, at);
    }
    return first;
}

bool read_tagged(std::string_view text, const TagForm& form, const Tools& tools, Calls& calls) {
    do {
        if (!take(text, form.open)) {
            return false;
        }
        const std::size_t name_end = form.open_end.empty()
                                         ? std::min(text.find(form.key), text.size())
                                         : text.find(form.open_end);
        const ToolDeclaration* tool = tool_named(trimmed(text.substr(0, name_end)), tools);
        if (tool == nullptr) {
            return false;
        }
        text.remove_prefix(std::min(name_end + form.open_end.size(), text.size()));
        ApiJson arguments = ApiJson::object();
        while (take(text, form.key)) {
            const std::size_t key_end = text.find(form.key_end);
            if (key_end == std::string_view::npos || arguments.size() == kMostArguments) {
                return false;
            }
            const std::string key(trimmed(text.substr(0, key_end)));
            text.remove_prefix(key_end + form.key_end.size());
            if (!form.value.empty() && !take(text, form.value)) {
                return false;
            }
            const std::size_t end = end_of_value(text, form);
            if (end == std::string_view::npos) {
                return false;  // perhaps the answer was cut within the value
            }
            std::string_view value = text.substr(0, end);
            text.remove_prefix(end + form.value_end.size());
            if (form.has_lines) {
                value.remove_prefix(value.starts_with('\n') ? 1 : 0);
                value.remove_suffix(value.ends_with('\n') ? 1 : 0);
            }
            arguments[key] = value_of(value, key, *tool);
        }
        calls.push_back({tool->name, to_bytes(arguments)});
        text = trimmed(text);
        if (!form.close.empty() && !take(text, form.close) && !text.empty()) {
            return false;
        }
        text = trimmed(text);
    } while (!text.empty() && !form.open.empty());
    return text.empty();
}

}  // namespace

bool read_parameter_tags(std::string_view text, const Tools& tools, Calls& calls) {
    return read_tagged(text, kParameterTags, tools, calls);
}

bool read_invoke_tags(std::string_view text, const Tools& tools, Calls& calls) {
    return read_tagged(text, kInvokeTags, tools, calls);
}

bool read_key_tags(std::string_view text, const Tools& tools, Calls& calls) {
    return read_tagged(text, kKeyTags, tools, calls);
}

}  // namespace hearth::server
