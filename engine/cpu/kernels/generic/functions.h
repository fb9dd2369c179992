#pragma once

#include "cpu/kernels/kernels.h"

namespace hearth::kernels::generic {
#include "cpu/kernels/functions.inc"
}
