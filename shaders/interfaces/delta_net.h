// The interface of delta_net.comp.
#ifndef HEARTH_DELTA_NET_INTERFACE_H
#define HEARTH_DELTA_NET_INTERFACE_H
#include "include/interface.h"

CONSTANTS(DeltaNet)
THREADS(WORKGROUP, 128);
CONSTANT(1, uint, KEY_DIM, 128);
CONSTANT(2, uint, VALUE_DIM, 128);
CONSTANT(3, uint, KERNEL, 4);
FLAG(4, CORRECTS, true);
FLAG(5, TAKES, true);
BUFFERS
STEP(0);
READS(1, float, inputs);
READS(2, float, mixed);
READS(3, float, beta);
READS(4, float, decay);
UPDATES(5, float, states);
WRITES(6, float, attended);
READS(7, float, skip);
PUSHES(DeltaNetParams)
#endif
