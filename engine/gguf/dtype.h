// The element types a GGUF tensor can have. Numbers and sizes: GGUF specification (ggml_type).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hearth {

enum class DType : std::uint32_t {
    F32 = 0,
    F16 = 1,
    Q4_0 = 2,
    Q4_1 = 3,
    Q5_0 = 6,
    Q5_1 = 7,
    Q8_0 = 8,
    Q8_1 = 9,
    Q2_K = 10,
    Q3_K = 11,
    Q4_K = 12,
    Q5_K = 13,
    Q6_K = 14,
    Q8_K = 15,
    IQ2_XXS = 16,
    IQ2_XS = 17,
    IQ3_XXS = 18,
    IQ1_S = 19,
    IQ4_NL = 20,
    IQ3_S = 21,
    IQ2_S = 22,
    IQ4_XS = 23,
    I8 = 24,
    I16 = 25,
    I32 = 26,
    I64 = 27,
    F64 = 28,
    IQ1_M = 29,
    BF16 = 30,
    TQ1_0 = 34,
    TQ2_0 = 35,
    MXFP4 = 39,
};

// A row of a tensor is a run of blocks: `block_values` values in `block_bytes` bytes.
struct DTypeInfo {
    DType type;
    std::string_view name;
    std::uint32_t block_values;
    std::uint32_t block_bytes;
};

// Null for a number no specification names.
const DTypeInfo* find_dtype(std::uint32_t number);
const DTypeInfo& dtype_info(DType type);
// The words for a number that find_dtype() does not know: "is of type NVFP4, which this version
// does not know".
std::string unknown_dtype(std::uint32_t number);
// Case as the file spells it: "Q4_0", "F16".
std::optional<DType> dtype_from_name(std::string_view name);

}  // namespace hearth
