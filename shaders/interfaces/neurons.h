// The interface of neurons.comp.
#ifndef HEARTH_NEURONS_INTERFACE_H
#define HEARTH_NEURONS_INTERFACE_H
#include "include/interface.h"

CONSTANTS(Neurons)
THREADS(WORKGROUP, 128);
CONSTANT(1, uint, TEAM, 32);
FLAG(2, SUBGROUPS, false);
CONSTANT(3, uint, GATES, GATES_BESIDE);
FLAG(4, SPARSE, false);
FLAG(5, WRITE_FLOATS, true);
FLAG(6, WRITE_BYTES, false);
CONSTANT(7, uint, BLOCKS, 128);  // p.matrix.blocks, known when the shader is made ready
FLAG(8, COUNT, false);
CONSTANT(9, uint, EXPERT_NEURONS, 0);  // of a mixture's expert; 0: the block is no mixture
FLAG(10, EXPERT_BIASES, false);  // of gates and ups
CONSTANT(11, uint, AHEAD, 1);  // as gemv.h has it
FLAG(12, SEVERAL, false);  // tokens, of a mixture
BUFFERS
READS(0, uvec4, quads);
READS(1, uint, words);
READS(2, INPUT, x);
READS(3, float, xd);
UPDATES(4, float, h);
WRITES(5, uint, hq);
WRITES(6, float, hd);
READS(7, float, bias);
READS(8, float, mask);
UPDATES(9, uint, fired);
STEP(10);
UPDATES(11, uvec4, noted);
READS(12, uvec2, chosen);
READS(13, uint, places);
READS(14, float, gate_bias);
PUSHES(NeuronParams)
#endif
