#include <array>
#include <utility>

#include "text/jinja/library.h"
#include "text/jinja/parser.h"
#include "text/jinja/parser_nesting.h"
#include "text/quoted.h"

namespace hearth::jinja {

const Node* TemplateParser::conditional() {
    const Nesting nesting(*this);
    if (failed()) {
        return &nothing_;
    }
    const Node* left = disjunction();
    while (!failed() && skip_name("if")) {
        Node& node = make(NodeKind::Conditional);
        const bool was_soft = std::exchange(soft_, true);
        const Node* condition = disjunction();
        const Node* other = skip_name("else") ? conditional() : nullptr;
        soft_ = was_soft;
        node.parts = {left, condition, other};
        left = finish(node);
    }
    return left;
}

const Node* TemplateParser::disjunction() {
    const Node* left = conjunction();
    if (!current().is_name("or")) {
        return left;
    }
    Node& node = make(NodeKind::Or);
    node.parts.push_back(left);
    while (!failed() && skip_name("or")) {
        node.parts.push_back(conjunction());
    }
    return finish(node);
}

const Node* TemplateParser::conjunction() {
    const Node* left = negation();
    if (!current().is_name("and")) {
        return left;
    }
    Node& node = make(NodeKind::And);
    node.parts.push_back(left);
    while (!failed() && skip_name("and")) {
        node.parts.push_back(negation());
    }
    return finish(node);
}

const Node* TemplateParser::negation() {
    if (!current().is_name("not")) {
        return comparison();
    }
    const Nesting nesting(*this);
    if (failed()) {
        return &nothing_;
    }
    Node& node = make(NodeKind::Not);
    advance();
    node.parts = {negation()};
    return finish(node);
}

const Node* TemplateParser::comparison() {
    constexpr std::array<std::pair<std::string_view, Operator>, 6> kOperators = {{
        {"==", Operator::Equal},
        {"!=", Operator::NotEqual},
        {"<", Operator::Less},
        {"<=", Operator::LessOrEqual},
        {">", Operator::Greater},
        {">=", Operator::GreaterOrEqual},
    }};
    const Node* left = sum();
    Node* node = nullptr;
    while (!failed()) {
        std::optional<Operator> op;
        for (const auto& [spelled, meant] : kOperators) {
            if (current().is_operator(spelled)) {
                op = meant;
            }
        }
        if (op) {
            advance();
        } else if (skip_name("in")) {
            op = Operator::In;
        } else if (current().is_name("not") && next().is_name("in")) {
            advance();
            advance();
            op = Operator::NotIn;
        } else {
            break;
        }
        if (node == nullptr) {
            node = &make(NodeKind::Compare);
            node->parts.push_back(left);
        }
        node->ops.push_back(*op);
        node->parts.push_back(sum());
    }
    return node == nullptr ? left : finish(*node);
}

const Node* TemplateParser::sum() {
    const Node* left = concatenation();
    while (!failed() && (current().is_operator("+") || current().is_operator("-"))) {
        Node& node = make(NodeKind::Binary);
        node.op = current().text == "+" ? Operator::Add : Operator::Subtract;
        advance();
        node.parts = {left, concatenation()};
        left = finish(node);
    }
    return left;
}

const Node* TemplateParser::concatenation() {
    const Node* left = product();
    if (!current().is_operator("~")) {
        return left;
    }
    Node& node = make(NodeKind::Concat);
    node.parts.push_back(left);
    while (!failed() && skip_operator("~")) {
        node.parts.push_back(product());
    }
    return finish(node);
}

const Node* TemplateParser::product() {
    const Node* left = power();
    while (!failed()) {
        Operator op{};
        if (current().is_operator("*")) {
            op = Operator::Multiply;
        } else if (current().is_operator("/")) {
            op = Operator::Divide;
        } else if (current().is_operator("//")) {
            op = Operator::FloorDivide;
        } else if (current().is_operator("%")) {
            op = Operator::Modulo;
        } else {
            break;
        }
        Node& node = make(NodeKind::Binary);
        node.op = op;
        advance();
        node.parts = {left, power()};
        left = finish(node);
    }
    return left;
}

const Node* TemplateParser::power() {
    const Node* left = unary(true);
    while (!failed() && current().is_operator("**")) {
        Node& node = make(NodeKind::Binary);
        node.op = Operator::Power;
        advance();
        node.parts = {left, unary(true)};
        left = finish(node);
    }
    return left;
}

const Node* TemplateParser::unary(bool with_filters) {
    const Node* node = nullptr;
    if (current().is_operator("-") || current().is_operator("+")) {
        const Nesting nesting(*this);
        if (failed()) {
            return &nothing_;
        }
        Node& sign = make(current().text == "-" ? NodeKind::Negative : NodeKind::Positive);
        advance();
        sign.parts = {unary(false)};
        node = finish(sign);
    } else {
        node = primary(false);
    }
    node = postfix(node);
    return with_filters ? filters(node) : node;
}

const Node* TemplateParser::primary(bool with_namespace) {
    const Token& token = current();
    switch (token.kind) {
        case TokenKind::Name: {
            const std::string name = token.text;
            if (name == "true" || name == "True" || name == "false" || name == "False") {
                Node& node = make(NodeKind::Literal);
                node.value = Value::of(name == "true" || name == "True");
                advance();
                return finish(node);
            }
            if (name == "none" || name == "None") {
                Node& node = make(NodeKind::Literal);
                node.value = Value::none();
                advance();
                return finish(node);
            }
            Node& node = make(NodeKind::Name);
            node.name = program_.intern(name);
            advance();
            if (with_namespace && skip_operator(".")) {
                Node& item = make(NodeKind::NamespaceItem);
                item.name = program_.intern(any_name());
                item.parts = {finish(node)};
                return finish(item);
            }
            return finish(node);
        }
        case TokenKind::String: {
            Node& node = make(NodeKind::Literal);
            std::string joined;
            while (current().kind == TokenKind::String) {
                joined += current().text;
                advance();
            }
            node.value = literal(joined);
            return finish(node);
        }
        case TokenKind::Integer: {
            Node& node = make(NodeKind::Literal);
            node.value = Value::of(token.integer);
            advance();
            return finish(node);
        }
        case TokenKind::Float: {
            Node& node = make(NodeKind::Literal);
            node.value = Value::of(token.real);
            advance();
            return finish(node);
        }
        default:
            break;
    }
    if (skip_operator("(")) {
        const Node* inside = tuple(TupleOf::Expressions, true, {});
        expect_operator(")");
        return inside;
    }
    if (token.is_operator("[")) {
        return list();
    }
    if (token.is_operator("{")) {
        return dict();
    }
    fail(token.kind == TokenKind::End ? "an expression is cut short"
                                      : "unexpected " + in_quotes(token.text));
    return &nothing_;
}

bool TemplateParser::ends_tuple(std::string_view end_word) const {
    const TokenKind kind = current().kind;
    return kind == TokenKind::VariableEnd || kind == TokenKind::BlockEnd ||
           current().is_operator(")") || (!end_word.empty() && current().is_name(end_word));
}

const Node* TemplateParser::tuple(TupleOf of, bool in_parentheses, std::string_view end_word) {
    Node& node = make(NodeKind::Tuple);
    bool is_tuple = false;
    while (!failed()) {
        if (!node.parts.empty()) {
            expect_operator(",");
        }
        if (ends_tuple(end_word)) {
            break;
        }
        switch (of) {
            case TupleOf::Expressions:
                node.parts.push_back(conditional());
                break;
            case TupleOf::NoConditionals:
                node.parts.push_back(disjunction());
                break;
            case TupleOf::Targets:
            case TupleOf::NamespaceTargets:
                node.parts.push_back(primary(of == TupleOf::NamespaceTargets));
                break;
        }
        if (!current().is_operator(",")) {
            break;
        }
        is_tuple = true;
    }
    if (!is_tuple) {
        if (!node.parts.empty()) {
            return node.parts.front();
        }
        if (!in_parentheses) {
            fail("an expression is missing before " + in_quotes(current().text));
        }
    }
    return finish(node);
}

const Node* TemplateParser::list() {
    Node& node = make(NodeKind::List);
    expect_operator("[");
    while (!failed() && !current().is_operator("]")) {
        if (!node.parts.empty()) {
            expect_operator(",");
        }
        if (current().is_operator("]")) {
            break;
        }
        node.parts.push_back(expression());
    }
    expect_operator("]");
    return finish(node);
}

const Node* TemplateParser::dict() {
    Node& node = make(NodeKind::Dict);
    expect_operator("{");
    while (!failed() && !current().is_operator("}")) {
        if (!node.parts.empty()) {
            expect_operator(",");
        }
        if (current().is_operator("}")) {
            break;
        }
        node.parts.push_back(expression());
        expect_operator(":");
        node.parts.push_back(expression());
    }
    expect_operator("}");
    return finish(node);
}

const Node* TemplateParser::postfix(const Node* node) {
    while (!failed()) {
        if (current().is_operator(".") || current().is_operator("[")) {
            node = subscript(node);
        } else if (current().is_operator("(")) {
            Node& call = make(NodeKind::Call);
            call.parts.push_back(node);
            call_arguments(call);
            node = finish(call);
        } else {
            break;
        }
    }
    return node;
}

const Node* TemplateParser::filters(const Node* node) {
    while (!failed()) {
        if (skip_operator("|")) {
            node = filter(node);
        } else if (current().is_name("is")) {
            node = test(node);
        } else if (current().is_operator("(")) {
            Node& call = make(NodeKind::Call);
            call.parts.push_back(node);
            call_arguments(call);
            node = finish(call);
        } else {
            break;
        }
    }
    return node;
}

const Node* TemplateParser::subscript(const Node* node) {
    if (skip_operator(".")) {
        if (current().kind == TokenKind::Name) {
            Node& attribute = make(NodeKind::Attribute);
            attribute.name = program_.intern(current().text);
            attribute.value = literal(current().text);
            attribute.parts = {node};
            advance();
            return finish(attribute);
        }
        Node& item = make(NodeKind::Item);
        Node& index = make(NodeKind::Literal);
        index.value = Value::of(current().integer);
        if (current().kind != TokenKind::Integer) {
            fail("a name or a number must follow a dot");
        }
        advance();
        item.parts = {node, finish(index)};
        return finish(item);
    }
    Node& item = make(NodeKind::Item);
    expect_operator("[");
    Node& several = make(NodeKind::Tuple);
    while (!failed() && !current().is_operator("]")) {
        if (!several.parts.empty()) {
            expect_operator(",");
        }
        several.parts.push_back(subscribed());
    }
    expect_operator("]");
    item.parts = {node, several.parts.size() == 1 ? several.parts.front() : finish(several)};
    return finish(item);
}

const Node* TemplateParser::subscribed() {
    Node& slice = make(NodeKind::Slice);
    if (!current().is_operator(":")) {
        const Node* start = expression();
        if (!current().is_operator(":")) {
            return start;
        }
        slice.parts.push_back(start);
    } else {
        slice.parts.push_back(nullptr);
    }
    advance();
    for (int part = 0; part < 2; ++part) {
        if (part == 1 && !skip_operator(":")) {
            slice.parts.push_back(nullptr);
            break;
        }
        const bool is_left_out =
            current().is_operator(":") || current().is_operator("]") || current().is_operator(",");
        slice.parts.push_back(is_left_out ? nullptr : expression());
    }
    return finish(slice);
}

const Node* TemplateParser::filter(const Node* node) {
    Node& filter = make(NodeKind::Filter);
    std::string name = any_name();
    while (!failed() && skip_operator(".")) {
        name += '.';
        name += any_name();
    }
    filter.name = program_.intern(name);
    filter.filter = find_filter(name);
    if (filter.filter == nullptr && !soft_) {
        fail("there is no filter " + in_quotes(name));
    }
    filter.parts.push_back(node);
    if (current().is_operator("(")) {
        call_arguments(filter);
    }
    return finish(filter);
}

const Node* TemplateParser::test(const Node* node) {
    Node& test = make(NodeKind::Test);
    advance();  // past "is"
    const bool negated = skip_name("not");
    std::string name = any_name();
    while (!failed() && skip_operator(".")) {
        name += '.';
        name += any_name();
    }
    test.name = program_.intern(name);
    test.test = find_test(name);
    if (test.test == nullptr && !soft_) {
        fail("there is no test " + in_quotes(name));
    }
    test.parts.push_back(node);
    const Token& token = current();
    if (token.is_operator("(")) {
        call_arguments(test);
    } else if ((token.kind == TokenKind::Name || token.kind == TokenKind::String ||
                token.kind == TokenKind::Integer || token.kind == TokenKind::Float ||
                token.is_operator("[") || token.is_operator("{")) &&
               !token.is_name("else") && !token.is_name("or") && !token.is_name("and")) {
        if (token.is_name("is")) {
            fail("tests cannot follow each other");
        }
        test.parts.push_back(postfix(primary(false)));
    }
    const Node* whole = finish(test);
    if (!negated) {
        return whole;
    }
    Node& inverse = make(NodeKind::Not);
    inverse.parts = {whole};
    return finish(inverse);
}

void TemplateParser::call_arguments(Node& call) {
    const Nesting nesting(*this);
    expect_operator("(");
    bool is_first = true;
    while (!failed() && !current().is_operator(")")) {
        if (!is_first) {
            expect_operator(",");
            if (current().is_operator(")")) {
                break;
            }
        }
        is_first = false;
        bool fits = true;
        if (skip_operator("*")) {
            fits = call.rest == nullptr && call.rest_keywords == nullptr;
            call.rest = expression();
        } else if (skip_operator("**")) {
            fits = call.rest_keywords == nullptr;
            call.rest_keywords = expression();
        } else if (current().kind == TokenKind::Name && next().is_operator("=")) {
            fits = call.rest_keywords == nullptr;
            std::string name = current().text;
            for (const KeywordArgument& other : call.keywords) {
                fits = fits && other.name != name;
            }
            advance();
            advance();
            call.keywords.push_back({std::move(name), expression()});
        } else {
            fits = call.rest == nullptr && call.rest_keywords == nullptr && call.keywords.empty();
            call.parts.push_back(expression());
        }
        if (!fits) {
            fail("the arguments of a call stand in an order that is not allowed");
        }
    }
    expect_operator(")");
}

}  // namespace hearth::jinja
