#pragma once

#include "cpu/kernels/generic/functions.h"
#include "cpu/kernels/kernels.h"

namespace hearth::kernels::neon {
#include "cpu/kernels/functions_old.inc"
}
