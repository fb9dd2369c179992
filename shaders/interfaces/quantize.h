// The interface of quantize.comp.
#ifndef HEARTH_QUANTIZE_INTERFACE_H
#define HEARTH_QUANTIZE_INTERFACE_H
#include "include/interface.h"

CONSTANTS(Quantize)
THREADS(WORKGROUP, 64);
FLAG(1, HALVES, false);  // bytes are halves, and there are no scales
BUFFERS
READS(0, vec4, x);
WRITES(1, uint, bytes);
WRITES(2, float, scales);
PUSHES(QuantizeParams)
#endif
