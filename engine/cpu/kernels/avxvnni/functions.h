#pragma once

#include "cpu/kernels/kernels.h"

// Only what vpdpbusd makes faster; the rest of the table is avx2's.
namespace hearth::kernels::avxvnni {
void matmul_q8_0(const Matmul& task);
void matmul_q4_0(const Matmul& task);
}  // namespace hearth::kernels::avxvnni
