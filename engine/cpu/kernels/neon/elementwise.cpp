#include "cpu/kernels/neon/functions.h"
#include "cpu/kernels/neon/lanes.h"

namespace hearth::kernels::neon {

#include "cpu/kernels/walks/elementwise.inc"
#include "cpu/kernels/walks/recurrence.inc"

}  // namespace hearth::kernels::neon
