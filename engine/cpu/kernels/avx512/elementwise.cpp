#include "cpu/kernels/avx512/functions.h"
#include "cpu/kernels/avx512/lanes.h"

namespace hearth::kernels::avx512 {

#include "cpu/kernels/walks/elementwise.inc"
#include "cpu/kernels/walks/recurrence.inc"

}  // namespace hearth::kernels::avx512
