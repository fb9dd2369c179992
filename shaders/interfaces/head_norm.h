// The interface of head_norm.comp.
#ifndef HEARTH_HEAD_NORM_INTERFACE_H
#define HEARTH_HEAD_NORM_INTERFACE_H
#include "include/interface.h"

CONSTANTS(HeadNorm)
THREADS(WORKGROUP, 64);
CONSTANT(1, uint, HEAD_DIM, 128);
FLAG(2, NORM_V, false);
FLAG(3, V_FROM_K, false);
BUFFERS
UPDATES(0, float, q);
UPDATES(1, float, k);
READS(2, float, q_norm);
READS(3, float, k_norm);
UPDATES(4, float, v);
PUSHES(HeadNormParams)
#endif
