#pragma once

#include "cpu/kernels/generic/functions.h"
#include "cpu/kernels/kernels.h"

namespace hearth::kernels::avx512 {
#include "cpu/kernels/functions.inc"
}
