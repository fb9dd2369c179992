// The part of schema_reader.h for schemas that name or hold others, and for lists of values.
#include <algorithm>
#include <utility>
#include <variant>

#include "grammar/schema_merge.h"
#include "grammar/schema_reader.h"

namespace hearth {
namespace {

std::size_t values_in(const JsonValue& value) {
    std::size_t count = 1;
    for (const JsonValue& item : value.items) {
        count += values_in(item);
    }
    for (const auto& member : value.members) {
        count += values_in(member.second);
    }
    return count;
}

}  // namespace

JsonValue SchemaReader::without(const JsonValue& schema, std::string_view keyword) {
    JsonValue out{.kind = Kind::Object, .at = schema.at};
    for (const auto& member : schema.members) {
        if (member.first != keyword && !is_annotation(member.first)) {
            out.members.push_back(member);
        }
    }
    return out;
}

std::optional<JsonValue> SchemaReader::flattened(const JsonValue& schema, int depth) {
    if (failed() || !count(schema, depth)) {
        return std::nullopt;
    }
    JsonValue out{.kind = Kind::Object, .at = schema.at};
    if (schema.is(Kind::Bool)) {
        if (!schema.flag) {
            out.set("enum", {.kind = Kind::Array, .at = schema.at});
        }
        return out;
    }
    if (!schema.is(Kind::Object)) {
        fail(schema, "a schema is an object, true or false");
        return std::nullopt;
    }
    if (!check_keywords(schema)) {
        return std::nullopt;
    }
    copied_ += values_in(schema);
    out = without(schema, "allOf");
    std::erase_if(out.members, [](const auto& member) { return member.first == "$ref"; });
    std::vector<const JsonValue*> parts;
    if (const JsonValue* ref = schema.find("$ref")) {
        parts.push_back(target_of(*ref));
    }
    if (const JsonValue* all = schema.find("allOf")) {
        if (!all->is(Kind::Array) || all->items.empty()) {
            fail(*all, "allOf is a list of schemas");
        }
        for (const JsonValue& part : all->items) {
            parts.push_back(&part);
        }
    }
    for (const JsonValue* part : parts) {
        const auto flat = failed() ? std::nullopt : flattened(*part, depth + 1);
        if (!flat) {
            return std::nullopt;
        }
        auto merged = merged_with(out, *flat);
        if (!merged) {
            return std::nullopt;
        }
        out = std::move(*merged);
    }
    return out;
}

std::optional<JsonValue> SchemaReader::merged_with(const JsonValue& a, const JsonValue& b) {
    copied_ += values_in(a) + values_in(b);
    auto merged = merge_schemas(a, b);
    if (const auto* refused = std::get_if<MergeRefused>(&merged)) {
        fail(a, "these schemas cannot be put together: " + refused->why);
        return std::nullopt;
    }
    return std::get<JsonValue>(std::move(merged));
}

ExpressionId SchemaReader::alternatives(const JsonValue& schema, const std::string& name,
                                        const JsonValue& list, int depth) {
    if (!list.is(Kind::Array) || list.items.empty()) {
        return fail(list, name + " is a list of schemas");
    }
    const JsonValue base = without(schema, name);
    if (base.find("anyOf") != nullptr || base.find("oneOf") != nullptr) {
        return fail(schema, "anyOf beside oneOf is not supported");
    }
    copied_ += values_in(schema);
    std::vector<JsonValue> flat;
    const bool merges = !base.members.empty();
    for (const JsonValue& one : list.items) {
        if (!merges && name == "anyOf") {
            break;
        }
        auto alone = flattened(one, depth + 1);
        if (!alone) {
            return 0;
        }
        flat.push_back(std::move(*alone));
    }
    for (std::size_t i = 0; name == "oneOf" && i < flat.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (!exclude_each_other(flat[i], flat[j])) {
                return fail(list, "oneOf: alternatives " + std::to_string(j + 1) + " and " +
                                      std::to_string(i + 1) + " may both hold; anyOf allows that");
            }
        }
    }
    std::vector<ExpressionId> ways;
    for (std::size_t i = 0; i < list.items.size() && !failed(); ++i) {
        if (!merges) {
            ways.push_back(schema_text(list.items[i], depth + 1));
            continue;
        }
        const auto merged = merged_with(base, flat[i]);
        ways.push_back(merged ? schema_text(*merged, depth + 1) : 0);
    }
    return grammar_.choice(std::move(ways));
}

ExpressionId SchemaReader::values(const JsonValue& schema) {
    std::vector<std::string> types;
    for (const auto& [name, value] : schema.members) {
        if (is_annotation(name) || name == "enum" || name == "const" || name == "type") {
            continue;
        }
        return fail(value, "\"" + name + "\" beside enum or const is not supported");
    }
    if (const JsonValue* type = schema.find("type")) {
        types = types_of(without_values(schema));
        if (!known_types(*type, types)) {
            return 0;
        }
    }
    std::vector<JsonValue> list;
    if (const JsonValue* several = schema.find("enum")) {
        if (!several->is(Kind::Array)) {
            return fail(*several, "enum is a list of values");
        }
        list = several->items;
    }
    if (const JsonValue* one = schema.find("const")) {
        const bool fits = schema.find("enum") == nullptr ||
                          std::find(list.begin(), list.end(), *one) != list.end();
        list.clear();
        if (fits) {
            list.push_back(*one);
        }
    }
    std::vector<ExpressionId> ways;
    for (const JsonValue& value : list) {
        const std::string type = type_of(value);
        const bool fits = types.empty() || std::any_of(types.begin(), types.end(), [&](auto& t) {
                              return t == type || (t == "number" && type == "integer");
                          });
        if (fits) {
            ways.push_back(grammar_.text(json_text(value)));
        }
    }
    return grammar_.choice(std::move(ways));
}

JsonValue SchemaReader::without_values(const JsonValue& schema) {
    JsonValue out{.kind = Kind::Object};
    if (const JsonValue* type = schema.find("type")) {
        out.set("type", *type);
    }
    return out;
}

}  // namespace hearth
