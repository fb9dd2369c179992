// How many multiply-adds an instruction set can do at most: the limits that kernels are measured
// against. Files of one instruction set include this header, so it holds constants and plain
// declarations only.
#pragma once

#include <cstdint>

#include "hardware/cpu_flags.h"

namespace hearth::bench {

enum class PeakKind { Int8, F32 };

// A loop of independent multiply-adds in registers, enough of them to hide their latency.
struct Peak {
    const char* table;        // the kernel table this is the limit of
    const char* instruction;  // what it repeats
    PeakKind kind;
    std::uint32_t needs;                 // cpu_flags, all of them
    double operations_per_round;         // a multiply-add counts two
    float (*run)(std::uint64_t rounds);  // its result keeps the work from being removed
};

// Every peak a processor with these flags can run goes to out[kMostPeaks]; returns how many.
inline constexpr int kMostPeaks = 16;
int available_peaks(std::uint32_t cpu_flags, const Peak** out);

// The limit of what `table` may use; null: none is known.
const Peak* find_peak(std::uint32_t cpu_flags, const char* table, PeakKind kind);

// Operations a second of `threads` threads together, in rounds of 20 ms. Both 0: the threads could
// not be had.
struct PeakSpeed {
    double best = 0;     // the limit
    double typical = 0;  // median: less than the limit where other programs take their share
};
PeakSpeed measure_peak(const Peak& peak, int threads);

// What each instruction set's file defines.
namespace generic {
float int8_rounds(std::uint64_t rounds);
float f32_rounds(std::uint64_t rounds);
}  // namespace generic
namespace avx2 {
float int8_rounds(std::uint64_t rounds);
float f32_rounds(std::uint64_t rounds);
}  // namespace avx2
namespace avxvnni {
float int8_rounds(std::uint64_t rounds);
}
namespace avx512 {
float int8_rounds(std::uint64_t rounds);
float f32_rounds(std::uint64_t rounds);
}  // namespace avx512
namespace neon {
float int8_rounds(std::uint64_t rounds);
float f32_rounds(std::uint64_t rounds);
}  // namespace neon

// Multiply-adds in flight: two units of latency 4 to 5 want 8 to 10. Twelve would need more than
// the 16 registers of AVX2, with the operands and products not yet added.
inline constexpr int kChains = 10;
inline constexpr int kGenericLanes = 48;

}  // namespace hearth::bench
