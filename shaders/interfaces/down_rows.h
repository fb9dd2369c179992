// The interface of down_rows.comp.
#ifndef HEARTH_DOWN_ROWS_INTERFACE_H
#define HEARTH_DOWN_ROWS_INTERFACE_H
#include "include/interface.h"

CONSTANTS(DownRows)
THREADS(WORKGROUP, 256);  // a power of two times 64
BUFFERS
READS(0, uvec4, quads);
READS(1, uint, words);
READS(2, float, h);
WRITES(3, vec4, partial);
PUSHES(DownRowsParams)
#endif
