// JSON text as values. Members keep their order, and numbers their spelling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hearth/result.h>

namespace hearth {

struct JsonValue {
    enum class Kind : std::uint8_t { Null, Bool, Number, String, Array, Object };
    using Member = std::pair<std::string, JsonValue>;

    Kind kind = Kind::Null;
    bool flag = false;
    std::string text{};  // of a string its characters, of a number its spelling
    std::vector<JsonValue> items{};
    std::vector<Member> members{};
    std::size_t at = 0;  // byte of the text that it was read from

    bool is(Kind wanted) const { return kind == wanted; }
    // The member of an object; null: there is none.
    const JsonValue* find(std::string_view name) const;
    void set(std::string name, JsonValue value);
    double number() const;  // 0 if it is no number
    // The number, if it has no fraction and fits 15 digits.
    std::optional<long long> whole() const;

    // Equal as JSON: numbers by value, objects whatever the order of their members.
    friend bool operator==(const JsonValue& a, const JsonValue& b);
};

inline constexpr std::size_t kMaxJsonBytes = 512 * 1024;
inline constexpr int kMaxJsonDepth = 64;

// One value, RFC 8259. InvalidArgument with line and column: text that is not JSON, members with
// the same name, lone surrogates, a bound above. what: what the message begins with, and its field.
Result<JsonValue> parse_json(std::string_view text, std::string_view what);

// JSON text without spaces, all characters but control characters, " and \ as they are.
std::string json_text(const JsonValue& value);
std::string json_string(std::string_view characters);  // with its quotes

}  // namespace hearth
