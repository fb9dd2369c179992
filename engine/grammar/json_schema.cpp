#include "grammar/json_schema.h"

#include <utility>

#include "grammar/json_value.h"
#include "grammar/schema_reader.h"

namespace hearth {

Result<Grammar> parse_json_schema(std::string_view text) {
    auto root = parse_json(text, "json_schema");
    if (!root) {
        return std::move(root).error();
    }
    return SchemaReader(text, std::move(*root)).read();
}

}  // namespace hearth
