#include "cpu/tile_pieces.h"

#include <cstring>

#include "cpu/kernels/kernels.h"
#include "gguf/code_bits.h"

namespace hearth {
namespace {

using code_bits::join_low;
using code_bits::load;
using code_bits::split_low;
using code_bits::store;
using kernels::kTileRows;

constexpr std::size_t kRows = kTileRows;
constexpr std::size_t kHalfBlock = kBlockValues / 2;
constexpr std::size_t kBlockRuns = kSuperBlockValues / kBlockValues;

// Dwords of a row in a tile, one of each row side by side.
void put_dwords(const std::byte* dwords, std::size_t n, std::size_t r, std::byte* tile) {
    for (std::size_t g = 0; g < n; ++g) {
        std::memcpy(tile + (g * kRows + r) * 4, dwords + 4 * g, 4);
    }
}

void take_dwords(const std::byte* tile, std::size_t n, std::size_t r, std::byte* dwords) {
    for (std::size_t g = 0; g < n; ++g) {
        std::memcpy(dwords + 4 * g, tile + (g * kRows + r) * 4, 4);
    }
}

void put_codes_in_tile(CodeKind kind, const std::uint8_t* codes, std::size_t r, std::byte* tile) {
    if (kind == CodeKind::Bits8) {
        return put_dwords(reinterpret_cast<const std::byte*>(codes), kBlockValues / 4, r, tile);
    }
    std::byte low[kHalfBlock];
    join_low(codes, kHalfBlock, low);
    put_dwords(low, kHalfBlock / 4, r, tile);
    const auto bits = static_cast<unsigned>(high_bits(kind));
    std::byte* high = tile + kRows * kHalfBlock;
    for (std::size_t plane = 0; plane < bits; ++plane) {
        store(high + (plane * kRows + r) * 4,
              code_bits::join_word<std::uint32_t>(codes + plane * (kBlockValues / bits), 4, bits));
    }
}

void take_codes_from_tile(CodeKind kind, const std::byte* tile, std::size_t r,
                          std::uint8_t* codes) {
    if (kind == CodeKind::Bits8) {
        return take_dwords(tile, kBlockValues / 4, r, reinterpret_cast<std::byte*>(codes));
    }
    std::byte low[kHalfBlock];
    take_dwords(tile, kHalfBlock / 4, r, low);
    split_low(low, kHalfBlock, codes);
    const auto bits = static_cast<unsigned>(high_bits(kind));
    const std::byte* high = tile + kRows * kHalfBlock;
    for (std::size_t plane = 0; plane < bits; ++plane) {
        const auto joined = load<std::uint32_t>(high + (plane * kRows + r) * 4);
        code_bits::split_word(joined, 4, bits, codes + plane * (kBlockValues / bits));
    }
}

// A tile's block has its scales that are no halves from here on.
std::size_t small_scales_at(const Encoding& encoding) {
    return static_cast<std::size_t>(half_count(encoding.scales)) * 2 * kRows;
}

// The scales of run `run` of a block, row r, that are neither halves nor the run's own.
// scales: two of a RowPiece.
void put_block_scales(const Encoding& encoding, const std::int8_t* scales, std::size_t run,
                      std::size_t r, std::byte* block) {
    std::byte* to = block + small_scales_at(encoding) + r;
    if (encoding.scales == ScaleKind::Power) {
        *to = static_cast<std::byte>(*scales);
    }
    for (int i = 0; has_six_bits(encoding.scales) && i < half_count(encoding.scales); ++i) {
        const auto number = static_cast<unsigned>(scales[i] + six_zero(encoding.scales));
        std::byte& low = to[run % 4 * kRows];
        std::byte& high = to[(4 + run / 4) * kRows];
        // The first run of those that share a byte writes it whole.
        low = run < 4 ? static_cast<std::byte>(number & 15U)
                      : low | static_cast<std::byte>((number & 15U) << 4);
        high = (run % 4 == 0 ? std::byte{} : high) |
               static_cast<std::byte>(number >> 4 << 2 * (run % 4));
        to += kernels::kTileSixBytes;
    }
}

void take_block_scales(const Encoding& encoding, const std::byte* block, std::size_t run,
                       std::size_t r, std::int8_t* scales) {
    const std::byte* from = block + small_scales_at(encoding) + r;
    if (encoding.scales == ScaleKind::Power) {
        *scales = static_cast<std::int8_t>(*from);
    }
    for (int i = 0; has_six_bits(encoding.scales) && i < half_count(encoding.scales); ++i) {
        const int low = static_cast<int>(from[run % 4 * kRows]) >> 4 * (run / 4) & 15;
        const int high = static_cast<int>(from[(4 + run / 4) * kRows]) >> 2 * (run % 4) & 3;
        scales[i] = static_cast<std::int8_t>((low | high << 4) - six_zero(encoding.scales));
        from += kernels::kTileSixBytes;
    }
}

// Walks the blocks of a piece in a tile. visit(the block's bytes, which block, which run of 32
// values, where the run's own scales lie, where its codes).
template <class Byte, class Visit>
void for_each_run(const Encoding& encoding, int n, Byte* tile, Visit&& visit) {
    const auto run_scales =
        static_cast<std::size_t>(kernels::tile_run_scale_bytes(encoding.scales));
    const auto codes = static_cast<std::size_t>(kernels::tile_code_bytes(encoding.codes));
    const auto head = static_cast<std::size_t>(kernels::tile_head_bytes(encoding.scales));
    const std::size_t runs = encoding.block_values / std::size_t{kBlockValues};
    const std::size_t block_bytes = encoding.block_bytes;
    const auto n_runs = static_cast<std::size_t>(n / kBlockValues);
    Byte* block = tile;
    for (std::size_t run = 0, b = 0; run < n_runs; ++b, block += kRows * block_bytes) {
        Byte* scales = block + head;
        for (const std::size_t end = run + runs; run < end; ++run) {
            visit(block, b, run, scales, scales + run_scales);
            scales += run_scales + codes;
        }
    }
}

}  // namespace

void put_in_tile(const Encoding& encoding, const RowPiece& piece, int n, std::size_t r,
                 std::byte* tile) {
    const int n_halves = half_count(encoding.scales);
    for_each_run(
        encoding, n, tile,
        [&](std::byte* block, std::size_t b, std::size_t run, std::byte* scales, std::byte* codes) {
            put_block_scales(encoding, piece.scales + 2 * run, run % kBlockRuns, r, block);
            for (int h = 0; h < n_halves; ++h, block += 2 * kRows) {
                store(block + 2 * r, piece.halves[h][b]);
            }
            if (scales != codes) {
                scales[r] = static_cast<std::byte>(piece.scales[2 * run]);
                scales[kRows + r] = static_cast<std::byte>(piece.scales[2 * run + 1]);
            }
            put_codes_in_tile(encoding.codes, piece.codes + run * kBlockValues, r, codes);
        });
}

void take_from_tile(const Encoding& encoding, const std::byte* tile, std::size_t r, int n,
                    RowPiece& piece) {
    const CodeKind kind = encoding.codes;
    const int n_halves = half_count(encoding.scales);
    for_each_run(encoding, n, tile,
                 [&](const std::byte* block, std::size_t b, std::size_t run,
                     const std::byte* scales, const std::byte* codes) {
                     take_block_scales(encoding, block, run % kBlockRuns, r,
                                       piece.scales + 2 * run);
                     for (int h = 0; h < n_halves; ++h, block += 2 * kRows) {
                         piece.halves[h][b] = load<std::uint16_t>(block + 2 * r);
                     }
                     if (scales != codes) {
                         piece.scales[2 * run] = static_cast<std::int8_t>(scales[r]);
                         piece.scales[2 * run + 1] = static_cast<std::int8_t>(scales[kRows + r]);
                     }
                     take_codes_from_tile(kind, codes, r, piece.codes + run * kBlockValues);
                 });
}

}  // namespace hearth
