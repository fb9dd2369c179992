#include "gguf/rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/assert.h"
#include "base/half.h"
#include "gguf/blocks.h"

namespace hearth {
namespace {

constexpr float kMostHalf = 65504.0F;

using BlockValues = std::array<float, kBlockValues>;

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

std::uint16_t saturated_half(float x) {
    return float_to_half(std::clamp(finite(x), -kMostHalf, kMostHalf));
}

std::uint16_t saturated_bfloat16(float x) {
    constexpr float kMost = 0x1.FEp127F;
    return float_to_bfloat16(std::clamp(finite(x), -kMost, kMost));
}

// The finite values of a block; returns the one of greatest magnitude, with its sign.
float load_block(const float* values, BlockValues& out) {
    float extreme = 0.0F;
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = finite(values[i]);
        if (std::fabs(out[i]) > std::fabs(extreme)) {
            extreme = out[i];
        }
    }
    return extreme;
}

BlockQ8_0 quantize_q8_0(const float* values) {
    BlockValues x;
    const float most = std::fabs(load_block(values, x));
    BlockQ8_0 block{};
    block.d = saturated_half(most / 127.0F);
    // Rounded against the scale that is stored, not the one that was wished for.
    const float d = half_to_float(block.d);
    if (d == 0.0F) {
        return block;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        block.qs[i] = static_cast<std::int8_t>(std::lround(std::clamp(x[i] / d, -127.0F, 127.0F)));
    }
    return block;
}

// Codes of Q4_0 as signed numbers, -8 to 7.
using Codes = std::array<float, kBlockValues>;

// Nearest codes of x * inverse. Adding and taking away 1.5 * 2^23 rounds to an integer, ties to
// even, in a way compilers turn into vector code; |x * inverse| is far below 2^22.
void nearest_codes(const BlockValues& x, float inverse, Codes& codes) {
    constexpr float kMagic = 12582912.0F;
    for (std::size_t i = 0; i < x.size(); ++i) {
        float scaled = x[i] * inverse;
        scaled = scaled > -8.0F ? scaled : -8.0F;  // in this form one instruction each
        scaled = scaled < 7.0F ? scaled : 7.0F;
        codes[i] = (scaled + kMagic) - kMagic;
    }
}

// How much an error at x counts. Large weights matter more than small ones, but far less than their
// square: of the powers 0 to 2 the root gave the starter model the lowest perplexity, by little.
BlockValues importance(const BlockValues& x) {
    BlockValues weights;
    for (std::size_t i = 0; i < x.size(); ++i) {
        weights[i] = std::sqrt(std::fabs(x[i]));
    }
    return weights;
}

struct Sums {
    float xq = 0.0F;  // weighted sum of x * code
    float qq = 0.0F;  // weighted sum of code * code
};

// Eight sums side by side, since compilers may not reorder the additions of one.
Sums weighted_sums(const BlockValues& x, const BlockValues& weights, const Codes& codes) {
    constexpr std::size_t kLanes = 8;
    std::array<float, kLanes> xq{};
    std::array<float, kLanes> qq{};
    for (std::size_t i = 0; i < x.size(); i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const float wq = weights[i + lane] * codes[i + lane];
            xq[lane] += wq * x[i + lane];
            qq[lane] += wq * codes[i + lane];
        }
    }
    Sums sums;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        sums.xq += xq[lane];
        sums.qq += qq[lane];
    }
    return sums;
}

double weighted_error(const BlockValues& x, const BlockValues& weights, const Codes& codes,
                      float d) {
    double error = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double off = static_cast<double>(x[i]) - static_cast<double>(d * codes[i]);
        error += static_cast<double>(weights[i]) * off * off;
    }
    return error;
}

// For given codes the best scale is sums.xq / sums.qq, and it removes sums.xq² / sums.qq of the
// error: so the search looks for codes with the largest such gain. Codes come from laying the
// block's extreme value at a place between 4.6 and 9.4 steps from zero, on the side of -8 and on
// that of 7: far out wastes codes, near in clips, and where the optimum lies differs by block.
BlockQ4_0 quantize_q4_0(const float* values) {
    constexpr int kPlaces = 25;
    constexpr float kFirstPlace = 4.6F;
    constexpr float kPlaceStep = 0.2F;

    BlockValues x;
    const float extreme = load_block(values, x);
    BlockQ4_0 block{};
    std::fill(std::begin(block.qs), std::end(block.qs), std::uint8_t{0x88});
    // A scale this small is zero as a half.
    if (std::fabs(extreme) < 0x1p-24F) {
        return block;
    }
    // Within [-1, 1] nothing below can overflow, and no sum can vanish.
    for (float& value : x) {
        value /= extreme;
    }
    const BlockValues weights = importance(x);
    float best_gain = 0.0F;
    float best_scale = -1.0F / 8.0F;
    Codes codes;
    for (int i = 0; i < 2 * kPlaces; ++i) {
        const float place = kFirstPlace + kPlaceStep * static_cast<float>(i / 2);
        nearest_codes(x, i % 2 == 0 ? -place : place, codes);
        const Sums sums = weighted_sums(x, weights, codes);
        if (sums.qq > 0.0F && sums.xq * sums.xq > best_gain * sums.qq) {
            best_gain = sums.xq * sums.xq / sums.qq;
            best_scale = sums.xq / sums.qq;
        }
    }
    // Now with the scale as it will be stored: codes for the scale, scale for the codes, as long as
    // that helps.
    double least_error = -1.0;
    for (int round = 0; round < 4; ++round) {
        const std::uint16_t stored = saturated_half(best_scale * extreme);
        const float scale = half_to_float(stored) / extreme;
        if (scale == 0.0F) {
            break;
        }
        nearest_codes(x, 1.0F / scale, codes);
        const double error = weighted_error(x, weights, codes, scale);
        if (least_error >= 0.0 && error >= least_error) {
            break;
        }
        least_error = error;
        block.d = stored;
        for (std::size_t i = 0; i < kBlockValues / 2; ++i) {
            const auto low = static_cast<unsigned>(static_cast<int>(codes[i]) + 8);
            const auto high =
                static_cast<unsigned>(static_cast<int>(codes[i + kBlockValues / 2]) + 8);
            block.qs[i] = static_cast<std::uint8_t>(low | (high << 4));
        }
        const Sums sums = weighted_sums(x, weights, codes);
        if (sums.qq <= 0.0F) {
            break;
        }
        best_scale = sums.xq / sums.qq;
    }
    return block;
}

BlockQ5_0 quantize_q5_0(const float* values) {
    BlockValues x;
    const float extreme = load_block(values, x);
    BlockQ5_0 block{};
    block.d = saturated_half(extreme / -16.0F);
    const float d = half_to_float(block.d);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const float scaled = d == 0.0F ? 0.0F : std::clamp(x[i] / d, -16.0F, 15.0F);
        const auto code = static_cast<unsigned>(std::lround(scaled) + 16);
        std::uint8_t& nibbles = block.qs[i % (kBlockValues / 2)];
        nibbles =
            static_cast<std::uint8_t>(nibbles | (code & 15U) << (i < kBlockValues / 2 ? 0 : 4));
        block.qh[i / 8] = static_cast<std::uint8_t>(block.qh[i / 8] | code >> 4 << i % 8);
    }
    return block;
}

// Where value i of a Q6_K block lies: its low four bits in ql[low] from low_shift on, its high two
// in qh[high] from high_shift on.
struct PlaceQ6_K {
    std::size_t low, high;
    unsigned low_shift, high_shift;
};
PlaceQ6_K place_q6_k(std::size_t i) {
    const std::size_t h = i / 128;
    const std::size_t j = i % 128;
    return {64 * h + j % 64, 32 * h + j % 32, j < 64 ? 0U : 4U,
            static_cast<unsigned>(2 * (j / 32))};
}

BlockQ6_K quantize_q6_k(const float* values) {
    constexpr std::size_t kScales = std::size(BlockQ6_K{}.scales);
    constexpr std::size_t kRun = kSuperBlockValues / kScales;
    std::array<float, kSuperBlockValues> x{};
    std::array<float, kScales> scale{};
    float most = 0.0F;
    for (std::size_t s = 0; s < kScales; ++s) {
        float extreme = 0.0F;
        for (std::size_t i = s * kRun; i < (s + 1) * kRun; ++i) {
            x[i] = finite(values[i]);
            if (std::fabs(x[i]) > std::fabs(extreme)) {
                extreme = x[i];
            }
        }
        scale[s] = extreme / -32.0F;
        most = std::max(most, std::fabs(scale[s]));
    }
    BlockQ6_K block{};
    block.d = saturated_half(most / 127.0F);
    const float d = half_to_float(block.d);
    for (std::size_t s = 0; s < kScales && d != 0.0F; ++s) {
        block.scales[s] =
            static_cast<std::int8_t>(std::lround(std::clamp(scale[s] / d, -127.0F, 127.0F)));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        const float step = d * static_cast<float>(block.scales[i / kRun]);
        const float scaled = step == 0.0F ? 0.0F : std::clamp(x[i] / step, -32.0F, 31.0F);
        const auto code = static_cast<unsigned>(std::lround(scaled) + 32);
        const PlaceQ6_K at = place_q6_k(i);
        block.ql[at.low] =
            static_cast<std::uint8_t>(block.ql[at.low] | (code & 15U) << at.low_shift);
        block.qh[at.high] =
            static_cast<std::uint8_t>(block.qh[at.high] | code >> 4 << at.high_shift);
    }
    return block;
}

void dequantize_q5_0(const BlockQ5_0& block, float* out) {
    const float d = half_to_float(block.d);
    constexpr std::size_t kHalf = kBlockValues / 2;
    for (std::size_t i = 0; i < kBlockValues; ++i) {
        const int nibble = i < kHalf ? block.qs[i] & 0x0F : block.qs[i - kHalf] >> 4;
        const int bit = block.qh[i / 8] >> i % 8 & 1;
        out[i] = d * static_cast<float>(nibble + 16 * bit - 16);
    }
}

void dequantize_q6_k(const BlockQ6_K& block, float* out) {
    const float d = half_to_float(block.d);
    for (std::size_t i = 0; i < kSuperBlockValues; ++i) {
        const PlaceQ6_K at = place_q6_k(i);
        const int low = block.ql[at.low] >> at.low_shift & 15;
        const int high = block.qh[at.high] >> at.high_shift & 3;
        out[i] = d * static_cast<float>(block.scales[i / 16] * (low + 16 * high - 32));
    }
}

void dequantize_q8_0(const BlockQ8_0& block, float* out) {
    const float d = half_to_float(block.d);
    for (std::size_t i = 0; i < kBlockValues; ++i) {
        out[i] = d * static_cast<float>(block.qs[i]);
    }
}

void dequantize_q4_0(const BlockQ4_0& block, float* out) {
    const float d = half_to_float(block.d);
    constexpr std::size_t kHalf = kBlockValues / 2;
    for (std::size_t i = 0; i < kHalf; ++i) {
        out[i] = d * static_cast<float>((block.qs[i] & 0x0F) - 8);
        out[i + kHalf] = d * static_cast<float>((block.qs[i] >> 4) - 8);
    }
}

}  // namespace

bool is_computable(DType type) {
    switch (type) {
        case DType::F32:
        case DType::F16:
        case DType::BF16:
        case DType::Q8_0:
        case DType::Q4_0:
        case DType::Q5_0:
        case DType::Q6_K:
            return true;
        default:
            return false;
    }
}

std::uint64_t row_bytes(DType type, std::uint64_t cols) {
    const DTypeInfo& info = dtype_info(type);
    HEARTH_ASSERT(cols % info.block_values == 0);
    return cols / info.block_values * info.block_bytes;
}

void dequantize_row(DType type, const std::byte* row, std::span<float> out) {
    HEARTH_ASSERT(is_computable(type));
    HEARTH_ASSERT(out.size() % dtype_info(type).block_values == 0);
    switch (type) {
        case DType::F32:
            if (!out.empty()) {
                std::memcpy(out.data(), row, out.size_bytes());
            }
            return;
        case DType::F16:
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = half_to_float(load<std::uint16_t>(row + 2 * i));
            }
            return;
        case DType::BF16:
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = bfloat16_to_float(load<std::uint16_t>(row + 2 * i));
            }
            return;
        case DType::Q8_0:
            for (std::size_t i = 0; i < out.size(); i += kBlockValues) {
                dequantize_q8_0(load<BlockQ8_0>(row), out.data() + i);
                row += sizeof(BlockQ8_0);
            }
            return;
        case DType::Q4_0:
            for (std::size_t i = 0; i < out.size(); i += kBlockValues) {
                dequantize_q4_0(load<BlockQ4_0>(row), out.data() + i);
                row += sizeof(BlockQ4_0);
            }
            return;
        case DType::Q5_0:
            for (std::size_t i = 0; i < out.size(); i += kBlockValues) {
                dequantize_q5_0(load<BlockQ5_0>(row), out.data() + i);
                row += sizeof(BlockQ5_0);
            }
            return;
        case DType::Q6_K:
            for (std::size_t i = 0; i < out.size(); i += kSuperBlockValues) {
                dequantize_q6_k(load<BlockQ6_K>(row), out.data() + i);
                row += sizeof(BlockQ6_K);
            }
            return;
        default:
            return;
    }
}

void quantize_row(DType type, std::span<const float> values, std::byte* out) {
    HEARTH_ASSERT(is_computable(type));
    HEARTH_ASSERT(values.size() % dtype_info(type).block_values == 0);
    switch (type) {
        case DType::F32:
            for (std::size_t i = 0; i < values.size(); ++i) {
                store(out + 4 * i, finite(values[i]));
            }
            return;
        case DType::F16:
            for (std::size_t i = 0; i < values.size(); ++i) {
                store(out + 2 * i, saturated_half(values[i]));
            }
            return;
        case DType::BF16:
            for (std::size_t i = 0; i < values.size(); ++i) {
                store(out + 2 * i, saturated_bfloat16(values[i]));
            }
            return;
        case DType::Q8_0:
            for (std::size_t i = 0; i < values.size(); i += kBlockValues) {
                store(out, quantize_q8_0(values.data() + i));
                out += sizeof(BlockQ8_0);
            }
            return;
        case DType::Q4_0:
            for (std::size_t i = 0; i < values.size(); i += kBlockValues) {
                store(out, quantize_q4_0(values.data() + i));
                out += sizeof(BlockQ4_0);
            }
            return;
        case DType::Q5_0:
            for (std::size_t i = 0; i < values.size(); i += kBlockValues) {
                store(out, quantize_q5_0(values.data() + i));
                out += sizeof(BlockQ5_0);
            }
            return;
        case DType::Q6_K:
            for (std::size_t i = 0; i < values.size(); i += kSuperBlockValues) {
                store(out, quantize_q6_k(values.data() + i));
                out += sizeof(BlockQ6_K);
            }
            return;
        default:
            return;
    }
}

}  // namespace hearth
