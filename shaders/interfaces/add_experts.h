// The interface of add_experts.comp.
#ifndef HEARTH_ADD_EXPERTS_INTERFACE_H
#define HEARTH_ADD_EXPERTS_INTERFACE_H
#include "include/interface.h"

CONSTANTS(AddExperts)
THREADS(WORKGROUP, 256);
FLAG(1, BIASED, false);
BUFFERS
READS(0, vec4, outputs);
READS(1, uint, rows);
UPDATES(2, vec4, y);
READS(3, uvec2, chosen);
READS(4, vec4, bias);
PUSHES(AddExpertsParams)
#endif
