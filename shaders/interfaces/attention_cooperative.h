// The interface of attention_cooperative.comp.
#ifndef HEARTH_ATTENTION_COOPERATIVE_INTERFACE_H
#define HEARTH_ATTENTION_COOPERATIVE_INTERFACE_H
#include "include/interface.h"

CONSTANTS(AttentionCooperative)
THREADS(WORKGROUP, 128);
UNIT_SIZE(1, M, 16);
UNIT_SIZE(2, N, 16);
UNIT_SIZE(3, K, 16);
CONSTANT(4, uint, HEAD_DIM, 128);
CONSTANT(5, uint, QUERIES, 64);
CONSTANT(6, uint, TILE, 64);
CONSTANT(7, uint, SPLIT, 1);  // subgroups that share 16 queries
FLAG(8, CAPPED, false);       // soft_cap counts
FLAG(9, WINDOWED, false);     // window counts
FLAG(10, BYTES, false);       // the past is held in bytes
FLAG(11, TEMPERED, false);    // temperature counts
FLAG(12, SINKS, false);       // heads have sinks
BUFFERS
STEP(0);
READS(1, vec4, q);
READS(2, uint, keys);
READS(3, uint, values);
READS(4, uvec4, key_quads);
READS(5, uvec4, value_quads);
WRITES(6, float, attended);
READS(7, float, sinks);
PUSHES(AttentionParams)
#endif
