// The interface of neurons.comp that makes its input (joined_norm.glsl).
#ifndef HEARTH_JOINED_NEURONS_INTERFACE_H
#define HEARTH_JOINED_NEURONS_INTERFACE_H
#include "include/interface.h"

CONSTANTS(JoinedNeurons)
THREADS(WORKGROUP, 128);
CONSTANT(1, uint, TEAM, 32);
CONSTANT(2, uint, GATES, GATES_BESIDE);
FLAG(3, SPARSE, false);
FLAG(4, WRITE_FLOATS, true);
FLAG(5, WRITE_BYTES, false);
CONSTANT(6, uint, BLOCKS, 128);  // p.matrix.blocks, known when the shader is made ready
FLAG(7, COUNT, false);
CONSTANT(8, uint, ADDS, 0);
CONSTANT(9, uint, NORM_THREADS, 256);
CONSTANT(10, uint, AHEAD, 1);  // as gemv.h has it
BUFFERS
READS(0, uvec4, quads);
READS(1, uint, words);
UPDATES(2, float, h);
WRITES(3, uint, hq);
WRITES(4, float, hd);
READS(5, float, bias);
READS(6, float, mask);
UPDATES(7, uint, fired);
STEP(8);
UPDATES(9, uvec4, noted);
READS(10, vec4, stream);
READS(11, vec4, a);
READS(12, vec4, b);
READS(13, vec4, c);
READS(14, vec4, weight);
WRITES(15, vec4, stream_next);
PUSHES(JoinedNeuronParams)
#endif
