#include "grammar/json_forms.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/assert.h"

namespace hearth {
namespace {

constexpr int kMostDigits = 16;
constexpr int kMostIndent = 20;
constexpr const char* kHex = "0-9a-fA-F";

}  // namespace

// The rule exists before its body is made, so that bodies may call it.
template <class Make>
ExpressionId JsonForms::once(RuleId& rule, const char* name, Make&& make) {
    if (rule < 0) {
        rule = grammar_.add_rule(name);
        grammar_.define(rule, make());
    }
    return grammar_.call(rule);
}

ExpressionId JsonForms::digits(std::string_view set) {
    std::vector<CodePointRange> ranges;
    for (std::size_t i = 0; i < set.size(); ++i) {
        const auto first = static_cast<std::uint32_t>(set[i]);
        if (i + 2 < set.size() && set[i + 1] == '-') {
            ranges.push_back({first, static_cast<std::uint32_t>(set[i + 2])});
            i += 2;
        } else {
            ranges.push_back({first, first});
        }
    }
    return grammar_.chars(code_points(ranges));
}

ExpressionId JsonForms::space() {
    return once(space_, "space", [&] {
        return grammar_.choice(
            {grammar_.text(""), grammar_.text(" "),
             grammar_.sequence(
                 {grammar_.text("\n"), grammar_.repeat(digits(" \t"), 0, kMostIndent)})});
    });
}

ExpressionId JsonForms::any_value() {
    return once(value_, "value", [&] {
        return grammar_.choice(
            {any_object(), any_array(), any_string(), any_number(), boolean(), null()});
    });
}

ExpressionId JsonForms::any_object() {
    return once(object_, "object", [&] {
        const auto member = [&] {
            return grammar_.sequence(
                {any_string(), grammar_.text(":"), space(), any_value(), space()});
        };
        const ExpressionId more = grammar_.sequence({grammar_.text(","), space(), member()});
        return grammar_.sequence(
            {grammar_.text("{"), space(),
             grammar_.maybe(grammar_.sequence({member(), grammar_.repeat(more, 0, -1)})),
             grammar_.text("}")});
    });
}

ExpressionId JsonForms::any_array() {
    return once(array_, "array", [&] {
        const ExpressionId more =
            grammar_.sequence({grammar_.text(","), space(), any_value(), space()});
        return grammar_.sequence({grammar_.text("["), space(),
                                  grammar_.maybe(grammar_.sequence(
                                      {any_value(), space(), grammar_.repeat(more, 0, -1)})),
                                  grammar_.text("]")});
    });
}

ExpressionId JsonForms::any_string() {
    return once(string_, "string", [&] { return string(0, -1); });
}

ExpressionId JsonForms::any_integer() {
    return once(integer_, "integer", [&] {
        return grammar_.sequence(
            {grammar_.maybe(grammar_.text("-")),
             grammar_.choice(
                 {grammar_.text("0"),
                  grammar_.sequence(
                      {digits("1-9"), grammar_.repeat(digits("0-9"), 0, kMostDigits - 1)})})});
    });
}

ExpressionId JsonForms::any_number() {
    return once(number_, "number", [&] {
        const ExpressionId fraction =
            grammar_.sequence({grammar_.text("."), grammar_.repeat(digits("0-9"), 1, kMostDigits)});
        const ExpressionId exponent = grammar_.sequence(
            {digits("eE"), grammar_.maybe(digits("+-")), grammar_.repeat(digits("0-9"), 1, 2)});
        return grammar_.sequence(
            {any_integer(), grammar_.maybe(fraction), grammar_.maybe(exponent)});
    });
}

ExpressionId JsonForms::boolean() {
    return once(boolean_, "boolean", [&] {
        return grammar_.choice({grammar_.text("true"), grammar_.text("false")});
    });
}

ExpressionId JsonForms::quoted(ExpressionId content) {
    return grammar_.sequence({grammar_.text("\""), content, grammar_.text("\"")});
}

ExpressionId JsonForms::string(int least, int most) {
    return quoted(grammar_.repeat(character(), least, most));
}

CodePoints JsonForms::plain_characters() {
    return all_but(code_points({{0, 0x1F}, {'"', '"'}, {'\\', '\\'}}));
}

ExpressionId JsonForms::character() {
    return once(character_, "character", [&] {
        const ExpressionId hex = digits(kHex);
        const auto unit = [&](std::string_view first, std::string_view second) {
            return grammar_.sequence(
                {grammar_.text("\\u"), digits(first), digits(second), hex, hex});
        };
        return grammar_.choice({grammar_.chars(plain_characters()),
                                grammar_.sequence({grammar_.text("\\"), digits("\"\\/bfnrt")}),
                                unit("0-9A-CE-Fa-ce-f", kHex), unit("Dd", "0-7"),
                                // A pair of surrogates is one character.
                                grammar_.sequence({unit("Dd", "89ABab"), unit("Dd", "C-Fc-f")})});
    });
}

ExpressionId JsonForms::character_of(const CodePoints& set) {
    std::vector<ExpressionId> ways;
    if (CodePoints plain = both(set, plain_characters()); !plain.empty()) {
        ways.push_back(grammar_.chars(std::move(plain)));
    }
    constexpr char kHexDigits[] = "0123456789abcdef";
    for (std::uint32_t c = 0; c <= '\\'; ++c) {
        if (!contains(set, c) || (c >= 0x20 && c != '"' && c != '\\')) {
            continue;
        }
        if (c == '"' || c == '\\') {
            ways.push_back(grammar_.text(std::string{'\\', static_cast<char>(c)}));
        } else if (c == '\n' || c == '\r' || c == '\t') {
            ways.push_back(grammar_.text(c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t"));
        } else {
            ways.push_back(
                grammar_.text(std::string("\\u00") + kHexDigits[c >> 4] + kHexDigits[c & 0xF]));
        }
    }
    return grammar_.choice(std::move(ways));
}

// Numbers of equally many digits, from low to high.
ExpressionId JsonForms::same_length(std::string_view low, std::string_view high) {
    if (low.empty()) {
        return grammar_.text("");
    }
    const std::string_view low_rest = low.substr(1);
    const std::string_view high_rest = high.substr(1);
    const std::string nines(low_rest.size(), '9');
    const std::string zeros(low_rest.size(), '0');
    if (low[0] == '0' && low_rest == zeros && high[0] == '9' && high_rest == nines) {
        return digits("0-9", static_cast<int>(low.size()));
    }
    const auto first = [&](char digit, std::string_view from, std::string_view to) {
        return grammar_.sequence(
            {grammar_.text(std::string_view(&digit, 1)), same_length(from, to)});
    };
    if (low[0] == high[0]) {
        return first(low[0], low_rest, high_rest);
    }
    std::vector<ExpressionId> ways{first(low[0], low_rest, nines),
                                   first(high[0], zeros, high_rest)};
    if (low[0] + 1 < high[0]) {
        const CodePointRange between{static_cast<std::uint32_t>(low[0] + 1),
                                     static_cast<std::uint32_t>(high[0] - 1)};
        ways.push_back(grammar_.sequence({grammar_.chars(code_points({between})),
                                          digits("0-9", static_cast<int>(low_rest.size()))}));
    }
    return grammar_.choice(std::move(ways));
}

// Precondition: 0 <= least <= most.
ExpressionId JsonForms::positive(long long least, std::optional<long long> most) {
    std::vector<ExpressionId> ways;
    std::string low = std::to_string(least);
    const std::string high = most ? std::to_string(*most) : std::string();
    while (most ? low.size() < high.size() : low.size() <= static_cast<std::size_t>(kMostDigits)) {
        ways.push_back(same_length(low, std::string(low.size(), '9')));
        low.assign(low.size() + 1, '0');
        low[0] = '1';
    }
    if (most) {
        ways.push_back(same_length(low, high));
    }
    return grammar_.choice(std::move(ways));
}

ExpressionId JsonForms::integer(std::optional<long long> least, std::optional<long long> most) {
    HEARTH_ASSERT(!least || !most || *least <= *most);
    if (!least && !most) {
        return any_integer();
    }
    std::vector<ExpressionId> ways;
    if (!least || *least < 0) {
        const bool to_minus_one = !most || *most >= -1;
        const std::optional<long long> furthest =
            least ? std::optional(-*least) : std::optional<long long>();
        ways.push_back(
            grammar_.sequence({grammar_.text("-"), positive(to_minus_one ? 1 : -*most, furthest)}));
    }
    if (!most || *most >= 0) {
        ways.push_back(positive(std::max(0LL, least.value_or(0)), most));
    }
    return grammar_.choice(std::move(ways));
}

ExpressionId JsonForms::date() {
    const auto text = [&](std::string_view bytes) { return grammar_.text(bytes); };
    const auto either = [&](std::vector<ExpressionId> ways) {
        return grammar_.choice(std::move(ways));
    };
    const auto sequence = [&](std::vector<ExpressionId> parts) {
        return grammar_.sequence(std::move(parts));
    };
    const auto days = [&](int most) {  // 01 to most
        return same_length("01", std::to_string(most));
    };
    const ExpressionId long_months = either(
        {text("01"), text("03"), text("05"), text("07"), text("08"), text("10"), text("12")});
    const ExpressionId short_months = either({text("04"), text("06"), text("09"), text("11")});
    const ExpressionId common_day =
        either({sequence({long_months, text("-"), days(31)}),
                sequence({short_months, text("-"), days(30)}), sequence({text("02-"), days(28)})});
    // Leap years: divisible by 4, and by 400 where they are divisible by 100.
    const ExpressionId by_four =
        either({sequence({text("0"), digits("48")}), sequence({digits("2468"), digits("048")}),
                sequence({digits("13579"), digits("26")})});
    const ExpressionId by_four_hundred = either({text("00"), by_four});
    const ExpressionId leap_year =
        either({sequence({digits("0-9", 2), by_four}), sequence({by_four_hundred, text("00")})});
    return either({sequence({digits("0-9", 4), text("-"), common_day}),
                   sequence({leap_year, text("-02-29")})});
}

ExpressionId JsonForms::time() {
    const auto two = [&](const char* most) { return same_length("00", most); };
    const ExpressionId fraction =
        grammar_.sequence({grammar_.text("."), grammar_.repeat(digits("0-9"), 1, 9)});
    const ExpressionId offset = grammar_.choice(
        {grammar_.text("Z"),
         grammar_.sequence({digits("+-"), two("23"), grammar_.text(":"), two("59")})});
    return grammar_.sequence({two("23"), grammar_.text(":"), two("59"), grammar_.text(":"),
                              two("59"), grammar_.maybe(fraction), offset});
}

std::optional<ExpressionId> JsonForms::format(std::string_view name) {
    if (name == "date") {
        return quoted(date());
    }
    if (name == "time") {
        return quoted(time());
    }
    if (name == "date-time") {
        return quoted(grammar_.sequence({date(), grammar_.text("T"), time()}));
    }
    if (name == "uuid") {
        const auto hex = [&](int count) { return digits(kHex, count); };
        const auto dash = [&] { return grammar_.text("-"); };
        return quoted(grammar_.sequence(
            {hex(8), dash(), hex(4), dash(), hex(4), dash(), hex(4), dash(), hex(12)}));
    }
    if (name == "ipv4") {
        const ExpressionId part = positive(0, 255);
        const ExpressionId more = grammar_.sequence({grammar_.text("."), part});
        return quoted(grammar_.sequence({part, grammar_.repeat(more, 3, 3)}));
    }
    return std::nullopt;
}

}  // namespace hearth
