#include "grammar/json_schema.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "grammar/json_forms.h"
#include "grammar/json_pattern.h"
#include "grammar/json_value.h"
#include "grammar/schema_merge.h"
#include "grammar/text_place.h"
#include "text/utf8.h"

namespace hearth {
namespace {

using Kind = JsonValue::Kind;

constexpr int kMaxDepth = 64;                  // of schemas in schemas
constexpr std::size_t kMaxParts = 20000;       // schemas that are looked at, also repeatedly
constexpr std::size_t kMaxCopied = 1'000'000;  // values that merging copies
constexpr std::size_t kMaxPrefixItems = 256;
constexpr std::size_t kMaxNameCharacters = 512;  // beside which other names may come

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

class SchemaReader {
public:
    SchemaReader(std::string_view text, JsonValue root)
        : text_(text), root_(std::move(root)), forms_(grammar_) {}

    Result<Grammar> read() {
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

private:
    bool failed() const { return error_.has_value(); }

    ExpressionId fail(const JsonValue& at, const std::string& message) {
        if (!error_) {
            error_ = Error{ErrorCode::InvalidArgument,
                           "json_schema: " + place_in(text_, at.at) + ": " + message,
                           {},
                           "json_schema"};
        }
        return 0;
    }

    ExpressionId nothing() { return grammar_.choice({}); }
    ExpressionId sequence(std::vector<ExpressionId> parts) {
        return grammar_.sequence(std::move(parts));
    }
    ExpressionId rule(ExpressionId body, const char* name) {
        const RuleId id = grammar_.add_rule(name);
        grammar_.define(id, body);
        return grammar_.call(id);
    }

    // A rule for a place in the schema, made later.
    RuleId rule_of(const std::string& pointer, const JsonValue& schema) {
        const auto found = rules_.find(pointer);
        if (found != rules_.end()) {
            return found->second;
        }
        const RuleId id = grammar_.add_rule(pointer);
        rules_.emplace(pointer, id);
        waiting_.emplace_back(id, &schema);
        return id;
    }

    // Null after fail().
    const JsonValue* target_of(const JsonValue& ref) {
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

    // ---- schemas ------------------------------------------------------------------------------

    bool count(const JsonValue& schema, int depth) {
        if (depth > kMaxDepth) {
            fail(schema, "schemas nested deeper than " + std::to_string(kMaxDepth) +
                             ", or a $ref beside other keywords that leads back to itself");
        } else if (++parts_ > kMaxParts || copied_ > kMaxCopied ||
                   grammar_.size() > Grammar::kMaxExpressions) {
            fail(schema, "the schema is too large");
        }
        return !failed();
    }

    bool check_keywords(const JsonValue& schema) {
        for (const auto& [name, value] : schema.members) {
            const bool harmless = is_annotation(name) ||
                                  (name == "uniqueItems" && value.is(Kind::Bool) && !value.flag);
            if (!harmless && keyword_named(name) == nullptr) {
                fail(value, "\"" + shown_text(name) + "\" is not supported");
                return false;
            }
        }
        return true;
    }

    ExpressionId schema_text(const JsonValue& schema, int depth) {
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

    // The schema without one keyword and without annotations.
    static JsonValue without(const JsonValue& schema, std::string_view keyword) {
        JsonValue out{.kind = Kind::Object, .at = schema.at};
        for (const auto& member : schema.members) {
            if (member.first != keyword && !is_annotation(member.first)) {
                out.members.push_back(member);
            }
        }
        return out;
    }

    // The schema without $ref and allOf; empty after fail(). true is {}, false is {"enum": []}.
    std::optional<JsonValue> flattened(const JsonValue& schema, int depth) {
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

    std::optional<JsonValue> merged_with(const JsonValue& a, const JsonValue& b) {
        copied_ += values_in(a) + values_in(b);
        auto merged = merge_schemas(a, b);
        if (const auto* refused = std::get_if<MergeRefused>(&merged)) {
            fail(a, "these schemas cannot be put together: " + refused->why);
            return std::nullopt;
        }
        return std::get<JsonValue>(std::move(merged));
    }

    ExpressionId alternatives(const JsonValue& schema, const std::string& name,
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
                                          std::to_string(i + 1) +
                                          " may both hold; anyOf allows that");
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

    ExpressionId values(const JsonValue& schema) {
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
            const bool fits =
                types.empty() || std::any_of(types.begin(), types.end(), [&](auto& t) {
                    return t == type || (t == "number" && type == "integer");
                });
            if (fits) {
                ways.push_back(grammar_.text(json_text(value)));
            }
        }
        return grammar_.choice(std::move(ways));
    }

    static JsonValue without_values(const JsonValue& schema) {
        JsonValue out{.kind = Kind::Object};
        if (const JsonValue* type = schema.find("type")) {
            out.set("type", *type);
        }
        return out;
    }

    bool known_types(const JsonValue& type, const std::vector<std::string>& types) {
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

    ExpressionId typed(const JsonValue& schema, int depth) {
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

    ExpressionId of_type(const std::string& type, const JsonValue& schema, int depth) {
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
                const JsonValue* bound =
                    keyword.type == "number" ? schema.find(keyword.name) : nullptr;
                if (bound != nullptr) {
                    return fail(*bound, "\"" + std::string(keyword.name) +
                                            "\" is supported with type integer only");
                }
            }
            return forms_.any_number();
        }
        return type == "boolean" ? forms_.boolean() : forms_.null();
    }

    // ---- numbers and strings ------------------------------------------------------------------

    // The value of a keyword that counts; `otherwise` if it is missing. Empty after fail().
    std::optional<int> counted(const JsonValue& schema, const char* name, int otherwise) {
        const JsonValue* value = schema.find(name);
        if (value == nullptr) {
            return otherwise;
        }
        const auto whole = value->whole();
        if (!whole || *whole < 0) {
            fail(*value, std::string(name) + " is a whole number from 0 on");
            return std::nullopt;
        }
        if (*whole > Grammar::kMaxRepeats) {
            fail(*value, std::string(name) + " " + shown_text(value->text) + ": at most " +
                             std::to_string(Grammar::kMaxRepeats) + " is possible");
            return std::nullopt;
        }
        return static_cast<int>(*whole);
    }

    struct Counts {
        int least = 0;
        int most = -1;
    };
    std::optional<Counts> counts(const JsonValue& schema, const char* least, const char* most) {
        const auto from = counted(schema, least, 0);
        const auto to = from ? counted(schema, most, -1) : std::nullopt;
        if (!to) {
            return std::nullopt;
        }
        if (*to >= 0 && *to < *from) {
            fail(schema, std::string(least) + " is above " + most);
            return std::nullopt;
        }
        return Counts{*from, *to};
    }

    ExpressionId string(const JsonValue& schema) {
        const JsonValue* pattern = schema.find("pattern");
        const JsonValue* format = schema.find("format");
        const bool has_length =
            schema.find("minLength") != nullptr || schema.find("maxLength") != nullptr;
        if ((pattern != nullptr ? 1 : 0) + (format != nullptr ? 1 : 0) + (has_length ? 1 : 0) > 1) {
            return fail(schema,
                        "pattern, format and minLength or maxLength together are not supported");
        }
        if (format != nullptr) {
            const auto known = forms_.format(format->text);
            return known ? *known
                         : fail(*format, "format " + shown_text(json_text(*format)) +
                                             " is not supported: date, time, date-time, "
                                             "uuid and ipv4 are");
        }
        if (pattern != nullptr) {
            if (!pattern->is(Kind::String)) {
                return fail(*pattern, "pattern is a string");
            }
            auto made = pattern_string(grammar_, forms_, pattern->text);
            if (const auto* refused = std::get_if<PatternRefused>(&made)) {
                return fail(*pattern, "pattern " + shown_text(json_text(*pattern)) +
                                          " is not supported: " + refused->why);
            }
            return std::get<ExpressionId>(made);
        }
        if (!has_length) {
            return forms_.any_string();
        }
        const auto length = counts(schema, "minLength", "maxLength");
        return length ? forms_.string(length->least, length->most) : 0;
    }

    // The nearest whole number inside of a bound. Empty after fail(), or if there is no bound.
    std::optional<long long> whole_bound(const JsonValue& schema, const char* name, bool rounds_up,
                                         long long beyond) {
        const JsonValue* value = schema.find(name);
        if (value == nullptr) {
            return std::nullopt;
        }
        const double number = value->number();
        if (!value->is(Kind::Number) || !(std::fabs(number) < 1e15)) {
            fail(*value, std::string(name) + " is a number of at most 15 digits");
            return std::nullopt;
        }
        const double rounded = rounds_up ? std::ceil(number) : std::floor(number);
        const auto whole = static_cast<long long>(rounded);
        return rounded == number ? whole + beyond : whole;
    }

    ExpressionId integer(const JsonValue& schema) {
        std::optional<long long> least = whole_bound(schema, "minimum", true, 0);
        std::optional<long long> most = whole_bound(schema, "maximum", false, 0);
        const auto above = whole_bound(schema, "exclusiveMinimum", true, 1);
        const auto below = whole_bound(schema, "exclusiveMaximum", false, -1);
        least = above ? std::max(*above, least.value_or(*above)) : least;
        most = below ? std::min(*below, most.value_or(*below)) : most;
        if (!failed() && least && most && *least > *most) {
            fail(schema, "no whole number lies from " + std::to_string(*least) + " to " +
                             std::to_string(*most));
        }
        return failed() ? 0 : forms_.integer(least, most);
    }

    // ---- arrays -------------------------------------------------------------------------------

    ExpressionId comma() { return sequence({grammar_.text(","), forms_.space()}); }

    ExpressionId array(const JsonValue& schema, int depth) {
        const auto number = counts(schema, "minItems", "maxItems");
        if (!number) {
            return 0;
        }
        const JsonValue* prefix = schema.find("prefixItems");
        const JsonValue* items = schema.find("items");
        if (prefix != nullptr &&
            (!prefix->is(Kind::Array) || prefix->items.size() > kMaxPrefixItems)) {
            return fail(*prefix, "prefixItems is a list of at most " +
                                     std::to_string(kMaxPrefixItems) + " schemas");
        }
        const int n_first = prefix != nullptr ? static_cast<int>(prefix->items.size()) : 0;
        int most = number->most;
        // As with members: items that nobody described do not come, unless there must be some.
        const bool only_first = items != nullptr ? items->is(Kind::Bool) && !items->flag
                                                 : prefix != nullptr && number->least <= n_first;
        if (only_first) {
            most = most < 0 ? n_first : std::min(most, n_first);
        }
        if (most >= 0 && most < number->least) {
            return fail(schema, "minItems " + std::to_string(number->least) + ", but at most " +
                                    std::to_string(most) + " items are possible");
        }
        ExpressionId rest = grammar_.text("");
        if (most < 0 || most > n_first) {
            const ExpressionId item = rule(
                items != nullptr ? schema_text(*items, depth + 1) : forms_.any_value(), "item");
            const int least_more = std::max(number->least - n_first, 0);
            const int most_more = most < 0 ? -1 : most - n_first;
            const ExpressionId spaced = sequence({item, forms_.space()});
            const ExpressionId next = sequence({comma(), spaced});
            if (n_first > 0) {
                rest = grammar_.repeat(next, least_more, most_more);
            } else {
                rest = sequence({spaced, grammar_.repeat(next, std::max(least_more - 1, 0),
                                                         most_more < 0 ? -1 : most_more - 1)});
                rest = least_more == 0 ? grammar_.maybe(rest) : rest;
            }
        }
        for (int i = n_first - 1; i >= 0 && !failed(); --i) {
            if (most >= 0 && i >= most) {
                continue;
            }
            const ExpressionId item =
                rule(schema_text(prefix->items[static_cast<std::size_t>(i)], depth + 1), "item");
            rest = sequence({i > 0 ? comma() : grammar_.text(""), item, forms_.space(), rest});
            rest = i >= number->least ? grammar_.maybe(rest) : rest;
        }
        return sequence({grammar_.text("["), forms_.space(), rest, grammar_.text("]")});
    }

    // ---- objects ------------------------------------------------------------------------------

    struct Member {
        ExpressionId text;
        bool required;
    };

    ExpressionId object(const JsonValue& schema, int depth) {
        static const JsonValue kAnything{.kind = Kind::Bool, .flag = true};
        const JsonValue* properties = schema.find("properties");
        const JsonValue* required = schema.find("required");
        const JsonValue* more = schema.find("additionalProperties");
        if (properties != nullptr && !properties->is(Kind::Object)) {
            return fail(*properties, "properties is an object of schemas");
        }
        std::vector<std::string> names;
        if (required != nullptr) {
            for (const JsonValue& name : required->items) {
                if (!name.is(Kind::String)) {
                    return fail(name, "required is a list of names");
                }
                names.push_back(name.text);
            }
            if (!required->is(Kind::Array)) {
                return fail(*required, "required is a list of names");
            }
        }
        if (properties == nullptr && names.empty() && more == nullptr) {
            return forms_.any_object();
        }
        const bool forbids_more = more != nullptr && more->is(Kind::Bool) && !more->flag;
        std::vector<Member> members;
        std::set<std::string> known;
        const auto add = [&](const std::string& name, const JsonValue& value, bool is_required) {
            known.insert(name);
            members.push_back(
                {rule(sequence({grammar_.text(json_string(name) + ":"), forms_.space(),
                                schema_text(value, depth + 1), forms_.space()}),
                      "member"),
                 is_required});
        };
        const std::set<std::string> needed(names.begin(), names.end());
        if (properties != nullptr) {
            for (const auto& [name, value] : properties->members) {
                if (failed()) {
                    return 0;
                }
                add(name, value, needed.contains(name));
            }
        }
        for (const std::string& name : names) {
            if (failed() || known.contains(name)) {
                continue;
            }
            if (forbids_more) {
                return fail(*required, "required names " + shown_text(json_string(name)) +
                                           ", which additionalProperties forbids");
            }
            add(name, more != nullptr ? *more : kAnything, true);
        }
        std::optional<ExpressionId> extra;
        if (more != nullptr && !forbids_more) {
            extra = rule(sequence({other_name(*more, known), grammar_.text(":"), forms_.space(),
                                   schema_text(*more, depth + 1), forms_.space()}),
                         "member");
        }
        return failed() ? 0
                        : sequence({grammar_.text("{"), forms_.space(), member_list(members, extra),
                                    grammar_.text("}")});
    }

    // Members in their order. Two rules for each place: for a list that has a member already, whose
    // next one wants a comma, and for one that has none.
    ExpressionId member_list(const std::vector<Member>& members,
                             std::optional<ExpressionId> extra) {
        const auto after_comma = [&](ExpressionId member) { return sequence({comma(), member}); };
        ExpressionId more =
            extra ? rule(grammar_.repeat(after_comma(*extra), 0, -1), "more") : grammar_.text("");
        ExpressionId first =
            extra ? rule(grammar_.maybe(sequence({*extra, more})), "first") : grammar_.text("");
        for (auto it = members.rbegin(); it != members.rend(); ++it) {
            const ExpressionId with_comma = sequence({after_comma(it->text), more});
            const ExpressionId without_comma = sequence({it->text, more});
            const ExpressionId new_first =
                it->required ? without_comma : grammar_.choice({without_comma, first});
            more = rule(it->required ? with_comma : grammar_.choice({with_comma, more}), "more");
            first = rule(new_first, "first");
        }
        return first;
    }

    // A name in quotes that is none of these, of characters that need no escape.
    ExpressionId other_name(const JsonValue& at, const std::set<std::string>& names) {
        if (names.empty()) {
            return forms_.any_string();
        }
        std::vector<std::vector<std::uint32_t>> spelled;
        for (const std::string& name : names) {
            std::vector<std::uint32_t> characters;
            for (std::size_t i = 0; i < name.size();) {
                const std::size_t bytes = utf8_step(name, i).bytes;
                characters.push_back(decoded(std::string_view(name).substr(i, bytes)));
                i += bytes;
            }
            if (characters.size() > kMaxNameCharacters) {
                return fail(at, "additionalProperties beside a name of " +
                                    std::to_string(characters.size()) + " characters, at most " +
                                    std::to_string(kMaxNameCharacters) + " are possible");
            }
            spelled.push_back(std::move(characters));
        }
        const ExpressionId any_end =
            rule(grammar_.repeat(grammar_.chars(JsonForms::plain_characters()), 0, -1), "name");
        return forms_.quoted(none_of(spelled, 0, any_end));
    }

    // names share their first `at` characters.
    ExpressionId none_of(const std::vector<std::vector<std::uint32_t>>& names, std::size_t at,
                         ExpressionId any_end) {
        std::map<std::uint32_t, std::vector<std::vector<std::uint32_t>>> by_next;
        bool is_name = false;
        for (const auto& name : names) {
            is_name = is_name || name.size() == at;
            if (name.size() > at) {
                by_next[name[at]].push_back(name);
            }
        }
        std::vector<ExpressionId> ways;
        if (!is_name) {
            ways.push_back(grammar_.text(""));
        }
        CodePoints others = JsonForms::plain_characters();
        for (const auto& [next, longer] : by_next) {
            const CodePoints one = code_points({{next, next}});
            if (both(one, JsonForms::plain_characters()).empty()) {
                continue;  // such a name cannot be written without an escape
            }
            others = both(others, all_but(one));
            ways.push_back(sequence({grammar_.chars(one), none_of(longer, at + 1, any_end)}));
        }
        ways.push_back(sequence({grammar_.chars(others), any_end}));
        return grammar_.choice(std::move(ways));
    }

    std::string_view text_;
    const JsonValue root_;
    Grammar grammar_;
    JsonForms forms_;
    std::map<std::string, RuleId> rules_;  // by pointer
    std::deque<std::pair<RuleId, const JsonValue*>> waiting_;
    std::size_t parts_ = 0;
    std::size_t copied_ = 0;
    std::optional<Error> error_;
};

}  // namespace

Result<Grammar> parse_json_schema(std::string_view text) {
    auto root = parse_json(text, "json_schema");
    if (!root) {
        return std::move(root).error();
    }
    return SchemaReader(text, std::move(*root)).read();
}

}  // namespace hearth
