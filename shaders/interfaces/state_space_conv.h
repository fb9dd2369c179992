// The interface of state_space_conv.comp.
#ifndef HEARTH_STATE_SPACE_CONV_INTERFACE_H
#define HEARTH_STATE_SPACE_CONV_INTERFACE_H
#include "include/interface.h"

CONSTANTS(StateSpaceConv)
THREADS(WORKGROUP, 64);
CONSTANT(1, uint, KERNEL, 4);
FLAG(2, BIASED, true);
BUFFERS
STEP(0);
READS(1, float, inputs);
READS(2, float, states);
READS(3, float, taps);
READS(4, float, bias);
READS(5, float, dt);
READS(6, float, a);
UPDATES(7, float, steps);
WRITES(8, float, decay);
WRITES(9, float, mixed);
PUSHES(StateSpaceConvParams)
#endif
