// How codes share bytes: the rules that files and layouts have in common, with other lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hearth::code_bits {

template <class Word>
Word load(const void* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

template <class Word>
void store(void* to, Word word) {
    std::memcpy(to, &word, sizeof word);
}

// The lowest `bits` bits of each byte.
template <class Word>
constexpr Word low_of_bytes(unsigned bits) {
    return static_cast<Word>(0x0101010101010101U) * static_cast<Word>((1U << bits) - 1);
}

// Low four bits: those of n codes in the low halves of n bytes, of the n codes behind them in the
// high halves. n: a multiple of 8.
inline void split_low(const std::byte* low, std::size_t n, std::uint8_t* codes) {
    constexpr auto kLow = low_of_bytes<std::uint64_t>(4);
    for (std::size_t i = 0; i < n; i += 8) {
        const auto both = load<std::uint64_t>(low + i);
        store(codes + i, both & kLow);
        store(codes + n + i, both >> 4 & kLow);
    }
}

inline void join_low(const std::uint8_t* codes, std::size_t n, std::byte* low) {
    constexpr auto kLow = low_of_bytes<std::uint64_t>(4);
    for (std::size_t i = 0; i < n; i += 8) {
        store(low + i, (load<std::uint64_t>(codes + i) & kLow) |
                           (load<std::uint64_t>(codes + n + i) & kLow) << 4);
    }
}

// Bits above the low four, `bits` of each code: a byte has those of codes that stand `run` apart,
// the first in its lowest bits. split_high() adds them to codes whose low four bits are there.
template <class Word>
void split_word(Word high, std::size_t run, unsigned bits, std::uint8_t* codes) {
    for (unsigned shift = 0; shift < 8; shift += bits, codes += run) {
        const Word part = high >> shift & low_of_bytes<Word>(bits);
        store(codes, static_cast<Word>(load<Word>(codes) | part << 4));
    }
}

template <class Word>
Word join_word(const std::uint8_t* codes, std::size_t run, unsigned bits) {
    Word high = 0;
    for (unsigned shift = 0; shift < 8; shift += bits, codes += run) {
        high |= (load<Word>(codes) >> 4 & low_of_bytes<Word>(bits)) << shift;
    }
    return high;
}

// n codes. run: a multiple of 8.
inline void split_high(const std::byte* high, std::size_t run, unsigned bits, std::size_t n,
                       std::uint8_t* codes) {
    for (std::size_t first = 0; first < n; first += run * 8 / bits, high += run) {
        for (std::size_t i = 0; i < run; i += 8) {
            split_word(load<std::uint64_t>(high + i), run, bits, codes + first + i);
        }
    }
}

inline void join_high(const std::uint8_t* codes, std::size_t run, unsigned bits, std::size_t n,
                      std::byte* high) {
    for (std::size_t first = 0; first < n; first += run * 8 / bits, high += run) {
        for (std::size_t i = 0; i < run; i += 8) {
            store(high + i, join_word<std::uint64_t>(codes + first + i, run, bits));
        }
    }
}

// Single bits above the low four in the order of the codes, eight a byte.
inline void split_bits(const std::byte* high, std::size_t n, std::uint8_t* codes) {
    for (std::size_t i = 0; i < n; i += 8, ++high) {
        const std::uint64_t apart =
            static_cast<std::uint64_t>(*high) * 0x0101010101010101U & 0x8040201008040201U;
        // Sets the highest bit of the bytes that are not zero.
        const std::uint64_t ones = (apart + 0x00406070787C7E7FU) >> 7 & 0x0101010101010101U;
        store(codes + i, load<std::uint64_t>(codes + i) | ones << 4);
    }
}

inline void join_bits(const std::uint8_t* codes, std::size_t n, std::byte* high) {
    for (std::size_t i = 0; i < n; i += 8, ++high) {
        const std::uint64_t ones = load<std::uint64_t>(codes + i) >> 4 & 0x0101010101010101U;
        *high = static_cast<std::byte>(ones * 0x0102040810204080U >> 56);
    }
}

}  // namespace hearth::code_bits
