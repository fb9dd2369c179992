// The interface of rope_store.comp.
#ifndef HEARTH_ROPE_STORE_INTERFACE_H
#define HEARTH_ROPE_STORE_INTERFACE_H
#include "include/interface.h"

CONSTANTS(RopeStore)
THREADS(WORKGROUP, 64);
CONSTANT(1, uint, HEAD_DIM, 128);
FLAG(2, BYTES, false);  // the past is held in bytes
FLAG(3, STORES, true);  // the layer keeps keys and values of its own
FLAG(4, ROTATES, true);  // queries too
FLAG(5, NORMS, false);   // heads of k are normed first
CONSTANT(6, uint, TEAM, 32);  // the subgroup's size, if NORMS: a divisor of HEAD_DIM / 2
BUFFERS
STEP(0);
READS(1, vec2, angles);
UPDATES(2, float, q);
READS(3, float, k);
READS(4, float, v);
WRITES(5, uint, keys);
WRITES(6, uint, values);
READS(7, float, k_norm);
PUSHES(AttentionParams)
#endif
