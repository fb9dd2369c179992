#include "toolbox/schema_check.h"

#include <algorithm>

namespace hearth::toolbox {
namespace {

using Json = server::ApiJson;

constexpr int kMostDepth = 32;
constexpr int kMostSteps = 20'000;  // alternatives within alternatives multiply

bool is_of_type(const Json& value, const std::string& type) {
    if (type == "object") {
        return value.is_object();
    }
    if (type == "array") {
        return value.is_array();
    }
    if (type == "string") {
        return value.is_string();
    }
    if (type == "boolean") {
        return value.is_boolean();
    }
    if (type == "null") {
        return value.is_null();
    }
    if (type == "integer") {
        return value.is_number_integer() ||
               (value.is_number_float() &&
                value.get<double>() == static_cast<double>(static_cast<long long>(
                                           std::clamp(value.get<double>(), -9e15, 9e15))));
    }
    return type != "number" || value.is_number();
}

class SchemaCheck {
public:
    explicit SchemaCheck(const Json& root) : root_(root) {}

    std::string fault(const Json& value, const Json& schema, const std::string& place, int depth) {
        if (!schema.is_object() || depth > kMostDepth || ++steps_ > kMostSteps) {
            return {};
        }
        if (const auto reference = schema.find("$ref"); reference != schema.end()) {
            const Json* target = resolved(*reference);
            return target == nullptr ? std::string() : fault(value, *target, place, depth + 1);
        }
        std::string wrong = kind_fault(value, schema, place);
        if (wrong.empty()) {
            wrong = any_fault(value, schema, place, depth);
        }
        if (wrong.empty() && value.is_object()) {
            wrong = object_fault(value, schema, place, depth);
        }
        if (wrong.empty() && value.is_array()) {
            wrong = array_fault(value, schema, place, depth);
        }
        return wrong.empty() ? bound_fault(value, schema, place) : wrong;
    }

private:
    // "#/$defs/name": a place within the schema.
    const Json* resolved(const Json& reference) const {
        if (!reference.is_string()) {
            return nullptr;
        }
        const auto text = reference.get<std::string>();
        if (!text.starts_with("#/")) {
            return nullptr;
        }
        const Json* at = &root_;
        for (std::size_t begin = 2; begin <= text.size();) {
            const std::size_t end = std::min(text.find('/', begin), text.size());
            if (!at->is_object()) {
                return nullptr;
            }
            const auto found = at->find(text.substr(begin, end - begin));
            if (found == at->end()) {
                return nullptr;
            }
            at = &*found;
            begin = end + 1;
        }
        return at;
    }

    static std::string kind_fault(const Json& value, const Json& schema, const std::string& place) {
        const auto type = schema.find("type");
        bool fits = true;
        if (type != schema.end() && type->is_string()) {
            fits = is_of_type(value, type->get<std::string>());
        } else if (type != schema.end() && type->is_array()) {
            fits = std::any_of(type->begin(), type->end(), [&](const Json& one) {
                return one.is_string() && is_of_type(value, one.get<std::string>());
            });
        }
        if (!fits) {
            return place + " is of another kind than the tool asks for";
        }
        const auto choices = schema.find("enum");
        if (choices != schema.end() && choices->is_array() &&
            std::find(choices->begin(), choices->end(), value) == choices->end()) {
            return place + " is none of the tool's choices";
        }
        const auto constant = schema.find("const");
        return constant != schema.end() && *constant != value
                   ? place + " is not what the tool asks for"
                   : std::string();
    }

    std::string any_fault(const Json& value, const Json& schema, const std::string& place,
                          int depth) {
        for (const char* word : {"anyOf", "oneOf"}) {
            const auto any = schema.find(word);
            if (any != schema.end() && any->is_array() && !any->empty() &&
                std::none_of(any->begin(), any->end(), [&](const Json& one) {
                    return fault(value, one, place, depth + 1).empty();
                })) {
                return place + " fits none of the tool's forms";
            }
        }
        const auto all = schema.find("allOf");
        if (all != schema.end() && all->is_array()) {
            for (const Json& one : *all) {
                if (std::string wrong = fault(value, one, place, depth + 1); !wrong.empty()) {
                    return wrong;
                }
            }
        }
        return {};
    }

    std::string object_fault(const Json& value, const Json& schema, const std::string& place,
                             int depth) {
        const auto required = schema.find("required");
        if (required != schema.end() && required->is_array()) {
            for (const Json& name : *required) {
                if (name.is_string() && !value.contains(name.get<std::string>())) {
                    return place + " lacks \"" + name.get<std::string>().substr(0, 100) + "\"";
                }
            }
        }
        const auto properties = schema.find("properties");
        const auto others = schema.find("additionalProperties");
        for (const auto& [name, member] : value.items()) {
            const std::string there = place + "." + name.substr(0, 100);
            const Json* known = nullptr;
            if (properties != schema.end() && properties->is_object()) {
                const auto found = properties->find(name);
                known = found == properties->end() ? nullptr : &*found;
            }
            if (known == nullptr && others != schema.end()) {
                if (others->is_boolean() && !others->get<bool>()) {
                    return there + " is not known to the tool";
                }
                known = &*others;
            }
            if (known != nullptr) {
                if (std::string wrong = fault(member, *known, there, depth + 1); !wrong.empty()) {
                    return wrong;
                }
            }
        }
        return {};
    }

    std::string array_fault(const Json& value, const Json& schema, const std::string& place,
                            int depth) {
        const auto items = schema.find("items");
        if (items != schema.end()) {
            for (std::size_t i = 0; i < value.size(); ++i) {
                std::string wrong =
                    fault(value[i], *items, place + "[" + std::to_string(i) + "]", depth + 1);
                if (!wrong.empty()) {
                    return wrong;
                }
            }
        }
        return length_fault(value.size(), schema, "minItems", "maxItems", place);
    }

    static std::string length_fault(std::size_t length, const Json& schema, const char* least,
                                    const char* most, const std::string& place) {
        const auto low = schema.find(least);
        const auto high = schema.find(most);
        const bool is_short = low != schema.end() && low->is_number() &&
                              static_cast<double>(length) < low->get<double>();
        const bool is_long = high != schema.end() && high->is_number() &&
                             static_cast<double>(length) > high->get<double>();
        return is_short ? place + " is too short" : is_long ? place + " is too long" : "";
    }

    static std::string bound_fault(const Json& value, const Json& schema,
                                   const std::string& place) {
        if (value.is_string()) {
            const auto text = value.get<std::string>();
            const auto characters =
                static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
                    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
                }));
            return length_fault(characters, schema, "minLength", "maxLength", place);
        }
        if (!value.is_number()) {
            return {};
        }
        const auto number = value.get<double>();
        const auto bound = [&](const char* word) {
            const auto found = schema.find(word);
            return found != schema.end() && found->is_number() ? &*found : nullptr;
        };
        const Json* least = bound("minimum");
        const Json* most = bound("maximum");
        const Json* above = bound("exclusiveMinimum");
        const Json* below = bound("exclusiveMaximum");
        const bool is_small = (least != nullptr && number < least->get<double>()) ||
                              (above != nullptr && number <= above->get<double>());
        const bool is_large = (most != nullptr && number > most->get<double>()) ||
                              (below != nullptr && number >= below->get<double>());
        return is_small ? place + " is too small" : is_large ? place + " is too large" : "";
    }

    const Json& root_;
    int steps_ = 0;
};

}  // namespace

std::string schema_fault(const server::ApiJson& value, const server::ApiJson& schema) {
    return SchemaCheck(schema).fault(value, schema, "arguments", 0);
}

}  // namespace hearth::toolbox
