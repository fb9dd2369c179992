// Checks of the kernels of recurrent layers, against double precision.
#pragma once

#include <vector>

#include "cpu/kernels/kernels.h"
#include "engine/cpu/kernel_checks.h"

namespace hearth::test {

void add_recurrence_checks(const kernels::KernelTable& table, std::vector<KernelCheck>& checks);

}  // namespace hearth::test
