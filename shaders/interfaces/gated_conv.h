// The interface of gated_conv.comp.
#ifndef HEARTH_GATED_CONV_INTERFACE_H
#define HEARTH_GATED_CONV_INTERFACE_H
#include "include/interface.h"

CONSTANTS(GatedConv)
THREADS(WORKGROUP, 64);
CONSTANT(1, uint, KERNEL, 3);
CONSTANT(2, uint, TOKENS, 16);
FLAG(3, TAKES, true);
BUFFERS
STEP(0);
READS(1, float, inputs);
UPDATES(2, float, states);
READS(3, float, taps);
WRITES(4, float, attended);
PUSHES(GatedConvParams)
#endif
