// The interface of gemv.comp that makes its input (joined_norm.glsl).
#ifndef HEARTH_JOINED_GEMV_INTERFACE_H
#define HEARTH_JOINED_GEMV_INTERFACE_H
#include "include/interface.h"

CONSTANTS(JoinedGemv)
THREADS(WORKGROUP, 128);
CONSTANT(1, uint, TEAM, 32);
CONSTANT(2, uint, ROWS, 2);
CONSTANT(3, uint, BLOCKS, 128);  // p.matrix.blocks, known when the shader is made ready
CONSTANT(4, uint, ADDS, 0);
CONSTANT(5, uint, NORM_THREADS, 256);
CONSTANT(6, uint, AHEAD, 1);  // as gemv.h has it
BUFFERS
READS(0, uvec4, quads);
READS(1, uint, words);
WRITES(2, float, y);
READS(3, float, bias);
READS(4, vec4, stream);
READS(5, vec4, a);
READS(6, vec4, b);
READS(7, vec4, c);
READS(8, vec4, weight);
WRITES(9, vec4, stream_next);
PUSHES(JoinedGemvParams)
#endif
