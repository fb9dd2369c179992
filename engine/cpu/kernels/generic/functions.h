#pragma once

#include "cpu/kernels/kernels.h"

namespace hearth::kernels::generic {
#include "cpu/kernels/functions_old.inc"
}
