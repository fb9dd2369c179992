#include "gguf/dtype.h"

#include <array>

#include "base/assert.h"

namespace hearth {
namespace {

// clang-format off
constexpr std::array kTypes{
    DTypeInfo{DType::F32,     "F32",     1,   4},
    DTypeInfo{DType::F16,     "F16",     1,   2},
    DTypeInfo{DType::Q4_0,    "Q4_0",    32,  18},
    DTypeInfo{DType::Q4_1,    "Q4_1",    32,  20},
    DTypeInfo{DType::Q5_0,    "Q5_0",    32,  22},
    DTypeInfo{DType::Q5_1,    "Q5_1",    32,  24},
    DTypeInfo{DType::Q8_0,    "Q8_0",    32,  34},
    DTypeInfo{DType::Q8_1,    "Q8_1",    32,  36},
    DTypeInfo{DType::Q2_K,    "Q2_K",    256, 84},
    DTypeInfo{DType::Q3_K,    "Q3_K",    256, 110},
    DTypeInfo{DType::Q4_K,    "Q4_K",    256, 144},
    DTypeInfo{DType::Q5_K,    "Q5_K",    256, 176},
    DTypeInfo{DType::Q6_K,    "Q6_K",    256, 210},
    DTypeInfo{DType::Q8_K,    "Q8_K",    256, 292},
    DTypeInfo{DType::IQ2_XXS, "IQ2_XXS", 256, 66},
    DTypeInfo{DType::IQ2_XS,  "IQ2_XS",  256, 74},
    DTypeInfo{DType::IQ3_XXS, "IQ3_XXS", 256, 98},
    DTypeInfo{DType::IQ1_S,   "IQ1_S",   256, 50},
    DTypeInfo{DType::IQ4_NL,  "IQ4_NL",  32,  18},
    DTypeInfo{DType::IQ3_S,   "IQ3_S",   256, 110},
    DTypeInfo{DType::IQ2_S,   "IQ2_S",   256, 82},
    DTypeInfo{DType::IQ4_XS,  "IQ4_XS",  256, 136},
    DTypeInfo{DType::I8,      "I8",      1,   1},
    DTypeInfo{DType::I16,     "I16",     1,   2},
    DTypeInfo{DType::I32,     "I32",     1,   4},
    DTypeInfo{DType::I64,     "I64",     1,   8},
    DTypeInfo{DType::F64,     "F64",     1,   8},
    DTypeInfo{DType::IQ1_M,   "IQ1_M",   256, 56},
    DTypeInfo{DType::BF16,    "BF16",    1,   2},
    DTypeInfo{DType::TQ1_0,   "TQ1_0",   256, 54},
    DTypeInfo{DType::TQ2_0,   "TQ2_0",   256, 66},
    DTypeInfo{DType::MXFP4,   "MXFP4",   32,  17},
};
// clang-format on

// Types that no file of today's tools has, or none that this version reads.
struct OtherType {
    std::uint32_t number;
    std::string_view name;
    bool removed;  // from the format
};
constexpr std::array kOthers{
    OtherType{4, "Q4_2", true},        OtherType{5, "Q4_3", true},
    OtherType{31, "Q4_0_4_4", true},   OtherType{32, "Q4_0_4_8", true},
    OtherType{33, "Q4_0_8_8", true},   OtherType{36, "IQ4_NL_4_4", true},
    OtherType{37, "IQ4_NL_4_8", true}, OtherType{38, "IQ4_NL_8_8", true},
    OtherType{40, "NVFP4", false},     OtherType{41, "Q1_0", false},
    OtherType{42, "Q2_0", false},
};
constexpr std::uint32_t kFirstOfForks = 97;

}  // namespace

const DTypeInfo* find_dtype(std::uint32_t number) {
    for (const DTypeInfo& info : kTypes) {
        if (static_cast<std::uint32_t>(info.type) == number) {
            return &info;
        }
    }
    return nullptr;
}

const DTypeInfo& dtype_info(DType type) {
    const DTypeInfo* info = find_dtype(static_cast<std::uint32_t>(type));
    HEARTH_ASSERT(info != nullptr);
    return *info;
}

std::string unknown_dtype(std::uint32_t number) {
    for (const OtherType& other : kOthers) {
        if (other.number == number) {
            return "is of type " + std::string(other.name) +
                   (other.removed ? ", which the format no longer has"
                                  : ", which this version cannot compute with");
        }
    }
    return "tensor type " + std::to_string(number) +
           (number >= kFirstOfForks ? " is no type of GGUF but a fork's own" : " is not known");
}

std::optional<DType> dtype_from_name(std::string_view name) {
    for (const DTypeInfo& info : kTypes) {
        if (info.name == name) {
            return info.type;
        }
    }
    return std::nullopt;
}

}  // namespace hearth
