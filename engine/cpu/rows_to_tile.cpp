#include "cpu/rows_to_tile.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "cpu/four_dwords.h"
#include "cpu/kernels/kernels.h"

namespace hearth {
namespace {

using code_bits::load;
using code_bits::store;
using kernels::kTileRows;

constexpr std::size_t kRows = kTileRows;
constexpr std::size_t kHalfBlock = kBlockValues / 2;
constexpr std::size_t kBlockRuns = kSuperBlockValues / kBlockValues;

using Dwords = std::array<FourDwords, 4>;

FourDwords low_of_dwords(unsigned bits) {
    return all_four(code_bits::low_of_bytes<std::uint32_t>(bits));
}

// A block of each of four rows, and where they go.
struct FourBlocks {
    const std::byte* rows;
    std::size_t stride;
    std::size_t first;
    std::byte* tile;

    const std::byte* row(std::size_t i) const { return rows + i * stride; }
    // Dwords of each row from byte `at` of the block on, turned: dword k is of all four.
    Dwords dwords(std::size_t at) const {
        Dwords of{load_four(row(0) + at), load_four(row(1) + at), load_four(row(2) + at),
                  load_four(row(3) + at)};
        turn(of);
        return of;
    }
};

// Stores four rows' dwords, one of each row of a tile, and a byte of each: byte k of dwords goes
// k * `step` bytes behind byte 0.
void put(FourDwords dwords, std::size_t first, std::byte* to) {
    store(to + 4 * first, dwords);
}
void put_bytes(FourDwords rows, std::size_t first, std::size_t step, std::byte* to) {
    const FourDwords bytes = turn_bytes(rows);
    for (std::size_t k = 0; k < 4; ++k) {
        store(to + k * step + first, bytes[k]);
    }
}

// Bits `at` and at + 1 of each byte, those of the first byte lowest.
FourDwords two_bits(FourDwords from, unsigned at) {
    const FourDwords bits = from >> at & low_of_dwords(2);
    return (bits | bits >> 6 | bits >> 12 | bits >> 18) & all_four(255);
}

// Scales of six bits as a tile has them: low halves of the first four runs below those of the
// others, then the high bits of four runs, and of the others.
struct SixBitScales {
    FourDwords low, first_high, other_high;

    void put(std::size_t first, std::byte* to) const {
        put_bytes(low, first, kRows, to);
        const FourDwords high = turn_bytes(first_high | other_high << 8);
        store(to + 4 * kRows + first, high[0]);
        store(to + 5 * kRows + first, high[1]);
    }
};

void put_six_min(const FourBlocks& block, std::size_t at, std::byte* to) {
    const FourDwords low = low_of_dwords(4);
    const auto [scales, minima, others, codes] = block.dwords(at);
    const SixBitScales both[2] = {
        {(scales & low) | (others & low) << 4, two_bits(scales, 4), two_bits(scales, 6)},
        {(minima & low) | (others & low << 4), two_bits(minima, 4), two_bits(minima, 6)}};
    both[0].put(block.first, to);
    both[1].put(block.first, to + kernels::kTileSixBytes);
}

void put_six(const FourBlocks& block, std::size_t at, std::byte* to) {
    FourDwords low{};
    FourDwords high{};
    for (std::size_t i = 0; i < 4; ++i) {
        high[i] = load<std::uint16_t>(block.row(i) + at);
        low[i] = load<std::uint32_t>(block.row(i) + at + 2);
    }
    // Two neighbouring runs share a byte. Runs 0 and 2, then 1 and 3, with the ones four behind.
    const FourDwords bytes = all_four(0x0F0FU);
    const FourDwords even = (low & bytes) | (low >> 16 & bytes) << 4;
    const FourDwords odd = (low >> 4 & bytes) | (low >> 20 & bytes) << 4;
    const FourDwords one = all_four(255);
    const SixBitScales six{
        (even & one) | (odd & one) << 8 | (even & one << 8) << 8 | (odd & one << 8) << 16,
        high & one, high >> 8};
    six.put(block.first, to);
}

// A block's scales, but those of its runs.
void put_scales(const Encoding& encoding, const FourBlocks& block) {
    const BlockShape shape = encoding.shape;
    std::byte* to = block.tile;
    for (int h = 0; h < half_count(encoding.scales); ++h, to += 2 * kRows) {
        std::uint64_t halves = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            halves |= std::uint64_t{load<std::uint16_t>(block.row(i) + shape.halves[h])} << 16 * i;
        }
        // A minimum that a file subtracts is one that is added.
        const bool turned = h == 1 && encoding.scales == ScaleKind::SixMin;
        store(to + 2 * block.first, halves ^ (turned ? 0x8000800080008000U : 0U));
    }
    if (encoding.scales == ScaleKind::SixMin) {
        put_six_min(block, shape.scales, to);
    } else if (encoding.scales == ScaleKind::Six) {
        put_six(block, shape.scales, to);
    } else if (encoding.scales == ScaleKind::Power) {
        for (std::size_t i = 0; i < 4; ++i) {
            to[block.first + i] = block.row(i)[shape.scales];
        }
    }
}

// The scales of all runs of a block, two bytes each.
void put_run_scales(const FourBlocks& block, std::size_t at, std::byte* to, std::size_t step) {
    const Dwords scales = block.dwords(at);
    for (std::size_t k = 0; k < 4; ++k) {
        const FourDwords bytes = turn_bytes(scales[k]);
        for (std::size_t i = 0; i < 4; ++i) {
            std::byte* const run = to + (2 * k + i / 2) * step;
            store(run + i % 2 * kRows + block.first, bytes[i]);
        }
    }
}

void put_low(const Dwords& of, std::size_t first, std::byte* to) {
    for (std::size_t g = 0; g < 4; ++g) {
        put(of[g], first, to + g * 4 * kRows);
    }
}

// The low four bits of the run that has the low halves of bytes from `at` on, and of the one that
// has their high halves.
void put_both_low(const FourBlocks& block, std::size_t at, std::byte* lows, std::byte* highs) {
    const FourDwords low = low_of_dwords(4);
    const FourDwords high = low << 4;
    Dwords of_lows;
    Dwords of_highs;
    for (std::size_t i = 0; i < 4; ++i) {
        const FourDwords a = load_four(block.row(i) + at);
        const FourDwords b = load_four(block.row(i) + at + kHalfBlock);
        of_lows[i] = (a & low) | (b & low) << 4;
        of_highs[i] = (a >> 4 & low) | (b & high);
    }
    turn(of_lows);
    turn(of_highs);
    put_low(of_lows, block.first, lows);
    put_low(of_highs, block.first, highs);
}

// The high bits of run `run` of those that share `high`: 32 bytes, turned.
template <unsigned bits>
void put_high(const std::array<Dwords, 2>& high, const FourBlocks& block, std::size_t run,
              std::byte* to) {
    constexpr std::size_t kShared = 8 / bits;
    const auto shift = static_cast<unsigned>(run) * bits;
    for (std::size_t plane = 0; plane < bits; ++plane) {
        FourDwords joined{};
        for (std::size_t i = 0; i < kShared; ++i) {
            const std::size_t k = plane * kShared + i;
            joined = joined | (high[k / 4][k % 4] >> shift & low_of_dwords(bits))
                                  << bits * static_cast<unsigned>(i);
        }
        put(joined, block.first, to + plane * 4 * kRows);
    }
}

// Calls visit(i) for i < n. Each place and shift is a constant: computed, they took most of the
// time.
template <std::size_t n, class Visit>
void for_runs(Visit&& visit) {
    [&]<std::size_t... all>(std::index_sequence<all...>) {
        (visit(std::integral_constant<std::size_t, all>()), ...);
    }
    (std::make_index_sequence<n>());
}

// bits: that lie apart.
template <unsigned bits, std::size_t low_run, std::size_t runs>
void put_codes(const BlockShape& shape, const FourBlocks& block, std::byte* to, std::size_t step) {
    if constexpr (low_run == kHalfBlock) {  // as a tile has them
        for_runs<runs>([&](auto run) {
            put_low(block.dwords(shape.codes + run * kHalfBlock), block.first, to + run * step);
        });
    } else {
        constexpr std::size_t kApart = low_run / kBlockValues;
        for_runs<runs / 2>([&](auto pair) {
            const std::size_t run = pair / kApart * 2 * kApart + pair % kApart;
            put_both_low(block, shape.codes + pair * std::size_t{kBlockValues}, to + run * step,
                         to + (run + kApart) * step);
        });
    }
    if constexpr (bits > 0) {
        constexpr std::size_t kShared = std::min<std::size_t>(8 / bits, runs);
        std::byte* const planes = to + kRows * kHalfBlock;
        for (std::size_t group = 0; group < runs / kShared; ++group) {
            const std::size_t at = shape.high + group * kBlockValues;
            const std::array<Dwords, 2> high{block.dwords(at), block.dwords(at + kHalfBlock)};
            for_runs<kShared>([&](auto run) {
                put_high<bits>(high, block, run, planes + (group * kShared + run) * step);
            });
        }
    }
}

void put_bytes_of_codes(const BlockShape& shape, const FourBlocks& block, std::byte* to) {
    for (std::size_t half = 0; half < 2; ++half) {
        const Dwords of = block.dwords(shape.codes + half * kHalfBlock);
        for (std::size_t g = 0; g < 4; ++g) {  // stored unsigned
            put(of[g] ^ all_four(0x80808080U), block.first, to + (4 * half + g) * 4 * kRows);
        }
    }
}

template <unsigned bits>
void put_codes(const Encoding& encoding, const FourBlocks& block, std::byte* to, std::size_t step) {
    const BlockShape& shape = encoding.shape;
    if (encoding.block_values == kBlockValues) {
        return put_codes<bits, kHalfBlock, 1>(shape, block, to, step);
    }
    switch (shape.low_run) {
        case 16:
            return put_codes<bits, 16, kBlockRuns>(shape, block, to, step);
        case 32:
            return put_codes<bits, 32, kBlockRuns>(shape, block, to, step);
        default:
            return put_codes<bits, 64, kBlockRuns>(shape, block, to, step);
    }
}

}  // namespace

bool goes_by_four_rows(const Encoding& encoding) {
    const BlockShape shape = encoding.shape;
    if (encoding.codes == CodeKind::Packed || is_float(encoding.codes)) {
        return false;
    }
    if (encoding.block_values == kBlockValues) {
        return encoding.codes == CodeKind::Bits8 ||
               (shape.low_run == kHalfBlock && high_bits(encoding.codes) == 0);
    }
    return encoding.codes != CodeKind::Bits8 &&
           (shape.low_run == 16 || shape.low_run == 32 || shape.low_run == 64) &&
           (high_bits(encoding.codes) == 0 || shape.high_run == kBlockValues);
}

void put_four_rows(const Encoding& encoding, const std::byte* rows, std::size_t stride, int n,
                   std::size_t first, std::byte* tile) {
    const std::size_t block_bytes = encoding.block_bytes;
    const auto run_scales =
        static_cast<std::size_t>(kernels::tile_run_scale_bytes(encoding.scales));
    const auto head = static_cast<std::size_t>(kernels::tile_head_bytes(encoding.scales));
    const std::size_t step =
        run_scales + static_cast<std::size_t>(kernels::tile_code_bytes(encoding.codes));
    for (int at = 0; at < n; at += encoding.block_values) {
        const FourBlocks block{rows, stride, first, tile};
        put_scales(encoding, block);
        std::byte* const codes = tile + head + run_scales;
        if (run_scales > 0) {
            put_run_scales(block, encoding.shape.scales, tile + head, step);
        }
        if (encoding.codes == CodeKind::Bits8) {
            put_bytes_of_codes(encoding.shape, block, codes);
        } else if (high_bits(encoding.codes) == 0) {
            put_codes<0>(encoding, block, codes, step);
        } else if (high_bits(encoding.codes) == 1) {
            put_codes<1>(encoding, block, codes, step);
        } else {
            put_codes<2>(encoding, block, codes, step);
        }
        rows += block_bytes;
        tile += kRows * block_bytes;
    }
}

}  // namespace hearth
