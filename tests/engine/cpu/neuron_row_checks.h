// Checks of the kernels that work on rows of single neurons, against double precision.
#pragma once

#include <vector>

#include "cpu/kernels/kernels.h"
#include "engine/cpu/kernel_checks.h"

namespace hearth::test {

void add_neuron_row_checks(const kernels::KernelTable& table, std::vector<KernelCheck>& checks);
// Of the row form itself, which all tables share.
void add_row_form_checks(std::vector<KernelCheck>& checks);

}  // namespace hearth::test
