#include "gguf/finite.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/half.h"
#include "gguf/blocks.h"

namespace hearth {
namespace {

constexpr std::uint32_t kFloatExponent = 0x7F800000;
constexpr std::uint16_t kHalfExponent = 0x7C00;
constexpr std::uint16_t kBfloatExponent = 0x7F80;

// Whether no word has all bits of the exponent set. Words need no alignment.
template <class Word>
bool all_below(const std::byte* bytes, std::uint64_t n, Word exponent) {
    const auto lowest = static_cast<Word>(exponent & (~exponent + 1));
    Word found = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
        Word word;
        std::memcpy(&word, bytes + i * sizeof word, sizeof word);
        // A full exponent overflows into the sign.
        found = static_cast<Word>(found | ((word & exponent) + lowest));
    }
    return found >> (8 * sizeof(Word) - 1) == 0;
}

struct Scales {
    std::uint64_t block_bytes, block_values, at;
};

// Where a block's scale lies; empty: the type has none.
std::optional<Scales> scales_of(DType type) {
    switch (type) {
        case DType::Q4_0:
            return Scales{sizeof(BlockQ4_0), kBlockValues, offsetof(BlockQ4_0, d)};
        case DType::Q5_0:
            return Scales{sizeof(BlockQ5_0), kBlockValues, offsetof(BlockQ5_0, d)};
        case DType::Q8_0:
            return Scales{sizeof(BlockQ8_0), kBlockValues, offsetof(BlockQ8_0, d)};
        case DType::Q6_K:
            return Scales{sizeof(BlockQ6_K), kSuperBlockValues, offsetof(BlockQ6_K, d)};
        default:
            return std::nullopt;
    }
}

std::uint16_t half_at(const std::byte* place) {
    std::uint16_t half;
    std::memcpy(&half, place, sizeof half);
    return half;
}

bool row_is_finite(DType type, const std::byte* row, std::uint64_t cols) {
    if (const auto scales = scales_of(type)) {
        unsigned full = 0;
        for (std::uint64_t b = 0; b < cols / scales->block_values; ++b) {
            const std::uint16_t d = half_at(row + b * scales->block_bytes + scales->at);
            full |= (d & kHalfExponent) == kHalfExponent ? 1U : 0U;
        }
        return full == 0;
    }
    switch (type) {
        case DType::F32:
            return all_below<std::uint32_t>(row, cols, kFloatExponent);
        case DType::F16:
            return all_below<std::uint16_t>(row, cols, kHalfExponent);
        case DType::BF16:
            return all_below<std::uint16_t>(row, cols, kBfloatExponent);
        default:
            return true;
    }
}

std::string_view name_of(float value) {
    return std::isnan(value) ? "NaN" : value > 0 ? "Inf" : "-Inf";
}

// Of a row that is not finite: its first value, or scale, that is not.
struct Found {
    std::uint64_t at = 0;
    float value = 0;
};
Found first_in(DType type, const std::byte* row, std::uint64_t cols) {
    const auto scales = scales_of(type);
    const std::uint64_t n = scales ? cols / scales->block_values : cols;
    for (std::uint64_t i = 0; i < n; ++i) {
        float value = 0;
        if (type == DType::F32) {
            std::memcpy(&value, row + i * sizeof value, sizeof value);
        } else if (scales) {
            value = half_to_float(half_at(row + i * scales->block_bytes + scales->at));
        } else {
            const std::uint16_t bits = half_at(row + i * sizeof(std::uint16_t));
            value = type == DType::BF16 ? bfloat16_to_float(bits) : half_to_float(bits);
        }
        if (!std::isfinite(value)) {
            return {i, value};
        }
    }
    return {};
}

Error bad(std::string_view name, const std::string& which, float value) {
    return Error{ErrorCode::BadFile,
                 std::string(name) + ": " + which + " is " + std::string(name_of(value)),
                 {},
                 std::string(name)};
}

}  // namespace

bool all_finite(std::span<const float> values) {
    return all_below<std::uint32_t>(reinterpret_cast<const std::byte*>(values.data()),
                                    values.size(), kFloatExponent);
}

bool rows_are_finite(DType type, const std::byte* rows, std::uint64_t n_rows, std::uint64_t stride,
                     std::uint64_t cols) {
    for (std::uint64_t row = 0; row < n_rows; ++row) {
        if (!row_is_finite(type, rows + row * stride, cols)) {
            return false;
        }
    }
    return true;
}

Error not_finite(std::string_view name, std::string_view what, std::span<const float> values,
                 std::uint64_t first) {
    const auto found = std::find_if(values.begin(), values.end(),
                                    [](float value) { return !std::isfinite(value); });
    const auto at = first + static_cast<std::uint64_t>(found - values.begin());
    return bad(name, std::string(what) + " " + std::to_string(at), *found);
}

Error rows_not_finite(std::string_view name, DType type, const std::byte* rows,
                      std::uint64_t n_rows, std::uint64_t stride, std::uint64_t cols,
                      std::uint64_t first_row) {
    std::uint64_t row = 0;
    while (row + 1 < n_rows && row_is_finite(type, rows + row * stride, cols)) {
        ++row;
    }
    const Found found = first_in(type, rows + row * stride, cols);
    const std::string at = " of row " + std::to_string(first_row + row);
    return bad(name,
               scales_of(type) ? "the scale" + at + ", block " + std::to_string(found.at)
                               : "value " + std::to_string(found.at) + at,
               found.value);
}

}  // namespace hearth
