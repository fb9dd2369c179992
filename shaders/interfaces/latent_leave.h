// The interface of latent_leave.comp.
#ifndef HEARTH_LATENT_LEAVE_INTERFACE_H
#define HEARTH_LATENT_LEAVE_INTERFACE_H
#include "include/interface.h"

CONSTANTS(LatentLeave)
THREADS(WORKGROUP, 64);
CONSTANT(1, uint, RANK, 512);
CONSTANT(2, uint, ROTATED, 64);
CONSTANT(3, uint, PLAIN, 128);
BUFFERS
READS(0, float, queries);
READS(1, float, absorbed);
READS(2, float, latents);
READS(3, float, norm);
WRITES(4, float, q);
WRITES(5, float, k);
WRITES(6, float, v);
PUSHES(HeadNormParams)
#endif
