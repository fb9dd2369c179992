#include "text/jinja/printing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "text/jinja/objects.h"
#include "text/jinja/operators.h"
#include "text/jinja/unicode.h"

namespace hearth::jinja {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

void append_hex(std::string& out, std::uint32_t code, int digits) {
    for (int i = digits - 1; i >= 0; --i) {
        out += kHex[code >> (4 * i) & 15];
    }
}

void represent_string(StringBuilder& out, const MarkedText& text) {
    const std::string_view bytes = text.bytes();
    const bool has_single = bytes.find('\'') != std::string_view::npos;
    const bool has_double = bytes.find('"') != std::string_view::npos;
    const char quote = has_single && !has_double ? '"' : '\'';
    out.append(std::string_view(&quote, 1), true);
    std::size_t plain = 0;
    for (std::size_t at = 0; at < bytes.size() && !out.heap().failed();) {
        const UnicodeCharacter c = character_at(bytes, at);
        std::string escaped;
        if (c.code == static_cast<unsigned char>(quote) || c.code == '\\') {
            escaped += '\\';
            escaped += static_cast<char>(c.code);
        } else if (c.code == '\n' || c.code == '\r' || c.code == '\t') {
            escaped += '\\';
            escaped += c.code == '\n' ? 'n' : c.code == '\r' ? 'r' : 't';
        } else if (c.code != kNoCharacter && !is_printable(c.code)) {
            escaped += '\\';
            escaped += c.code < 0x100 ? 'x' : c.code < 0x10000 ? 'u' : 'U';
            append_hex(escaped, c.code, c.code < 0x100 ? 2 : c.code < 0x10000 ? 4 : 8);
        }
        if (!escaped.empty()) {
            out.append(text, plain, at);
            out.append(escaped, text.is_markup(at));
            plain = at + c.bytes;
        }
        at += c.bytes;
    }
    out.append(text, plain, bytes.size());
    out.append(std::string_view(&quote, 1), true);
}

void represent_all(StringBuilder& out, const std::vector<Value>& items) {
    bool is_first = true;
    for (const Value& item : items) {
        if (!is_first) {
            out.append(", ", true);
        }
        is_first = false;
        represent(out, item);
        if (out.heap().failed()) {
            return;
        }
    }
}

void represent_dict(StringBuilder& out, const Dict& dict) {
    out.append("{", true);
    bool is_first = true;
    for (const auto& [key, value] : dict.entries) {
        if (!is_first) {
            out.append(", ", true);
        }
        is_first = false;
        represent(out, key);
        out.append(": ", true);
        represent(out, value);
        if (out.heap().failed()) {
            return;
        }
    }
    out.append("}", true);
}

void represent_sequence(StringBuilder& out, const Sequence& sequence) {
    const auto around = [&](std::string_view begin, std::string_view end) {
        out.append(begin, true);
        represent_all(out, sequence.items);
        out.append(end, true);
    };
    switch (sequence.flavour) {
        case Sequence::Flavour::List:
            around("[", "]");
            break;
        case Sequence::Flavour::Tuple:
            around("(", sequence.items.size() == 1 ? ",)" : ")");
            break;
        case Sequence::Flavour::Keys:
            around("dict_keys([", "])");
            break;
        case Sequence::Flavour::Values:
            around("dict_values([", "])");
            break;
        case Sequence::Flavour::Items:
            around("dict_items([", "])");
            break;
        case Sequence::Flavour::Range:
            out.append("range(" + std::to_string(sequence.start) + ", " +
                           std::to_string(sequence.stop) +
                           (sequence.step == 1 ? "" : ", " + std::to_string(sequence.step)) + ")",
                       true);
            break;
        case Sequence::Flavour::Iterator:
            out.append("<generator object>", true);
            break;
    }
}

}  // namespace

std::string real_text(double real) {
    if (!std::isfinite(real)) {
        return std::isnan(real) ? "nan" : real < 0 ? "-inf" : "inf";
    }
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), real,
                                   std::chars_format::scientific)
                         .ptr;
    const std::string_view shortest(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    const std::size_t e = shortest.find('e');
    int exponent = 0;
    const std::size_t digits_of_exponent = e + (shortest[e + 1] == '+' ? 2 : 1);
    std::from_chars(shortest.data() + digits_of_exponent, shortest.data() + shortest.size(),
                    exponent);
    if (exponent < -4 || exponent >= 16) {
        return std::string(shortest);
    }
    const bool is_negative = shortest.front() == '-';
    std::string digits(shortest.substr(is_negative ? 1 : 0, e - (is_negative ? 1 : 0)));
    std::erase(digits, '.');
    std::string out = is_negative ? "-" : "";
    if (exponent < 0) {
        return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    }
    const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() <= whole) {
        return out + digits + std::string(whole - digits.size(), '0') + ".0";
    }
    return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

void print(StringBuilder& out, const Value& value) {
    if (value.is(ValueKind::String)) {
        out.append(value.string->text);
    } else if (!value.is(ValueKind::Undefined)) {
        represent(out, value);
    }
}

void represent(StringBuilder& out, const Value& value) {
    const Heap::Level level(out.heap());  // a namespace may hold itself
    if (!out.heap().take_steps(1)) {
        return;
    }
    switch (value.kind) {
        case ValueKind::Undefined:
            out.append("Undefined", true);
            break;
        case ValueKind::None:
            out.append("None", true);
            break;
        case ValueKind::Bool:
            out.append(value.truth ? "True" : "False", !value.is_data);
            break;
        case ValueKind::Int:
            out.append(std::to_string(value.integer), !value.is_data);
            break;
        case ValueKind::Float:
            out.append(real_text(value.real), !value.is_data);
            break;
        case ValueKind::String:
            if (value.string->is_safe) {
                out.append("Markup(", true);
            }
            represent_string(out, value.string->text);
            if (value.string->is_safe) {
                out.append(")", true);
            }
            break;
        case ValueKind::Sequence:
            represent_sequence(out, *value.sequence);
            break;
        case ValueKind::Dict:
            represent_dict(out, *value.dict);
            break;
        case ValueKind::Namespace:
            out.append("<Namespace ", true);
            represent_dict(out, *value.dict);
            out.append(">", true);
            break;
        case ValueKind::Callable:
            out.append("<function>", true);
            break;
        case ValueKind::Loop:
            out.append("<LoopContext>", true);
            break;
        case ValueKind::Slice:
            out.append("slice", true);
            break;
    }
}

MarkedText text_of(Heap& heap, const Value& value) {
    if (value.is(ValueKind::String)) {
        return value.string->text;
    }
    StringBuilder out(heap);
    print(out, value);
    return out.take();
}

void escape_html(StringBuilder& out, const MarkedText& text) {
    const std::string_view bytes = text.bytes();
    std::size_t plain = 0;
    for (std::size_t at = bytes.find_first_of("&<>'\""); at != std::string_view::npos;
         at = bytes.find_first_of("&<>'\"", at + 1)) {
        const char c = bytes[at];
        out.append(text, plain, at);
        out.append(c == '&'    ? "&amp;"
                   : c == '<'  ? "&lt;"
                   : c == '>'  ? "&gt;"
                   : c == '\'' ? "&#39;"
                               : "&#34;",
                   text.is_markup(at));
        plain = at + 1;
        if (out.heap().failed()) {
            return;
        }
    }
    out.append(text, plain, bytes.size());
}

}  // namespace hearth::jinja
