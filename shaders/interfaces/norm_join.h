// The interface of norm_join.comp.
#ifndef HEARTH_NORM_JOIN_INTERFACE_H
#define HEARTH_NORM_JOIN_INTERFACE_H
#include "include/interface.h"

CONSTANTS(NormJoin)
THREADS(WORKGROUP, 256);
FLAG(1, PARTIAL, false);  // the processor has experts, too
FLAG(2, SUBGROUPS, false);
BUFFERS
UPDATES(0, vec4, y);
READS(1, vec4, partial);
READS(2, vec4, beside);
READS(3, vec4, experts_weight);
READS(4, vec4, beside_weight);
READS(5, vec4, weight);
PUSHES(NormJoinParams)
#endif
