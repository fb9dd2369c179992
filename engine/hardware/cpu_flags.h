// Processor features a kernel table may need, as bits. Constants only, so that kernel files may
// include it.
#pragma once

#include <cstdint>

namespace hearth::cpu_flags {

inline constexpr std::uint32_t kAvx2 = 1U << 0;  // with FMA and F16C, which every AVX2 core has
inline constexpr std::uint32_t kAvxVnni = 1U << 1;
inline constexpr std::uint32_t kAvx512 = 1U << 2;  // F, BW, DQ, VL
inline constexpr std::uint32_t kAvx512Vnni = 1U << 3;
inline constexpr std::uint32_t kAvx512Bf16 = 1U << 4;
inline constexpr std::uint32_t kNeonDotprod = 1U << 5;

}  // namespace hearth::cpu_flags
