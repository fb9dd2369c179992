#include <algorithm>
#include <array>
#include <utility>

#include "text/jinja/library.h"
#include "text/jinja/parser.h"
#include "text/jinja/parser_nesting.h"
#include "text/jinja/unicode.h"
#include "text/quoted.h"

namespace hearth::jinja {
namespace {

// Evaluating a tree this deep takes some 200 KiB of stack.
constexpr int kMaxDepth = 250;

}  // namespace

TemplateParser::TemplateParser(TemplateProgram& program, std::vector<Token>&& tokens)
    : program_(program), tokens_(std::move(tokens)) {}

std::optional<Failure> TemplateParser::run() {
    program_.body_ = body({});
    if (!failed() && current().kind != TokenKind::End) {
        fail("unexpected " + in_quotes(current().text));
    }
    return failure_;
}

void TemplateParser::fail(std::string message, Failure::ValueKind kind) {
    if (!failure_) {
        failure_ = Failure{kind, std::move(message), current().line};
    }
}

Node& TemplateParser::make(NodeKind kind) {
    Node& node = program_.nodes_.emplace_back();
    node.kind = kind;
    node.line = current().line;
    return node;
}

const Node* TemplateParser::finish(Node& node) {
    int deepest = 0;
    node.is_constant = node.kind < NodeKind::Data && node.kind != NodeKind::Name &&
                       node.kind != NodeKind::Call && node.kind != NodeKind::Test &&
                       node.rest == nullptr && node.rest_keywords == nullptr;
    const auto look = [&](const Node* child) {
        if (child != nullptr) {
            node.is_constant = node.is_constant && child->is_constant;
            deepest = std::max(deepest, child->depth);
        }
    };
    std::for_each(node.parts.begin(), node.parts.end(), look);
    for (const KeywordArgument& keyword : node.keywords) {
        look(keyword.value);
    }
    look(node.rest);
    look(node.rest_keywords);
    for (const Parameter& parameter : node.parameters) {
        look(parameter.fallback);
    }
    for (const Nodes& branch : node.branches) {
        std::for_each(branch.begin(), branch.end(), look);
    }
    // A chain of operators is walked in a loop, so that it may be long.
    const bool is_chain = node.kind == NodeKind::Binary && !node.parts.empty() &&
                          node.parts.front()->kind == NodeKind::Binary;
    node.depth = is_chain ? std::max(node.parts[0]->depth, node.parts[1]->depth + 1) : deepest + 1;
    if (node.depth > kMaxDepth) {
        fail("an expression or block is more than " + std::to_string(kMaxDepth) + " levels deep",
             Failure::ValueKind::Limit);
    }
    return &node;
}

Value TemplateParser::literal(std::string_view text) {
    String& string = program_.strings_.emplace_back();
    string.text = MarkedText(text, true);
    string.n_chars = count_characters(text);
    Value value;
    value.kind = ValueKind::String;
    value.string = &string;
    return value;
}

bool TemplateParser::skip_name(std::string_view name) {
    const bool is = current().is_name(name);
    if (is) {
        advance();
    }
    return is;
}

bool TemplateParser::skip_operator(std::string_view op) {
    const bool is = current().is_operator(op);
    if (is) {
        advance();
    }
    return is;
}

void TemplateParser::expect_operator(std::string_view op) {
    if (!skip_operator(op)) {
        fail("wanted " + in_quotes(op) + ", found " +
             (current().kind == TokenKind::End ? "the end" : in_quotes(current().text)));
    }
}

void TemplateParser::expect_name(std::string_view name) {
    if (!skip_name(name)) {
        fail("wanted " + in_quotes(name) + ", found " +
             (current().kind == TokenKind::End ? "the end" : in_quotes(current().text)));
    }
}

std::string TemplateParser::any_name() {
    if (current().kind != TokenKind::Name) {
        fail("wanted a name, found " +
             (current().kind == TokenKind::End ? "the end" : in_quotes(current().text)));
        return {};
    }
    std::string name = current().text;
    advance();
    return name;
}

void TemplateParser::expect(TokenKind kind, std::string_view what) {
    if (current().kind != kind) {
        fail("wanted " + in_quotes(what) + ", found " +
             (current().kind == TokenKind::End ? "the end" : in_quotes(current().text)));
        return;
    }
    advance();
}

Nodes TemplateParser::body(std::initializer_list<std::string_view> ends) {
    Nodes out;
    const Nesting nesting(*this);
    while (!failed() && current().kind != TokenKind::End) {
        switch (current().kind) {
            case TokenKind::Data: {
                Node& data = make(NodeKind::Data);
                data.value = literal(current().text);
                advance();
                out.push_back(finish(data));
                break;
            }
            case TokenKind::VariableBegin: {
                Node& print = make(NodeKind::Print);
                advance();
                print.parts = {tuple(TupleOf::Expressions, false, {})};
                expect(TokenKind::VariableEnd, "}}");
                out.push_back(finish(print));
                break;
            }
            default: {
                expect(TokenKind::BlockBegin, "{%");
                for (const std::string_view end : ends) {
                    if (current().is_name(end)) {
                        return out;
                    }
                }
                if (skip_name("print")) {
                    print_statement(out);
                } else {
                    out.push_back(statement());
                }
                expect(TokenKind::BlockEnd, "%}");
            }
        }
    }
    if (ends.size() != 0) {
        fail("the template ends before " + in_quotes(*(ends.end() - 1)));
    }
    return out;
}

Nodes TemplateParser::body_until(std::string_view end) {
    expect(TokenKind::BlockEnd, "%}");
    Nodes out = body({end});
    expect_name(end);
    return out;
}

const Node* TemplateParser::statement() {
    const Token& word = current();
    if (word.kind != TokenKind::Name) {
        fail("a tag must begin with a word");
        return &nothing_;
    }
    using Read = const Node* (TemplateParser::*)();
    constexpr std::array<std::pair<std::string_view, Read>, 9> kStatements = {{
        {"if", &TemplateParser::if_statement},
        {"for", &TemplateParser::for_statement},
        {"set", &TemplateParser::set_statement},
        {"macro", &TemplateParser::macro_statement},
        {"call", &TemplateParser::call_statement},
        {"filter", &TemplateParser::filter_statement},
        {"with", &TemplateParser::with_statement},
        {"generation", &TemplateParser::generation_statement},
        {"break", nullptr},
    }};
    for (const auto& [name, read] : kStatements) {
        if (read != nullptr && word.text == name) {
            return (this->*read)();
        }
    }
    if (word.text == "break" || word.text == "continue") {
        Node& node = make(word.text == "break" ? NodeKind::Break : NodeKind::Continue);
        if (loops_ == 0) {
            fail(in_quotes(word.text) + " stands outside a loop");
        }
        advance();
        return finish(node);
    }
    fail("unknown tag " + in_quotes(word.text));
    return &nothing_;
}

void TemplateParser::print_statement(Nodes& out) {
    bool is_first = true;
    while (!failed() && current().kind != TokenKind::BlockEnd) {
        if (!std::exchange(is_first, false)) {
            expect_operator(",");
        }
        Node& print = make(NodeKind::Print);
        print.parts = {expression()};
        out.push_back(finish(print));
    }
}

const Node* TemplateParser::if_statement() {
    Node& node = make(NodeKind::If);
    const bool was_soft = std::exchange(soft_, true);
    advance();
    while (!failed()) {
        node.parts.push_back(tuple(TupleOf::NoConditionals, false, {}));
        expect(TokenKind::BlockEnd, "%}");
        node.branches.push_back(body({"elif", "else", "endif"}));
        if (skip_name("elif")) {
            continue;
        }
        if (skip_name("else")) {
            node.branches.push_back(body_until("endif"));
        } else {
            expect_name("endif");
        }
        break;
    }
    soft_ = was_soft;
    return finish(node);
}

const Node* TemplateParser::for_statement() {
    Node& node = make(NodeKind::For);
    const bool was_soft = std::exchange(soft_, false);
    advance();
    const Node* target = assignment_target(false, true);
    expect_name("in");
    const Node* iterated = tuple(TupleOf::NoConditionals, false, "recursive");
    const Node* condition = skip_name("if") ? expression() : nullptr;
    node.parts = {target, iterated, condition};
    if (current().is_name("recursive")) {
        fail("loops that call themselves are not supported");
    }
    expect(TokenKind::BlockEnd, "%}");
    ++loops_;
    node.branches.push_back(body({"else", "endfor"}));
    --loops_;
    if (skip_name("else")) {
        node.branches.push_back(body_until("endfor"));
    } else {
        expect_name("endfor");
    }
    soft_ = was_soft;
    return finish(node);
}

const Node* TemplateParser::assignment_target(bool with_namespace, bool ends_at_in) {
    const Node* target = tuple(with_namespace ? TupleOf::NamespaceTargets : TupleOf::Targets, false,
                               ends_at_in ? "in" : "");
    // A target is made of names and items of namespaces, in tuples and lists.
    Nodes open = {target};
    while (!open.empty() && !failed()) {
        const Node* part = open.back();
        open.pop_back();
        if (part->kind == NodeKind::Tuple || part->kind == NodeKind::List) {
            open.insert(open.end(), part->parts.begin(), part->parts.end());
        } else if (part->kind != NodeKind::Name && part->kind != NodeKind::NamespaceItem) {
            fail("only names can be assigned to");
        }
    }
    return target;
}

const Node* TemplateParser::set_statement() {
    advance();
    Node& node = make(NodeKind::Set);
    const Node* target = assignment_target(true, false);
    if (skip_operator("=")) {
        node.parts = {target, tuple(TupleOf::Expressions, false, {})};
        return finish(node);
    }
    node.kind = NodeKind::SetBlock;
    const bool was_soft = std::exchange(soft_, false);
    const Node* applied = nullptr;
    while (!failed() && skip_operator("|")) {
        applied = filter(applied);
    }
    node.parts = {target, applied};
    node.branches.push_back(body_until("endset"));
    soft_ = was_soft;
    return finish(node);
}

// Also notes whether the body uses what a macro gets only if it does.
void TemplateParser::signature(Node& node) {
    expect_operator("(");
    bool has_fallback = false;
    while (!failed() && !current().is_operator(")")) {
        if (!node.parameters.empty()) {
            expect_operator(",");
        }
        Parameter parameter{.name = program_.intern(any_name())};
        if (skip_operator("=")) {
            parameter.fallback = expression();
            has_fallback = true;
        } else if (has_fallback) {
            fail("a parameter without a default follows one that has it");
        }
        node.parameters.push_back(parameter);
    }
    expect_operator(")");
}

const Node* TemplateParser::macro_statement() {
    Node& node = make(NodeKind::Macro);
    const bool was_soft = std::exchange(soft_, false);
    const int loops = std::exchange(loops_, 0);
    advance();
    node.name = program_.intern(any_name());
    signature(node);
    const std::size_t begin = at_;
    node.branches.push_back(body_until("endmacro"));
    for (std::size_t i = begin; i < at_; ++i) {
        node.uses_caller = node.uses_caller || tokens_[i].is_name("caller");
        node.uses_varargs = node.uses_varargs || tokens_[i].is_name("varargs");
        node.uses_kwargs = node.uses_kwargs || tokens_[i].is_name("kwargs");
    }
    loops_ = loops;
    soft_ = was_soft;
    return finish(node);
}

const Node* TemplateParser::call_statement() {
    Node& node = make(NodeKind::CallBlock);
    const bool was_soft = std::exchange(soft_, false);
    const int loops = std::exchange(loops_, 0);
    advance();
    if (current().is_operator("(")) {
        signature(node);
    }
    node.parts = {expression()};
    if (!failed() && node.parts[0]->kind != NodeKind::Call) {
        fail("a call block must name a call");
    }
    node.branches.push_back(body_until("endcall"));
    loops_ = loops;
    soft_ = was_soft;
    return finish(node);
}

const Node* TemplateParser::filter_statement() {
    Node& node = make(NodeKind::FilterBlock);
    const bool was_soft = std::exchange(soft_, false);
    advance();
    const Node* applied = filter(nullptr);
    while (!failed() && skip_operator("|")) {
        applied = filter(applied);
    }
    node.parts = {applied};
    node.branches.push_back(body_until("endfilter"));
    soft_ = was_soft;
    return finish(node);
}

const Node* TemplateParser::with_statement() {
    Node& node = make(NodeKind::With);
    const bool was_soft = std::exchange(soft_, false);
    advance();
    while (!failed() && current().kind != TokenKind::BlockEnd) {
        if (!node.parts.empty()) {
            expect_operator(",");
        }
        node.parts.push_back(assignment_target(false, false));
        expect_operator("=");
        node.parts.push_back(expression());
    }
    node.branches.push_back(body_until("endwith"));
    soft_ = was_soft;
    return finish(node);
}

// transformers marks with it what the model learned to write; it prints its body.
const Node* TemplateParser::generation_statement() {
    Node& node = make(NodeKind::Scope);
    const bool was_soft = std::exchange(soft_, false);
    const int loops = std::exchange(loops_, 0);
    advance();
    node.branches.push_back(body_until("endgeneration"));
    loops_ = loops;
    soft_ = was_soft;
    return finish(node);
}

int TemplateProgram::find_name(std::string_view name) const {
    const auto found = name_index_.find(name);
    return found == name_index_.end() ? -1 : found->second;
}

int TemplateProgram::intern(std::string_view name) {
    if (const int known = find_name(name); known >= 0) {
        return known;
    }
    const int index = static_cast<int>(names_.size());
    name_index_.emplace(names_.emplace_back(name), index);
    return index;
}

TemplateProgram::Outcome TemplateProgram::parse(std::string_view source) {
    Outcome outcome{std::make_unique<TemplateProgram>(), {}};
    std::vector<Token> tokens;
    auto failure = lex(source, tokens);
    if (!failure) {
        failure = TemplateParser(*outcome.program, std::move(tokens)).run();
    }
    if (failure) {
        outcome.program.reset();
        outcome.failure = *failure;
    }
    return outcome;
}

}  // namespace hearth::jinja
