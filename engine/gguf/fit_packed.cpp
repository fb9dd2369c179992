#include "gguf/fit_packed.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/half.h"
#include "gguf/code_bits.h"
#include "gguf/fit.h"
#include "gguf/packed_block.h"

namespace hearth {
namespace {

using Values = std::span<const float, kSuperBlockValues>;

void add_bits(std::byte* place, unsigned bits) {
    *place |= static_cast<std::byte>(bits);
}
void add_word(std::byte* place, std::uint32_t bits) {
    code_bits::store(place, code_bits::load<std::uint32_t>(place) | bits);
}
void add_half_word(std::byte* place, unsigned bits) {
    code_bits::store(place,
                     static_cast<std::uint16_t>(code_bits::load<std::uint16_t>(place) | bits));
}

float ratio(float a, float b) {
    return b == 0 ? 0.0F : a / b;
}
unsigned level_of(float x, int most) {
    return static_cast<unsigned>(std::lround(std::clamp(x, 0.0F, static_cast<float>(most))));
}

// The least of 16 values is the minimum, or 0, and the greatest lies at the last code.
void fit_bits2(Values x, std::byte* block) {
    float least[16];
    float range[16];
    for (std::size_t i = 0; i < 16; ++i) {
        const auto [low, high] =
            std::minmax_element(x.begin() + static_cast<std::ptrdiff_t>(i) * 16,
                                x.begin() + static_cast<std::ptrdiff_t>(i) * 16 + 16);
        least[i] = std::max(0.0F, -*low);
        range[i] = *high + least[i];
    }
    const std::uint16_t d = saturated_half(*std::max_element(range, range + 16) / 45);
    const std::uint16_t minimum = saturated_half(*std::max_element(least, least + 16) / 15);
    code_bits::store(block + 80, d);
    code_bits::store(block + 82, minimum);
    for (std::size_t i = 0; i < 16; ++i) {
        const unsigned scale = level_of(ratio(range[i] / 3, half_to_float(d)), 15);
        const unsigned below = level_of(ratio(least[i], half_to_float(minimum)), 15);
        block[i] = static_cast<std::byte>(scale | below << 4);
        for (std::size_t at = 16 * i; at < 16 * i + 16; ++at) {
            const unsigned code =
                level_of(ratio(x[at] + half_to_float(minimum) * static_cast<float>(below),
                               half_to_float(d) * static_cast<float>(scale)),
                         3);
            add_bits(block + 16 + at / 128 * 32 + at % 32, code << at % 128 / 32 * 2);
        }
    }
}

// The extreme of 16 values lies at the outermost code.
void fit_bits3(Values x, std::byte* block) {
    float scales[16];
    float most = 0;
    for (std::size_t i = 0; i < 16; ++i) {
        float extreme = 0;
        for (const float value : x.subspan(16 * i, 16)) {
            extreme = std::fabs(value) > std::fabs(extreme) ? value : extreme;
        }
        scales[i] = extreme / -4;
        most = std::max(most, std::fabs(scales[i]));
    }
    const std::uint16_t half = saturated_half(most / 31);
    const float d = half_to_float(half);
    code_bits::store(block + 108, half);
    for (std::size_t i = 0; i < 16; ++i) {
        const unsigned scale = level_of(ratio(scales[i], d) + 32, 63);
        add_bits(block + 96 + i % 8, (scale & 15U) << 4 * (i / 8));
        add_bits(block + 104 + i % 4, scale >> 4 << 2 * (i / 4));
        for (std::size_t at = 16 * i; at < 16 * i + 16; ++at) {
            const unsigned code =
                level_of(ratio(x[at], d * (static_cast<float>(scale) - 32)) + 4, 7);
            add_bits(block + 32 + at / 128 * 32 + at % 32, (code & 3U) << at % 128 / 32 * 2);
            add_bits(block + at % 32, code >> 2 << at / 32);
        }
    }
}

// How a packing has patterns. Their numbers are found by taking blocks apart that name them.
struct Grid {
    Packing packing;
    int values, patterns;
    int scale_values, levels;  // how many values share a scale; its levels
    float unit;                // what d is multiplied with
    float greatest;
    bool even_signs;
};
constexpr Grid kGrids[] = {
    {Packing::Eights256, 8, 256, 32, 16, 0.125F, 43, true},
    {Packing::Eights512, 8, 512, 16, 16, 0.125F, 43, true},
    {Packing::Eights1024, 8, 1024, 16, 16, 0.125F, 43, false},
    {Packing::Fours256, 4, 256, 32, 16, 0.25F, 62, true},
    {Packing::Fours512, 4, 512, 32, 16, 1, 15, false},
    {Packing::Ternary32, 8, 2048, 32, 8, 0.125F, 9, false},
    {Packing::Ternary16, 8, 2048, 16, 8, 0.125F, 9, false},
};

// Says that group `at` has this pattern.
void put_pattern(Packing packing, unsigned pattern, std::size_t at, std::byte* block) {
    const unsigned low = pattern & 255U;
    const unsigned high = pattern >> 8;
    switch (packing) {
        case Packing::Eights256:
            return add_bits(block + 2 + at / 4 * 8 + at % 4, low);
        case Packing::Eights512:
            return add_half_word(block + 2 + 2 * at, pattern);
        case Packing::Eights1024:
            add_bits(block + 2 + at, low);
            return add_bits(block + 66 + at / 4, high << at % 4 * 2);
        case Packing::Fours256:
            return add_bits(block + 2 + at, low);
        case Packing::Fours512:
            add_bits(block + 2 + at, low);
            return add_bits(block + 66 + at / 8, high << at % 8);
        case Packing::Ternary32:
            add_bits(block + 2 + at, low);
            return add_half_word(block + 34 + at / 4 * 2, high << at % 4 * 3);
        default:
            add_bits(block + at, low);
            return add_bits(block + 32 + at / 2, high << at % 2 * 4);
    }
}

// The signs of values 8 at to 8 at + 7; of ternary patterns whether they are moved down.
void put_signs(Packing packing, unsigned signs, std::size_t at, std::byte* block) {
    switch (packing) {
        case Packing::Eights256:
            return add_word(block + 6 + at / 4 * 8, (signs & 127U) << at % 4 * 7);
        case Packing::Eights512:
            return add_half_word(block + 2 + 2 * at, (signs & 127U) << 9);
        case Packing::Eights1024:
            return add_bits(block + 34 + at, signs);
        case Packing::Fours256:
            return add_word(block + 66 + at / 4 * 4, (signs & 127U) << at % 4 * 7);
        case Packing::Fours512:
            return add_bits(block + 74 + at, signs);
        case Packing::Ternary32:
            return add_half_word(block + 34 + at / 4 * 2, signs << 15);
        default:
            return add_bits(block + 32 + at / 2, signs << 3 << at % 2 * 4);
    }
}

// The level of 16 values is number `at`; that of 32 stands at an even one.
void put_level(Packing packing, unsigned level, std::size_t at, std::byte* block) {
    switch (packing) {
        case Packing::Eights256:
            return add_word(block + 6 + at / 2 * 8, level << 28);
        case Packing::Eights512:
            return add_bits(block + 66 + at / 2, level << at % 2 * 4);
        case Packing::Eights1024:
            return add_bits(block + 74 + at / 2, level << at % 2 * 4);
        case Packing::Fours256:
            return add_word(block + 66 + at / 2 * 4, level << 28);
        case Packing::Fours512:
            return add_bits(block + 106 + at / 4, level << at / 2 % 2 * 4);
        case Packing::Ternary32:
            return add_half_word(block + 34 + at / 2 * 2, level << 12);
        default:
            return add_half_word(block + 48 + at / 4 * 2, level << at % 4 * 3);
    }
}

void put_half(const Encoding& encoding, std::uint16_t half, std::byte* block) {
    if (encoding.packing != Packing::Ternary16) {
        code_bits::store(block, half);
        return;
    }
    for (std::size_t i = 0; i < 4; ++i) {
        add_bits(block + 49 + 2 * i, (half >> 4 * i & 15U) << 4);
    }
}

// All patterns, less kPackedZero, those of ternary ones moved up by an eighth: value by value, so
// that compilers compare several patterns at once.
struct Patterns {
    static constexpr int kMost = 2048;
    float of[8][kMost];
    float squares[kMost] = {};  // their sums

    explicit Patterns(const Grid& grid) {
        const int groups = kSuperBlockValues / grid.values;
        for (int first = 0; first < grid.patterns; first += groups) {
            std::byte block[kSuperBlockValues] = {};
            for (int at = 0; at < groups; ++at) {
                put_pattern(grid.packing, static_cast<unsigned>(first + at),
                            static_cast<std::size_t>(at), block);
            }
            std::uint8_t codes[kSuperBlockValues];
            PackedScales scales;
            take_packed_apart(grid.packing, block, codes, 4, scales);
            for (int i = 0; i < kSuperBlockValues; ++i) {
                const auto value = static_cast<float>(codes[i] - kPackedZero);
                of[i % grid.values][first + i / grid.values] = value;
                squares[first + i / grid.values] += value * value;
            }
        }
    }
};

// The pattern nearest to x, and the square of its distance but for x's own.
struct Nearest {
    unsigned pattern = 0;
    float error = 0;
};
Nearest nearest_of(const Grid& grid, const Patterns& patterns, const float* x, float more) {
    constexpr int kTogether = 128;
    Nearest nearest{0, std::numeric_limits<float>::infinity()};
    for (int first = 0; first < grid.patterns; first += kTogether) {
        float errors[kTogether];
        std::copy_n(patterns.squares + first, kTogether, errors);
        for (int i = 0; i < grid.values; ++i) {
            const float twice = 2 * (x[i] + more);
            for (int p = 0; p < kTogether; ++p) {
                errors[p] -= twice * patterns.of[i][first + p];
            }
        }
        const float* least = std::min_element(errors, errors + kTogether);
        if (*least < nearest.error) {
            nearest = {static_cast<unsigned>(first + (least - errors)), *least};
        }
    }
    for (int i = 0; i < grid.values; ++i) {
        nearest.error += (x[i] + more) * (x[i] + more);
    }
    return nearest;
}

// Eight values with signs of their own, of which x gets the sizes.
void fit_signed(const Grid& grid, const Patterns& patterns, float (&x)[8], std::size_t at,
                std::byte* block) {
    unsigned signs = 0;
    for (unsigned i = 0; i < 8; ++i) {
        signs |= x[i] < 0 ? 1U << i : 0U;
        x[i] = std::fabs(x[i]);
    }
    if (grid.even_signs && std::popcount(signs) % 2 == 1) {
        const auto least = static_cast<unsigned>(std::min_element(x, x + 8) - x);
        signs ^= 1U << least;
        x[least] = -x[least];
    }
    put_signs(grid.packing, signs, at, block);
    for (int i = 0; i < 8; i += grid.values) {
        const auto group = 8 * at + static_cast<std::size_t>(i);
        put_pattern(grid.packing, nearest_of(grid, patterns, x + i, 0).pattern,
                    group / static_cast<std::size_t>(grid.values), block);
    }
}

// Patterns of one direction: of 32 values or of 8.
void fit_ternary(const Grid& grid, const Patterns& patterns, const float* x, std::size_t at,
                 std::size_t n, std::byte* block) {
    float errors[2] = {};
    unsigned nearest[2][4];
    for (unsigned down = 0; down < 2; ++down) {
        for (std::size_t i = 0; i < n; ++i) {
            const Nearest found =
                nearest_of(grid, patterns, x + 8 * i, 2 * static_cast<float>(down));
            errors[down] += found.error;
            nearest[down][i] = found.pattern;
        }
    }
    const unsigned down = errors[1] < errors[0] ? 1 : 0;
    put_signs(grid.packing, down, at, block);
    for (std::size_t i = 0; i < n; ++i) {
        put_pattern(grid.packing, nearest[down][i], at + i, block);
    }
}

void fit_grid(const Encoding& encoding, const Grid& grid, Values x, std::byte* block) {
    const Patterns patterns(grid);
    const auto size = static_cast<std::size_t>(grid.scale_values);
    const auto extreme = [](std::span<const float> values) {
        float most = 0;
        for (const float value : values) {
            most = std::max(most, std::fabs(value));
        }
        return most;
    };
    const auto most_scale = static_cast<float>(2 * grid.levels - 1);
    const std::uint16_t half =
        saturated_half(extreme(x) / (grid.unit * most_scale * grid.greatest));
    put_half(encoding, half, block);
    const float step = half_to_float(half) * grid.unit;
    for (std::size_t first = 0; first < x.size(); first += size) {
        const auto run = x.subspan(first, size);
        const unsigned level =
            level_of((ratio(extreme(run), step * grid.greatest) - 1) / 2, grid.levels - 1);
        put_level(grid.packing, level, first / 16, block);
        float scaled[32];
        for (std::size_t i = 0; i < size; ++i) {
            scaled[i] = ratio(run[i], step * static_cast<float>(2 * level + 1));
        }
        const bool ternary = grid.patterns == 2048;
        const std::size_t together = ternary && size == 32 ? 4 : 1;
        for (std::size_t i = 0; i < size / 8; i += together) {
            const std::size_t at = first / 8 + i;
            if (ternary) {
                fit_ternary(grid, patterns, scaled + 8 * i, at, together, block);
                continue;
            }
            float eight[8];
            std::copy_n(scaled + 8 * i, 8, eight);
            fit_signed(grid, patterns, eight, at, block);
        }
    }
}

}  // namespace

void fit_packed(const Encoding& encoding, Values values, std::byte* block) {
    std::memset(block, 0, encoding.block_bytes);
    if (encoding.packing == Packing::Bits2) {
        return fit_bits2(values, block);
    }
    if (encoding.packing == Packing::Bits3) {
        return fit_bits3(values, block);
    }
    const auto* grid = std::find_if(std::begin(kGrids), std::end(kGrids), [&](const Grid& row) {
        return row.packing == encoding.packing;
    });
    fit_grid(encoding, *grid, values, block);
}

}  // namespace hearth
