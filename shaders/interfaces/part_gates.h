// The interface of part_gates.comp.
#ifndef HEARTH_PART_GATES_INTERFACE_H
#define HEARTH_PART_GATES_INTERFACE_H
#include "include/interface.h"

CONSTANTS(PartGates)
THREADS(WORKGROUP, 64);
CONSTANT(1, uint, HEAD_DIM, 128);
BUFFERS
READS(0, float, both);
WRITES(1, float, q);
WRITES(2, float, gates);
PUSHES(PartGatesParams)
#endif
