#include "grammar/schema_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "grammar/schema_merge.h"
#include "grammar/text_place.h"

namespace hearth {
namespace {

constexpr int kMaxDepth = 64;                  // of schemas in schemas
constexpr std::size_t kMaxParts = 20000;       // schemas that are looked at, also repeatedly
constexpr std::size_t kMaxCopied = 1'000'000;  // values that merging copies

// Which types a keyword speaks of; other values satisfy it.
struct Keyword {
    std::string_view name;
    std::string_view type;  // empty: of any
};
constexpr Keyword kKeywords[] = {
    {"type", ""},
    {"enum", ""},
    {"const", ""},
    {"anyOf", ""},
    {"oneOf", ""},
    {"allOf", ""},
    {"$ref", ""},
    {"properties", "object"},
    {"required", "object"},
    {"additionalProperties", "object"},
    {"items", "array"},
    {"prefixItems", "array"},
    {"minItems", "array"},
    {"maxItems", "array"},
    {"minLength", "string"},
    {"maxLength", "string"},
    {"pattern", "string"},
    {"format", "string"},
    {"minimum", "number"},
    {"maximum", "number"},
    {"exclusiveMinimum", "number"},
    {"exclusiveMaximum", "number"},
};

const Keyword* keyword_named(std::string_view name) {
    const auto* found = std::find_if(std::begin(kKeywords), std::end(kKeywords),
                                     [&](const Keyword& known) { return known.name == name; });
    return found != std::end(kKeywords) ? found : nullptr;
}

// A keyword as errors name it.
std::string named(std::string_view keyword) {
    return std::string(1, '"').append(shown_text(keyword)).append(1, '"');
}

}  // namespace

SchemaReader::SchemaReader(std::string_view text, JsonValue root)
    : text_(text), root_(std::move(root)), forms_(grammar_) {}

Result<Grammar> SchemaReader::read() {
    grammar_.root = rule_of("#", root_);
    while (!waiting_.empty() && !failed()) {
        const auto [rule, schema] = waiting_.front();
        waiting_.pop_front();
        grammar_.define(rule, schema_text(*schema, 0));
    }
    if (failed()) {
        return std::move(*error_);
    }
    return std::move(grammar_);
}

ExpressionId SchemaReader::fail(const JsonValue& at, const std::string& message) {
    if (!error_) {
        error_ = Error{ErrorCode::InvalidArgument,
                       "json_schema: " + place_in(text_, at.at) + ": " + message,
                       {},
                       "json_schema"};
    }
    return 0;
}

ExpressionId SchemaReader::rule(ExpressionId body, const char* name) {
    const RuleId id = grammar_.add_rule(name);
    grammar_.define(id, body);
    return grammar_.call(id);
}

RuleId SchemaReader::rule_of(const std::string& pointer, const JsonValue& schema) {
    const auto found = rules_.find(pointer);
    if (found != rules_.end()) {
        return found->second;
    }
    const RuleId id = grammar_.add_rule(pointer);
    rules_.emplace(pointer, id);
    waiting_.emplace_back(id, &schema);
    return id;
}

const JsonValue* SchemaReader::target_of(const JsonValue& ref) {
    if (!ref.is(Kind::String) || !ref.text.starts_with('#') ||
        (ref.text.size() > 1 && ref.text[1] != '/')) {
        fail(ref, "$ref " + shown_text(json_text(ref)) +
                      ": only #, #/$defs/... and other places in this "
                      "schema are possible");
        return nullptr;
    }
    const JsonValue* at = &root_;
    for (std::size_t slash = 1; slash < ref.text.size();) {
        const std::size_t end = std::min(ref.text.find('/', slash + 1), ref.text.size());
        std::string name = ref.text.substr(slash + 1, end - slash - 1);
        for (const auto& [spelled, meant] : {std::pair{"~1", "/"}, std::pair{"~0", "~"}}) {
            for (std::size_t i = name.find(spelled); i != std::string::npos;
                 i = name.find(spelled, i + 1)) {
                name.replace(i, 2, meant);
            }
        }
        const JsonValue* next = at->find(name);
        std::size_t index = 0;
        const char* const name_end = name.data() + name.size();
        const auto [end_of_index, wrong] = std::from_chars(name.data(), name_end, index);
        if (at->is(Kind::Array) && wrong == std::errc() && end_of_index == name_end &&
            index < at->items.size()) {
            next = &at->items[index];
        }
        if (next == nullptr) {
            fail(ref, "$ref " + shown_text(json_text(ref)) + ": there is no such place");
            return nullptr;
        }
        at = next;
        slash = end;
    }
    return at;
}

bool SchemaReader::count(const JsonValue& schema, int depth) {
    if (depth > kMaxDepth) {
        fail(schema, "schemas nested deeper than " + std::to_string(kMaxDepth) +
                         ", or a $ref beside other keywords that leads back to itself");
    } else if (++parts_ > kMaxParts || copied_ > kMaxCopied ||
               grammar_.size() > Grammar::kMaxExpressions) {
        fail(schema, "the schema is too large");
    }
    return !failed();
}

bool SchemaReader::check_keywords(const JsonValue& schema) {
    for (const auto& [name, value] : schema.members) {
        const bool harmless =
            is_annotation(name) || (name == "uniqueItems" && value.is(Kind::Bool) && !value.flag);
        if (!harmless && keyword_named(name) == nullptr) {
            fail(value, named(name) + " is not supported");
            return false;
        }
    }
    return true;
}

ExpressionId SchemaReader::schema_text(const JsonValue& schema, int depth) {
    if (failed() || !count(schema, depth)) {
        return 0;
    }
    if (schema.is(Kind::Bool)) {
        return schema.flag ? forms_.any_value() : nothing();
    }
    if (!schema.is(Kind::Object)) {
        return fail(schema, "a schema is an object, true or false");
    }
    if (!check_keywords(schema)) {
        return 0;
    }
    if (const JsonValue* ref = schema.find("$ref")) {
        if (without(schema, "$ref").members.empty()) {
            const JsonValue* target = target_of(*ref);
            return target != nullptr ? grammar_.call(rule_of(ref->text, *target)) : 0;
        }
    }
    if (schema.find("$ref") != nullptr || schema.find("allOf") != nullptr) {
        const auto flat = flattened(schema, depth);
        return flat ? schema_text(*flat, depth + 1) : 0;
    }
    for (const char* name : {"anyOf", "oneOf"}) {
        if (const JsonValue* list = schema.find(name)) {
            return alternatives(schema, name, *list, depth);
        }
    }
    if (schema.find("enum") != nullptr || schema.find("const") != nullptr) {
        return values(schema);
    }
    return typed(schema, depth);
}

bool SchemaReader::known_types(const JsonValue& type, const std::vector<std::string>& types) {
    static const std::set<std::string> kTypes{"null",   "boolean", "integer", "number",
                                              "string", "array",   "object"};
    for (const std::string& one : types) {
        if (!kTypes.contains(one)) {
            fail(type, "type " + shown_text(json_text(type)) +
                           ": one of null, boolean, integer, number, string, array, object, or "
                           "a list of them");
            return false;
        }
    }
    return true;
}

ExpressionId SchemaReader::typed(const JsonValue& schema, int depth) {
    std::vector<std::string> types;
    if (const JsonValue* type = schema.find("type")) {
        types = types_of(schema);
        if (!known_types(*type, types)) {
            return 0;
        }
    } else {
        // Keywords of one type leave values of other types alone. Text of that type is meant.
        for (const Keyword& keyword : kKeywords) {
            if (!keyword.type.empty() && schema.find(keyword.name) != nullptr &&
                std::find(types.begin(), types.end(), keyword.type) == types.end()) {
                types.emplace_back(keyword.type);
            }
        }
        if (types.empty()) {
            return forms_.any_value();
        }
    }
    std::vector<ExpressionId> ways;
    for (const std::string& type : types) {
        ways.push_back(of_type(type, schema, depth));
    }
    return failed() ? 0 : grammar_.choice(std::move(ways));
}

ExpressionId SchemaReader::of_type(const std::string& type, const JsonValue& schema, int depth) {
    if (type == "object") {
        return object(schema, depth);
    }
    if (type == "array") {
        return array(schema, depth);
    }
    if (type == "string") {
        return string(schema);
    }
    if (type == "integer") {
        return integer(schema);
    }
    if (type == "number") {
        for (const Keyword& keyword : kKeywords) {
            const JsonValue* bound = keyword.type == "number" ? schema.find(keyword.name) : nullptr;
            if (bound != nullptr) {
                return fail(*bound, named(keyword.name) + " is supported with type integer only");
            }
        }
        return forms_.any_number();
    }
    return type == "boolean" ? forms_.boolean() : forms_.null();
}

}  // namespace hearth
