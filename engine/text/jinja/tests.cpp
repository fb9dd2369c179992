// The tests that may stand after "is".
#include <algorithm>
#include <array>

#include "text/jinja/arguments.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/printing.h"
#include "text/jinja/string_operations.h"

namespace hearth::jinja {
namespace {

using Names1 = std::array<std::string_view, 1>;

Value other(Evaluator& e, const Arguments& given) {
    return BoundArguments<1>(e.heap(), given, Names1{"other"}, 1).value(0);
}

template <ValueKind kKind>
bool is_kind(Evaluator&, const Value& self, const Arguments&) {
    return self.is(kKind);
}
bool is_defined(Evaluator&, const Value& self, const Arguments&) {
    return !self.is(ValueKind::Undefined);
}
bool is_callable(Evaluator&, const Value& self, const Arguments&) {
    return self.is(ValueKind::Callable) || self.is(ValueKind::Undefined);
}
bool is_a_number(Evaluator&, const Value& self, const Arguments&) {
    return self.is_number();
}
bool is_a_sequence(Evaluator&, const Value& self, const Arguments&) {
    return self.is(ValueKind::Undefined) || self.is(ValueKind::String) ||
           self.is(ValueKind::Dict) ||
           (self.is(ValueKind::Sequence) && self.sequence->is_indexable());
}
bool can_be_iterated(Evaluator&, const Value& self, const Arguments&) {
    return is_iterable(self);
}
template <bool kTruth>
bool is_truth(Evaluator&, const Value& self, const Arguments&) {
    return self.is(ValueKind::Bool) && self.truth == kTruth;
}
bool is_escaped(Evaluator&, const Value& self, const Arguments&) {
    return self.is(ValueKind::String) && self.string->is_safe;
}
template <int kRest>
bool has_rest(Evaluator& e, const Value& self, const Arguments&) {
    const Value rest = binary(e.heap(), Operator::Modulo, self, Value::of(std::int64_t{2}));
    return equal(e.heap(), rest, Value::of(std::int64_t{kRest}));
}
bool is_divisible(Evaluator& e, const Value& self, const Arguments& given) {
    const Value rest = binary(e.heap(), Operator::Modulo, self, other(e, given));
    return equal(e.heap(), rest, Value::of(std::int64_t{0}));
}
bool is_equal(Evaluator& e, const Value& self, const Arguments& given) {
    return equal(e.heap(), self, other(e, given));
}
bool is_unequal(Evaluator& e, const Value& self, const Arguments& given) {
    return !equal(e.heap(), self, other(e, given));
}
bool is_less(Evaluator& e, const Value& self, const Arguments& given) {
    return less(e.heap(), self, other(e, given));
}
bool is_at_most(Evaluator& e, const Value& self, const Arguments& given) {
    const Value right = other(e, given);
    return less(e.heap(), self, right) || equal(e.heap(), self, right);
}
bool is_greater(Evaluator& e, const Value& self, const Arguments& given) {
    return less(e.heap(), other(e, given), self);
}
bool is_at_least(Evaluator& e, const Value& self, const Arguments& given) {
    const Value right = other(e, given);
    return less(e.heap(), right, self) || equal(e.heap(), self, right);
}
bool is_in(Evaluator& e, const Value& self, const Arguments& given) {
    return contains(e.heap(), other(e, given), self);
}
bool is_same(Evaluator& e, const Value& self, const Arguments& given) {
    const Value right = other(e, given);
    if (self.kind != right.kind) {
        return false;
    }
    if (self.is(ValueKind::Sequence) || self.is(ValueKind::Dict)) {
        return self.sequence == right.sequence;
    }
    return equal(e.heap(), self, right);
}
template <bool kUpper>
bool has_case(Evaluator& e, const Value& self, const Arguments&) {
    return is_in_case(text_of(e.heap(), self).bytes(), kUpper);
}
template <bool kFilter>
bool exists(Evaluator& e, const Value& self, const Arguments&) {
    const MarkedText name = text_of(e.heap(), self);
    return kFilter ? find_filter(name.bytes()) != nullptr : find_test(name.bytes()) != nullptr;
}

constexpr std::array<TestRow, 39> kTests = {{
    {"!=", is_unequal},
    {"<", is_less},
    {"<=", is_at_most},
    {"==", is_equal},
    {">", is_greater},
    {">=", is_at_least},
    {"boolean", is_kind<ValueKind::Bool>},
    {"callable", is_callable},
    {"defined", is_defined},
    {"divisibleby", is_divisible},
    {"eq", is_equal},
    {"equalto", is_equal},
    {"escaped", is_escaped},
    {"even", has_rest<0>},
    {"false", is_truth<false>},
    {"filter", exists<true>},
    {"float", is_kind<ValueKind::Float>},
    {"ge", is_at_least},
    {"greaterthan", is_greater},
    {"gt", is_greater},
    {"in", is_in},
    {"integer", is_kind<ValueKind::Int>},
    {"iterable", can_be_iterated},
    {"le", is_at_most},
    {"lessthan", is_less},
    {"lower", has_case<false>},
    {"lt", is_less},
    {"mapping", is_kind<ValueKind::Dict>},
    {"ne", is_unequal},
    {"none", is_kind<ValueKind::None>},
    {"number", is_a_number},
    {"odd", has_rest<1>},
    {"sameas", is_same},
    {"sequence", is_a_sequence},
    {"string", is_kind<ValueKind::String>},
    {"test", exists<false>},
    {"true", is_truth<true>},
    {"undefined", is_kind<ValueKind::Undefined>},
    {"upper", has_case<true>},
}};

}  // namespace

const TestRow* find_test(std::string_view name) {
    const auto row =
        std::lower_bound(kTests.begin(), kTests.end(), name,
                         [](const TestRow& r, std::string_view wanted) { return r.name < wanted; });
    return row != kTests.end() && row->name == name ? &*row : nullptr;
}

}  // namespace hearth::jinja
