// The interface of gate_heads.comp.
#ifndef HEARTH_GATE_HEADS_INTERFACE_H
#define HEARTH_GATE_HEADS_INTERFACE_H
#include "include/interface.h"

CONSTANTS(GateHeads)
THREADS(WORKGROUP, 64);
CONSTANT(1, uint, HEAD_DIM, 128);
FLAG(2, NORM, false);
FLAG(3, GATE_FIRST, false);
BUFFERS
UPDATES(0, float, attended);
READS(1, float, gates);
READS(2, float, weight);
PUSHES(GateHeadsParams)
#endif
