// The tables this build has, for select.cpp.
#pragma once

#include "cpu/kernels/kernels.h"

namespace hearth::kernels {

extern const KernelTable kGeneric;
#if defined(__x86_64__) || defined(_M_X64)
extern const KernelTable kAvx2;
extern const KernelTable kAvxVnni;
extern const KernelTable kAvx512;
#elif defined(__aarch64__) || defined(_M_ARM64)
extern const KernelTable kNeon;
#endif

}  // namespace hearth::kernels
