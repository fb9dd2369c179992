// The interface of reduce.comp.
#ifndef HEARTH_REDUCE_INTERFACE_H
#define HEARTH_REDUCE_INTERFACE_H
#include "include/interface.h"

CONSTANTS(Reduce)
THREADS(WORKGROUP, 64);
BUFFERS
READS(0, float, partial);
READS(1, float, bias);
WRITES(2, float, y);
PUSHES(ReduceParams)
#endif
