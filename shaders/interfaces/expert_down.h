// The interface of expert_down.comp.
#ifndef HEARTH_EXPERT_DOWN_INTERFACE_H
#define HEARTH_EXPERT_DOWN_INTERFACE_H
#include "include/interface.h"

CONSTANTS(ExpertDown)
THREADS(WORKGROUP, 128);
CONSTANT(1, uint, TEAM, 32);
FLAG(2, SUBGROUPS, false);
CONSTANT(3, uint, BLOCKS, 24);  // p.matrix.blocks, known when the shader is made ready
CONSTANT(4, uint, USED, 8);     // experts of a token, at most MOST_USED_EXPERTS
FLAG(5, BIASED, false);
FLAG(6, SEVERAL, false);  // tokens
BUFFERS
READS(0, uvec4, quads);
READS(1, uint, words);
READS(2, INPUT, x);
READS(3, float, xd);
UPDATES(4, float, y);
READS(5, uvec2, chosen);
READS(6, uint, places);
READS(7, float, bias);
PUSHES(ExpertDownParams)
#endif
