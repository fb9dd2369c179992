#include "grammar/gbnf.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grammar/text_place.h"
#include "text/utf8.h"

namespace hearth {
namespace {

bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

class Parser {
public:
    Parser(std::string_view text, std::span<const NamedGrammar> named)
        : text_(text), named_(named) {}

    Result<Grammar> parse() {
        if (text_.size() > kMaxGrammarBytes) {
            return Error{ErrorCode::InvalidArgument,
                         "grammar: has " + std::to_string(text_.size()) + " bytes, at most " +
                             std::to_string(kMaxGrammarBytes) + " are possible",
                         {},
                         "grammar"};
        }
        skip_space(true);
        while (!failed() && at_ < text_.size()) {
            rule();
            skip_space(true);
        }
        if (!failed()) {
            check_rules();
        }
        if (error_) {
            return std::move(*error_);
        }
        return std::move(grammar_);
    }

private:
    bool failed() const { return error_.has_value(); }
    bool ends() const { return at_ >= text_.size(); }
    char here() const { return ends() ? '\0' : text_[at_]; }

    void fail(std::size_t at, const std::string& message) {
        if (!error_) {
            error_ = Error{ErrorCode::InvalidArgument,
                           "grammar: " + place_in(text_, at) + ": " + message,
                           {},
                           "grammar"};
        }
        at_ = text_.size();
    }

    // Spaces and comments; line ends only if lines do not count.
    void skip_space(bool lines) {
        while (!ends()) {
            const char c = here();
            if (c == '#') {
                while (!ends() && here() != '\n' && here() != '\r') {
                    ++at_;
                }
            } else if (c == ' ' || c == '\t' || (lines && (c == '\n' || c == '\r'))) {
                ++at_;
            } else {
                return;
            }
        }
    }

    std::string name() {
        const std::size_t start = at_;
        while (is_name_char(here())) {
            ++at_;
        }
        return std::string(text_.substr(start, at_ - start));
    }

    RuleId rule_named(const std::string& rule_name, std::size_t at) {
        const auto found = rules_.find(rule_name);
        if (found != rules_.end()) {
            return found->second;
        }
        if (rules_.size() == kMaxGrammarRules) {
            fail(at, "more than " + std::to_string(kMaxGrammarRules) + " rules");
        }
        const auto known = std::find_if(named_.begin(), named_.end(), [&](const NamedGrammar& one) {
            return one.name == rule_name;
        });
        const RuleId id =
            known != named_.end() ? grammar_.append(known->grammar) : grammar_.add_rule(rule_name);
        rules_.emplace(rule_name, id);
        first_seen_.resize(grammar_.rules().size(), at);
        return id;
    }

    void rule() {
        const std::size_t start = at_;
        const std::string rule_name = name();
        if (rule_name.empty()) {
            fail(start, "a rule's name is missing");
            return;
        }
        skip_space(false);
        if (!text_.substr(at_).starts_with("::=")) {
            fail(at_, "::= is missing after \"" + shown_text(rule_name) + "\"");
            return;
        }
        at_ += 3;
        skip_space(true);
        const RuleId id = rule_named(rule_name, start);
        if (!failed() && grammar_.rules()[static_cast<std::size_t>(id)].body >= 0) {
            fail(start, "rule \"" + shown_text(rule_name) + "\" stands twice");
            return;
        }
        const ExpressionId body = alternatives(0);
        if (failed()) {
            return;
        }
        grammar_.define(id, body);
        if (!ends() && here() != '\n' && here() != '\r') {
            fail(at_, here() == ')'
                          ? "a ) without its ("
                          : std::string("\"") + shown_here() + "\" is not part of a rule");
        }
    }

    std::string shown_here() const {
        const Utf8Step step = utf8_step(text_, at_);
        return step.kind == Utf8Step::Kind::Valid ? shown_text(text_.substr(at_, step.bytes)) : "?";
    }

    ExpressionId alternatives(int depth) {
        std::vector<ExpressionId> parts{sequence(depth)};
        while (!failed()) {
            // A | at the beginning of the next line goes on with the rule.
            std::size_t next = at_;
            std::swap(next, at_);
            skip_space(true);
            std::swap(next, at_);
            if (next >= text_.size() || text_[next] != '|') {
                break;
            }
            at_ = next + 1;
            skip_space(true);
            parts.push_back(sequence(depth));
        }
        return failed() ? 0 : grammar_.choice(std::move(parts));
    }

    ExpressionId sequence(int depth) {
        std::vector<ExpressionId> parts;
        while (!failed()) {
            skip_space(depth > 0);
            const std::size_t start = at_;
            const char c = here();
            ExpressionId one = 0;
            if (c == '"') {
                one = literal();
            } else if (c == '[') {
                one = set();
            } else if (c == '.') {
                ++at_;
                one = grammar_.chars(all_but({}));
            } else if (c == '(') {
                one = group(depth);
            } else if (is_name_char(c)) {
                const std::string called = name();
                one = grammar_.call(rule_named(called, start));
            } else if (c == '<' || c == '!') {
                fail(start, "tokens (<...>) cannot be named in a grammar here");
            } else if (c == '*' || c == '+' || c == '?' || c == '{') {
                fail(start, std::string(1, c) + " has nothing before it to repeat");
            } else {
                break;
            }
            if (!failed()) {
                parts.push_back(repeated(one, depth));
            }
            if (grammar_.size() > Grammar::kMaxExpressions) {
                fail(start,
                     "more than " + std::to_string(Grammar::kMaxExpressions) + " expressions");
            }
        }
        return failed() ? 0 : grammar_.sequence(std::move(parts));
    }

    ExpressionId group(int depth) {
        const std::size_t start = at_;
        if (depth == kMaxGroupDepth) {
            fail(start, "more than " + std::to_string(kMaxGroupDepth) + " open parentheses");
            return 0;
        }
        ++at_;
        const ExpressionId inner = alternatives(depth + 1);
        if (failed()) {
            return 0;
        }
        skip_space(true);
        if (here() != ')') {
            fail(start, "this ( is never closed");
            return 0;
        }
        ++at_;
        return inner;
    }

    ExpressionId repeated(ExpressionId one, int depth) {
        int times = 0;
        while (!failed()) {
            skip_space(depth > 0);
            const char c = here();
            if (c != '*' && c != '+' && c != '?' && c != '{') {
                break;
            }
            if (++times > kMaxGroupDepth) {
                fail(at_, "more than " + std::to_string(kMaxGroupDepth) + " repetitions of one");
                break;
            }
            if (c == '{') {
                one = counted(one);
            } else {
                ++at_;
                one = grammar_.repeat(one, c == '+' ? 1 : 0, c == '?' ? 1 : -1);
            }
        }
        return one;
    }

    std::optional<int> number() {
        const std::size_t start = at_;
        int value = 0;
        while (here() >= '0' && here() <= '9') {
            value = value * 10 + (here() - '0');
            if (value > Grammar::kMaxRepeats) {
                fail(start, "more than " + std::to_string(Grammar::kMaxRepeats) + " repetitions");
                return std::nullopt;
            }
            ++at_;
        }
        return at_ > start ? std::optional(value) : std::nullopt;
    }

    ExpressionId counted(ExpressionId one) {
        const std::size_t start = at_++;
        skip_space(false);
        const std::optional<int> least = number();
        skip_space(false);
        std::optional<int> most = least;
        bool open = false;
        if (here() == ',') {
            ++at_;
            skip_space(false);
            most = number();
            open = !most;
            skip_space(false);
        }
        if (failed()) {
            return 0;
        }
        if (here() != '}' || (!least && !most)) {
            fail(start, "{ wants numbers: {n}, {n,}, {,m} or {n,m}");
            return 0;
        }
        ++at_;
        if (!open && *most < least.value_or(0)) {
            fail(start, "at least " + std::to_string(*least) + " and at most " +
                            std::to_string(*most) + " repetitions");
            return 0;
        }
        return grammar_.repeat(one, least.value_or(0), open ? -1 : *most);
    }

    // One character of a literal or a set, which may be escaped.
    std::uint32_t character() {
        const std::size_t start = at_;
        if (here() != '\\') {
            const Utf8Step step = utf8_step(text_, at_);
            if (step.kind != Utf8Step::Kind::Valid) {
                fail(start, "bytes that are not UTF-8");
                return 0;
            }
            at_ += step.bytes;
            return decoded(text_.substr(start, step.bytes));
        }
        ++at_;
        const char c = here();
        at_ += ends() ? 0 : 1;
        switch (c) {
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'x':
                return hex(2, start);
            case 'u':
                return hex(4, start);
            case 'U':
                return hex(8, start);
            case '\\':
            case '"':
            case '[':
            case ']':
            case '-':
            case '^':
                return static_cast<std::uint32_t>(c);
            default:
                fail(start, "an unknown escape");
                return 0;
        }
    }

    std::uint32_t hex(int digits, std::size_t start) {
        std::uint32_t value = 0;
        for (int i = 0; i < digits; ++i) {
            const int digit = hex_digit(here());
            if (ends() || digit < 0) {
                fail(start, "this escape wants " + std::to_string(digits) + " hexadecimal digits");
                return 0;
            }
            value = value << 4 | static_cast<std::uint32_t>(digit);
            ++at_;
        }
        if (value > kLastCodePoint || (value >= 0xD800 && value <= 0xDFFF)) {
            fail(start, "this escape is no character");
        }
        return value;
    }

    ExpressionId literal() {
        const std::size_t start = at_++;
        std::string bytes;
        while (!failed() && here() != '"') {
            if (ends() || here() == '\n' || here() == '\r') {
                fail(start, "this \" is never closed");
                return 0;
            }
            const std::uint32_t one = character();
            if (!failed()) {
                append_utf8(bytes, one);
            }
        }
        ++at_;
        return failed() ? 0 : grammar_.text(bytes);
    }

    ExpressionId set() {
        const std::size_t start = at_++;
        const bool negated = here() == '^';
        at_ += negated ? 1 : 0;
        std::vector<CodePointRange> ranges;
        while (!failed() && here() != ']') {
            if (ends() || here() == '\n' || here() == '\r') {
                fail(start, "this [ is never closed");
                return 0;
            }
            const std::size_t first_at = at_;
            const std::uint32_t first = character();
            std::uint32_t last = first;
            if (here() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
                ++at_;
                last = character();
                if (!failed() && last < first) {
                    fail(first_at, "the end of this range stands before its beginning");
                }
            }
            ranges.push_back({first, last});
        }
        ++at_;
        if (failed()) {
            return 0;
        }
        CodePoints chars = code_points(ranges);
        chars = negated ? all_but(chars) : chars;
        if (chars.empty()) {
            fail(start, "no character is in this set");
            return 0;
        }
        return grammar_.chars(std::move(chars));
    }

    void check_rules() {
        for (std::size_t i = 0; i < grammar_.rules().size(); ++i) {
            if (grammar_.rules()[i].body < 0) {
                fail(first_seen_[i],
                     "rule \"" + shown_text(grammar_.rules()[i].name) + "\" is not defined");
                return;
            }
        }
        const auto root = rules_.find("root");
        if (root == rules_.end()) {
            fail(text_.size(), "rule \"root\" is missing");
            return;
        }
        grammar_.root = root->second;
    }

    std::string_view text_;
    std::span<const NamedGrammar> named_;
    std::size_t at_ = 0;
    Grammar grammar_;
    std::map<std::string, RuleId> rules_;
    std::vector<std::size_t> first_seen_;  // by rule: byte in the text
    std::optional<Error> error_;
};

}  // namespace

Result<Grammar> parse_gbnf(std::string_view text, std::span<const NamedGrammar> named) {
    return Parser(text, named).parse();
}

}  // namespace hearth
