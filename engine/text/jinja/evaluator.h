// Runs a TemplateProgram: statements write text, expressions become values.
#pragma once

#include <ctime>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/jinja/heap.h"
#include "text/jinja/library.h"
#include "text/jinja/objects.h"
#include "text/jinja/program.h"
#include "text/jinja/value.h"

namespace hearth::jinja {

// Belongs to one thread and one rendering. Failures go to the heap.
class Evaluator {
public:
    // variables: a dict of what the template finds by name. now: for strftime_now. All must
    // outlive this.
    Evaluator(const TemplateProgram& program, Heap& heap, const Dict& variables,
              const std::tm& now);

    MarkedText run();

    // For the library.
    Heap& heap() { return heap_; }
    const std::tm& now() const { return now_; }
    Value call(const Value& callee, const Arguments& arguments);
    // object.name and object[key], as jinja2 looks them up in its sandbox.
    Value attribute(const Value& object, const Value& name);
    // is_constant: the whole expression is; what cannot be sliced is then undefined, no failure.
    Value item(const Value& object, const Value& key, bool is_constant = false);
    // Undefined: there is no such method.
    Value bound_method(const Value& object, const Value& name);

private:
    enum class Flow { Next, Break, Continue };

    // Expressions (evaluator_expressions.cpp).
    Value evaluate(const Node& node);
    Value evaluate_name(const Node& node);
    Value evaluate_list(const Node& node);
    Value evaluate_dict(const Node& node);
    Value evaluate_slice(const Node& node);
    Value evaluate_call(const Node& node, const Value* caller);
    Value evaluate_filter(const Node& node, const Value* self);
    Value evaluate_test(const Node& node);
    Value evaluate_binary(const Node& node);
    Value evaluate_concat(const Node& node);
    Value evaluate_logic(const Node& node);
    Value evaluate_compare(const Node& node);
    void arguments_of(const Node& node, Arguments& out);
    Value call_macro(const Callable& callee, const Arguments& arguments);
    Value loop_attribute(Loop& loop, std::string_view name);

    // Statements (evaluator_statements.cpp).
    Flow execute(const Nodes& body);
    Flow execute(const Node& node);
    Flow execute_if(const Node& node);
    bool makes_range(const Node& expression);
    Flow execute_for(const Node& node);
    Flow execute_with(const Node& node);
    void execute_set_block(const Node& node);
    void execute_filter_block(const Node& node);
    void execute_call_block(const Node& node);
    void assign(const Node& target, const Value& value);
    // Runs a body and returns what it wrote.
    Value captured(const Nodes& body, Flow& flow);
    // Takes items from the loop's source until `count` are accepted. False: there are fewer.
    bool accept(Loop& loop, std::size_t count);
    Value macro(const Node& node);

    Scope* push_scope(Scope* parent);
    void pop_scope();
    void set(int name, const Value& value);

    const TemplateProgram& program_;
    Heap& heap_;
    const std::tm& now_;
    std::vector<Value>
        globals_;  // by TemplateProgram's index of the name; undefined ones name themselves
    std::deque<Scope> scopes_;
    std::vector<Scope*> free_scopes_;
    Scope* scope_ = nullptr;
    StringBuilder* out_ = nullptr;
    int loop_name_ = -1;
};

}  // namespace hearth::jinja
