// The interface of gemm.comp, which reads constants 0, 6 and 7, and of gemm_cooperative.comp.
#ifndef HEARTH_GEMM_INTERFACE_H
#define HEARTH_GEMM_INTERFACE_H
#include "include/interface.h"

CONSTANTS(Gemm)
THREADS(WORKGROUP, 256);
UNIT_SIZE(1, M, 16);
UNIT_SIZE(2, N, 16);
UNIT_SIZE(3, K, 16);
UNIT_SIZE(4, SUBGROUP_ROWS, 64);  // what a subgroup computes of a workgroup's 128 by 128
UNIT_SIZE(5, SUBGROUP_TOKENS, 64);
FLAG(6, TRANSPOSED, false);
CONSTANT(7, uint, GROUPED, GROUPED_NOT);
CONSTANT(8, uint, PANELS, 1);
FLAG(9, HALVES, false);  // the input is x_halves: halves_at() of quantize.glsl
BUFFERS
READS(0, uvec4, quads);
READS(1, uint, words);
READS(2, INPUT, x);
READS(3, float, xd);
UPDATES(4, float, y);
READS(5, float, bias);
READS(6, uint, pairs);
READS(7, uvec4, tiles);
READS(8, uvec4, x_halves);
PUSHES(GemmParams)
#endif
