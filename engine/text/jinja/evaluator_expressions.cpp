#include <algorithm>
#include <array>
#include <utility>

#include "text/jinja/evaluator.h"
#include "text/jinja/operators.h"
#include "text/jinja/printing.h"
#include "text/quoted.h"

namespace hearth::jinja {

Value Evaluator::evaluate(const Node& node) {
    const Heap::Level level(heap_);
    if (!heap_.take_steps(1)) {
        return {};
    }
    switch (node.kind) {
        case NodeKind::Literal:
            return node.value;
        case NodeKind::Name:
            return evaluate_name(node);
        case NodeKind::List:
        case NodeKind::Tuple:
            return evaluate_list(node);
        case NodeKind::Dict:
            return evaluate_dict(node);
        case NodeKind::Attribute:
            return attribute(evaluate(*node.parts[0]), node.value);
        case NodeKind::Item: {
            const Value object = evaluate(*node.parts[0]);
            return item(object, evaluate(*node.parts[1]), node.is_constant);
        }
        case NodeKind::Slice:
            return evaluate_slice(node);
        case NodeKind::Call:
            return evaluate_call(node, nullptr);
        case NodeKind::Filter:
            return evaluate_filter(node, nullptr);
        case NodeKind::Test:
            return evaluate_test(node);
        case NodeKind::Not:
            return Value::of(!is_true(evaluate(*node.parts[0])));
        case NodeKind::Negative:
            return negative(heap_, evaluate(*node.parts[0]));
        case NodeKind::Positive:
            return negative(heap_, negative(heap_, evaluate(*node.parts[0])));
        case NodeKind::Binary:
            return evaluate_binary(node);
        case NodeKind::Concat:
            return evaluate_concat(node);
        case NodeKind::And:
        case NodeKind::Or:
            return evaluate_logic(node);
        case NodeKind::Compare:
            return evaluate_compare(node);
        case NodeKind::Conditional:
            if (is_true(evaluate(*node.parts[1]))) {
                return evaluate(*node.parts[0]);
            }
            return node.parts[2] == nullptr ? Value{} : evaluate(*node.parts[2]);
        default:
            heap_.fail("a statement stands where an expression is wanted");
            return {};
    }
}

Value Evaluator::evaluate_name(const Node& node) {
    for (const Scope* scope = scope_; scope != nullptr; scope = scope->parent) {
        for (const auto& [name, value] : scope->variables) {
            if (name == node.name) {
                if (value.is(ValueKind::Loop)) {
                    value.loop->was_named = true;
                }
                return value;
            }
        }
    }
    return globals_[static_cast<std::size_t>(node.name)];
}

Value Evaluator::evaluate_list(const Node& node) {
    std::vector<Value> items;
    items.reserve(node.parts.size());
    for (const Node* part : node.parts) {
        items.push_back(evaluate(*part));
    }
    return heap_.list(std::move(items), node.kind == NodeKind::Tuple ? Sequence::Flavour::Tuple
                                                                     : Sequence::Flavour::List);
}

Value Evaluator::evaluate_dict(const Node& node) {
    const Value out = heap_.dict();
    for (std::size_t i = 0; i < node.parts.size(); i += 2) {
        const Value key = evaluate(*node.parts[i]);
        heap_.set(*out.dict, key, evaluate(*node.parts[i + 1]));
    }
    return out;
}

Value Evaluator::evaluate_slice(const Node& node) {
    std::array<Value, 3> bounds = {Value::none(), Value::none(), Value::none()};
    for (std::size_t i = 0; i < node.parts.size(); ++i) {
        if (node.parts[i] != nullptr) {
            bounds[i] = evaluate(*node.parts[i]);
        }
    }
    return heap_.slice(bounds[0], bounds[1], bounds[2]);
}

// Chains lean to the left and may be long, so they are walked in a loop.
Value Evaluator::evaluate_binary(const Node& node) {
    std::vector<const Node*> chain;
    const Node* first = &node;
    for (; first->kind == NodeKind::Binary; first = first->parts[0]) {
        chain.push_back(first);
    }
    Value left = evaluate(*first);
    for (auto link = chain.rbegin(); link != chain.rend() && !heap_.failed(); ++link) {
        const Value right = evaluate(*(*link)->parts[1]);
        left = binary(heap_, (*link)->op, left, right);
        heap_.take_steps(1);
    }
    return left;
}

Value Evaluator::evaluate_concat(const Node& node) {
    StringBuilder out(heap_);
    for (const Node* part : node.parts) {
        print(out, evaluate(*part));
    }
    return out.value();
}

Value Evaluator::evaluate_logic(const Node& node) {
    const bool decides = node.kind == NodeKind::Or;
    Value value;
    for (const Node* part : node.parts) {
        value = evaluate(*part);
        if (is_true(value) == decides) {
            break;
        }
    }
    return value;
}

Value Evaluator::evaluate_compare(const Node& node) {
    Value left = evaluate(*node.parts[0]);
    for (std::size_t i = 0; i < node.ops.size(); ++i) {
        const Value right = evaluate(*node.parts[i + 1]);
        bool holds = false;
        switch (node.ops[i]) {
            case Operator::Equal:
                holds = equal(heap_, left, right);
                break;
            case Operator::NotEqual:
                holds = !equal(heap_, left, right);
                break;
            case Operator::Less:
                holds = less(heap_, left, right);
                break;
            case Operator::LessOrEqual:
                holds = less(heap_, left, right) || equal(heap_, left, right);
                break;
            case Operator::Greater:
                holds = less(heap_, right, left);
                break;
            case Operator::GreaterOrEqual:
                holds = less(heap_, right, left) || equal(heap_, left, right);
                break;
            case Operator::In:
                holds = contains(heap_, right, left);
                break;
            case Operator::NotIn:
                holds = !contains(heap_, right, left);
                break;
            default:
                break;
        }
        if (!holds || heap_.failed()) {
            return Value::of(false);
        }
        left = right;
    }
    return Value::of(true);
}

void Evaluator::arguments_of(const Node& node, Arguments& out) {
    for (std::size_t i = 1; i < node.parts.size(); ++i) {
        out.positional.push_back(evaluate(*node.parts[i]));
    }
    for (const KeywordArgument& keyword : node.keywords) {
        out.named.emplace_back(keyword.name, evaluate(*keyword.value));
    }
    if (node.rest != nullptr) {
        const Value rest = evaluate(*node.rest);
        collect(heap_, rest, out.positional);
    }
    if (node.rest_keywords != nullptr) {
        const Value rest = evaluate(*node.rest_keywords);
        if (!rest.is(ValueKind::Dict)) {
            heap_.fail("** wants a dict, not " + std::string(type_name(rest)));
            return;
        }
        for (const auto& [key, value] : rest.dict->entries) {
            if (!key.is(ValueKind::String)) {
                heap_.fail("** wants a dict whose keys are strings");
                return;
            }
            const std::string name(key.string->text.bytes());
            heap_.take_bytes(name.size() + sizeof(Value));
            for (const auto& [known, given] : out.named) {
                if (known == name) {
                    heap_.fail("the argument " + in_quotes(name) + " is given twice");
                }
            }
            out.named.emplace_back(name, value);
        }
    }
}

Value Evaluator::evaluate_call(const Node& node, const Value* caller) {
    const Value callee = evaluate(*node.parts[0]);
    Arguments arguments;
    arguments_of(node, arguments);
    if (caller != nullptr) {
        arguments.named.emplace_back("caller", *caller);
    }
    if (heap_.failed()) {
        return {};
    }
    heap_.at_line(node.line);
    return call(callee, arguments);
}

Value Evaluator::evaluate_filter(const Node& node, const Value* self) {
    // In a filter block the innermost filter of a chain has no operand of its own.
    const Node* operand = node.parts[0];
    const Value value = operand == nullptr                  ? *self
                        : operand->kind == NodeKind::Filter ? evaluate_filter(*operand, self)
                                                            : evaluate(*operand);
    Arguments arguments;
    arguments_of(node, arguments);
    if (heap_.failed()) {
        return {};
    }
    if (node.filter == nullptr) {
        heap_.fail("there is no filter " + in_quotes(program_.name(node.name)));
        return {};
    }
    heap_.take_steps(1);
    return node.filter->run(*this, value, arguments);
}

Value Evaluator::evaluate_test(const Node& node) {
    const Value value = evaluate(*node.parts[0]);
    Arguments arguments;
    arguments_of(node, arguments);
    if (heap_.failed()) {
        return {};
    }
    if (node.test == nullptr) {
        heap_.fail("there is no test " + in_quotes(program_.name(node.name)));
        return {};
    }
    return Value::of(node.test->run(*this, value, arguments));
}

Value Evaluator::call(const Value& callee, const Arguments& arguments) {
    if (!callee.is(ValueKind::Callable)) {
        heap_.fail(callee.is(ValueKind::Undefined)
                       ? undefined_message(callee)
                       : std::string(type_name(callee)) + " cannot be called");
        return {};
    }
    Callable& target = *callee.callable;
    switch (target.what) {
        case Callable::What::Function:
            return target.function->run(*this, arguments);
        case Callable::What::Method:
            return target.method->run(*this, target.self, arguments);
        case Callable::What::Macro:
            return call_macro(target, arguments);
        case Callable::What::Joiner:
            return target.at++ == 0 ? heap_.text("", true) : target.items[0];
        case Callable::What::Cycler:
            break;
    }
    heap_.fail("a cycler cannot be called");
    return {};
}

Value Evaluator::call_macro(const Callable& callee, const Arguments& arguments) {
    const Node& macro = *callee.macro;
    const std::string name =
        macro.kind == NodeKind::Macro ? "macro " + in_quotes(program_.name(macro.name)) : "caller";
    Scope* here = scope_;
    push_scope(callee.scope);
    std::vector<bool> used(arguments.named.size(), false);
    const auto take_named = [&](std::string_view wanted) -> const Value* {
        for (std::size_t i = 0; i < used.size(); ++i) {
            if (!used[i] && arguments.named[i].first == wanted) {
                used[i] = true;
                return &arguments.named[i].second;
            }
        }
        return nullptr;
    };
    bool names_caller = false;
    for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
        const Parameter& parameter = macro.parameters[i];
        names_caller = names_caller || program_.name(parameter.name) == "caller";
        if (i < arguments.positional.size()) {
            set(parameter.name, arguments.positional[i]);
        } else if (const Value* given = take_named(program_.name(parameter.name));
                   given != nullptr) {
            set(parameter.name, *given);
        } else if (parameter.fallback != nullptr) {
            set(parameter.name, evaluate(*parameter.fallback));
        } else {
            set(parameter.name, Value::undefined(&program_.name(parameter.name)));
        }
    }
    if (macro.uses_caller && !names_caller) {
        const Value* given = take_named("caller");
        const int index = program_.find_name("caller");
        if (index >= 0) {
            set(index, given != nullptr ? *given : Value::undefined(&program_.name(index)));
        }
    }
    if (macro.uses_kwargs) {
        const Value rest = heap_.dict();
        for (std::size_t i = 0; i < used.size(); ++i) {
            if (!used[i]) {
                heap_.set(*rest.dict, heap_.text(arguments.named[i].first, true),
                          arguments.named[i].second);
            }
        }
        if (const int index = program_.find_name("kwargs"); index >= 0) {
            set(index, rest);
        }
    } else if (const auto unused = std::find(used.begin(), used.end(), false);
               unused != used.end()) {
        heap_.fail(
            name + " takes no argument " +
            in_quotes(arguments.named[static_cast<std::size_t>(unused - used.begin())].first));
    }
    const std::size_t n_positional = std::min(arguments.positional.size(), macro.parameters.size());
    if (macro.uses_varargs) {
        std::vector<Value> rest(
            arguments.positional.begin() + static_cast<std::ptrdiff_t>(n_positional),
            arguments.positional.end());
        if (const int index = program_.find_name("varargs"); index >= 0) {
            set(index, heap_.list(std::move(rest), Sequence::Flavour::Tuple));
        }
    } else if (arguments.positional.size() > macro.parameters.size()) {
        heap_.fail(name + " takes " + std::to_string(macro.parameters.size()) + " arguments, not " +
                   std::to_string(arguments.positional.size()));
    }
    StringBuilder inner(heap_);
    StringBuilder* outer = std::exchange(out_, &inner);
    execute(macro.branches[0]);
    out_ = outer;
    pop_scope();
    scope_ = here;
    return inner.value();
}

}  // namespace hearth::jinja
