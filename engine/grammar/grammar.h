// A context-free grammar over Unicode text, as GBNF and JSON schemas are read into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/code_points.h"

namespace hearth {

using ExpressionId = std::int32_t;
using RuleId = std::int32_t;

struct Expression {
    enum class Kind : std::uint8_t {
        Text,      // these bytes
        Chars,     // one character of a set
        Sequence,  // all parts, in order; none: the empty text
        Choice,    // one of the parts; none: nothing matches
        Repeat,    // the one part, at least `least` times
        Rule,      // text of a rule
    };
    Kind kind = Kind::Sequence;
    std::string text{};
    CodePoints chars{};
    std::vector<ExpressionId> parts{};
    int least = 0;
    int most = -1;  // -1: no end
    RuleId rule = -1;
};

class Grammar {
public:
    // More expressions than this are refused by compile().
    static constexpr std::size_t kMaxExpressions = 1 << 18;
    static constexpr int kMaxRepeats = 100000;

    struct Rule {
        std::string name;
        ExpressionId body = -1;  // -1: not defined yet
    };

    ExpressionId text(std::string_view bytes);
    ExpressionId chars(CodePoints set);
    ExpressionId sequence(std::vector<ExpressionId> parts);
    ExpressionId choice(std::vector<ExpressionId> parts);
    // Preconditions: 0 <= least, most is -1 or at least `least`.
    ExpressionId repeat(ExpressionId part, int least, int most);
    ExpressionId maybe(ExpressionId part) { return repeat(part, 0, 1); }
    ExpressionId call(RuleId rule);
    RuleId add_rule(std::string name);
    void define(RuleId rule, ExpressionId body) {
        rules_[static_cast<std::size_t>(rule)].body = body;
    }

    // Takes over another grammar. Returns the rule that its root is now.
    RuleId append(const Grammar& other);

    const Expression& operator[](ExpressionId id) const {
        return expressions_[static_cast<std::size_t>(id)];
    }
    const std::vector<Rule>& rules() const { return rules_; }
    std::size_t size() const { return expressions_.size(); }
    RuleId root = -1;

private:
    ExpressionId add(Expression expression);
    std::vector<Expression> expressions_;
    std::vector<Rule> rules_;
};

}  // namespace hearth
