// A JSON schema (draft 2020-12) as grammar: JSON text that the schema allows.
//
// The grammar is sound: all its text is valid. It is not complete: members come in the order of
// "properties", none that the schema does not name comes unless "additionalProperties" is written
// down, and JsonForms has one way to write most things.
//
// Known: true, false, type, enum, const, properties, required, additionalProperties, items,
// prefixItems, minItems, maxItems, minLength, maxLength, pattern (json_pattern.h), format
// (JsonForms), minimum, maximum, exclusiveMinimum and exclusiveMaximum of integers, anyOf, oneOf
// whose alternatives exclude each other, allOf (schema_merge.h), $ref within the schema.
// Annotations and keywords that begin with x- are passed over. Every other keyword is refused by
// name.
#pragma once

#include <string_view>

#include <hearth/result.h>

#include "grammar/grammar.h"

namespace hearth {

// InvalidArgument, field "json_schema", with line and column: text that is not JSON, a keyword that
// is not known or has a value it cannot have, a schema that nothing satisfies where that is plain,
// one that is too large or nested too deep.
Result<Grammar> parse_json_schema(std::string_view text);

}  // namespace hearth
