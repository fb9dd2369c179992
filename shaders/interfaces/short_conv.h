// The interface of short_conv.comp.
#ifndef HEARTH_SHORT_CONV_INTERFACE_H
#define HEARTH_SHORT_CONV_INTERFACE_H
#include "include/interface.h"

CONSTANTS(ShortConv)
THREADS(WORKGROUP, 64);
CONSTANT(1, uint, KEY_DIM, 128);
CONSTANT(2, uint, VALUE_DIM, 128);
CONSTANT(3, uint, KERNEL, 4);
BUFFERS
STEP(0);
READS(1, float, inputs);
READS(2, float, states);
READS(3, float, taps);
READS(4, float, dt);
READS(5, float, a);
UPDATES(6, float, beta);
UPDATES(7, float, decay);
UPDATES(8, float, mixed);
PUSHES(DeltaNetParams)
#endif
