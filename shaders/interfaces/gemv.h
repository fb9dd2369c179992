// The interface of gemv.comp.
#ifndef HEARTH_GEMV_INTERFACE_H
#define HEARTH_GEMV_INTERFACE_H
#include "include/interface.h"

CONSTANTS(Gemv)
THREADS(WORKGROUP, 128);
CONSTANT(1, uint, TEAM, 32);
FLAG(2, SUBGROUPS, false);
CONSTANT(3, uint, ROWS, 2);
CONSTANT(4, uint, BLOCKS, 128);  // p.matrix.blocks, known when the shader is made ready
CONSTANT(5, uint, HEAD_ROWS, 0);  // a multiple of ROWS; 0: the matrix is no heads'
CONSTANT(6, uint, TOKENS, 1);  // at most, of p.n_tokens; 1: the input is one token's
CONSTANT(7, uint, AHEAD, 1);  // steps (row_units.glsl) whose weights are loaded before the first one's are multiplied
BUFFERS
READS(0, uvec4, quads);
READS(1, uint, words);
READS(2, INPUT, x);
READS(3, float, xd);
WRITES(4, float, y);
READS(5, float, bias);
PUSHES(GemvParams)
#endif
