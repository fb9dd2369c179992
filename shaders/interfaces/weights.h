// Constants of weights.glsl, in any shader that includes it: they lie behind those of all interfaces.
#ifndef HEARTH_WEIGHTS_INTERFACE_H
#define HEARTH_WEIGHTS_INTERFACE_H
#include "include/interface.h"

CONSTANTS(Weights)
CONSTANT(32, uint, SCALES, SCALES_None);
CONSTANT(33, int, ZERO, 0);          // values are codes less this, times scales
CONSTANT(34, uint, FILE_BLOCK, 32);  // values of a file's block
CONSTANT(35, uint, PACKING, 0);      // of packed blocks: PACKING_<Packing>
NO_BUFFERS
#endif
