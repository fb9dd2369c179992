#include "gguf/finite.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.h"
#include "gguf/encoding.h"
#include "gguf/neuron_row.h"
#include "gguf/packed_block.h"
#include "gguf/rows.h"

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

std::uint16_t half_at(const std::byte* place) {
    std::uint16_t half;
    std::memcpy(&half, place, sizeof half);
    return half;
}

bool floats_are_finite(CodeKind codes, const std::byte* row, std::uint64_t cols) {
    return codes == CodeKind::F32
               ? all_below<std::uint32_t>(row, cols, kFloatExponent)
               : all_below<std::uint16_t>(row, cols,
                                          codes == CodeKind::F16 ? kHalfExponent : kBfloatExponent);
}

bool row_is_finite(const Encoding& encoding, const std::byte* row, std::uint64_t cols) {
    if (is_float(encoding.codes)) {
        return floats_are_finite(encoding.codes, row, cols);
    }
    unsigned full = 0;
    if (encoding.scales == ScaleKind::Power) {
        const std::byte* exponent = row + encoding.shape.scales;
        for (std::uint64_t b = 0; b < cols / encoding.block_values; ++b) {
            full |= *exponent > kMostPower ? 1U : 0U;
            exponent += encoding.block_bytes;
        }
    }
    if (encoding.packing == Packing::Ternary16) {
        for (std::uint64_t b = 0; b < cols / encoding.block_values; ++b) {
            const std::uint16_t half = half_of_ternary(row + b * encoding.block_bytes);
            full |= (half & kHalfExponent) == kHalfExponent ? 1U : 0U;
        }
    }
    for (int h = 0; h < encoding.n_halves(); ++h) {
        const std::byte* half = row + encoding.shape.halves[h];
        for (std::uint64_t b = 0; b < cols / encoding.block_values; ++b) {
            full |= (half_at(half) & kHalfExponent) == kHalfExponent ? 1U : 0U;
            half += encoding.block_bytes;
        }
    }
    return full == 0;
}

// As it is told: one that no number has, or that is too large.
float power_value(std::byte exponent) {
    return exponent == std::byte{255} ? std::numeric_limits<float>::quiet_NaN()
           : exponent > kMostPower    ? std::numeric_limits<float>::infinity()
                                      : power_of(exponent);
}

std::string_view name_of(float value) {
    return std::isnan(value) ? "NaN" : value > 0 ? "Inf" : "-Inf";
}

// Of a row that is not finite: its first value, or scale, that is not.
struct Found {
    std::uint64_t at = 0;
    float value = 0;
};
Found first_in(const Encoding& encoding, const std::byte* row, std::uint64_t cols) {
    for (std::uint64_t i = 0; i < cols / encoding.block_values; ++i) {
        const std::byte* block = row + i * encoding.block_bytes;
        float values[2] = {};
        if (is_float(encoding.codes)) {
            dequantize_row(encoding.type, block, {values, 1});
        }
        if (encoding.scales == ScaleKind::Power) {
            values[0] = power_value(block[encoding.shape.scales]);
        }
        if (encoding.packing == Packing::Ternary16) {
            values[0] = half_to_float(half_of_ternary(block));
        }
        for (int h = 0; h < encoding.n_halves(); ++h) {
            values[h] = half_to_float(half_at(block + encoding.shape.halves[h]));
        }
        for (const float value : values) {
            if (!std::isfinite(value)) {
                return {i, value};
            }
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
    const Encoding& encoding = encoding_of(type);
    for (std::uint64_t row = 0; row < n_rows; ++row) {
        if (!row_is_finite(encoding, rows + row * stride, cols)) {
            return false;
        }
    }
    return true;
}

bool neuron_rows_are_finite(DType type, const std::byte* rows, std::uint64_t n_rows,
                            std::uint64_t stride, std::uint64_t cols) {
    const Encoding& encoding = encoding_of(type);
    const int held = neuron_row_cols(static_cast<int>(cols));
    const std::size_t halves =
        row_code_bytes(encoding.codes, held) + row_byte_scales(encoding.scales, held);
    const auto n_halves = static_cast<std::uint64_t>(half_count(encoding.scales)) *
                          static_cast<std::uint64_t>(held) / encoding.block_values;
    for (std::uint64_t row = 0; row < n_rows; ++row, rows += stride) {
        if (encoding.scales == ScaleKind::Power &&
            std::any_of(rows + row_code_bytes(encoding.codes, held), rows + halves,
                        [](std::byte exponent) { return exponent > kMostPower; })) {
            return false;
        }
        if (is_float(encoding.codes)
                ? !floats_are_finite(encoding.codes, rows, static_cast<std::uint64_t>(held))
                : !all_below<std::uint16_t>(rows + halves, n_halves, kHalfExponent)) {
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
    const Encoding& encoding = encoding_of(type);
    std::uint64_t row = 0;
    while (row + 1 < n_rows && row_is_finite(encoding, rows + row * stride, cols)) {
        ++row;
    }
    const Found found = first_in(encoding, rows + row * stride, cols);
    const std::string at = " of row " + std::to_string(first_row + row);
    return bad(name,
               is_float(encoding.codes) ? "value " + std::to_string(found.at) + at
                                        : "the scale" + at + ", block " + std::to_string(found.at),
               found.value);
}

}  // namespace hearth
