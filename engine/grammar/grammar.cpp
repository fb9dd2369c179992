#include "grammar/grammar.h"

#include <utility>

namespace hearth {

ExpressionId Grammar::add(Expression expression) {
    expressions_.push_back(std::move(expression));
    return static_cast<ExpressionId>(expressions_.size() - 1);
}

ExpressionId Grammar::text(std::string_view bytes) {
    return add({.kind = Expression::Kind::Text, .text = std::string(bytes)});
}

ExpressionId Grammar::chars(CodePoints set) {
    return add({.kind = Expression::Kind::Chars, .chars = std::move(set)});
}

ExpressionId Grammar::sequence(std::vector<ExpressionId> parts) {
    return parts.size() == 1 ? parts[0]
                             : add({.kind = Expression::Kind::Sequence, .parts = std::move(parts)});
}

ExpressionId Grammar::choice(std::vector<ExpressionId> parts) {
    return parts.size() == 1 ? parts[0]
                             : add({.kind = Expression::Kind::Choice, .parts = std::move(parts)});
}

ExpressionId Grammar::repeat(ExpressionId part, int least, int most) {
    return add({.kind = Expression::Kind::Repeat, .parts = {part}, .least = least, .most = most});
}

ExpressionId Grammar::call(RuleId rule) {
    return add({.kind = Expression::Kind::Rule, .rule = rule});
}

RuleId Grammar::append(const Grammar& other) {
    const auto first = static_cast<ExpressionId>(expressions_.size());
    const auto first_rule = static_cast<RuleId>(rules_.size());
    for (Expression expression : other.expressions_) {
        for (ExpressionId& part : expression.parts) {
            part += first;
        }
        expression.rule += expression.rule >= 0 ? first_rule : 0;
        expressions_.push_back(std::move(expression));
    }
    for (const Rule& rule : other.rules_) {
        rules_.push_back({rule.name, rule.body + (rule.body >= 0 ? first : 0)});
    }
    return other.root + first_rule;
}

RuleId Grammar::add_rule(std::string name) {
    rules_.push_back({std::move(name)});
    return static_cast<RuleId>(rules_.size() - 1);
}

}  // namespace hearth
