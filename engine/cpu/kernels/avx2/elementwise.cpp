#include "cpu/kernels/avx2/functions.h"
#include "cpu/kernels/avx2/lanes.h"

namespace hearth::kernels::avx2 {

#include "cpu/kernels/walks/elementwise.inc"
#include "cpu/kernels/walks/recurrence.inc"

}  // namespace hearth::kernels::avx2
