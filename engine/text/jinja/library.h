// The filters, tests, methods and functions that templates find.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/jinja/value.h"

namespace hearth::jinja {

class Evaluator;

struct Arguments {
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> named;
};

struct FilterRow {
    std::string_view name;
    Value (*run)(Evaluator&, const Value& self, const Arguments&);
};
struct TestRow {
    std::string_view name;
    bool (*run)(Evaluator&, const Value& self, const Arguments&);
};
struct MethodRow {
    std::string_view name;
    Value (*run)(Evaluator&, const Value& self, const Arguments&);
};
struct FunctionRow {
    std::string_view name;
    Value (*run)(Evaluator&, const Arguments&);
};

// Null: there is none of that name.
const FilterRow* find_filter(std::string_view name);
const TestRow* find_test(std::string_view name);
const MethodRow* find_method(const Value& self, std::string_view name);
const FunctionRow* find_function(std::string_view name);

}  // namespace hearth::jinja
