#pragma once

#include "cpu/kernels/kernels.h"

namespace hearth::kernels::neon {
#include "cpu/kernels/functions.inc"
}
