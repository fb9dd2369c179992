// The part of schema_reader.h for arrays and objects.
#include <algorithm>
#include <utility>

#include "grammar/schema_reader.h"
#include "grammar/text_place.h"
#include "text/utf8.h"

namespace hearth {
namespace {

constexpr std::size_t kMaxPrefixItems = 256;
constexpr std::size_t kMaxNameCharacters = 512;  // beside which other names may come

}  // namespace

ExpressionId SchemaReader::array(const JsonValue& schema, int depth) {
    const auto number = counts(schema, "minItems", "maxItems");
    if (!number) {
        return 0;
    }
    const JsonValue* prefix = schema.find("prefixItems");
    const JsonValue* items = schema.find("items");
    if (prefix != nullptr && (!prefix->is(Kind::Array) || prefix->items.size() > kMaxPrefixItems)) {
        return fail(*prefix, "prefixItems is a list of at most " + std::to_string(kMaxPrefixItems) +
                                 " schemas");
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
        const ExpressionId item =
            rule(items != nullptr ? schema_text(*items, depth + 1) : forms_.any_value(), "item");
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

ExpressionId SchemaReader::object(const JsonValue& schema, int depth) {
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
        members.push_back({rule(sequence({grammar_.text(json_string(name) + ":"), forms_.space(),
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

// Two rules for each place: for a list that has a member already, whose next one wants a comma, and
// for one that has none.
ExpressionId SchemaReader::member_list(const std::vector<Member>& members,
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

ExpressionId SchemaReader::other_name(const JsonValue& at, const std::set<std::string>& names) {
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

ExpressionId SchemaReader::none_of(const std::vector<std::vector<std::uint32_t>>& names,
                                   std::size_t at, ExpressionId any_end) {
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

}  // namespace hearth
