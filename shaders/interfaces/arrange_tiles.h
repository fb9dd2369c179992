// The interface of arrange_tiles.comp.
#ifndef HEARTH_ARRANGE_TILES_INTERFACE_H
#define HEARTH_ARRANGE_TILES_INTERFACE_H
#include "include/interface.h"

CONSTANTS(ArrangeTiles)
THREADS(WORKGROUP, 128);
BUFFERS
READS(0, uint, tiles);
READS(1, uvec4, words);
READS(2, uvec2, moves);
WRITES(3, uint, arranged);
PUSHES(ArrangeTilesParams)
#endif
