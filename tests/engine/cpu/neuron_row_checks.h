// Checks of the kernels that work on rows of single neurons, against double precision.
#pragma once

#include <vector>

#include "cpu/kernels/kernels.h"
#include "engine/cpu/kernel_checks.h"

namespace hearth::test {

void add_neuron_row_checks(const kernels::KernelTable& table, std::vector<KernelCheck>& checks);
// Of the layout itself, which all tables share.
void add_neuron_row_layout_checks(std::vector<KernelCheck>& checks);

}  // namespace hearth::test
