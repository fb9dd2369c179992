#include "text/jinja/formatting.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "text/jinja/operators.h"
#include "text/jinja/printing.h"
#include "text/jinja/unicode.h"
#include "text/quoted.h"
#include "text/utf8.h"

namespace hearth::jinja {
namespace {

constexpr std::int64_t kMaxWidth = 100'000;
constexpr int kMaxPrecision = 300;

// One specification, of either kind.
struct Spec {
    std::string fill = " ";
    char align = 0;  // < > ^ =; 0: as the type has it
    char sign = '-';
    bool is_alternate = false;
    bool groups = false;  // thousands, by commas
    std::int64_t width = 0;
    int precision = -1;
    char type = 0;
};

// Digits, a point or an exponent, without a sign.
std::string unsigned_real(double real, int precision, char type) {
    if (!std::isfinite(real)) {
        return std::isnan(real) ? "nan" : "inf";
    }
    std::array<char, 1024> buffer{};
    const char pattern[] = {'%', '.', '*', type, 0};
    // The format is one of four known ones.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int written =
        std::snprintf(buffer.data(), buffer.size(), pattern, precision, std::fabs(real));
#pragma GCC diagnostic pop
    return std::string(buffer.data(), static_cast<std::size_t>(std::max(written, 0)));
}

std::string unsigned_integer(std::int64_t value, char type) {
    const std::uint64_t magnitude =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    std::array<char, 72> buffer{};
    const int base = type == 'x' || type == 'X' ? 16 : type == 'o' ? 8 : type == 'b' ? 2 : 10;
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, base).ptr;
    std::string out(buffer.data(), end);
    if (type == 'X') {
        std::transform(out.begin(), out.end(), out.begin(),
                       [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    }
    return out;
}

std::string grouped(const std::string& digits) {
    const std::size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && i < end && (end - i) % 3 == 0) {
            out += ',';
        }
        out += digits[i];
    }
    return out;
}

// Appends text in a field of spec.width characters.
void pad(StringBuilder& out, const Spec& spec, const MarkedText& sign, const MarkedText& text,
         char default_align) {
    const auto used =
        static_cast<std::int64_t>(count_characters(sign.bytes()) + count_characters(text.bytes()));
    if (spec.width > kMaxWidth) {
        out.heap().fail(Failure::ValueKind::Limit, "a field is " + std::to_string(spec.width) +
                                                       " characters wide, at most " +
                                                       std::to_string(kMaxWidth) + " are allowed");
        return;
    }
    const std::int64_t missing = std::max<std::int64_t>(spec.width - used, 0);
    const char align = spec.align == 0 ? default_align : spec.align;
    const std::int64_t before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
    const auto fill = [&](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i) {
            out.append(spec.fill, true);
        }
    };
    fill(before);
    out.append(sign);
    if (align == '=') {
        fill(missing);
    }
    out.append(text);
    if (align == '<' || align == '^') {
        fill(missing - before);
    }
}

void put_number(StringBuilder& out, const Spec& spec, const Value& value, char type) {
    Heap& heap = out.heap();
    const bool is_real = std::string_view("eEfFgG").find(type) != std::string_view::npos;
    std::string digits;
    bool is_negative = false;
    if (is_real) {
        const double real = value.as_real();
        is_negative = std::signbit(real) && !std::isnan(real);
        digits = unsigned_real(real, spec.precision < 0 ? 6 : spec.precision, type);
    } else {
        const std::int64_t integer =
            value.is(ValueKind::Float) ? static_cast<std::int64_t>(value.real) : value.as_int();
        is_negative = integer < 0;
        digits = unsigned_integer(integer, type);
        if (spec.precision > static_cast<int>(digits.size())) {
            digits.insert(0, static_cast<std::size_t>(spec.precision) - digits.size(), '0');
        }
        if (spec.is_alternate && type != 'd' && type != 'i' && type != 'u') {
            digits.insert(0, std::string{'0', type});
        }
    }
    if (spec.groups) {
        digits = grouped(digits);
    }
    const std::string sign = is_negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
    pad(out, spec, MarkedText(sign, true), MarkedText(digits, !value.is_data), '>');
    (void)heap;
}

// The first characters of a text.
MarkedText shortened(const MarkedText& text, int characters) {
    if (characters < 0) {
        return text;
    }
    std::size_t end = 0;
    for (int i = 0; i < characters && end < text.size(); ++i) {
        end += character_at(text.bytes(), end).bytes;
    }
    MarkedText out;
    out.append(text, 0, end);
    return out;
}

bool fits_integer(const Value& value) {
    return !value.is(ValueKind::Float) || std::fabs(value.real) < 9e18;
}

// ---- % -----------------------------------------------------------------------------------------

class Percent {
public:
    Percent(Heap& heap, const String& pattern, const Value& arguments)
        : heap_(heap), out_(heap), text_(pattern.text), is_safe_(pattern.is_safe) {
        if (arguments.is(ValueKind::Sequence) &&
            arguments.sequence->flavour == Sequence::Flavour::Tuple) {
            values_ = arguments.sequence->items;
        } else {
            values_ = {arguments};
            dict_ = arguments.is(ValueKind::Dict) ? arguments.dict : nullptr;
            is_mapping_ = arguments.is(ValueKind::Dict) || arguments.is(ValueKind::Sequence);
        }
    }

    Value run() {
        const std::string_view text = text_.bytes();
        while (at_ < text.size() && !heap_.failed()) {
            const std::size_t percent = std::min(text.find('%', at_), text.size());
            out_.append(text_, at_, percent);
            at_ = percent;
            if (at_ < text.size()) {
                ++at_;
                specification();
            }
        }
        if (next_ < values_.size() && !is_mapping_ && !heap_.failed()) {
            heap_.fail("a format takes fewer values than it was given");
        }
        return out_.value(is_safe_);
    }

private:
    char peek() const { return at_ < text_.size() ? text_.bytes()[at_] : '\0'; }

    const Value* take() {
        if (next_ < values_.size()) {
            return &values_[next_++];
        }
        heap_.fail("a format takes more values than it was given");
        return nullptr;
    }

    // A number in the pattern, or *.
    std::int64_t count() {
        if (peek() == '*') {
            ++at_;
            const Value* value = take();
            if (value == nullptr || !value->is_integral()) {
                heap_.fail("a width must be a whole number");
                return 0;
            }
            return value->as_int();
        }
        std::int64_t number = 0;
        while (peek() >= '0' && peek() <= '9') {
            number = std::min<std::int64_t>(number * 10 + (peek() - '0'), kMaxWidth + 1);
            ++at_;
        }
        return number;
    }

    void specification() {
        const Value* named = nullptr;
        if (peek() == '(') {
            const std::size_t end = text_.bytes().find(')', at_);
            if (dict_ == nullptr || end == std::string_view::npos) {
                heap_.fail("a format that names values needs a dict");
                return;
            }
            const std::string_view key = text_.bytes().substr(at_ + 1, end - at_ - 1);
            named = find(*dict_, key);
            if (named == nullptr) {
                heap_.fail("a format names " + in_quotes(key) + ", which it was not given");
                return;
            }
            at_ = end + 1;
            next_ = values_.size();
        }
        Spec spec;
        for (bool more = true; more;) {
            switch (peek()) {
                case '-':
                    spec.align = '<';
                    break;
                case '+':
                    spec.sign = '+';
                    break;
                case ' ':
                    spec.sign = spec.sign == '+' ? '+' : ' ';
                    break;
                case '#':
                    spec.is_alternate = true;
                    break;
                case '0':
                    spec.fill.assign(1, '0');
                    break;
                default:
                    more = false;
            }
            at_ += more ? 1 : 0;
        }
        spec.width = count();
        if (spec.width < 0) {
            spec.align = '<';
            spec.width = -std::max(spec.width, -kMaxWidth - 1);
        }
        if (peek() == '.') {
            ++at_;
            spec.precision = static_cast<int>(std::clamp<std::int64_t>(count(), 0, kMaxPrecision));
        }
        const char type = peek();
        ++at_;
        if (type == '%') {
            out_.append("%", true);
            return;
        }
        if (std::string_view("srdiuxXoeEfFgGc").find(type) == std::string_view::npos ||
            type == '\0') {
            heap_.fail("a format has the unknown type " + in_quotes(std::string(1, type)));
            return;
        }
        const Value* value = named != nullptr ? named : take();
        if (value != nullptr) {
            put(spec, type, *value);
        }
    }

    void put(Spec spec, char type, const Value& value) {
        if (type == 's' || type == 'r' || type == 'c') {
            spec.fill.assign(1, ' ');
            StringBuilder shown(heap_);
            if (type == 'c' && value.is_integral()) {
                std::string one;
                append_utf8(one, static_cast<std::uint32_t>(
                                     std::clamp<std::int64_t>(value.as_int(), 0, 0x10FFFF)));
                shown.append(one, true);
            } else if (type == 'r') {
                represent(shown, value);
            } else {
                const MarkedText text = text_of(heap_, value);
                if (is_safe_ && !(value.is(ValueKind::String) && value.string->is_safe)) {
                    escape_html(shown, text);
                } else {
                    shown.append(text);
                }
            }
            pad(out_, spec, {}, shortened(shown.text(), type == 'c' ? -1 : spec.precision), '>');
            return;
        }
        const bool wants_integer = std::string_view("xXo").find(type) != std::string_view::npos;
        if (!value.is_number() || (wants_integer && value.is(ValueKind::Float)) ||
            (std::string_view("diuxXo").find(type) != std::string_view::npos &&
             !fits_integer(value))) {
            heap_.fail(value.is(ValueKind::Undefined)
                           ? undefined_message(value)
                           : "a format wants a number, not " + std::string(type_name(value)));
            return;
        }
        if (spec.fill == "0") {
            if (spec.align == '<') {
                spec.fill.assign(1, ' ');
            } else {
                spec.align = '=';
            }
        }
        put_number(out_, spec, value, type == 'i' || type == 'u' ? 'd' : type);
    }

    Heap& heap_;
    StringBuilder out_;
    const MarkedText& text_;
    bool is_safe_;
    std::vector<Value> values_;
    const Dict* dict_ = nullptr;
    bool is_mapping_ = false;
    std::size_t next_ = 0;
    std::size_t at_ = 0;
};

// ---- {} ----------------------------------------------------------------------------------------

std::optional<Spec> parse_spec(std::string_view text) {
    Spec spec;
    std::size_t at = 0;
    const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
    if (!text.empty()) {
        const std::size_t first = character_at(text, 0).bytes;
        if (first < text.size() && is_align(text[first])) {
            spec.fill = text.substr(0, first);
            spec.align = text[first];
            at = first + 1;
        } else if (is_align(text[0])) {
            spec.align = text[0];
            at = 1;
        }
    }
    const auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
    const auto number = [&](std::int64_t most) {
        std::int64_t value = 0;
        while (peek() >= '0' && peek() <= '9') {
            value = std::min<std::int64_t>(value * 10 + (peek() - '0'), most);
            ++at;
        }
        return value;
    };
    if (peek() == '+' || peek() == '-' || peek() == ' ') {
        spec.sign = text[at++];
    }
    if (peek() == '#') {
        spec.is_alternate = true;
        ++at;
    }
    if (peek() == '0') {
        if (spec.align == 0) {
            spec.fill.assign(1, '0');
            spec.align = '=';
        }
        ++at;
    }
    spec.width = number(kMaxWidth + 1);
    if (peek() == ',') {
        spec.groups = true;
        ++at;
    }
    if (peek() == '.') {
        ++at;
        spec.precision = static_cast<int>(number(kMaxPrecision));
    }
    if (at < text.size()) {
        spec.type = text[at++];
    }
    return at == text.size() ? std::optional(spec) : std::nullopt;
}

void put_with_spec(StringBuilder& out, std::string_view text, const Value& value) {
    Heap& heap = out.heap();
    const auto spec = parse_spec(text);
    const std::string_view allowed = value.is(ValueKind::Float)    ? "eEfFgG%"
                                     : value.is_integral()         ? "dxXobeEfFgG%"
                                     : value.is(ValueKind::String) ? "s"
                                                                   : "";
    if (!spec || (spec->type != 0 && allowed.find(spec->type) == std::string_view::npos)) {
        heap.fail("the format specification " + in_quotes(text) + " does not suit " +
                  std::string(type_name(value)));
        return;
    }
    Spec used = *spec;
    if (value.is_number() && used.type == '%') {
        Value percent = Value::of(value.as_real() * 100);
        percent.is_data = value.is_data;
        StringBuilder inner(heap);
        Spec plain = used;
        plain.width = 0;
        put_number(inner, plain, percent, 'f');
        inner.append("%", true);
        pad(out, used, {}, inner.text(), '>');
    } else if (value.is_integral() && !(value.is(ValueKind::Bool) && used.type == 0)) {
        put_number(out, used, value, used.type == 0 ? 'd' : used.type);
    } else if (value.is(ValueKind::Float) && (used.type != 0 || used.precision >= 0)) {
        put_number(out, used, value, used.type == 0 ? 'g' : used.type);
    } else if (value.is(ValueKind::Float)) {
        pad(out, used, {}, text_of(heap, value), '>');
    } else if (value.is(ValueKind::String) || value.is(ValueKind::Bool)) {
        pad(out, used, {}, shortened(text_of(heap, value), used.precision), '<');
    } else {
        heap.fail("a format specification does not suit " + std::string(type_name(value)));
    }
}

}  // namespace

Value format_percent(Heap& heap, const String& pattern, const Value& arguments) {
    return Percent(heap, pattern, arguments).run();
}

Value format_braces(Heap& heap, const String& pattern, const Arguments& arguments) {
    StringBuilder out(heap);
    const MarkedText& text = pattern.text;
    const std::string_view bytes = text.bytes();
    std::size_t next = 0;
    bool numbers_given = false;
    bool numbers_counted = false;
    for (std::size_t at = 0; at < bytes.size() && !heap.failed();) {
        const std::size_t brace = std::min(bytes.find_first_of("{}", at), bytes.size());
        out.append(text, at, brace);
        at = brace;
        if (at == bytes.size()) {
            break;
        }
        if (at + 1 < bytes.size() && bytes[at + 1] == bytes[at]) {
            out.append(text, at, at + 1);
            at += 2;
            continue;
        }
        const std::size_t end = bytes.find('}', at);
        if (bytes[at] == '}' || end == std::string_view::npos) {
            heap.fail("a brace in a format has no partner");
            break;
        }
        const std::string_view field = bytes.substr(at + 1, end - at - 1);
        const std::size_t colon = std::min(field.find(':'), field.size());
        std::string_view name = field.substr(0, colon);
        char conversion = 0;
        if (name.size() >= 2 && name[name.size() - 2] == '!') {
            conversion = name.back();
            name.remove_suffix(2);
        }
        const Value* value = nullptr;
        std::size_t index = 0;
        const auto parsed = std::from_chars(name.data(), name.data() + name.size(), index);
        if (name.empty() || (parsed.ec == std::errc{} && parsed.ptr == name.data() + name.size())) {
            // Python numbers the fields, or the pattern does; not both.
            numbers_given = numbers_given || !name.empty();
            numbers_counted = numbers_counted || name.empty();
            if (numbers_given && numbers_counted) {
                heap.fail("a format mixes fields with and without numbers");
                break;
            }
            index = name.empty() ? next++ : index;
            value = index < arguments.positional.size() ? &arguments.positional[index] : nullptr;
        } else {
            for (const auto& [known, given] : arguments.named) {
                value = known == name ? &given : value;
            }
        }
        if (value == nullptr) {
            heap.fail("a format names " + in_quotes(field) + ", which it was not given");
            break;
        }
        Value shown = *value;
        if (conversion == 'r' || conversion == 's') {
            StringBuilder inner(heap);
            conversion == 'r' ? represent(inner, *value) : print(inner, *value);
            shown = inner.value();
        }
        if (colon >= field.size() || colon + 1 == field.size()) {
            print(out, shown);
        } else {
            put_with_spec(out, field.substr(colon + 1), shown);
        }
        at = end + 1;
    }
    return out.value(pattern.is_safe);
}

}  // namespace hearth::jinja
