// The interface of activate.comp.
#ifndef HEARTH_ACTIVATE_INTERFACE_H
#define HEARTH_ACTIVATE_INTERFACE_H
#include "include/interface.h"

CONSTANTS(Activate)
THREADS(WORKGROUP, 256);
BUFFERS
READS(0, float, products);
WRITES(1, float, h);
READS(2, uvec2, chosen);
READS(3, uint, pairs);
READS(4, uvec4, tiles);
PUSHES(ActivateParams)
#endif
