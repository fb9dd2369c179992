#include "text/jinja/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "text/jinja/operators.h"
#include "text/jinja/printing.h"
#include "text/jinja/unicode.h"
#include "text/utf8.h"

namespace hearth::jinja {
namespace {

constexpr int kMaxDepth = 100;

class JsonReader {
public:
    JsonReader(Heap& heap, std::string_view text, bool markup)
        : heap_(heap), text_(text), markup_(markup) {}

    std::optional<Value> run() {
        const Value value = element(0);
        spaces();
        if (bad_ || at_ != text_.size() || heap_.failed()) {
            return std::nullopt;
        }
        return value;
    }

private:
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void spaces() {
        while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') {
            ++at_;
        }
    }
    bool skip(std::string_view what) {
        const bool is = text_.substr(at_).starts_with(what);
        at_ += is ? what.size() : 0;
        return is;
    }
    Value broken() {
        bad_ = true;
        return {};
    }

    Value element(int depth) {
        spaces();
        if (depth > kMaxDepth || heap_.failed()) {
            return broken();
        }
        if (skip("null")) {
            return Value::none();
        }
        if (skip("true") || skip("false")) {
            Value value = Value::of(text_[at_ - 2] == 'u');
            value.is_data = !markup_;
            return value;
        }
        switch (peek()) {
            case '"': {
                auto text = string();
                return text ? heap_.text(*text, markup_) : broken();
            }
            case '[':
                return list(depth);
            case '{':
                return dict(depth);
            default:
                return number();
        }
    }

    Value list(int depth) {
        ++at_;
        std::vector<Value> items;
        spaces();
        while (!bad_ && peek() != ']') {
            items.push_back(element(depth + 1));
            spaces();
            if (!skip(",")) {
                break;
            }
        }
        return skip("]") ? heap_.list(std::move(items)) : broken();
    }

    Value dict(int depth) {
        ++at_;
        const Value out = heap_.dict();
        spaces();
        while (!bad_ && peek() != '}') {
            spaces();
            auto key = string();
            spaces();
            if (!key || !skip(":")) {
                return broken();
            }
            const Value value = element(depth + 1);
            heap_.set(*out.dict, heap_.text(*key, markup_), value);
            spaces();
            if (!skip(",")) {
                break;
            }
        }
        return skip("}") ? out : broken();
    }

    Value number() {
        std::size_t end = at_;
        while (end < text_.size() &&
               std::string_view("+-0123456789.eE").find(text_[end]) != std::string_view::npos) {
            ++end;
        }
        const char* begin = text_.data() + at_;
        const char* stop = text_.data() + end;
        std::int64_t integer = 0;
        double real = 0;
        Value value;
        if (const auto read = std::from_chars(begin, stop, integer);
            read.ec == std::errc{} && read.ptr == stop) {
            value = Value::of(integer);
        } else if (const auto as_real = std::from_chars(begin, stop, real);
                   as_real.ec == std::errc{} && as_real.ptr == stop) {
            value = Value::of(real);
        } else {
            return broken();
        }
        at_ = end;
        value.is_data = !markup_;
        return value;
    }

    std::optional<std::uint32_t> code_unit() {
        std::uint32_t unit = 0;
        if (at_ + 4 > text_.size() ||
            std::from_chars(text_.data() + at_, text_.data() + at_ + 4, unit, 16).ptr !=
                text_.data() + at_ + 4) {
            return std::nullopt;
        }
        at_ += 4;
        return unit;
    }

    std::optional<std::string> string() {
        if (!skip("\"")) {
            return std::nullopt;
        }
        std::string out;
        while (at_ < text_.size() && peek() != '"') {
            if (peek() != '\\') {
                out += text_[at_++];
                continue;
            }
            ++at_;
            constexpr std::string_view kLetters = "\"\\/bfnrt";
            constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
            const char c = peek();
            ++at_;
            if (const std::size_t simple = kLetters.find(c); simple != std::string_view::npos) {
                out += kMeant[simple];
                continue;
            }
            auto unit = c == 'u' ? code_unit() : std::nullopt;
            if (!unit) {
                return std::nullopt;
            }
            if (*unit >= 0xD800 && *unit < 0xDC00 && skip("\\u")) {
                const auto low = code_unit();
                if (!low || *low < 0xDC00 || *low > 0xDFFF) {
                    return std::nullopt;
                }
                unit = 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00);
            }
            // Half a pair is no character.
            append_utf8(out, *unit >= 0xD800 && *unit <= 0xDFFF ? 0xFFFD : *unit);
        }
        return skip("\"") ? std::optional(out) : std::nullopt;
    }

    Heap& heap_;
    std::string_view text_;
    bool markup_;
    std::size_t at_ = 0;
    bool bad_ = false;
};

constexpr std::string_view kHex = "0123456789abcdef";

void append_unit(std::string& out, std::uint32_t unit) {
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) {
        out += kHex[unit >> shift & 15];
    }
}

void print_json_string(StringBuilder& out, const MarkedText& text, bool ascii) {
    const std::string_view bytes = text.bytes();
    out.append("\"", true);
    std::size_t plain = 0;
    for (std::size_t at = 0; at < bytes.size() && !out.heap().failed();) {
        const UnicodeCharacter c = character_at(bytes, at);
        std::string escaped;
        constexpr std::string_view kMeant = "\"\\\b\f\n\r\t";
        constexpr std::string_view kLetters = "\"\\bfnrt";
        if (const std::size_t simple = kMeant.find(bytes[at]); simple != std::string_view::npos) {
            escaped = {'\\', kLetters[simple]};
        } else if (c.code < 0x20 || (ascii && c.code > 0x7E && c.code < 0x10000)) {
            append_unit(escaped, c.code);
        } else if (ascii && c.code != kNoCharacter && c.code >= 0x10000) {
            append_unit(escaped, 0xD800 + ((c.code - 0x10000) >> 10));
            append_unit(escaped, 0xDC00 + ((c.code - 0x10000) & 0x3FF));
        }
        if (!escaped.empty()) {
            out.append(text, plain, at);
            out.append(escaped, text.is_markup(at));
            plain = at + c.bytes;
        }
        at += c.bytes;
    }
    out.append(text, plain, bytes.size());
    out.append("\"", true);
}

class Writer {
public:
    Writer(StringBuilder& out, const JsonStyle& style) : out_(out), style_(style) {}

    void element(const Value& value, int depth) {
        Heap& heap = out_.heap();
        if (!heap.take_steps(1)) {
            return;
        }
        switch (value.kind) {
            case ValueKind::None:
                out_.append("null", true);
                break;
            case ValueKind::Bool:
                out_.append(value.truth ? "true" : "false", !value.is_data);
                break;
            case ValueKind::Int:
                out_.append(std::to_string(value.integer), !value.is_data);
                break;
            case ValueKind::Float:
                out_.append(real(value.real), !value.is_data);
                break;
            case ValueKind::String:
                print_json_string(out_, value.string->text, style_.ascii);
                break;
            case ValueKind::Sequence:
                if (value.sequence->flavour > Sequence::Flavour::Tuple) {
                    refuse(value);
                } else {
                    list(value.sequence->items, depth);
                }
                break;
            case ValueKind::Dict:
                dict(*value.dict, depth);
                break;
            default:
                refuse(value);
        }
    }

private:
    static std::string real(double real) {
        if (!std::isfinite(real)) {
            return std::isnan(real) ? "NaN" : real < 0 ? "-Infinity" : "Infinity";
        }
        return real_text(real);
    }

    void refuse(const Value& value) {
        out_.heap().fail(std::string(type_name(value)) + " cannot be written as JSON");
    }

    void line(int depth) {
        if (style_.indent) {
            out_.append("\n", true);
            for (int i = 0; i < depth; ++i) {
                out_.append(*style_.indent);
            }
        }
    }

    void list(const std::vector<Value>& items, int depth) {
        if (items.empty()) {
            out_.append("[]", true);
            return;
        }
        out_.append("[", true);
        for (std::size_t i = 0; i < items.size() && !out_.heap().failed(); ++i) {
            if (i > 0) {
                out_.append(style_.item_separator, true);
            }
            line(depth + 1);
            element(items[i], depth + 1);
        }
        line(depth);
        out_.append("]", true);
    }

    void dict(const Dict& dict, int depth) {
        Heap& heap = out_.heap();
        if (dict.entries.empty()) {
            out_.append("{}", true);
            return;
        }
        std::vector<const std::pair<Value, Value>*> entries;
        for (const auto& entry : dict.entries) {
            entries.push_back(&entry);
        }
        if (style_.sort_keys) {
            std::stable_sort(entries.begin(), entries.end(), [&](const auto* a, const auto* b) {
                return less(heap, a->first, b->first);
            });
        }
        out_.append("{", true);
        bool is_first = true;
        for (const auto* entry : entries) {
            if (!is_first) {
                out_.append(style_.item_separator, true);
            }
            is_first = false;
            line(depth + 1);
            key(entry->first);
            out_.append(style_.key_separator, true);
            element(entry->second, depth + 1);
            if (heap.failed()) {
                return;
            }
        }
        line(depth);
        out_.append("}", true);
    }

    void key(const Value& key) {
        if (key.is(ValueKind::String)) {
            print_json_string(out_, key.string->text, style_.ascii);
        } else if (key.is_number() || key.is(ValueKind::None)) {
            out_.append("\"", true);
            element(key, 0);
            out_.append("\"", true);
        } else {
            refuse(key);
        }
    }

    StringBuilder& out_;
    const JsonStyle& style_;
};

}  // namespace

std::optional<Value> parse_json(Heap& heap, std::string_view text, bool markup) {
    return JsonReader(heap, text, markup).run();
}

void print_json(StringBuilder& out, const Value& value, const JsonStyle& style) {
    Writer(out, style).element(value, 0);
}

}  // namespace hearth::jinja
