#pragma once

#include "cpu/kernels/kernels.h"

namespace hearth::kernels::avx2 {
#include "cpu/kernels/functions.inc"
}
