#include "grammar/schema_merge.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "grammar/text_place.h"

namespace hearth {
namespace {

using Kind = JsonValue::Kind;

JsonValue both_of(JsonValue a, JsonValue b) {
    if (a == b) {
        return a;
    }
    const std::size_t at = a.at;
    JsonValue list{.kind = Kind::Array, .at = at};
    list.items.push_back(std::move(a));
    list.items.push_back(std::move(b));
    JsonValue out{.kind = Kind::Object, .at = at};
    out.set("allOf", std::move(list));
    return out;
}

// enum or const as a list; null: the schema has neither.
std::vector<const JsonValue*> values_of(const JsonValue& schema, bool& has_values) {
    std::vector<const JsonValue*> values;
    const JsonValue* one = schema.find("const");
    const JsonValue* several = schema.find("enum");
    has_values = one != nullptr || several != nullptr;
    if (one != nullptr) {
        values.push_back(one);
    } else if (several != nullptr) {
        for (const JsonValue& item : several->items) {
            values.push_back(&item);
        }
    }
    return values;
}

JsonValue shared_values(const JsonValue& a, const JsonValue& b) {
    bool ignored = false;
    JsonValue out{.kind = Kind::Array, .at = a.at};
    const auto others = values_of(b, ignored);
    for (const JsonValue* one : values_of(a, ignored)) {
        if (std::any_of(others.begin(), others.end(),
                        [&](const JsonValue* other) { return *other == *one; })) {
            out.items.push_back(*one);
        }
    }
    return out;
}

JsonValue shared_types(const JsonValue& a, const JsonValue& b) {
    const auto list = [](const JsonValue& type) {
        return type.is(Kind::Array) ? type.items : std::vector<JsonValue>{type};
    };
    JsonValue out{.kind = Kind::Array, .at = a.at};
    for (const JsonValue& one : list(a)) {
        for (const JsonValue& other : list(b)) {
            if (types_meet(one.text, other.text)) {
                out.items.push_back(one.text == "integer" ? one : other);  // the narrower one
            }
        }
    }
    return out;
}

bool closes(const JsonValue& schema) {
    const JsonValue* more = schema.find("additionalProperties");
    return more != nullptr && !(more->is(Kind::Bool) && more->flag);
}

bool names_more(const JsonValue& schema, const JsonValue& than) {
    const JsonValue* own = schema.find("properties");
    const JsonValue* other = than.find("properties");
    return own != nullptr &&
           std::any_of(own->members.begin(), own->members.end(), [&](const auto& member) {
               return other == nullptr || other->find(member.first) == nullptr;
           });
}

constexpr std::array kLowerBounds = {"minItems", "minLength", "minimum", "exclusiveMinimum"};
constexpr std::array kUpperBounds = {"maxItems", "maxLength", "maximum", "exclusiveMaximum"};

template <class List, class One>
bool has(const List& list, const One& one) {
    return std::find(list.begin(), list.end(), one) != list.end();
}

}  // namespace

bool is_annotation(std::string_view keyword) {
    static constexpr std::array kAnnotations = {
        "$schema",  "$id",         "$comment",         "$defs",          "definitions",
        "title",    "description", "default",          "examples",       "deprecated",
        "readOnly", "writeOnly",   "contentMediaType", "contentEncoding"};
    return keyword.starts_with("x-") ||
           std::any_of(kAnnotations.begin(), kAnnotations.end(),
                       [&](const char* known) { return keyword == known; });
}

std::string type_of(const JsonValue& value) {
    switch (value.kind) {
        case Kind::Null:
            return "null";
        case Kind::Bool:
            return "boolean";
        case Kind::Number:
            return value.whole() ? "integer" : "number";
        case Kind::String:
            return "string";
        case Kind::Array:
            return "array";
        case Kind::Object:
            return "object";
    }
    return "null";
}

bool types_meet(std::string_view a, std::string_view b) {
    const auto is_number = [](std::string_view type) {
        return type == "integer" || type == "number";
    };
    return a == b || (is_number(a) && is_number(b));
}

std::vector<std::string> types_of(const JsonValue& schema) {
    std::vector<std::string> types;
    bool has_values = false;
    const auto values = values_of(schema, has_values);
    if (has_values) {
        for (const JsonValue* value : values) {
            types.push_back(type_of(*value));
        }
    } else if (const JsonValue* type = schema.find("type")) {
        for (const JsonValue& one :
             type->is(Kind::Array) ? type->items : std::vector<JsonValue>{*type}) {
            types.push_back(one.text);
        }
    }
    return types;
}

std::variant<JsonValue, MergeRefused> merge_schemas(const JsonValue& a, const JsonValue& b) {
    if ((closes(a) && names_more(b, a)) || (closes(b) && names_more(a, b))) {
        return MergeRefused{"additionalProperties beside properties that another part of it names"};
    }
    JsonValue out = a;
    bool a_has = false;
    bool b_has = false;
    (void)values_of(a, a_has);
    (void)values_of(b, b_has);
    if (a_has && b_has) {
        std::erase_if(out.members, [](const auto& member) { return member.first == "const"; });
        out.set("enum", shared_values(a, b));
    }
    for (const auto& [name, value] : b.members) {
        if (is_annotation(name) || ((name == "enum" || name == "const") && a_has)) {
            continue;
        }
        const JsonValue* own = a.find(name);
        if (own == nullptr || *own == value) {
            out.set(name, value);
        } else if (name == "type") {
            out.set(name, shared_types(*own, value));
        } else if (name == "properties") {
            JsonValue all = *own;
            for (const auto& [property, schema] : value.members) {
                const JsonValue* known = own->find(property);
                all.set(property, known != nullptr ? both_of(*known, schema) : schema);
            }
            out.set(name, std::move(all));
        } else if (name == "required") {
            JsonValue all = *own;
            for (const JsonValue& one : value.items) {
                if (!has(all.items, one)) {
                    all.items.push_back(one);
                }
            }
            out.set(name, std::move(all));
        } else if (name == "items" || name == "additionalProperties") {
            out.set(name, both_of(*own, value));
        } else if (has(kLowerBounds, name)) {
            out.set(name, own->number() < value.number() ? value : *own);
        } else if (has(kUpperBounds, name)) {
            out.set(name, own->number() > value.number() ? value : *own);
        } else {
            return MergeRefused{std::string("\"").append(shown_text(name)) +
                                "\" in two parts of it"};
        }
    }
    return out;
}

bool exclude_each_other(const JsonValue& a, const JsonValue& b) {
    bool a_has = false;
    bool b_has = false;
    const auto a_values = values_of(a, a_has);
    (void)values_of(b, b_has);
    if (a_has && b_has) {
        return shared_values(a, b).items.empty();
    }
    const auto a_types = types_of(a);
    const auto b_types = types_of(b);
    const bool types_apart =
        !a_types.empty() && !b_types.empty() &&
        std::none_of(a_types.begin(), a_types.end(), [&](const std::string& one) {
            return std::any_of(b_types.begin(), b_types.end(),
                               [&](const std::string& other) { return types_meet(one, other); });
        });
    if (types_apart) {
        return true;
    }
    const auto only_objects = [](const std::vector<std::string>& types) {
        return types.size() == 1 && types[0] == "object";
    };
    if (!only_objects(a_types) || !only_objects(b_types) || a_has || b_has) {
        return false;
    }
    // Objects: one demands a member that the other forbids, or both demand one with other values.
    const auto demands = [](const JsonValue& schema) {
        const JsonValue* required = schema.find("required");
        return required != nullptr ? required->items : std::vector<JsonValue>{};
    };
    const auto property = [](const JsonValue& schema, const std::string& name) {
        const JsonValue* all = schema.find("properties");
        return all != nullptr ? all->find(name) : nullptr;
    };
    const auto forbids = [&](const JsonValue& schema, const std::string& name) {
        const JsonValue* more = schema.find("additionalProperties");
        return more != nullptr && more->is(Kind::Bool) && !more->flag &&
               property(schema, name) == nullptr;
    };
    const auto a_demands = demands(a);
    const auto b_demands = demands(b);
    const auto has_values = [](const JsonValue* schema) {
        bool found = false;
        if (schema != nullptr) {
            (void)values_of(*schema, found);
        }
        return found;
    };
    for (const JsonValue& name : a_demands) {
        if (forbids(b, name.text)) {
            return true;
        }
        const JsonValue* one = property(a, name.text);
        const JsonValue* other = property(b, name.text);
        if (has(b_demands, name) && has_values(one) && has_values(other) &&
            shared_values(*one, *other).items.empty()) {
            return true;
        }
    }
    return std::any_of(b_demands.begin(), b_demands.end(),
                       [&](const JsonValue& name) { return forbids(a, name.text); });
}

}  // namespace hearth
