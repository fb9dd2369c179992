// The interface of latent_join.comp.
#ifndef HEARTH_LATENT_JOIN_INTERFACE_H
#define HEARTH_LATENT_JOIN_INTERFACE_H
#include "include/interface.h"

CONSTANTS(LatentJoin)
THREADS(WORKGROUP, 64);
CONSTANT(1, uint, RANK, 512);
CONSTANT(2, uint, TILE, 16);   // of latent_attention.comp; likewise PARTS
CONSTANT(3, uint, PARTS, 64);
BUFFERS
STEP(0);
READS(1, vec2, parts);
WRITES(2, vec2, attended);
PUSHES(AttentionParams)
#endif
