// CPUID's answers and what they mean, apart from the instruction itself, so that machines which are
// not here can be tested.
#pragma once

#include <cstdint>
#include <string>

namespace hearth::x86 {

struct CpuidLeaves {
    std::uint32_t leaf1_ecx = 0;
    std::uint32_t leaf7_ebx = 0;
    std::uint32_t leaf7_ecx = 0;
    std::uint32_t leaf7_1_eax = 0;  // sub-leaf 1
    std::uint64_t xcr0 = 0;         // XGETBV(0): what the system saves; 0 without OSXSAVE
};

// cpu_flags whose instructions exist and whose registers survive a context switch.
std::uint32_t flags_of(const CpuidLeaves& leaves);

}  // namespace hearth::x86
