#include "gguf/fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/half.h"
#include "gguf/fit_searched.h"
#include "gguf/fit_six.h"

namespace hearth {
namespace {

constexpr float kMostHalf = 65504.0F;

using BlockValues = std::span<const float, kBlockValues>;

// Calls fit(a block's values, the place of its codes, its d).
template <class Fit>
void for_each_block(std::span<const float> values, RowPiece& piece, Fit&& fit) {
    for (std::size_t b = 0; b < values.size() / kBlockValues; ++b) {
        fit(BlockValues(values.subspan(b * kBlockValues, kBlockValues)),
            piece.codes + b * kBlockValues, piece.halves[0][b]);
    }
}

// The value of greatest magnitude, with its sign.
float extreme_of(std::span<const float> values) {
    float extreme = 0.0F;
    for (const float value : values) {
        if (std::fabs(value) > std::fabs(extreme)) {
            extreme = value;
        }
    }
    return extreme;
}

// The code, of those below 2 * zero, that is nearest to x.
std::uint8_t nearest_code(float x, float step, int zero) {
    const auto most = static_cast<float>(zero);
    const float scaled = step == 0.0F ? 0.0F : std::clamp(x / step, -most, most - 1.0F);
    return static_cast<std::uint8_t>(std::lround(scaled) + zero);
}

// Codes of Q4_0 as signed numbers, -8 to 7.
using Codes = std::array<float, kBlockValues>;
using Weights = std::array<float, kBlockValues>;

// Nearest codes of x * inverse. Adding and taking away 1.5 * 2^23 rounds to an integer, ties to
// even, in a way compilers turn into vector code; |x * inverse| is far below 2^22.
void nearest_codes(BlockValues x, float inverse, Codes& codes) {
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
Weights importance(BlockValues x) {
    Weights weights;
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
Sums weighted_sums(BlockValues x, const Weights& weights, const Codes& codes) {
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

double weighted_error(BlockValues x, const Weights& weights, const Codes& codes, float d) {
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
void fit_nibble_block(BlockValues values, std::uint8_t* out, std::uint16_t& out_d) {
    constexpr int kPlaces = 25;
    constexpr float kFirstPlace = 4.6F;
    constexpr float kPlaceStep = 0.2F;
    constexpr int kZero = 8;

    const float extreme = extreme_of(values);
    out_d = 0;
    std::fill_n(out, kBlockValues, std::uint8_t{kZero});
    // A scale this small is zero as a half.
    if (std::fabs(extreme) < 0x1p-24F) {
        return;
    }
    // Within [-1, 1] nothing below can overflow, and no sum can vanish.
    std::array<float, kBlockValues> x;
    std::transform(values.begin(), values.end(), x.begin(),
                   [&](float value) { return value / extreme; });
    const Weights weights = importance(x);
    float best_gain = 0.0F;
    float best_scale = -1.0F / 8.0F;
    Codes codes;
    for (int i = 0; i < 2 * kPlaces; ++i) {
        const int pair = i / 2;
        const float place = kFirstPlace + kPlaceStep * static_cast<float>(pair);
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
        out_d = stored;
        for (std::size_t i = 0; i < kBlockValues; ++i) {
            out[i] = static_cast<std::uint8_t>(static_cast<int>(codes[i]) + kZero);
        }
        const Sums sums = weighted_sums(x, weights, codes);
        if (sums.qq <= 0.0F) {
            break;
        }
        best_scale = sums.xq / sums.qq;
    }
}

void fit_bytes(std::span<const float> values, RowPiece& piece) {
    for_each_block(values, piece, [](BlockValues x, std::uint8_t* codes, std::uint16_t& stored) {
        stored = saturated_half(std::fabs(extreme_of(x)) / 127.0F);
        // Rounded against the scale that is stored, not the one that was wished for.
        const float d = half_to_float(stored);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const float scaled = d == 0.0F ? 0.0F : std::clamp(x[i] / d, -127.0F, 127.0F);
            codes[i] = static_cast<std::uint8_t>(std::lround(scaled) + 128);
        }
    });
}

void fit_nibbles(std::span<const float> values, RowPiece& piece) {
    for_each_block(values, piece, fit_nibble_block);
}

void fit_extreme(const Encoding& encoding, std::span<const float> values, RowPiece& piece) {
    const int zero = encoding.zero;
    for_each_block(values, piece, [&](BlockValues x, std::uint8_t* codes, std::uint16_t& stored) {
        stored = saturated_half(extreme_of(x) / -static_cast<float>(zero));
        const float d = half_to_float(stored);
        for (std::size_t i = 0; i < x.size(); ++i) {
            codes[i] = nearest_code(x[i], d, zero);
        }
    });
}

void fit_extreme_of_16(const Encoding& encoding, std::span<const float> values, RowPiece& piece) {
    constexpr std::size_t kScales = std::size(RowPiece{}.scales);
    constexpr std::size_t kRun = RowPiece::kValues / kScales;
    std::array<float, kScales> scale{};
    float most = 0.0F;
    for (std::size_t s = 0; s < kScales; ++s) {
        scale[s] = extreme_of(values.subspan(s * kRun, kRun)) / -static_cast<float>(encoding.zero);
        most = std::max(most, std::fabs(scale[s]));
    }
    piece.halves[0][0] = saturated_half(most / 127.0F);
    const float d = half_to_float(piece.halves[0][0]);
    for (std::size_t s = 0; s < kScales; ++s) {
        const float scaled = d == 0.0F ? 0.0F : std::clamp(scale[s] / d, -127.0F, 127.0F);
        piece.scales[s] = static_cast<std::int8_t>(std::lround(scaled));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t run = i / kRun;
        const float step = d * static_cast<float>(piece.scales[run]);
        piece.codes[i] = nearest_code(values[i], step, encoding.zero);
    }
}

// The least value is the minimum and the greatest the last code.
void fit_range(const Encoding& encoding, std::span<const float> values, RowPiece& piece) {
    const auto most = static_cast<float>(most_unpacked(encoding.codes));
    std::uint16_t* minimum = piece.halves[1];
    for_each_block(values, piece, [&](BlockValues x, std::uint8_t* codes, std::uint16_t& stored) {
        const auto [least, greatest] = std::minmax_element(x.begin(), x.end());
        // Halved, so that the difference of two large values does not overflow.
        stored = saturated_half((*greatest / 2 - *least / 2) / most * 2);
        *minimum = saturated_half(*least);
        const float d = half_to_float(stored);
        const float from = half_to_float(*minimum++);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const float scaled = d == 0.0F ? 0.0F : std::clamp((x[i] - from) / d, 0.0F, most);
            codes[i] = static_cast<std::uint8_t>(std::lround(scaled));
        }
    });
}

// Sets the codes of the nearest of d * table[code] and returns the sum of the squared errors.
double nearest_in_table(const std::int8_t* table, std::span<const float> x, float d,
                        std::uint8_t* codes) {
    constexpr std::uint8_t kEntries = 16;
    double error = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto off = [&](std::uint8_t code) {
            return std::fabs(x[i] - d * static_cast<float>(table[code]));
        };
        codes[i] = 0;
        for (std::uint8_t code = 1; code < kEntries; ++code) {
            codes[i] = off(code) < off(codes[i]) ? code : codes[i];
        }
        error += static_cast<double>(off(codes[i])) * static_cast<double>(off(codes[i]));
    }
    return error;
}

// Lays the extreme at either end of a table and takes the end with the smaller error.
void fit_table(const std::int8_t* table, std::span<const float> values, RowPiece& piece) {
    constexpr std::uint8_t kEntries = 16;
    for_each_block(values, piece, [&](BlockValues x, std::uint8_t* codes, std::uint16_t& stored) {
        double least_error = -1.0;
        for (const int end : {0, kEntries - 1}) {
            const std::uint16_t half =
                saturated_half(extreme_of(x) / static_cast<float>(table[end]));
            std::array<std::uint8_t, kBlockValues> nearest{};
            const double error = nearest_in_table(table, x, half_to_float(half), nearest.data());
            if (least_error < 0.0 || error < least_error) {
                least_error = error;
                stored = half;
                std::copy(nearest.begin(), nearest.end(), codes);
            }
        }
    });
}

// The extreme lies at the largest number between two powers of two: the one that errs less.
void fit_power(const std::int8_t* table, std::span<const float> values, RowPiece& piece) {
    constexpr int kLargest = kFloat4[7];
    for (std::size_t first = 0; first < values.size(); first += kBlockValues) {
        const auto x = values.subspan(first, kBlockValues);
        int above = 0;
        std::frexp(std::fabs(extreme_of(x)) / static_cast<float>(kLargest), &above);
        double least_error = -1.0;
        for (const int power : {above - 1, above}) {
            const auto exponent =
                static_cast<std::byte>(std::clamp(power + 128, 0, static_cast<int>(kMostPower)));
            std::array<std::uint8_t, kBlockValues> nearest{};
            const double error = nearest_in_table(table, x, power_of(exponent), nearest.data());
            if (least_error < 0.0 || error < least_error) {
                least_error = error;
                piece.scales[first / 16] = static_cast<std::int8_t>(exponent);
                std::copy(nearest.begin(), nearest.end(), piece.codes + first);
            }
        }
    }
}

}  // namespace

std::uint16_t saturated_half(float x) {
    return float_to_half(std::isfinite(x) ? std::clamp(x, -kMostHalf, kMostHalf) : 0.0F);
}

void fit(const Encoding& encoding, std::span<const float> values, RowPiece& piece) {
    if (encoding.scales == ScaleKind::Bytes16) {
        fit_extreme_of_16(encoding, values, piece);
    } else if (encoding.scales == ScaleKind::SixMin) {
        fit_searched(encoding, values, {}, piece);
    } else if (encoding.scales == ScaleKind::Six) {
        fit_six_table(code_table(encoding.codes), values, piece);
    } else if (encoding.scales == ScaleKind::Power) {
        fit_power(code_table(encoding.codes), values, piece);
    } else if (has_minimum(encoding.scales)) {
        fit_range(encoding, values, piece);
    } else if (const std::int8_t* table = code_table(encoding.codes)) {
        fit_table(table, values, piece);
    } else if (encoding.codes == CodeKind::Bits8) {
        fit_bytes(values, piece);
    } else if (encoding.codes == CodeKind::Bits4) {
        fit_nibbles(values, piece);
    } else {
        fit_extreme(encoding, values, piece);
    }
}

}  // namespace hearth
