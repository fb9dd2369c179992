// The interface of latent_attention.comp.
#ifndef HEARTH_LATENT_ATTENTION_INTERFACE_H
#define HEARTH_LATENT_ATTENTION_INTERFACE_H
#include "include/interface.h"

CONSTANTS(LatentAttention)
THREADS(WORKGROUP, 128);
CONSTANT(1, uint, RANK, 512);    // values of a latent
CONSTANT(2, uint, ROTATED, 64);  // of a key, behind the latent
CONSTANT(3, uint, PLAIN, 128);   // of a query, before what is rotated
CONSTANT(4, uint, QUERIES, 8);   // of a workgroup: heads of tokens
CONSTANT(5, uint, TILE, 16);     // positions at a time
CONSTANT(6, uint, ROWS, 2);      // positions of a thread at a time
CONSTANT(7, uint, PARTS, 1);     // into which positions are cut
FLAG(8, BYTES, false);           // the past is held in bytes
BUFFERS
STEP(0);
READS(1, vec2, angles);
READS(2, float, queries);
READS(3, float, absorbed);
READS(4, uint, keys);
WRITES(5, vec2, parts);
WRITES(6, vec2, attended);
PUSHES(AttentionParams)
#endif
