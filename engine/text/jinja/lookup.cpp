// How object.name and object[key] find what they mean.
#include <algorithm>
#include <array>

#include "text/jinja/evaluator.h"
#include "text/jinja/operators.h"

namespace hearth::jinja {
namespace {

// Methods that change a dict or a list. The sandbox hides them.
bool is_hidden(const Value& object, std::string_view name) {
    constexpr std::array<std::string_view, 5> kOfDict = {"clear", "pop", "popitem", "setdefault",
                                                         "update"};
    return object.is(ValueKind::Dict) &&
           std::find(kOfDict.begin(), kOfDict.end(), name) != kOfDict.end();
}

}  // namespace

Value Evaluator::loop_attribute(Loop& loop, std::string_view name) {
    const auto index = static_cast<std::int64_t>(loop.index);
    if (name == "index0" || name == "index") {
        return Value::of(name == "index" ? index + 1 : index);
    }
    if (name == "first") {
        return Value::of(index == 0);
    }
    if (name == "last") {
        return Value::of(!accept(loop, loop.index + 2));
    }
    if (name == "length" || name == "revindex" || name == "revindex0") {
        accept(loop, loop.source.size() + 1);
        const auto length = static_cast<std::int64_t>(loop.accepted.size());
        return Value::of(name == "length"     ? length
                         : name == "revindex" ? length - index
                                              : length - index - 1);
    }
    if (name == "previtem") {
        return loop.index == 0 ? Value::undefined(heap_.keep("loop.previtem"))
                               : loop.accepted[loop.index - 1];
    }
    if (name == "nextitem") {
        return accept(loop, loop.index + 2) ? loop.accepted[loop.index + 1]
                                            : Value::undefined(heap_.keep("loop.nextitem"));
    }
    if (name == "depth" || name == "depth0") {
        return Value::of(std::int64_t{name == "depth" ? 1 : 0});
    }
    return Value::undefined(heap_.keep("loop." + std::string(name)));
}

Value Evaluator::bound_method(const Value& object, const Value& name) {
    const MethodRow* row = find_method(object, name.string->text.bytes());
    if (row == nullptr) {
        return {};
    }
    Value method;
    method.kind = ValueKind::Callable;
    method.callable = heap_.callable();
    method.callable->what = Callable::What::Method;
    method.callable->method = row;
    method.callable->self = object;
    return method;
}

Value Evaluator::attribute(const Value& object, const Value& name) {
    const std::string_view spelled = name.string->text.bytes();
    switch (object.kind) {
        case ValueKind::Undefined:
            heap_.fail(undefined_message(object));
            return {};
        case ValueKind::Loop:
            if (const Value method = bound_method(object, name); !method.is(ValueKind::Undefined)) {
                return method;
            }
            return loop_attribute(*object.loop, spelled);
        case ValueKind::Namespace:
            if (const Value* found = find(heap_, *object.dict, name); found != nullptr) {
                return *found;
            }
            break;
        case ValueKind::Dict:
            if (is_hidden(object, spelled)) {
                break;
            }
            if (const Value method = bound_method(object, name); !method.is(ValueKind::Undefined)) {
                return method;
            }
            if (const Value* found = find(heap_, *object.dict, name); found != nullptr) {
                return *found;
            }
            break;
        case ValueKind::Callable:
            if (object.callable->what == Callable::What::Macro && spelled == "name" &&
                object.callable->macro->kind == NodeKind::Macro) {
                return heap_.text(program_.name(object.callable->macro->name), true);
            }
            if (object.callable->what == Callable::What::Cycler && spelled == "current") {
                return object.callable->items[object.callable->at];
            }
            [[fallthrough]];
        default:
            if (object.is(ValueKind::Sequence) && object.sequence->is_group &&
                (spelled == "grouper" || spelled == "list")) {
                return object.sequence->items[spelled == "list" ? 1 : 0];
            }
            if (const Value method = bound_method(object, name); !method.is(ValueKind::Undefined)) {
                return method;
            }
    }
    return Value::undefined(heap_.keep(std::string(spelled)));
}

Value Evaluator::item(const Value& object, const Value& key, bool is_constant) {
    if (object.is(ValueKind::Undefined)) {
        heap_.fail(undefined_message(object));
        return {};
    }
    const bool is_indexable = object.is(ValueKind::String) ||
                              (object.is(ValueKind::Sequence) && object.sequence->is_indexable());
    if (is_indexable && key.is_integral()) {
        return item_at(heap_, object, key.as_int());
    }
    if (is_indexable && key.is(ValueKind::Slice)) {
        return slice_of(heap_, object, *key.slice);
    }
    if (key.is(ValueKind::Slice) && !is_constant) {
        heap_.fail(std::string(type_name(object)) + " cannot be sliced");
        return {};
    }
    if (object.is(ValueKind::Dict)) {
        if (const Value* found = find(heap_, *object.dict, key); found != nullptr) {
            return *found;
        }
    }
    if (key.is(ValueKind::String)) {
        return attribute(object, key);
    }
    return Value::undefined(heap_.keep("an item of " + std::string(type_name(object))));
}

}  // namespace hearth::jinja
