#include "grammar/json_pattern.h"

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "grammar/text_place.h"
#include "text/utf8.h"

namespace hearth {
namespace {

constexpr int kMaxDepth = 32;

std::string shown_ascii(char c) {
    return std::string(1, c > 0x20 && c < 0x7F ? c : '?');
}

CodePoints class_of(char letter) {
    switch (letter | 0x20) {
        case 'd':
            return code_points({{'0', '9'}});
        case 'w':
            return code_points({{'0', '9'}, {'A', 'Z'}, {'a', 'z'}, {'_', '_'}});
        default:  // 's': ECMA-262, white space and line ends
            return code_points({{9, 13},
                                {' ', ' '},
                                {0xA0, 0xA0},
                                {0x1680, 0x1680},
                                {0x2000, 0x200A},
                                {0x2028, 0x2029},
                                {0x202F, 0x202F},
                                {0x205F, 0x205F},
                                {0x3000, 0x3000},
                                {0xFEFF, 0xFEFF}});
    }
}

class PatternParser {
public:
    PatternParser(Grammar& grammar, JsonForms& forms, std::string_view text)
        : grammar_(grammar), forms_(forms), text_(text) {}

    std::variant<ExpressionId, PatternRefused> parse() {
        std::vector<ExpressionId> ways;
        do {
            const bool from_start = take('^');
            const ExpressionId middle = sequence(0);
            const bool to_end = take('$');
            std::vector<ExpressionId> parts;
            if (!from_start) {
                parts.push_back(anything());
            }
            parts.push_back(middle);
            if (!to_end) {
                parts.push_back(anything());
            }
            ways.push_back(grammar_.sequence(std::move(parts)));
        } while (!failed() && take('|'));
        if (!failed() && at_ < text_.size()) {
            refuse(here() == ')' ? "a ) without its (" : "^ or $ inside of it");
        }
        if (failed()) {
            return std::move(*refused_);
        }
        return forms_.quoted(grammar_.choice(std::move(ways)));
    }

private:
    bool failed() const { return refused_.has_value(); }
    char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) {
        const bool found = at_ < text_.size() && text_[at_] == c;
        at_ += found ? 1 : 0;
        return found;
    }
    void refuse(std::string why) {
        if (!refused_) {
            refused_ = PatternRefused{std::move(why)};
        }
        at_ = text_.size();
    }

    ExpressionId anything() { return grammar_.repeat(forms_.character_of(all_but({})), 0, -1); }

    ExpressionId alternatives(int depth) {
        std::vector<ExpressionId> ways;
        do {
            ways.push_back(sequence(depth));
        } while (!failed() && take('|'));
        return grammar_.choice(std::move(ways));
    }

    ExpressionId sequence(int depth) {
        std::vector<ExpressionId> parts;
        while (!failed() && at_ < text_.size()) {
            const char c = here();
            if (c == '|' || c == ')' || c == '$' || c == '^') {
                break;
            }
            parts.push_back(repeated(atom(depth)));
            if (grammar_.size() > Grammar::kMaxExpressions) {
                refuse("it is too long");
            }
        }
        return grammar_.sequence(std::move(parts));
    }

    ExpressionId atom(int depth) {
        const char c = here();
        if (c == '(') {
            return group(depth);
        }
        if (c == '[') {
            return forms_.character_of(set());
        }
        if (c == '.') {
            ++at_;
            return forms_.character_of(
                all_but(code_points({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}})));
        }
        if (c == '*' || c == '+' || c == '?' || c == '{') {
            refuse(std::string(1, c) + " with nothing before it");
            return 0;
        }
        return forms_.character_of(one());
    }

    ExpressionId group(int depth) {
        ++at_;
        if (take('?') && !take(':')) {
            refuse("(?" + shown_ascii(here()) + ", which looks around or names");
            return 0;
        }
        if (depth == kMaxDepth) {
            refuse("more than " + std::to_string(kMaxDepth) + " open groups");
            return 0;
        }
        const ExpressionId inner = alternatives(depth + 1);
        if (!failed() && !take(')')) {
            refuse(at_ < text_.size() ? "^ or $ inside of it" : "a ( that is never closed");
        }
        return inner;
    }

    std::optional<int> number() {
        int value = 0;
        const char* const first = text_.data() + at_;
        const auto [end, wrong] = std::from_chars(first, text_.data() + text_.size(), value);
        if (wrong != std::errc() || end == first || here() == '-') {
            return std::nullopt;
        }
        at_ += static_cast<std::size_t>(end - first);
        if (value > Grammar::kMaxRepeats) {
            refuse("more than " + std::to_string(Grammar::kMaxRepeats) + " repetitions");
        }
        return value;
    }

    ExpressionId repeated(ExpressionId part) {
        if (failed()) {
            return part;
        }
        int least = 1;
        int most = 1;
        if (take('*')) {
            least = 0;
            most = -1;
        } else if (take('+')) {
            most = -1;
        } else if (take('?')) {
            least = 0;
        } else if (take('{')) {
            const std::optional<int> from = number();
            std::optional<int> to = from;
            if (take(',')) {
                to = here() == '}' ? std::optional(-1) : number();
            }
            if (!failed() && (!from || !to || !take('}') || (*to >= 0 && *to < *from))) {
                refuse("a { that is no repetition");
            }
            if (failed()) {
                return part;
            }
            least = *from;
            most = *to;
        } else {
            return part;
        }
        take('?');  // lazy: the same strings match
        if (here() == '*' || here() == '+' || here() == '?' || here() == '{') {
            refuse("a repetition of a repetition");
            return part;
        }
        return grammar_.repeat(part, least, most);
    }

    std::uint32_t hex(std::size_t count) {
        std::uint32_t value = 0;
        const std::string_view digits = text_.substr(std::min(at_, text_.size()), count);
        const auto [end, wrong] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (wrong != std::errc() || digits.size() < count || end != digits.data() + count ||
            (value >= 0xD800 && value <= 0xDFFF)) {
            refuse("an escape that is no character");
            return 0;
        }
        at_ += count;
        return value;
    }

    // A character or a class: what may stand in a set, too.
    CodePoints one() {
        if (here() != '\\') {
            const Utf8Step step = utf8_step(text_, at_);
            const std::uint32_t c = decoded(text_.substr(at_, step.bytes));
            at_ += step.bytes;
            return code_points({{c, c}});
        }
        ++at_;
        const char c = here();
        at_ += at_ < text_.size() ? 1 : 0;
        const auto just = [](std::uint32_t character) {
            return code_points({{character, character}});
        };
        switch (c) {
            case 'd':
            case 'w':
            case 's':
                return class_of(c);
            case 'D':
            case 'W':
            case 'S':
                return all_but(class_of(c));
            case 'n':
                return just('\n');
            case 'r':
                return just('\r');
            case 't':
                return just('\t');
            case 'f':
                return just('\f');
            case 'v':
                return just('\v');
            case 'x':
                return just(hex(2));
            case 'u':
                return just(hex(4));
            default:
                break;
        }
        const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || static_cast<std::uint8_t>(c) >= 0x80;
        if (is_word || c == '\0') {
            refuse(c == '\0' ? std::string("a \\ at its end")
                             : std::string("\\").append(shown_ascii(c)));
            return {};
        }
        return just(static_cast<std::uint32_t>(c));
    }

    CodePoints set() {
        ++at_;
        const bool negated = take('^');
        std::vector<CodePointRange> ranges;
        while (!failed() && here() != ']') {
            if (at_ >= text_.size()) {
                refuse("a [ that is never closed");
                return {};
            }
            if (text_.substr(at_).starts_with("\\b")) {
                refuse("\\b");
                return {};
            }
            CodePoints first = one();
            if (here() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
                ++at_;
                const CodePoints last = one();
                const auto single = [](const CodePoints& set) {
                    return set.size() == 1 && set[0].first == set[0].last;
                };
                if (failed() || !single(first) || !single(last) || last[0].first < first[0].first) {
                    refuse("a range without order in a set");
                    return {};
                }
                first = code_points({{first[0].first, last[0].last}});
            }
            ranges.insert(ranges.end(), first.begin(), first.end());
        }
        ++at_;
        CodePoints chars = code_points(ranges);
        chars = negated ? all_but(chars) : chars;
        if (chars.empty() && !failed()) {
            refuse("a set that no character is in");
        }
        return chars;
    }

    Grammar& grammar_;
    JsonForms& forms_;
    std::string_view text_;
    std::size_t at_ = 0;
    std::optional<PatternRefused> refused_;
};

}  // namespace

std::variant<ExpressionId, PatternRefused> pattern_string(Grammar& grammar, JsonForms& forms,
                                                          std::string_view pattern) {
    return PatternParser(grammar, forms, pattern).parse();
}

}  // namespace hearth
