// The recursive part of json_schema.h: a schema becomes rules of one grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hearth/result.h>

#include "grammar/grammar.h"
#include "grammar/json_forms.h"
#include "grammar/json_value.h"

namespace hearth {

// Reads one schema. After fail() all that follows is worthless.
class SchemaReader {
public:
    // text: that root was parsed of, to say where something is wrong; must outlive it.
    SchemaReader(std::string_view text, JsonValue root);

    Result<Grammar> read();

private:
    using Kind = JsonValue::Kind;

    // ---- schema_reader.cpp: places, rules and types --------------------------------------------

    bool failed() const { return error_.has_value(); }
    ExpressionId fail(const JsonValue& at, const std::string& message);
    ExpressionId nothing() { return grammar_.choice({}); }
    ExpressionId sequence(std::vector<ExpressionId> parts) {
        return grammar_.sequence(std::move(parts));
    }
    ExpressionId rule(ExpressionId body, const char* name);
    // A rule for a place in the schema, made later.
    RuleId rule_of(const std::string& pointer, const JsonValue& schema);
    // Null after fail().
    const JsonValue* target_of(const JsonValue& ref);
    bool count(const JsonValue& schema, int depth);
    bool check_keywords(const JsonValue& schema);
    ExpressionId schema_text(const JsonValue& schema, int depth);
    bool known_types(const JsonValue& type, const std::vector<std::string>& types);
    ExpressionId typed(const JsonValue& schema, int depth);
    ExpressionId of_type(const std::string& type, const JsonValue& schema, int depth);

    // ---- schema_combined.cpp: $ref, allOf, anyOf, oneOf, enum and const -------------------------

    // The schema without one keyword and without annotations.
    static JsonValue without(const JsonValue& schema, std::string_view keyword);
    // The schema without $ref and allOf; empty after fail(). true is {}, false is {"enum": []}.
    std::optional<JsonValue> flattened(const JsonValue& schema, int depth);
    std::optional<JsonValue> merged_with(const JsonValue& a, const JsonValue& b);
    ExpressionId alternatives(const JsonValue& schema, const std::string& name,
                              const JsonValue& list, int depth);
    ExpressionId values(const JsonValue& schema);
    static JsonValue without_values(const JsonValue& schema);

    // ---- schema_scalars.cpp: numbers and strings ------------------------------------------------

    struct Counts {
        int least = 0;
        int most = -1;
    };
    // The value of a keyword that counts; `otherwise` if it is missing. Empty after fail().
    std::optional<int> counted(const JsonValue& schema, const char* name, int otherwise);
    std::optional<Counts> counts(const JsonValue& schema, const char* least, const char* most);
    ExpressionId string(const JsonValue& schema);
    // The nearest whole number inside of a bound. Empty after fail(), or if there is no bound.
    std::optional<long long> whole_bound(const JsonValue& schema, const char* name, bool rounds_up,
                                         long long beyond);
    ExpressionId integer(const JsonValue& schema);

    // ---- schema_containers.cpp: arrays and objects ----------------------------------------------

    struct Member {
        ExpressionId text;
        bool required;
    };
    ExpressionId comma() { return sequence({grammar_.text(","), forms_.space()}); }
    ExpressionId array(const JsonValue& schema, int depth);
    ExpressionId object(const JsonValue& schema, int depth);
    // Members in their order.
    ExpressionId member_list(const std::vector<Member>& members, std::optional<ExpressionId> extra);
    // A name in quotes that is none of these, of characters that need no escape.
    ExpressionId other_name(const JsonValue& at, const std::set<std::string>& names);
    // names share their first `at` characters.
    ExpressionId none_of(const std::vector<std::vector<std::uint32_t>>& names, std::size_t at,
                         ExpressionId any_end);

    std::string_view text_;
    const JsonValue root_;
    Grammar grammar_;
    JsonForms forms_;
    std::map<std::string, RuleId> rules_;  // by pointer
    std::deque<std::pair<RuleId, const JsonValue*>> waiting_;
    std::size_t parts_ = 0;
    std::size_t copied_ = 0;
    std::optional<Error> error_;
};

}  // namespace hearth
