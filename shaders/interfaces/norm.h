// The interface of norm.comp.
#ifndef HEARTH_NORM_INTERFACE_H
#define HEARTH_NORM_INTERFACE_H
#include "include/interface.h"

CONSTANTS(Norm)
THREADS(WORKGROUP, 256);
CONSTANT(1, uint, ADDS, 0);
FLAG(2, PUBLISH, false);
FLAG(3, NORM, true);
FLAG(4, LAYER_NORM, false);
FLAG(5, HAS_BIAS, false);
FLAG(6, WRITE_FLOATS, true);
FLAG(7, WRITE_BYTES, false);
FLAG(8, SUBGROUPS, false);
FLAG(9, WEIGHED, true);
FLAG(10, SCALED, false);
FLAG(11, HALVES, false);  // normed_bytes are halves
BUFFERS
READS(0, vec4, x_in);
UPDATES(1, vec4, x);
READS(2, vec4, a);
READS(3, vec4, b);
READS(4, vec4, c);
READS(5, vec4, weight);
READS(6, vec4, bias);
WRITES(7, vec4, published);
WRITES(8, vec4, normed);
WRITES(9, uint, normed_bytes);
WRITES(10, float, normed_scales);
READS(11, float, stream_scale);
PUSHES(NormParams)
#endif
