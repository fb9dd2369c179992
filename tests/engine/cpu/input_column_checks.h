// Checks of the kernels that leave inputs out, against double precision.
#pragma once

#include <vector>

#include "cpu/kernels/kernels.h"
#include "engine/cpu/kernel_checks.h"

namespace hearth::test {

void add_input_column_checks(const kernels::KernelTable& table, std::vector<KernelCheck>& checks);
// Of the layout itself, which all tables share.
void add_input_column_layout_checks(std::vector<KernelCheck>& checks);

}  // namespace hearth::test
