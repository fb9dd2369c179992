#include "text/jinja/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "text/jinja/unicode.h"
#include "text/quoted.h"

namespace hearth::jinja {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_ascii_digit(char c) {
    return c >= '0' && c <= '9';
}

// Unix newlines, one of them at the end dropped.
std::string normalised(std::string_view source) {
    std::string out;
    out.reserve(source.size());
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] == '\r') {
            out += '\n';
            i += i + 1 < source.size() && source[i + 1] == '\n' ? 1 : 0;
        } else {
            out += source[i];
        }
    }
    if (out.ends_with('\n')) {
        out.pop_back();
    }
    return out;
}

class Lexer {
public:
    Lexer(std::string_view source, std::vector<Token>& tokens)
        : text_(normalised(source)), tokens_(tokens) {}

    std::optional<Failure> run() {
        while (at_ < text_.size() && !failure_) {
            outside();
        }
        add(TokenKind::End, {});
        return failure_;
    }

private:
    std::string_view rest() const { return std::string_view(text_).substr(at_); }
    bool follows(std::string_view what) const { return rest().starts_with(what); }

    void fail(std::string message) {
        if (!failure_) {
            failure_ = Failure{Failure::ValueKind::Syntax, std::move(message), line_};
        }
        at_ = text_.size();
    }

    void add(TokenKind kind, std::string text) {
        tokens_.push_back({.kind = kind, .text = std::move(text), .line = line_});
    }

    // Moves on and counts lines.
    void skip_to(std::size_t to) {
        line_ +=
            static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                        text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
        at_ = to;
    }

    std::size_t after_spaces(std::size_t at) const {
        while (at < text_.size()) {
            const UnicodeCharacter c = character_at(text_, at);
            if (!is_space(c.code)) {
                break;
            }
            at += c.bytes;
        }
        return at;
    }

    // The text up to a tag that begins at `end` with that sign after its braces.
    void data(std::size_t end, char sign, bool is_variable) {
        std::size_t kept = end;
        if (sign == '-') {
            while (kept > at_) {
                const UnicodeCharacter c =
                    character_before(std::string_view(text_).substr(at_), kept - at_);
                if (!is_space(c.code)) {
                    break;
                }
                kept -= c.bytes;
            }
        } else if (sign != '+' && !is_variable) {
            const std::size_t newline = std::string_view(text_).substr(at_, end - at_).rfind('\n');
            if (newline != kNone || line_starting_) {
                const std::size_t line = newline == kNone ? at_ : at_ + newline + 1;
                if (line < end && after_spaces(line) >= end) {
                    kept = line;
                }
            }
        }
        if (kept > at_) {
            add(TokenKind::Data, text_.substr(at_, kept - at_));
        }
        skip_to(end);
    }

    // Past the end of a tag: "%}" with a sign before it, and what whitespace control takes after
    // it. 0: none begins at `at`.
    std::size_t end_of_tag(std::size_t at, std::string_view close, bool trims_newline) const {
        const std::string_view here = std::string_view(text_).substr(at);
        if (here.starts_with('-') && here.substr(1).starts_with(close)) {
            return after_spaces(at + 1 + close.size());
        }
        if (trims_newline && here.starts_with('+') && here.substr(1).starts_with(close)) {
            return at + 1 + close.size();
        }
        if (here.starts_with(close)) {
            const std::size_t end = at + close.size();
            return trims_newline && end < text_.size() && text_[end] == '\n' ? end + 1 : end;
        }
        return 0;
    }

    void end_tag(std::size_t end) {
        line_starting_ = text_[end - 1] == '\n';
        skip_to(end);
    }

    void outside() {
        std::size_t begin = at_;
        while (true) {
            begin = text_.find('{', begin);
            if (begin == kNone || begin + 1 >= text_.size()) {
                add(TokenKind::Data, text_.substr(at_));
                at_ = text_.size();
                return;
            }
            const char second = text_[begin + 1];
            if (second == '%' || second == '{' || second == '#') {
                break;
            }
            ++begin;
        }
        const char second = text_[begin + 1];
        std::size_t inside = begin + 2;
        char sign = 0;
        if (inside < text_.size() && (text_[inside] == '-' || text_[inside] == '+')) {
            sign = text_[inside];
            ++inside;
        }
        data(begin, sign, second == '{');
        line_starting_ = false;
        if (second == '#') {
            comment(inside);
        } else if (second == '%') {
            if (!raw(inside)) {
                add(TokenKind::BlockBegin, "{%");
                at_ = inside;
                tag("%}", TokenKind::BlockEnd, true);
            }
        } else {
            add(TokenKind::VariableBegin, "{{");
            at_ = inside;
            tag("}}", TokenKind::VariableEnd, false);
        }
    }

    void comment(std::size_t inside) {
        if (const std::size_t end = text_.find("#}", inside); end != kNone) {
            const bool has_sign = end > inside && (text_[end - 1] == '-' || text_[end - 1] == '+');
            end_tag(end_of_tag(has_sign ? end - 1 : end, "#}", true));
            return;
        }
        if (inside < text_.size()) {  // jinja2 takes one that ends the template for closed
            fail("a comment has no end");
        }
        at_ = text_.size();
    }

    // {% raw %}...{% endraw %}
    bool raw(std::size_t inside) {
        std::size_t at = after_spaces(inside);
        if (!std::string_view(text_).substr(at).starts_with("raw")) {
            return false;
        }
        at = after_spaces(at + 3);
        const bool strips = at < text_.size() && text_[at] == '-';
        if (!std::string_view(text_).substr(at + (strips ? 1 : 0)).starts_with("%}")) {
            return false;
        }
        skip_to(strips ? after_spaces(at + 3) : at + 2);
        line_starting_ = text_[at_ - 1] == '\n';
        for (std::size_t begin = text_.find("{%", at_); begin != kNone;
             begin = text_.find("{%", begin + 1)) {
            std::size_t word = begin + 2;
            char sign = 0;
            if (word < text_.size() && (text_[word] == '-' || text_[word] == '+')) {
                sign = text_[word];
                ++word;
            }
            word = after_spaces(word);
            if (!std::string_view(text_).substr(word).starts_with("endraw")) {
                continue;
            }
            const std::size_t end = end_of_tag(after_spaces(word + 6), "%}", true);
            if (end != 0) {
                data(begin, sign, false);
                end_tag(end);
                return true;
            }
        }
        if (at_ < text_.size()) {  // likewise
            fail("a raw block has no end");
        }
        return true;
    }

    void tag(std::string_view close, TokenKind close_kind, bool trims_newline) {
        std::string open;  // brackets
        while (!failure_) {
            const std::size_t spaces = after_spaces(at_);
            skip_to(spaces);
            if (at_ == text_.size()) {
                fail("a tag has no end");
                return;
            }
            if (open.empty()) {
                if (const std::size_t end = end_of_tag(at_, close, trims_newline); end != 0) {
                    add(close_kind, std::string(close));
                    end_tag(end);
                    return;
                }
            }
            const char c = text_[at_];
            if (is_ascii_digit(c)) {
                number();
            } else if (c == '"' || c == '\'') {
                string(c);
            } else if (is_word(character_at(text_, at_).code)) {
                name();
            } else {
                symbol(open);
            }
        }
    }

    void name() {
        std::size_t end = at_;
        while (end < text_.size()) {
            const UnicodeCharacter c = character_at(text_, end);
            if (!is_word(c.code)) {
                break;
            }
            end += c.bytes;
        }
        add(TokenKind::Name, text_.substr(at_, end - at_));
        at_ = end;
    }

    // Past digits that single underscores may divide; `at` if none stand there.
    std::size_t digits(std::size_t at) const {
        while (at < text_.size() && is_ascii_digit(text_[at])) {
            ++at;
            if (at + 1 < text_.size() && text_[at] == '_' && is_ascii_digit(text_[at + 1])) {
                ++at;
            }
        }
        return at;
    }

    std::size_t end_of_float() const {
        if (at_ > 0 && text_[at_ - 1] == '.') {
            return at_;
        }
        std::size_t end = digits(at_);
        bool is_float = false;
        if (end < text_.size() && text_[end] == '.') {
            if (const std::size_t after = digits(end + 1); after > end + 1) {
                end = after;
                is_float = true;
            }
        }
        if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
            std::size_t exponent = end + 1;
            if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) {
                ++exponent;
            }
            if (const std::size_t after = digits(exponent); after > exponent) {
                return after;
            }
        }
        return is_float ? end : at_;
    }

    std::string without_underscores(std::size_t begin, std::size_t end) const {
        std::string out = text_.substr(begin, end - begin);
        std::erase(out, '_');
        return out;
    }

    void number() {
        if (const std::size_t end = end_of_float(); end > at_) {
            const std::string spelled = without_underscores(at_, end);
            double real = 0;
            const auto parsed =
                std::from_chars(spelled.data(), spelled.data() + spelled.size(), real);
            if (parsed.ec != std::errc{}) {
                fail("the number " + in_quotes(spelled) + " is out of range");
                return;
            }
            add(TokenKind::Float, spelled);
            tokens_.back().real = real;
            at_ = end;
            return;
        }
        int base = 10;
        std::size_t begin = at_;
        std::size_t end = at_ + 1;
        if (text_[at_] == '0') {
            const char kind = at_ + 1 < text_.size() ? text_[at_ + 1] : ' ';
            const int other = kind == 'x' || kind == 'X'   ? 16
                              : kind == 'o' || kind == 'O' ? 8
                              : kind == 'b' || kind == 'B' ? 2
                                                           : 10;
            const std::size_t after = other == 10 ? at_ : digits_of(at_ + 2, other);
            if (after > at_ + 2) {
                base = other;
                begin = at_ + 2;
                end = after;
            } else {
                while (end < text_.size() && (text_[end] == '0' || text_[end] == '_')) {
                    ++end;
                }
                while (text_[end - 1] == '_') {
                    --end;
                }
            }
        } else {
            end = digits(at_);
        }
        const std::string spelled = without_underscores(begin, end);
        std::int64_t integer = 0;
        const auto parsed =
            std::from_chars(spelled.data(), spelled.data() + spelled.size(), integer, base);
        if (parsed.ec != std::errc{}) {
            fail("the number " + in_quotes(spelled) + " does not fit 64 bits");
            return;
        }
        add(TokenKind::Integer, spelled);
        tokens_.back().integer = integer;
        at_ = end;
    }

    std::size_t digits_of(std::size_t at, int base) const {
        const auto is_digit_of = [&](std::size_t i) {
            if (i >= text_.size()) {
                return false;
            }
            const char c = text_[i];
            const int value = is_ascii_digit(c)      ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : 99;
            return value < base;
        };
        while (true) {
            const std::size_t digit = at < text_.size() && text_[at] == '_' ? at + 1 : at;
            if (!is_digit_of(digit)) {
                return at;
            }
            at = digit + 1;
        }
    }

    void string(char quote) {
        std::size_t end = at_ + 1;
        while (end < text_.size() && text_[end] != quote) {
            end += text_[end] == '\\' ? 2 : 1;
        }
        if (end >= text_.size()) {
            fail("a string has no end");
            return;
        }
        auto value = unescape(std::string_view(text_).substr(at_ + 1, end - at_ - 1));
        if (!value) {
            fail("a string has an escape that stands for no character");
            return;
        }
        add(TokenKind::String, std::move(*value));
        skip_to(end + 1);
    }

    void symbol(std::string& open) {
        constexpr std::array<std::string_view, 27> kSymbols = {
            "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]",
            "(",  ")",  "{",  "}",  ">",  "<",  "=", ".", ":", "|", ",", ";", "!"};
        const auto found = std::find_if(kSymbols.begin(), kSymbols.end(),
                                        [&](std::string_view symbol) { return follows(symbol); });
        if (found == kSymbols.end() || *found == "!") {
            fail("unexpected character " + in_quotes(rest().substr(0, 1)));
            return;
        }
        if (*found == "(" || *found == "[" || *found == "{") {
            open += *found == "(" ? ')' : *found == "[" ? ']' : '}';
        } else if (*found == ")" || *found == "]" || *found == "}") {
            if (open.empty() || open.back() != found->front()) {
                fail("unexpected " + in_quotes(*found));
                return;
            }
            open.pop_back();
        }
        add(TokenKind::Operator, std::string(*found));
        at_ += found->size();
    }

    std::string text_;
    std::vector<Token>& tokens_;
    std::size_t at_ = 0;
    int line_ = 1;
    bool line_starting_ = true;  // what was read last ended a line
    std::optional<Failure> failure_;
};

}  // namespace

std::optional<Failure> lex(std::string_view source, std::vector<Token>& tokens) {
    if (source.size() > kMaxTemplateBytes) {
        return Failure{Failure::ValueKind::Limit,
                       "it has " + std::to_string(source.size()) + " bytes, at most " +
                           std::to_string(kMaxTemplateBytes) + " are read",
                       0};
    }
    return Lexer(source, tokens).run();
}

}  // namespace hearth::jinja
