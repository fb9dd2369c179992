// Filters that work on numbers, and those that take anything.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "text/jinja/arguments.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/filter_rows.h"
#include "text/jinja/printing.h"
#include "text/jinja/unicode.h"

namespace hearth::jinja {
namespace {

using Names1 = std::array<std::string_view, 1>;
using Names2 = std::array<std::string_view, 2>;

// The text as int() and float() read it: no blanks around it, single underscores between digits
// dropped.
// Empty: nothing that could be a number.
std::string digits_of(std::string_view text) {
    while (!text.empty() && is_space(character_at(text, 0).code)) {
        text.remove_prefix(character_at(text, 0).bytes);
    }
    while (!text.empty() && is_space(character_before(text, text.size()).code)) {
        text.remove_suffix(character_before(text, text.size()).bytes);
    }
    std::string out;
    const auto is_digit = [&](std::size_t i) {
        return i < text.size() &&
               ((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'z') ||
                (text[i] >= 'A' && text[i] <= 'Z'));
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '_' && i > 0 && is_digit(i - 1) && is_digit(i + 1)) {
            continue;
        }
        out += text[i];
    }
    return out;
}

std::optional<std::int64_t> parse_integer(std::string_view text, std::int64_t base) {
    std::string digits = digits_of(text);
    const bool is_negative = digits.starts_with('-');
    if (is_negative || digits.starts_with('+')) {
        digits.erase(0, 1);
    }
    const auto has_prefix = [&](char lower, char upper) {
        return digits.size() > 2 && digits[0] == '0' && (digits[1] == lower || digits[1] == upper);
    };
    if ((base == 16 && has_prefix('x', 'X')) || (base == 8 && has_prefix('o', 'O')) ||
        (base == 2 && has_prefix('b', 'B'))) {
        digits.erase(0, 2);
    }
    if (digits.empty() || digits[0] == '-' || base < 2 || base > 36) {
        return std::nullopt;
    }
    std::int64_t value = 0;
    if (is_negative) {
        digits.insert(digits.begin(), '-');
    }
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                      static_cast<int>(base));
    if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) {
        return std::nullopt;
    }
    return value;
}

std::optional<double> parse_real(std::string_view text) {
    std::string digits = digits_of(text);
    if (digits.starts_with('+')) {
        digits.erase(0, 1);
    }
    if (digits.starts_with('+') || digits.empty()) {
        return std::nullopt;
    }
    double value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (read.ptr != digits.data() + digits.size() || read.ec == std::errc::invalid_argument) {
        return std::nullopt;
    }
    return value;
}

bool has_data(const Value& value) {
    return value.is(ValueKind::String) ? value.string->text.has_data() : value.is_data;
}

Value marked(Value number, const Value& from) {
    number.is_data = has_data(from);
    return number;
}

Value truncated(Heap& heap, double real) {
    if (!std::isfinite(real) || std::fabs(real) >= 9.2233720368547e18) {
        heap.fail("a number does not fit 64 bits");
        return {};
    }
    return Value::of(static_cast<std::int64_t>(real));
}

Value int_filter(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<2> args(e.heap(), given, Names2{"default", "base"});
    const Value fallback = args.value(0, Value::of(std::int64_t{0}));
    if (self.is(ValueKind::Undefined)) {
        e.heap().fail(undefined_message(self));
        return {};
    }
    if (self.is_integral()) {
        return marked(Value::of(self.as_int()), self);
    }
    if (self.is(ValueKind::Float)) {
        return marked(truncated(e.heap(), self.real), self);
    }
    if (!self.is(ValueKind::String)) {
        return fallback;
    }
    const std::string_view text = self.string->text.bytes();
    e.heap().look_at(text.size());
    if (const auto integer = parse_integer(text, args.integer(1, 10))) {
        return marked(Value::of(*integer), self);
    }
    const auto real = parse_real(text);
    return real && std::isfinite(*real) ? marked(truncated(e.heap(), *real), self) : fallback;
}

Value float_filter(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"default"});
    if (self.is(ValueKind::Undefined)) {
        e.heap().fail(undefined_message(self));
        return {};
    }
    if (self.is_number()) {
        return marked(Value::of(self.as_real()), self);
    }
    if (self.is(ValueKind::String)) {
        e.heap().look_at(self.string->text.size());
        if (const auto real = parse_real(self.string->text.bytes())) {
            return marked(Value::of(*real), self);
        }
    }
    return args.value(0, Value::of(0.0));
}

Value absolute(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    if (!self.is_number()) {
        e.heap().fail("only a number has an absolute value");
        return {};
    }
    if (self.is(ValueKind::Float)) {
        return marked(Value::of(std::fabs(self.real)), self);
    }
    return self.as_int() < 0 ? negative(e.heap(), self) : marked(Value::of(self.as_int()), self);
}

// Correctly rounded, ties of the exact value to even, as Python does.
double rounded(double value, std::int64_t places) {
    if (!std::isfinite(value) || places > 300) {
        return value;
    }
    if (places < 0) {
        if (places < -308) {
            return 0;
        }
        const double unit = std::pow(10.0, static_cast<double>(-places));
        return std::nearbyint(value / unit) * unit;
    }
    std::array<char, 700> buffer{};
    const int written =
        std::snprintf(buffer.data(), buffer.size(), "%.*f", static_cast<int>(places), value);
    double out = value;
    std::from_chars(buffer.data(), buffer.data() + written, out);
    return out;
}

Value round_filter(Evaluator& e, const Value& self, const Arguments& given) {
    Heap& heap = e.heap();
    const BoundArguments<2> args(heap, given, Names2{"precision", "method"});
    const std::int64_t places = args.integer(0, 0);
    const String* method = args.string(1);
    const std::string_view how = method == nullptr ? "common" : method->text.bytes();
    if (!self.is_number() || (how != "common" && how != "ceil" && how != "floor")) {
        heap.fail("only a number can be rounded, by common, ceil or floor");
        return {};
    }
    if (how == "common") {
        if (self.is(ValueKind::Float)) {
            return marked(Value::of(rounded(self.real, places)), self);
        }
        if (places >= 0) {
            return marked(Value::of(self.as_int()), self);
        }
        return marked(truncated(heap, rounded(self.as_real(), places)), self);
    }
    const double unit = std::pow(10.0, static_cast<double>(places));
    const double scaled = self.as_real() * unit;
    return marked(Value::of((how == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / unit), self);
}

Value default_filter(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<2> args(e.heap(), given, Names2{"default_value", "boolean"});
    if (self.is(ValueKind::Undefined) || (args.truth(1) && !is_true(self))) {
        return args.has(0) ? args.value(0) : e.heap().text("", true);
    }
    return self;
}

Value attr(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"name"}, 1);
    if (!args.value(0).is(ValueKind::String)) {
        e.heap().fail("the name of an attribute is a string");
        return {};
    }
    // An item of a dict is no attribute.
    return self.is(ValueKind::Dict) ? e.bound_method(self, args.value(0))
                                    : e.attribute(self, args.value(0));
}

constexpr std::array<FilterRow, 7> kRows = {{
    {"abs", absolute},
    {"attr", attr},
    {"d", default_filter},
    {"default", default_filter},
    {"float", float_filter},
    {"int", int_filter},
    {"round", round_filter},
}};

}  // namespace

std::span<const FilterRow> number_filters() {
    return kRows;
}

}  // namespace hearth::jinja
