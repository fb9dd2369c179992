#include "text/jinja/operators.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "text/jinja/formatting.h"
#include "text/jinja/objects.h"
#include "text/jinja/printing.h"
#include "text/jinja/unicode.h"

namespace hearth::jinja {
namespace {

Value number(std::int64_t integer, bool is_data) {
    Value value = Value::of(integer);
    value.is_data = is_data;
    return value;
}

Value number(double real, bool is_data) {
    Value value = Value::of(real);
    value.is_data = is_data;
    return value;
}

std::string_view spelled(Operator op) {
    switch (op) {
        case Operator::Add:
            return "+";
        case Operator::Subtract:
            return "-";
        case Operator::Multiply:
            return "*";
        case Operator::Divide:
            return "/";
        case Operator::FloorDivide:
            return "//";
        case Operator::Modulo:
            return "%";
        case Operator::Power:
            return "**";
        case Operator::Equal:
            return "==";
        case Operator::NotEqual:
            return "!=";
        case Operator::Less:
            return "<";
        case Operator::LessOrEqual:
            return "<=";
        case Operator::Greater:
            return ">";
        case Operator::GreaterOrEqual:
            return ">=";
        case Operator::In:
            return "in";
        case Operator::NotIn:
            return "not in";
    }
    return "";
}

Value overflow(Heap& heap) {
    heap.fail("a number does not fit 64 bits");
    return {};
}

Value integer_power(Heap& heap, std::int64_t base, std::int64_t exponent, bool is_data) {
    if (exponent < 0) {
        if (base == 0) {
            heap.fail("0 cannot be raised to a negative power");
            return {};
        }
        return number(std::pow(static_cast<double>(base), static_cast<double>(exponent)), is_data);
    }
    std::int64_t result = 1;
    while (exponent > 0) {
        if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) {
            return overflow(heap);
        }
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) {
            return overflow(heap);
        }
    }
    return number(result, is_data);
}

Value integers(Heap& heap, Operator op, std::int64_t a, std::int64_t b, bool is_data) {
    std::int64_t result = 0;
    switch (op) {
        case Operator::Add:
            return __builtin_add_overflow(a, b, &result) ? overflow(heap) : number(result, is_data);
        case Operator::Subtract:
            return __builtin_sub_overflow(a, b, &result) ? overflow(heap) : number(result, is_data);
        case Operator::Multiply:
            return __builtin_mul_overflow(a, b, &result) ? overflow(heap) : number(result, is_data);
        case Operator::Power:
            return integer_power(heap, a, b, is_data);
        default:
            break;
    }
    if (b == 0) {
        heap.fail("division by zero");
        return {};
    }
    if (op == Operator::Divide) {
        return number(static_cast<double>(a) / static_cast<double>(b), is_data);
    }
    if (b == -1) {
        if (op == Operator::Modulo) {
            return number(std::int64_t{0}, is_data);
        }
        return a == std::numeric_limits<std::int64_t>::min() ? overflow(heap) : number(-a, is_data);
    }
    std::int64_t quotient = a / b;
    std::int64_t remainder = a % b;
    if (remainder != 0 && (remainder < 0) != (b < 0)) {
        --quotient;
        remainder += b;
    }
    return number(op == Operator::Modulo ? remainder : quotient, is_data);
}

Value reals(Heap& heap, Operator op, double a, double b, bool is_data) {
    switch (op) {
        case Operator::Add:
            return number(a + b, is_data);
        case Operator::Subtract:
            return number(a - b, is_data);
        case Operator::Multiply:
            return number(a * b, is_data);
        case Operator::Power: {
            const double result = std::pow(a, b);
            if (a == 0 && b < 0) {
                heap.fail("0 cannot be raised to a negative power");
            } else if (std::isfinite(a) && std::isfinite(b) && !std::isfinite(result)) {
                heap.fail("the result of ** is no finite number");
            }
            return number(result, is_data);
        }
        default:
            break;
    }
    if (b == 0) {
        heap.fail("division by zero");
        return {};
    }
    if (op == Operator::Divide) {
        return number(a / b, is_data);
    }
    double remainder = std::fmod(a, b);
    double quotient = (a - remainder) / b;
    if (remainder != 0) {
        if ((b < 0) != (remainder < 0)) {
            remainder += b;
            quotient -= 1;
        }
    } else {
        remainder = std::copysign(0.0, b);
    }
    if (op == Operator::Modulo) {
        return number(remainder, is_data);
    }
    if (quotient == 0) {
        return number(std::copysign(0.0, a / b), is_data);
    }
    const double floored = std::floor(quotient);
    return number(quotient - floored > 0.5 ? floored + 1 : floored, is_data);
}

Value added_strings(Heap& heap, const String& left, const String& right) {
    StringBuilder out(heap);
    const bool is_safe = left.is_safe || right.is_safe;
    for (const String* part : {&left, &right}) {
        if (is_safe && !part->is_safe) {
            escape_html(out, part->text);
        } else {
            out.append(part->text);
        }
    }
    return out.value(is_safe);
}

Value repeated(Heap& heap, const Value& value, std::int64_t times) {
    const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(times, 0));
    const std::uint64_t each = value.is(ValueKind::String)
                                   ? value.string->text.size()
                                   : value.sequence->items.size() * sizeof(Value);
    if (each != 0 && count > heap.limits().bytes / each) {
        heap.take_bytes(heap.limits().bytes);
        heap.take_bytes(1);
        return {};
    }
    if (value.is(ValueKind::String)) {
        StringBuilder out(heap);
        for (std::uint64_t i = 0; each != 0 && i < count && !heap.failed(); ++i) {
            out.append(value.string->text);
        }
        return out.value(value.string->is_safe);
    }
    std::vector<Value> items;
    if (each != 0 && heap.take_bytes(each * count)) {
        items.reserve(each / sizeof(Value) * count);
        for (std::uint64_t i = 0; i < count; ++i) {
            items.insert(items.end(), value.sequence->items.begin(), value.sequence->items.end());
        }
    }
    return heap.list(std::move(items), value.sequence->flavour);
}

bool is_list_or_tuple(const Value& value) {
    return value.is(ValueKind::Sequence) && value.sequence->flavour <= Sequence::Flavour::Tuple;
}

}  // namespace

std::string_view type_name(const Value& value) {
    switch (value.kind) {
        case ValueKind::Undefined:
            return "undefined";
        case ValueKind::None:
            return "none";
        case ValueKind::Bool:
            return "a truth value";
        case ValueKind::Int:
        case ValueKind::Float:
            return "a number";
        case ValueKind::String:
            return "a string";
        case ValueKind::Sequence:
            switch (value.sequence->flavour) {
                case Sequence::Flavour::List:
                    return "a list";
                case Sequence::Flavour::Tuple:
                    return "a tuple";
                case Sequence::Flavour::Range:
                    return "a range";
                case Sequence::Flavour::Keys:
                case Sequence::Flavour::Values:
                case Sequence::Flavour::Items:
                    return "a view of a dict";
                case Sequence::Flavour::Iterator:
                    return "an iterator";
            }
            return "a list";
        case ValueKind::Dict:
            return "a dict";
        case ValueKind::Namespace:
            return "a namespace";
        case ValueKind::Callable:
            return "a function";
        case ValueKind::Loop:
            return "a loop";
        case ValueKind::Slice:
            return "a slice";
    }
    return "a value";
}

std::string undefined_message(const Value& value) {
    return value.name == nullptr ? "a value is undefined" : "'" + *value.name + "' is undefined";
}

bool is_true(const Value& value) {
    switch (value.kind) {
        case ValueKind::Undefined:
        case ValueKind::None:
            return false;
        case ValueKind::Bool:
            return value.truth;
        case ValueKind::Int:
            return value.integer != 0;
        case ValueKind::Float:
            return value.real != 0;
        case ValueKind::String:
            return !value.string->text.empty();
        case ValueKind::Sequence:
            return value.sequence->flavour == Sequence::Flavour::Iterator ||
                   !value.sequence->items.empty();
        case ValueKind::Dict:
            return !value.dict->entries.empty();
        case ValueKind::Namespace:
        case ValueKind::Callable:
        case ValueKind::Loop:
        case ValueKind::Slice:
            return true;
    }
    return false;
}

std::optional<std::size_t> hash_of(const Value& value) {
    switch (value.kind) {
        case ValueKind::Undefined:
            return 1;
        case ValueKind::None:
            return 2;
        case ValueKind::Bool:
        case ValueKind::Int:
        case ValueKind::Float: {
            const double real = value.as_real();
            if (value.is(ValueKind::Float) && real != std::floor(real)) {
                return std::hash<double>{}(real);
            }
            // Integers and the floats that are equal to them share one.
            return std::hash<double>{}(real) ^ 0x5BD1;
        }
        case ValueKind::String:
            return std::hash<std::string_view>{}(value.string->text.bytes());
        case ValueKind::Sequence: {
            if (value.sequence->flavour != Sequence::Flavour::Tuple) {
                return std::nullopt;
            }
            std::size_t hash = 3;
            for (const Value& item : value.sequence->items) {
                const auto part = hash_of(item);
                if (!part) {
                    return std::nullopt;
                }
                hash = hash * 1000003 ^ *part;
            }
            return hash;
        }
        case ValueKind::Dict:
        case ValueKind::Slice:
            return std::nullopt;
        case ValueKind::Namespace:
            return std::hash<const void*>{}(value.dict);
        case ValueKind::Callable:
            return std::hash<const void*>{}(value.callable);
        case ValueKind::Loop:
            return std::hash<const void*>{}(value.loop);
    }
    return std::nullopt;
}

Value* find(Heap& heap, const Dict& dict, const Value& key, std::size_t hash) {
    auto& entries = const_cast<Dict&>(dict).entries;
    if (dict.index.empty()) {
        for (auto& [known, value] : entries) {
            if (equal(heap, known, key)) {
                return &value;
            }
        }
        return nullptr;
    }
    const auto [begin, end] = dict.index.equal_range(hash);
    for (auto entry = begin; entry != end; ++entry) {
        if (equal(heap, entries[entry->second].first, key)) {
            return &entries[entry->second].second;
        }
    }
    return nullptr;
}

const Value* find(Heap& heap, const Dict& dict, const Value& key) {
    const auto hash = hash_of(key);
    return hash ? find(heap, dict, key, *hash) : nullptr;
}

const Value* find(const Dict& dict, std::string_view key) {
    for (const auto& [known, value] : dict.entries) {
        if (known.is(ValueKind::String) && known.string->text.bytes() == key) {
            return &value;
        }
    }
    return nullptr;
}

bool equal(Heap& heap, const Value& left, const Value& right) {
    if (!heap.take_steps(1)) {
        return false;
    }
    if (left.is_number() && right.is_number()) {
        if (left.is_integral() && right.is_integral()) {
            return left.as_int() == right.as_int();
        }
        return left.as_real() == right.as_real();
    }
    if (left.kind != right.kind) {
        return false;
    }
    switch (left.kind) {
        case ValueKind::Undefined:
        case ValueKind::None:
            return true;
        case ValueKind::String:
            heap.look_at(std::min(left.string->text.size(), right.string->text.size()));
            return left.string->text.bytes() == right.string->text.bytes();
        case ValueKind::Sequence: {
            const Sequence& a = *left.sequence;
            const Sequence& b = *right.sequence;
            if (&a == &b) {
                return true;
            }
            if (a.flavour != b.flavour || a.flavour > Sequence::Flavour::Range ||
                a.items.size() != b.items.size()) {
                return false;
            }
            for (std::size_t i = 0; i < a.items.size(); ++i) {
                if (!equal(heap, a.items[i], b.items[i])) {
                    return false;
                }
            }
            return true;
        }
        case ValueKind::Dict: {
            const Dict& a = *left.dict;
            const Dict& b = *right.dict;
            if (a.entries.size() != b.entries.size()) {
                return false;
            }
            for (const auto& [key, value] : a.entries) {
                const Value* other = find(heap, b, key);
                if (other == nullptr || !equal(heap, value, *other)) {
                    return false;
                }
            }
            return true;
        }
        case ValueKind::Namespace:
            return left.dict == right.dict;
        case ValueKind::Callable:
            return left.callable == right.callable;
        case ValueKind::Loop:
            return left.loop == right.loop;
        case ValueKind::Slice:
            return left.slice == right.slice;
        case ValueKind::Bool:
        case ValueKind::Int:
        case ValueKind::Float:
            break;
    }
    return false;
}

bool less(Heap& heap, const Value& left, const Value& right) {
    if (!heap.take_steps(1)) {
        return false;
    }
    if (left.is_number() && right.is_number()) {
        if (left.is_integral() && right.is_integral()) {
            return left.as_int() < right.as_int();
        }
        return left.as_real() < right.as_real();
    }
    if (left.is(ValueKind::String) && right.is(ValueKind::String)) {
        heap.look_at(std::min(left.string->text.size(), right.string->text.size()));
        return left.string->text.bytes() < right.string->text.bytes();
    }
    if (is_list_or_tuple(left) && is_list_or_tuple(right) &&
        left.sequence->flavour == right.sequence->flavour) {
        const std::vector<Value>& a = left.sequence->items;
        const std::vector<Value>& b = right.sequence->items;
        for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
            if (!equal(heap, a[i], b[i])) {
                return less(heap, a[i], b[i]);
            }
        }
        return a.size() < b.size();
    }
    const Value& odd = left.is(ValueKind::Undefined) ? left : right;
    heap.fail(odd.is(ValueKind::Undefined) ? undefined_message(odd)
                                           : std::string(type_name(left)) + " and " +
                                                 std::string(type_name(right)) + " have no order");
    return false;
}

bool contains(Heap& heap, const Value& container, const Value& item) {
    switch (container.kind) {
        case ValueKind::Undefined:
            return false;
        case ValueKind::String:
            if (!item.is(ValueKind::String)) {
                heap.fail(std::string(type_name(item)) + " cannot be looked for in a string");
                return false;
            }
            heap.look_at(container.string->text.size());
            return container.string->text.bytes().find(item.string->text.bytes()) !=
                   std::string_view::npos;
        case ValueKind::Sequence: {
            Sequence& sequence = *container.sequence;
            const bool is_iterator = sequence.flavour == Sequence::Flavour::Iterator;
            for (std::size_t i = is_iterator ? sequence.next : 0; i < sequence.items.size(); ++i) {
                sequence.next = i + 1;
                if (equal(heap, sequence.items[i], item)) {
                    return true;
                }
            }
            return false;
        }
        case ValueKind::Dict:
            if (!hash_of(item)) {
                heap.fail("a list or dict cannot be a key");
                return false;
            }
            return find(heap, *container.dict, item) != nullptr;
        default:
            heap.fail(std::string(type_name(container)) +
                      " holds nothing that could be looked for");
            return false;
    }
}

Value binary(Heap& heap, Operator op, const Value& left, const Value& right) {
    if (op == Operator::Modulo && left.is(ValueKind::String)) {
        return format_percent(heap, *left.string, right);
    }
    for (const Value* operand : {&left, &right}) {
        if (operand->is(ValueKind::Undefined)) {
            heap.fail(undefined_message(*operand));
            return {};
        }
    }
    if (left.is_number() && right.is_number()) {
        const bool is_data = left.is_data || right.is_data;
        return left.is_integral() && right.is_integral()
                   ? integers(heap, op, left.as_int(), right.as_int(), is_data)
                   : reals(heap, op, left.as_real(), right.as_real(), is_data);
    }
    if (op == Operator::Add) {
        if (left.is(ValueKind::String) && right.is(ValueKind::String)) {
            return added_strings(heap, *left.string, *right.string);
        }
        if (is_list_or_tuple(left) && is_list_or_tuple(right) &&
            left.sequence->flavour == right.sequence->flavour) {
            const std::vector<Value>& more = right.sequence->items;
            heap.take_bytes((left.sequence->items.size() + more.size()) * sizeof(Value));
            std::vector<Value> items = left.sequence->items;
            items.insert(items.end(), more.begin(), more.end());
            return heap.list(std::move(items), left.sequence->flavour);
        }
    }
    if (op == Operator::Multiply) {
        const auto repeats = [](const Value& value) {
            return value.is(ValueKind::String) || is_list_or_tuple(value);
        };
        if (repeats(left) && right.is_integral()) {
            return repeated(heap, left, right.as_int());
        }
        if (repeats(right) && left.is_integral()) {
            return repeated(heap, right, left.as_int());
        }
    }
    heap.fail(std::string(spelled(op)) + " does not work on " + std::string(type_name(left)) +
              " and " + std::string(type_name(right)));
    return {};
}

Value negative(Heap& heap, const Value& value) {
    if (value.is(ValueKind::Float)) {
        return number(-value.real, value.is_data);
    }
    if (value.is_integral()) {
        if (value.as_int() == std::numeric_limits<std::int64_t>::min()) {
            return overflow(heap);
        }
        return number(-value.as_int(), value.is_data);
    }
    heap.fail(value.is(ValueKind::Undefined)
                  ? undefined_message(value)
                  : "- does not work on " + std::string(type_name(value)));
    return {};
}

}  // namespace hearth::jinja
