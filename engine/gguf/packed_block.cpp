#include "gguf/packed_block.h"

#include <array>
#include <cstring>
#include <iterator>

#include "base/half.h"
#include "gguf/code_bits.h"
#include "gguf/grids.h"

namespace hearth {
namespace {

using code_bits::load;

constexpr std::uint64_t kOnes = 0x0101010101010101U;
constexpr int kRuns = 8;  // of 32 values

// Patterns as bytes, each plus kPackedZero.
constexpr std::size_t kMostEights = 2048;
template <class Pattern, std::size_t n_words>
constexpr auto unpacked(const std::uint32_t (&words)[n_words], int bits, auto&& value) {
    std::array<Pattern, 2 * n_words> patterns{};
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        const unsigned packed = words[i / 2] >> 16 * (i % 2) & 0xFFFFU;
        for (unsigned k = 0; k < sizeof(Pattern); ++k) {
            const unsigned digit = packed >> bits * static_cast<int>(k) & ((1U << bits) - 1);
            patterns[i] |= static_cast<Pattern>(kPackedZero + value(static_cast<int>(digit)))
                           << 8 * k;
        }
    }
    return patterns;
}
constexpr int eight(int digit) {
    return digit == 0 ? 8 : digit == 1 ? 25 : 43;
}
constexpr int four(int digit) {
    return digit == 7 ? 62 : 4 + 8 * digit;
}
constexpr int odd(int digit) {
    return 2 * digit + 1;
}
constexpr int ternary(int digit) {
    return 8 * (digit - 1);  // in eighths
}

constexpr std::uint32_t kWords256[] = {HEARTH_GRID_EIGHTS_256};
constexpr std::uint32_t kWords512[] = {HEARTH_GRID_EIGHTS_512};
constexpr std::uint32_t kWords1024[] = {HEARTH_GRID_EIGHTS_1024};
constexpr std::uint32_t kFourWords256[] = {HEARTH_GRID_FOURS_256};
constexpr std::uint32_t kFourWords512[] = {HEARTH_GRID_FOURS_512};
constexpr std::uint32_t kTernaryWords[] = {HEARTH_GRID_TERNARY};
constexpr auto kEights256 = unpacked<std::uint64_t>(kWords256, 2, eight);
constexpr auto kEights512 = unpacked<std::uint64_t>(kWords512, 2, eight);
constexpr auto kEights1024 = unpacked<std::uint64_t>(kWords1024, 2, eight);
constexpr auto kFours256 = unpacked<std::uint32_t>(kFourWords256, 3, four);
constexpr auto kFours512 = unpacked<std::uint32_t>(kFourWords512, 3, odd);
constexpr auto kTernary = unpacked<std::uint64_t>(kTernaryWords, 2, ternary);
static_assert(kTernary.size() == kMostEights);

// Patterns whose neighbouring values stand in the two bytes of a word.
template <std::size_t n_words>
constexpr auto in_pairs(const std::uint32_t (&words)[n_words], int bits, int values) {
    std::array<std::uint16_t, 2 * n_words> pairs{};
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const unsigned packed = words[i / 2] >> 16 * (i % 2) & 0xFFFFU;
        for (int k = 0; k < values; ++k) {
            const unsigned digit = packed >> bits * k & ((1U << bits) - 1);
            const int at = k % 2 * 8 + k / 2 * (16 / values);
            pairs[i] = static_cast<std::uint16_t>(pairs[i] | digit << at);
        }
    }
    return pairs;
}
alignas(64) constexpr auto kPairs256 = in_pairs(kWords256, 2, 8);
alignas(64) constexpr auto kPairs512 = in_pairs(kWords512, 2, 8);
alignas(64) constexpr auto kPairs1024 = in_pairs(kWords1024, 2, 8);
alignas(64) constexpr auto kFourPairs256 = in_pairs(kFourWords256, 3, 4);
alignas(64) constexpr auto kFourPairs512 = in_pairs(kFourWords512, 3, 4);

unsigned byte_at(const std::byte* p, int i) {
    return static_cast<unsigned>(p[i]);
}
float half_at(const std::byte* p) {
    return half_to_float(load<std::uint16_t>(p));
}
std::int8_t odd_scale(unsigned level) {
    return static_cast<std::int8_t>(2 * level + 1);
}

struct Codes {
    std::uint8_t* to;
    std::size_t step;

    // Takes values 8 i to 8 i + 7.
    void put(int i, std::uint64_t eight_codes) const {
        std::uint8_t* at = to + static_cast<std::size_t>(i) * 2 * step;
        code_bits::store(at, static_cast<std::uint32_t>(eight_codes));
        code_bits::store(at + step, static_cast<std::uint32_t>(eight_codes >> 32));
    }
};

// Seven signs, and one that makes their number even.
unsigned with_eighth(unsigned signs) {
    constexpr unsigned kOdd = 0x6996;  // bit i: whether i has an odd number of bits
    return signs | (kOdd >> ((signs ^ signs >> 4) & 15U) & 1U) << 7;
}

// Codes whose bits in `signs` are set change theirs: 64 + n becomes 64 - n.
std::uint64_t with_signs(std::uint64_t codes, unsigned signs) {
    const std::uint64_t apart = signs * kOnes & 0x8040201008040201U;
    const std::uint64_t ones = (apart + 0x00406070787C7E7FU) >> 7 & kOnes;
    return (codes ^ ones * 0x7F) + ones;
}

void put_scales(int run, std::int8_t first, std::int8_t second, PackedScales& scales) {
    scales.scales[2 * run] = first;
    scales.scales[2 * run + 1] = second;
}

// Two bits of a byte are of values 32 apart.
void take_bits2(const std::byte* block, const Codes& codes, PackedScales& scales) {
    for (int i = 0; i < 32; ++i) {
        const int run = i / 4;
        const auto low = load<std::uint64_t>(block + 16 + run / 4 * 32 + i % 4 * 8);
        codes.put(i, (low >> 2 * (run % 4) & 3 * kOnes) + kPackedZero * kOnes);
    }
    for (int i = 0; i < 16; ++i) {
        scales.scales[i] = static_cast<std::int8_t>(byte_at(block, i) & 15U);
        scales.minima[i] = static_cast<std::int8_t>(byte_at(block, i) >> 4);
    }
    scales.d = half_at(block + 80);
    scales.minimum = half_at(block + 82);
}

// The third bits of values 32 apart lie in one byte.
void take_bits3(const std::byte* block, const Codes& codes, PackedScales& scales) {
    constexpr int kZero = 4;
    for (int i = 0; i < 32; ++i) {
        const int run = i / 4;
        const auto high = load<std::uint64_t>(block + i % 4 * 8);
        const auto low = load<std::uint64_t>(block + 32 + run / 4 * 32 + i % 4 * 8);
        codes.put(i, (low >> 2 * (run % 4) & 3 * kOnes) + ((high >> run & kOnes) << 2) +
                         (kPackedZero - kZero) * kOnes);
    }
    for (int i = 0; i < 16; ++i) {
        const unsigned low = byte_at(block, 96 + i % 8) >> 4 * (i / 8) & 15U;
        const unsigned high = byte_at(block, 104 + i % 4) >> 2 * (i / 4) & 3U;
        scales.scales[i] = static_cast<std::int8_t>(static_cast<int>(low | high << 4) - 32);
    }
    scales.d = half_at(block + 108);
}

void take_eights256(const std::byte* block, const Codes& codes, PackedScales& scales) {
    for (int run = 0; run < kRuns; ++run) {
        const std::byte* q = block + 2 + 8 * run;
        const auto signs = load<std::uint32_t>(q + 4);
        for (int l = 0; l < 4; ++l) {
            codes.put(4 * run + l,
                      with_signs(kEights256[byte_at(q, l)], with_eighth(signs >> 7 * l & 127U)));
        }
        put_scales(run, odd_scale(signs >> 28), odd_scale(signs >> 28), scales);
    }
    scales.d = half_at(block) / 8;
}

void take_eights512(const std::byte* block, const Codes& codes, PackedScales& scales) {
    for (int i = 0; i < 32; ++i) {
        const unsigned q = load<std::uint16_t>(block + 2 + 2 * i);
        codes.put(i, with_signs(kEights512[q & 511U], with_eighth(q >> 9)));
    }
    for (int run = 0; run < kRuns; ++run) {
        const unsigned both = byte_at(block, 66 + run);
        put_scales(run, odd_scale(both & 15U), odd_scale(both >> 4), scales);
    }
    scales.d = half_at(block) / 8;
}

void take_eights1024(const std::byte* block, const Codes& codes, PackedScales& scales) {
    for (int i = 0; i < 32; ++i) {
        const unsigned high = byte_at(block, 66 + i / 4) >> 2 * (i % 4) & 3U;
        codes.put(
            i, with_signs(kEights1024[byte_at(block, 2 + i) | high << 8], byte_at(block, 34 + i)));
    }
    for (int run = 0; run < kRuns; ++run) {
        const unsigned both = byte_at(block, 74 + run);
        put_scales(run, odd_scale(both & 15U), odd_scale(both >> 4), scales);
    }
    scales.d = half_at(block) / 8;
}

void take_fours256(const std::byte* block, const Codes& codes, PackedScales& scales) {
    for (int run = 0; run < kRuns; ++run) {
        const std::byte* q = block + 2 + 8 * run;
        const auto signs = load<std::uint32_t>(block + 66 + 4 * run);
        for (int l = 0; l < 4; ++l) {
            const std::uint64_t second = kFours256[byte_at(q, 2 * l + 1)];
            codes.put(4 * run + l, with_signs(kFours256[byte_at(q, 2 * l)] | second << 32,
                                              with_eighth(signs >> 7 * l & 127U)));
        }
        put_scales(run, odd_scale(signs >> 28), odd_scale(signs >> 28), scales);
    }
    scales.d = half_at(block) / 4;
}

void take_fours512(const std::byte* block, const Codes& codes, PackedScales& scales) {
    for (int run = 0; run < kRuns; ++run) {
        const std::byte* q = block + 2 + 8 * run;
        const unsigned high = byte_at(block, 66 + run) << 8;
        for (int l = 0; l < 4; ++l) {
            const std::uint64_t first = kFours512[byte_at(q, 2 * l) | (high >> 2 * l & 256U)];
            const std::uint64_t second =
                kFours512[byte_at(q, 2 * l + 1) | (high >> (2 * l + 1) & 256U)];
            codes.put(4 * run + l,
                      with_signs(first | second << 32, byte_at(block, 74 + 4 * run + l)));
        }
        const std::int8_t scale = odd_scale(byte_at(block, 106 + run / 2) >> 4 * (run % 2) & 15U);
        put_scales(run, scale, scale, scales);
    }
    scales.d = half_at(block);
}

// A pattern, each value an eighth higher or lower.
std::uint64_t moved(unsigned pattern, bool down) {
    return down ? kTernary[pattern] - kOnes : kTernary[pattern] + kOnes;
}

void take_ternary32(const std::byte* block, const Codes& codes, PackedScales& scales) {
    for (int run = 0; run < kRuns; ++run) {
        const unsigned high = load<std::uint16_t>(block + 34 + 2 * run);
        for (int l = 0; l < 4; ++l) {
            codes.put(4 * run + l,
                      moved(byte_at(block, 2 + 4 * run + l) | (high >> 3 * l & 7U) << 8,
                            (high & 0x8000U) != 0));
        }
        const std::int8_t scale = odd_scale(high >> 12 & 7U);
        put_scales(run, scale, scale, scales);
    }
    scales.d = half_at(block) / 8;
}

void take_ternary16(const std::byte* block, const Codes& codes, PackedScales& scales) {
    for (int i = 0; i < 32; ++i) {
        const unsigned high = byte_at(block, 32 + i / 2) >> 4 * (i % 2);
        codes.put(i, moved(byte_at(block, i) | (high & 7U) << 8, (high & 8U) != 0));
    }
    for (int run = 0; run < kRuns; ++run) {
        const unsigned levels = load<std::uint16_t>(block + 48 + run / 2 * 2) >> 6 * (run % 2);
        put_scales(run, odd_scale(levels & 7U), odd_scale(levels >> 3 & 7U), scales);
    }
    scales.d = half_to_float(half_of_ternary(block)) / 8;
}

}  // namespace

const std::uint32_t* packed_patterns(Packing packing, std::size_t& n_words) {
    const auto list = [&n_words](const auto& words) -> const std::uint32_t* {
        n_words = std::size(words);
        return words;
    };
    switch (packing) {
        case Packing::Eights256:
            return list(kWords256);
        case Packing::Eights512:
            return list(kWords512);
        case Packing::Eights1024:
            return list(kWords1024);
        case Packing::Fours256:
            return list(kFourWords256);
        case Packing::Fours512:
            return list(kFourWords512);
        case Packing::Ternary32:
        case Packing::Ternary16:
            return list(kTernaryWords);
        default:
            n_words = 0;
            return nullptr;
    }
}

const std::uint64_t* patterns_of_eight(Packing packing) {
    switch (packing) {
        case Packing::Eights256:
            return kEights256.data();
        case Packing::Eights512:
            return kEights512.data();
        case Packing::Eights1024:
            return kEights1024.data();
        default:
            return nullptr;
    }
}

const std::uint32_t* patterns_of_four(Packing packing) {
    return packing == Packing::Fours256   ? kFours256.data()
           : packing == Packing::Fours512 ? kFours512.data()
                                          : nullptr;
}

const std::uint16_t* patterns_in_pairs(Packing packing) {
    switch (packing) {
        case Packing::Eights256:
            return kPairs256.data();
        case Packing::Eights512:
            return kPairs512.data();
        case Packing::Eights1024:
            return kPairs1024.data();
        case Packing::Fours256:
            return kFourPairs256.data();
        case Packing::Fours512:
            return kFourPairs512.data();
        default:
            return nullptr;
    }
}

std::uint16_t half_of_ternary(const std::byte* block) {
    unsigned half = 0;
    for (int i = 0; i < 4; ++i) {
        half |= (byte_at(block, 49 + 2 * i) >> 4) << 4 * i;
    }
    return static_cast<std::uint16_t>(half);
}

void take_packed_apart(Packing packing, const std::byte* block, std::uint8_t* codes,
                       std::size_t step, PackedScales& scales) {
    const Codes to{codes, step};
    scales.minimum = 0;
    if (packing != Packing::Bits2) {
        std::memset(scales.minima, 0, sizeof scales.minima);
    }
    switch (packing) {
        case Packing::None:
            return;
        case Packing::Bits2:
            return take_bits2(block, to, scales);
        case Packing::Bits3:
            return take_bits3(block, to, scales);
        case Packing::Eights256:
            return take_eights256(block, to, scales);
        case Packing::Eights512:
            return take_eights512(block, to, scales);
        case Packing::Eights1024:
            return take_eights1024(block, to, scales);
        case Packing::Fours256:
            return take_fours256(block, to, scales);
        case Packing::Fours512:
            return take_fours512(block, to, scales);
        case Packing::Ternary32:
            return take_ternary32(block, to, scales);
        case Packing::Ternary16:
            return take_ternary16(block, to, scales);
    }
}

}  // namespace hearth
