// The interface of activate.comp.
#ifndef HEARTH_ACTIVATE_INTERFACE_H
#define HEARTH_ACTIVATE_INTERFACE_H
#include "include/interface.h"

CONSTANTS(Activate)
THREADS(WORKGROUP, 256);
FLAG(1, EXPERT_BIASES, false);
BUFFERS
READS(0, float, products);
WRITES(1, float, h);
READS(2, uvec2, chosen);
READS(3, uint, pairs);
READS(4, uvec4, tiles);
READS(5, float, gate_bias);
READS(6, float, up_bias);
PUSHES(ActivateParams)
#endif
