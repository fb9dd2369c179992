// Reads tokens into a TemplateProgram. The grammar is jinja2's; the extensions are those that
// transformers turns on: loop controls and generation blocks.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/lexer.h"
#include "text/jinja/program.h"

namespace hearth::jinja {

class TemplateParser {
public:
    TemplateParser(TemplateProgram& program, std::vector<Token>&& tokens);
    std::optional<Failure> run();

private:
    // Statements (parser_statements.cpp). Ends before a block that begins with one of the words.
    Nodes body(std::initializer_list<std::string_view> ends);
    // As body(), and past the end of the block that stops it, which may be `end` alone.
    Nodes body_until(std::string_view end);
    const Node* statement();
    const Node* if_statement();
    const Node* for_statement();
    const Node* set_statement();
    const Node* macro_statement();
    const Node* call_statement();
    const Node* filter_statement();
    const Node* with_statement();
    const Node* generation_statement();
    void print_statement(Nodes& out);
    void signature(Node& node);
    const Node* assignment_target(bool with_namespace, bool ends_at_in);

    // Expressions (parser_expressions.cpp).
    const Node* expression() { return conditional(); }
    const Node* conditional();
    const Node* disjunction();
    const Node* conjunction();
    const Node* negation();
    const Node* comparison();
    const Node* sum();
    const Node* concatenation();
    const Node* product();
    const Node* power();
    const Node* unary(bool with_filters);
    const Node* primary(bool with_namespace);
    // A tuple without brackets is made of these; a single one without a comma is no tuple.
    enum class TupleOf { Expressions, NoConditionals, Targets, NamespaceTargets };
    const Node* tuple(TupleOf of, bool in_parentheses, std::string_view end_word);
    bool ends_tuple(std::string_view end_word) const;
    const Node* list();
    const Node* dict();
    const Node* postfix(const Node* node);
    const Node* filters(const Node* node);
    const Node* subscript(const Node* node);
    const Node* subscribed();
    const Node* filter(const Node* node);
    const Node* test(const Node* node);
    void call_arguments(Node& call);

    const Token& current() const { return tokens_[at_]; }
    const Token& next() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
    void advance() { at_ += at_ + 1 < tokens_.size() ? 1 : 0; }
    bool skip_name(std::string_view name);
    bool skip_operator(std::string_view op);
    void expect_operator(std::string_view op);
    void expect_name(std::string_view name);
    std::string any_name();
    void expect(TokenKind kind, std::string_view what);
    void fail(std::string message, Failure::ValueKind kind = Failure::ValueKind::Syntax);
    bool failed() const { return failure_.has_value(); }

    Node& make(NodeKind kind);
    // Sets the node's depth from what stands below it; a failure if that is too deep.
    const Node* finish(Node& node);
    Value literal(std::string_view text);
    // Null, and a failure, where brackets or blocks stand too deep inside each other.
    class Nesting;

    TemplateProgram& program_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int nesting_ = 0;
    int loops_ = 0;      // around the statement, inside the same macro
    bool soft_ = false;  // an unknown filter fails only when it is run, as in jinja2
    std::optional<Failure> failure_;
    Node nothing_;  // stands for what could not be read
};

}  // namespace hearth::jinja
