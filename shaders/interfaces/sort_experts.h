// The interface of sort_experts.comp.
#ifndef HEARTH_SORT_EXPERTS_INTERFACE_H
#define HEARTH_SORT_EXPERTS_INTERFACE_H
#include "include/interface.h"

CONSTANTS(SortExperts)
THREADS(WORKGROUP, 256);
CONSTANT(1, uint, TILE, 64);  // tokens of a tile
BUFFERS
READS(0, uvec2, chosen);
READS(1, uint, places);
WRITES(2, uint, pairs);
WRITES(3, uint, rows);
WRITES(4, uvec4, tiles);
PUSHES(SortExpertsParams)
#endif
