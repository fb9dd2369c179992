#include "gguf/rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/assert.h"
#include "base/half.h"
#include "gguf/encoding.h"
#include "gguf/fit.h"
#include "gguf/fit_packed.h"
#include "gguf/fit_searched.h"
#include "gguf/packed_block.h"
#include "gguf/row_piece.h"

namespace hearth {
namespace {

template <class T>
T load(const std::byte* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

template <class T>
void store(std::byte* p, const T& value) {
    std::memcpy(p, &value, sizeof value);
}

float finite(float x) {
    return std::isfinite(x) ? x : 0.0F;
}

std::uint16_t saturated_bfloat16(float x) {
    constexpr float kMost = 0x1.FEp127F;
    return float_to_bfloat16(std::clamp(finite(x), -kMost, kMost));
}

// Calls visit(index of the first value, how many) for each piece of n values.
template <class Visit>
void for_each_piece(std::size_t n, Visit&& visit) {
    for (std::size_t first = 0; first < n; first += RowPiece::kValues) {
        visit(first, std::min<std::size_t>(RowPiece::kValues, n - first));
    }
}

// The values of a packed block.
void decode_packed(Packing packing, const std::byte* block, std::span<float> values) {
    std::uint8_t codes[RowPiece::kValues];
    PackedScales scales;
    take_packed_apart(packing, block, codes, 4, scales);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const int product = scales.scales[i / 16] * (codes[i] - kPackedZero);
        values[i] = scales.d * static_cast<float>(product) -
                    scales.minimum * static_cast<float>(scales.minima[i / 16]);
    }
}

// Calls fit(values that are finite, index of the first, piece) for each piece of blocks.
template <class Fit>
void quantize_blocks(const Encoding& encoding, std::span<const float> values, std::byte* out,
                     Fit&& fit) {
    for_each_piece(values.size(), [&](std::size_t first, std::size_t n) {
        std::array<float, RowPiece::kValues> x;
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = finite(values[first + i]);
        }
        RowPiece piece;
        fit(std::span<const float>(x).first(n), first, piece);
        put_together(encoding, piece, static_cast<int>(n), out + row_bytes(encoding.type, first));
    });
}

}  // namespace

bool is_computable(DType type) {
    return find_encoding(type) != nullptr;
}

std::uint64_t row_bytes(DType type, std::uint64_t cols) {
    const DTypeInfo& info = dtype_info(type);
    HEARTH_ASSERT(cols % info.block_values == 0);
    return cols / info.block_values * info.block_bytes;
}

void dequantize_row(DType type, const std::byte* row, std::span<float> out) {
    const Encoding& encoding = encoding_of(type);
    HEARTH_ASSERT(out.size() % encoding.block_values == 0);
    if (encoding.codes == CodeKind::F32) {
        if (!out.empty()) {
            std::memcpy(out.data(), row, out.size_bytes());
        }
    } else if (is_float(encoding.codes)) {
        // A loop a kind: a call through a pointer takes nearly twice as long.
        const auto convert = [&](auto&& to_float) {
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = to_float(load<std::uint16_t>(row + 2 * i));
            }
        };
        if (encoding.codes == CodeKind::F16) {
            convert([](std::uint16_t half) { return half_to_float(half); });
        } else {
            convert([](std::uint16_t bits) { return bfloat16_to_float(bits); });
        }
    } else if (encoding.codes == CodeKind::Packed) {
        for (std::size_t first = 0; first < out.size(); first += RowPiece::kValues) {
            decode_packed(encoding.packing, row + row_bytes(type, first),
                          out.subspan(first, RowPiece::kValues));
        }
    } else {
        for_each_piece(out.size(), [&](std::size_t first, std::size_t n) {
            RowPiece piece;
            take_apart(encoding, row + row_bytes(type, first), static_cast<int>(n), piece);
            decode(encoding, piece, out.subspan(first, n));
        });
    }
}

void quantize_row(DType type, std::span<const float> values, std::byte* out) {
    const Encoding& encoding = encoding_of(type);
    HEARTH_ASSERT(values.size() % encoding.block_values == 0);
    if (encoding.codes == CodeKind::F32) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            store(out + 4 * i, finite(values[i]));
        }
    } else if (is_float(encoding.codes)) {
        const auto to_half = encoding.codes == CodeKind::F16 ? saturated_half : saturated_bfloat16;
        for (std::size_t i = 0; i < values.size(); ++i) {
            store(out + 2 * i, to_half(values[i]));
        }
    } else if (encoding.codes == CodeKind::Packed) {
        std::array<float, RowPiece::kValues> x;
        for (std::size_t first = 0; first < values.size(); first += x.size()) {
            std::transform(values.begin() + static_cast<std::ptrdiff_t>(first),
                           values.begin() + static_cast<std::ptrdiff_t>(first + x.size()),
                           x.begin(), finite);
            fit_packed(encoding, x, out + row_bytes(type, first));
        }
    } else {
        quantize_blocks(encoding, values, out,
                        [&](std::span<const float> x, std::size_t, RowPiece& piece) {
                            fit(encoding, x, piece);
                        });
    }
}

void quantize_row_searched(DType type, std::span<const float> values,
                           std::span<const float> importance, std::byte* out) {
    const Encoding& encoding = encoding_of(type);
    HEARTH_ASSERT(importance.empty() || importance.size() == values.size());
    // Its own fit was chosen for what readers see of it (gguf/fit.cpp).
    const bool has_better = encoding.codes == CodeKind::Bits4 &&
                            encoding.scales == ScaleKind::Half && importance.empty();
    if (!has_search(encoding) || has_better) {
        quantize_row(type, values, out);
        return;
    }
    HEARTH_ASSERT(values.size() % encoding.block_values == 0);
    quantize_blocks(
        encoding, values, out, [&](std::span<const float> x, std::size_t first, RowPiece& piece) {
            fit_searched(encoding, x,
                         importance.empty() ? importance : importance.subspan(first, x.size()),
                         piece);
        });
}

}  // namespace hearth
