#include <algorithm>
#include <utility>

#include "text/jinja/evaluator.h"
#include "text/jinja/operators.h"
#include "text/jinja/printing.h"

namespace hearth::jinja {

Evaluator::Evaluator(const TemplateProgram& program, Heap& heap, const Dict& variables,
                     const std::tm& now)
    : program_(program), heap_(heap), now_(now), loop_name_(program.find_name("loop")) {
    const int n = program.count_names();
    globals_.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        globals_.push_back(Value::undefined(&program.name(i)));
        if (const FunctionRow* row = find_function(program.name(i)); row != nullptr) {
            Callable* function = heap.callable();
            function->what = Callable::What::Function;
            function->function = row;
            globals_.back().kind = ValueKind::Callable;
            globals_.back().callable = function;
        }
    }
    for (const auto& [name, value] : variables.entries) {
        if (const int index = program.find_name(name.string->text.bytes()); index >= 0) {
            globals_[static_cast<std::size_t>(index)] = value;
        }
    }
    scope_ = push_scope(nullptr);
}

MarkedText Evaluator::run() {
    StringBuilder out(heap_);
    out_ = &out;
    execute(program_.body());
    return out.take();
}

Scope* Evaluator::push_scope(Scope* parent) {
    if (free_scopes_.empty()) {
        heap_.take_bytes(sizeof(Scope));
        free_scopes_.push_back(&scopes_.emplace_back());
    }
    scope_ = free_scopes_.back();
    free_scopes_.pop_back();
    scope_->parent = parent;
    return scope_;
}

// Precondition: the current scope is not the outermost one.
void Evaluator::pop_scope() {
    Scope* ended = scope_;
    scope_ = ended->parent;
    if (!ended->is_captured) {
        heap_.give_back(ended->variables.size() * sizeof(Value));
        ended->variables.clear();
        free_scopes_.push_back(ended);
    }
}

void Evaluator::set(int name, const Value& value) {
    for (auto& [known, held] : scope_->variables) {
        if (known == name) {
            held = value;
            return;
        }
    }
    heap_.take_bytes(sizeof(Value));
    scope_->variables.emplace_back(name, value);
}

Evaluator::Flow Evaluator::execute(const Nodes& body) {
    for (const Node* node : body) {
        const Flow flow = execute(*node);
        if (flow != Flow::Next) {
            return flow;
        }
        if (heap_.failed()) {
            return Flow::Break;
        }
    }
    return Flow::Next;
}

Evaluator::Flow Evaluator::execute(const Node& node) {
    const Heap::Level level(heap_);
    if (!heap_.take_steps(1)) {
        return Flow::Break;
    }
    heap_.at_line(node.line);
    switch (node.kind) {
        case NodeKind::Data:
            out_->append(node.value.string->text);
            break;
        case NodeKind::Print:
            print(*out_, evaluate(*node.parts[0]));
            break;
        case NodeKind::If:
            return execute_if(node);
        case NodeKind::For:
            return execute_for(node);
        case NodeKind::Set:
            assign(*node.parts[0], evaluate(*node.parts[1]));
            break;
        case NodeKind::SetBlock:
            execute_set_block(node);
            break;
        case NodeKind::Macro:
            set(node.name, macro(node));
            break;
        case NodeKind::CallBlock:
            execute_call_block(node);
            break;
        case NodeKind::FilterBlock:
            execute_filter_block(node);
            break;
        case NodeKind::With:
            return execute_with(node);
        case NodeKind::Scope: {
            push_scope(scope_);
            const Flow flow = execute(node.branches[0]);
            pop_scope();
            return flow;
        }
        case NodeKind::Break:
            return Flow::Break;
        case NodeKind::Continue:
            return Flow::Continue;
        default:
            heap_.fail("an expression stands where a statement is wanted");
    }
    if (out_->text().size() > heap_.limits().output_bytes) {
        heap_.fail(
            Failure::ValueKind::Limit,
            "it writes more than " + std::to_string(heap_.limits().output_bytes >> 20) + " MiB");
    }
    return Flow::Next;
}

Evaluator::Flow Evaluator::execute_if(const Node& node) {
    for (std::size_t i = 0; i < node.branches.size(); ++i) {
        if (i == node.parts.size() || is_true(evaluate(*node.parts[i]))) {
            return heap_.failed() ? Flow::Break : execute(node.branches[i]);
        }
    }
    return Flow::Next;
}

bool Evaluator::accept(Loop& loop, std::size_t count) {
    const Node* filter = loop.node->parts[2];
    while (loop.accepted.size() < count && loop.n_taken < loop.source.size() && !heap_.failed()) {
        const Value& candidate = loop.source[loop.n_taken++];
        heap_.take_steps(1);
        if (filter != nullptr) {
            Scope* here = scope_;
            push_scope(loop.outer);
            assign(*loop.node->parts[0], candidate);
            const bool passes = is_true(evaluate(*filter));
            pop_scope();
            scope_ = here;
            if (!passes) {
                continue;
            }
        }
        loop.accepted.push_back(candidate);
    }
    return loop.accepted.size() >= count;
}

// True for a call of the function range(), whose result nothing else refers to.
bool Evaluator::makes_range(const Node& expression) {
    if (expression.kind != NodeKind::Call || expression.parts[0]->kind != NodeKind::Name) {
        return false;
    }
    const Value callee = evaluate_name(*expression.parts[0]);
    return callee.is(ValueKind::Callable) && callee.callable->what == Callable::What::Function &&
           callee.callable->function->name == "range";
}

// Templates look at all messages before each message, so what loops hold is freed at their end.
Evaluator::Flow Evaluator::execute_for(const Node& node) {
    const bool is_range = makes_range(*node.parts[1]);
    const Value iterated = evaluate(*node.parts[1]);
    Loop& loop = *heap_.loop();
    loop.node = &node;
    loop.outer = scope_;
    if (is_range && iterated.is(ValueKind::Sequence)) {
        loop.source = heap_.items_of_last();
    } else {
        collect(heap_, iterated, loop.source);
    }
    bool may_be_reached = !iterated.is(ValueKind::Sequence) && !iterated.is(ValueKind::Dict);
    Value loop_value;
    loop_value.kind = ValueKind::Loop;
    loop_value.loop = &loop;
    // As in jinja2, "else" is for loops none of whose rounds came to its end.
    bool has_finished_one = false;
    for (; accept(loop, loop.index + 1) && !heap_.failed(); ++loop.index) {
        push_scope(loop.outer);
        if (loop_name_ >= 0) {
            set(loop_name_, loop_value);
        }
        assign(*node.parts[0], loop.accepted[loop.index]);
        const Flow flow = execute(node.branches[0]);
        may_be_reached = may_be_reached || scope_->is_captured;
        pop_scope();
        if (flow == Flow::Break) {
            break;
        }
        has_finished_one = has_finished_one || flow == Flow::Next;
    }
    if (loop.index > 0 && loop.index == loop.accepted.size()) {
        --loop.index;  // whoever holds the loop sees its last item
    }
    if (!may_be_reached && !loop.was_named) {
        heap_.give_back(loop.source.size() * sizeof(Value));
        loop.source = {};
        loop.accepted = {};
    }
    Flow flow = heap_.failed() ? Flow::Break : Flow::Next;
    if (!has_finished_one && node.branches.size() > 1 && !heap_.failed()) {
        push_scope(scope_);
        flow = execute(node.branches[1]);
        pop_scope();
    }
    return flow;
}

Evaluator::Flow Evaluator::execute_with(const Node& node) {
    std::vector<Value> values;
    for (std::size_t i = 1; i < node.parts.size(); i += 2) {
        values.push_back(evaluate(*node.parts[i]));
    }
    push_scope(scope_);
    for (std::size_t i = 0; i < values.size(); ++i) {
        assign(*node.parts[2 * i], values[i]);
    }
    const Flow flow = execute(node.branches[0]);
    pop_scope();
    return flow;
}

Value Evaluator::captured(const Nodes& body, Flow& flow) {
    StringBuilder inner(heap_);
    StringBuilder* outer = std::exchange(out_, &inner);
    push_scope(scope_);
    flow = execute(body);
    pop_scope();
    out_ = outer;
    return inner.value();
}

void Evaluator::execute_set_block(const Node& node) {
    Flow flow{};
    Value value = captured(node.branches[0], flow);
    if (node.parts[1] != nullptr) {
        value = evaluate_filter(*node.parts[1], &value);
    }
    assign(*node.parts[0], value);
}

void Evaluator::execute_filter_block(const Node& node) {
    Flow flow{};
    const Value value = captured(node.branches[0], flow);
    const Value filtered = evaluate_filter(*node.parts[0], &value);
    if (!filtered.is(ValueKind::String)) {
        heap_.fail("a filter block makes " + std::string(type_name(filtered)) + ", not a string");
    }
    print(*out_, filtered);
}

Value Evaluator::macro(const Node& node) {
    Value value;
    value.kind = ValueKind::Callable;
    value.callable = heap_.callable();
    value.callable->what = Callable::What::Macro;
    value.callable->macro = &node;
    value.callable->scope = scope_;
    for (Scope* scope = scope_; scope != nullptr && !scope->is_captured; scope = scope->parent) {
        scope->is_captured = true;
    }
    return value;
}

void Evaluator::execute_call_block(const Node& node) {
    const Value caller = macro(node);
    print(*out_, evaluate_call(*node.parts[0], &caller));
}

void Evaluator::assign(const Node& target, const Value& value) {
    if (target.kind == NodeKind::Name) {
        set(target.name, value);
        return;
    }
    if (target.kind == NodeKind::NamespaceItem) {
        const Value holder = evaluate(*target.parts[0]);
        if (!holder.is(ValueKind::Namespace)) {
            heap_.fail("only a namespace can be assigned to with a dot");
            return;
        }
        heap_.set(*holder.dict, heap_.text(program_.name(target.name), true), value);
        return;
    }
    std::vector<Value> items;
    if (value.is(ValueKind::Undefined)) {
        heap_.fail(undefined_message(value));
        return;
    }
    if (!collect(heap_, value, items)) {
        return;
    }
    if (items.size() != target.parts.size()) {
        heap_.fail(std::to_string(items.size()) + " values were given for " +
                   std::to_string(target.parts.size()) + " names");
        return;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        assign(*target.parts[i], items[i]);
    }
}

}  // namespace hearth::jinja
