// The interface of several_neurons.comp.
#ifndef HEARTH_SEVERAL_NEURONS_INTERFACE_H
#define HEARTH_SEVERAL_NEURONS_INTERFACE_H
#include "include/interface.h"
#include "include/several_params.h"

CONSTANTS(SeveralNeurons)
THREADS(WORKGROUP, 128);
CONSTANT(1, uint, TEAM, 32);
FLAG(2, SUBGROUPS, false);
CONSTANT(3, uint, GATES, GATES_BESIDE);  // or GATES_APART
CONSTANT(4, uint, BLOCKS, 128);          // p.matrix.blocks, known when the shader is made ready
CONSTANT(5, uint, TOKENS, 4);            // that a workgroup computes, at most 32
BUFFERS
READS(0, uvec4, quads);
READS(1, uint, words);
READS(2, INPUT, x);
READS(3, float, xd);
UPDATES(4, float, h);
PUSHES(SeveralNeuronsParams)
#endif
