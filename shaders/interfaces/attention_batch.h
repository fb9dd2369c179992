// The interface of attention_batch.comp.
#ifndef HEARTH_ATTENTION_BATCH_INTERFACE_H
#define HEARTH_ATTENTION_BATCH_INTERFACE_H
#include "include/interface.h"

CONSTANTS(AttentionBatch)
THREADS(WORKGROUP, 128);
CONSTANT(1, uint, HEAD_DIM, 128);
CONSTANT(2, uint, QUERIES, 16);
CONSTANT(3, uint, TILE, 32);
FLAG(4, CAPPED, false);    // soft_cap counts
FLAG(5, WINDOWED, false);  // window counts
FLAG(6, BYTES, false);     // the past is held in bytes
FLAG(7, TEMPERED, false);  // temperature counts
FLAG(8, SINKS, false);     // heads have sinks
BUFFERS
STEP(0);
READS(1, float, q);
READS(2, uint, keys);
READS(3, uint, values);
WRITES(4, float, attended);
READS(5, float, sinks);
PUSHES(AttentionParams)
#endif
