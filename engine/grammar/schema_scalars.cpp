// The part of schema_reader.h for numbers and strings.
#include <algorithm>
#include <cmath>
#include <variant>

#include "grammar/json_pattern.h"
#include "grammar/schema_reader.h"
#include "grammar/text_place.h"

namespace hearth {

std::optional<int> SchemaReader::counted(const JsonValue& schema, const char* name, int otherwise) {
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

std::optional<SchemaReader::Counts> SchemaReader::counts(const JsonValue& schema, const char* least,
                                                         const char* most) {
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

ExpressionId SchemaReader::string(const JsonValue& schema) {
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

std::optional<long long> SchemaReader::whole_bound(const JsonValue& schema, const char* name,
                                                   bool rounds_up, long long beyond) {
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

ExpressionId SchemaReader::integer(const JsonValue& schema) {
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

}  // namespace hearth
