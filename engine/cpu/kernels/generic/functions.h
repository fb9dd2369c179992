#pragma once

#include "cpu/kernels/kernels.h"

namespace hearth::kernels::generic {

// Kinds that no instruction set has functions of its own for.
void matmul_q5_0(const Matmul& task);
void row_dot_q5_0(const RowDot& task);
void row_add_q5_0(const RowAdd& task);
void columns_q5_0(const ColumnProduct& task);
void row_dot_q6_k(const RowDot& task);
void row_add_q6_k(const RowAdd& task);

#include "cpu/kernels/functions_old.inc"
}  // namespace hearth::kernels::generic
