// One schema that says what two say together: for allOf, and for keywords beside $ref and anyOf.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "grammar/json_value.h"

namespace hearth {

// Keywords that change nothing about validity.
bool is_annotation(std::string_view keyword);

struct MergeRefused {
    std::string why;
};

// Preconditions: both are objects without $ref and allOf. Members that both have for a property or
// item become allOf. Refused: two patterns or formats, two lists of anyOf, oneOf or prefixItems,
// and additionalProperties of one beside properties that only the other names.
std::variant<JsonValue, MergeRefused> merge_schemas(const JsonValue& a, const JsonValue& b);

// The types that a schema names, or that its enum or const has; empty: any.
std::vector<std::string> types_of(const JsonValue& schema);
std::string type_of(const JsonValue& value);  // "integer" for whole numbers
// True: values of one type can be of the other, as whole numbers are numbers.
bool types_meet(std::string_view a, std::string_view b);
// True: it is plain that no value satisfies both. Preconditions as merge_schemas().
bool exclude_each_other(const JsonValue& a, const JsonValue& b);

}  // namespace hearth
