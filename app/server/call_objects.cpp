#include <algorithm>
#include <utility>

#include "call_readers.h"

namespace hearth::server {
namespace {

// The value of an object or array that stands alone. Discarded: the text is no JSON within bounds.
ApiJson parsed(std::string_view text) {
    auto read = read_json_object("{\"calls\":" + std::string(text) + "}");
    return read && read->size() == 1 ? std::move((*read)["calls"])
                                     : ApiJson(ApiJson::value_t::discarded);
}

template <class Add>
bool for_each_object(std::string_view text, Add&& add) {
    const ApiJson all = parsed(text);
    return all.is_array() ? std::all_of(all.begin(), all.end(), add) : add(all);
}

// Arguments may be JSON inside a string.
bool add_arguments(const std::string& name, ApiJson arguments, const Tools& tools, Calls& calls) {
    if (arguments.is_string()) {
        return add_call(name, arguments.get<std::string>(), tools, calls);
    }
    if (!arguments.is_object() || tool_named(name, tools) == nullptr) {
        return false;
    }
    calls.push_back({name, to_bytes(arguments)});
    return true;
}

}  // namespace

bool read_call_objects(std::string_view text, const Tools& tools, Calls& calls) {
    return for_each_object(text, [&](const ApiJson& call) {
        if (!call.is_object()) {
            return false;
        }
        const auto member = [&](std::initializer_list<const char*> names) {
            const auto* const named = std::find_if(names.begin(), names.end(),
                                                   [&](const char* n) { return call.contains(n); });
            return named == names.end() ? ApiJson() : call[*named];
        };
        const ApiJson name = member({"name", "tool_name"});
        ApiJson arguments = member({"arguments", "parameters"});
        if (arguments.is_null()) {
            arguments = ApiJson::object();
        }
        return name.is_string() &&
               add_arguments(name.get<std::string>(), std::move(arguments), tools, calls);
    });
}

bool read_keyed_objects(std::string_view text, const Tools& tools, Calls& calls) {
    return for_each_object(text, [&](const ApiJson& call) {
        return call.is_object() && call.size() == 1 &&
               add_arguments(call.begin().key(), call.begin().value(), tools, calls);
    });
}

}  // namespace hearth::server
