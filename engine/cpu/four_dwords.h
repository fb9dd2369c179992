// Four numbers of 32 bits at once, one of each of four rows: a register of every processor that
// this project is built for, without one instruction set's names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gguf/code_bits.h"

namespace hearth {

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HEARTH_VECTORS
#endif
#endif

#if defined(HEARTH_VECTORS)
using FourDwords = std::uint32_t __attribute__((vector_size(16)));
#else
struct FourDwords {
    std::uint32_t of[4];
    std::uint32_t& operator[](std::size_t i) { return of[i]; }
    std::uint32_t operator[](std::size_t i) const { return of[i]; }
};
template <class Make>
FourDwords each_of_four(Make&& make) {
    return {make(0), make(1), make(2), make(3)};
}
inline FourDwords operator&(FourDwords a, FourDwords b) {
    return each_of_four([&](std::size_t i) { return a[i] & b[i]; });
}
inline FourDwords operator|(FourDwords a, FourDwords b) {
    return each_of_four([&](std::size_t i) { return a[i] | b[i]; });
}
inline FourDwords operator^(FourDwords a, FourDwords b) {
    return each_of_four([&](std::size_t i) { return a[i] ^ b[i]; });
}
inline FourDwords operator<<(FourDwords a, unsigned n) {
    return each_of_four([&](std::size_t i) { return a[i] << n; });
}
inline FourDwords operator>>(FourDwords a, unsigned n) {
    return each_of_four([&](std::size_t i) { return a[i] >> n; });
}
#endif

inline FourDwords all_four(std::uint32_t value) {
    return FourDwords{value, value, value, value};
}
inline FourDwords load_four(const std::byte* from) {
    return code_bits::load<FourDwords>(from);
}

// Dword k of rows 0 to 3 from four of each row, and back.
inline void turn(std::array<FourDwords, 4>& of) {
#if defined(HEARTH_VECTORS)
    using Pairs = std::uint64_t __attribute__((vector_size(16)));
    const auto low01 = Pairs(__builtin_shufflevector(of[0], of[1], 0, 4, 1, 5));
    const auto low23 = Pairs(__builtin_shufflevector(of[2], of[3], 0, 4, 1, 5));
    const auto high01 = Pairs(__builtin_shufflevector(of[0], of[1], 2, 6, 3, 7));
    const auto high23 = Pairs(__builtin_shufflevector(of[2], of[3], 2, 6, 3, 7));
    of[0] = FourDwords(__builtin_shufflevector(low01, low23, 0, 2));
    of[1] = FourDwords(__builtin_shufflevector(low01, low23, 1, 3));
    of[2] = FourDwords(__builtin_shufflevector(high01, high23, 0, 2));
    of[3] = FourDwords(__builtin_shufflevector(high01, high23, 1, 3));
#else
    const std::array<FourDwords, 4> rows = of;
    for (std::size_t k = 0; k < 4; ++k) {
        of[k] = each_of_four([&](std::size_t row) { return rows[row][k]; });
    }
#endif
}

// Byte k of four dwords side by side, as dword k.
inline FourDwords turn_bytes(FourDwords rows) {
#if defined(HEARTH_VECTORS)
    using Bytes = std::uint8_t __attribute__((vector_size(16)));
    const auto bytes = Bytes(rows);
    return FourDwords(__builtin_shufflevector(bytes, bytes, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14,
                                              3, 7, 11, 15));
#else
    return each_of_four([&](std::size_t k) {
        std::uint32_t dword = 0;
        for (std::size_t row = 0; row < 4; ++row) {
            dword |= (rows[row] >> 8 * k & 255U) << 8 * row;
        }
        return dword;
    });
#endif
}

}  // namespace hearth
