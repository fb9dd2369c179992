// The key-value pairs of a GGUF file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <hearth/result.h>

#include "base/string_map.h"

namespace hearth {

enum class MetadataType : std::uint32_t {
    U8 = 0,
    I8 = 1,
    U16 = 2,
    I16 = 3,
    U32 = 4,
    I32 = 5,
    F32 = 6,
    Bool = 7,
    String = 8,
    Array = 9,
    U64 = 10,
    I64 = 11,
    F64 = 12,
};
std::string_view to_string(MetadataType type);  // "u8", "str", "array", ...

// One array. Exactly one of the vectors is used, by element type: strings, signed (I8..I64),
// unsigned (U8..U64, Bool as 0 or 1), floating (F32, F64). Arrays of arrays are kept as `nested`.
struct MetadataArray {
    MetadataType element = MetadataType::U8;
    std::vector<std::string> strings;
    std::vector<std::int64_t> signed_values;
    std::vector<std::uint64_t> unsigned_values;
    std::vector<double> floating;
    std::vector<MetadataArray> nested;
    std::uint64_t size() const {
        return strings.size() + signed_values.size() + unsigned_values.size() + floating.size() +
               nested.size();
    }
};

struct MetadataValue {
    MetadataType type = MetadataType::U8;
    // unsigned for U8..U64, signed for I8..I64, double for F32 and F64
    std::variant<bool, std::uint64_t, std::int64_t, double, std::string, MetadataArray> value;
};

// Keys are unique; order is the file's.
class Metadata {
public:
    // False if the key is there already.
    bool add(std::string key, MetadataValue value);

    const MetadataValue* find(std::string_view key) const;
    const std::vector<std::pair<std::string, MetadataValue>>& entries() const { return entries_; }

    // The value as the asked type; BadFile that names the key, what was wanted and what was found,
    // or that the key is missing.
    // Integers of any width and sign convert if the value fits.
    Result<std::string> string(std::string_view key) const;
    Result<std::int64_t> integer(std::string_view key, std::int64_t least,
                                 std::int64_t most) const;  // also checks least <= value <= most
    Result<double> number(std::string_view key) const;      // floating or integer
    Result<bool> boolean(std::string_view key) const;
    Result<const MetadataArray*> array(std::string_view key, MetadataType element) const;

    bool contains(std::string_view key) const { return find(key) != nullptr; }

private:
    std::vector<std::pair<std::string, MetadataValue>> entries_;
    StringMap<std::size_t> by_key_;
};

}  // namespace hearth
