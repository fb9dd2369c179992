// The interface of latent_store.comp.
#ifndef HEARTH_LATENT_STORE_INTERFACE_H
#define HEARTH_LATENT_STORE_INTERFACE_H
#include "include/interface.h"

CONSTANTS(LatentStore)
THREADS(WORKGROUP, 64);
CONSTANT(1, uint, RANK, 512);
CONSTANT(2, uint, ROTATED, 64);
FLAG(3, BYTES, false);  // the past is held in bytes
BUFFERS
STEP(0);
READS(1, vec2, angles);
READS(2, float, k);
READS(3, float, norm);
WRITES(4, uint, keys);
PUSHES(AttentionParams)
#endif
