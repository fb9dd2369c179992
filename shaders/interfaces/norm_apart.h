// The interface of norm_apart.comp.
#ifndef HEARTH_NORM_APART_INTERFACE_H
#define HEARTH_NORM_APART_INTERFACE_H
#include "include/interface.h"

CONSTANTS(NormApart)
THREADS(WORKGROUP, 256);
FLAG(1, PUBLISH, false);
FLAG(2, BESIDE_FLOATS, true);
FLAG(3, BESIDE_BYTES, false);
FLAG(4, EXPERTS_FLOATS, true);
FLAG(5, EXPERTS_BYTES, false);
FLAG(6, SUBGROUPS, false);
FLAG(7, HALVES, false);  // bytes are halves
BUFFERS
UPDATES(0, vec4, x);
READS(1, vec4, a);
WRITES(2, vec4, published);
READS(3, vec4, router_weight);
READS(4, vec4, beside_weight);
READS(5, vec4, experts_weight);
WRITES(6, vec4, router_in);
WRITES(7, vec4, beside_in);
WRITES(8, uint, beside_bytes);
WRITES(9, float, beside_scales);
WRITES(10, vec4, experts_in);
WRITES(11, uint, experts_bytes);
WRITES(12, float, experts_scales);
PUSHES(NormApartParams)
#endif
