// The interface of route.comp that makes its input (joined_norm.glsl).
#ifndef HEARTH_JOINED_ROUTE_INTERFACE_H
#define HEARTH_JOINED_ROUTE_INTERFACE_H
#include "include/interface.h"

CONSTANTS(JoinedRoute)
THREADS(WORKGROUP, 128);
CONSTANT(1, uint, N, 128);   // experts, at most MOST_EXPERTS
CONSTANT(2, uint, USED, 8);  // of a token
CONSTANT(3, uint, SCORES, ROUTER_SOFTMAX);
FLAG(4, BIASED, false);
FLAG(5, NORMED, false);
CONSTANT(6, uint, GROUPS, 1);
CONSTANT(7, uint, USED_GROUPS, 1);
FLAG(8, SHARED, false);       // there is a shared expert
FLAG(9, SHARED_GATE, false);  // what it computes is weighed by its gate
FLAG(10, COUNT, false);
CONSTANT(11, uint, TEAM, 32);
CONSTANT(12, uint, BLOCKS, 64);  // p.matrix.blocks
FLAG(13, FACTORS, false);
FLAG(14, PRODUCT_BIAS, false);
CONSTANT(15, uint, ADDS, 0);
CONSTANT(16, uint, NORM_THREADS, 256);
BUFFERS
SHARES(0, float, products);
READS(1, float, bias);
WRITES(2, uvec2, chosen);
WRITES(3, uvec2, shared_chosen);
READS(4, vec4, shared_router);
READS(5, uint, places);
UPDATES(6, uint, fired);
STEP(7);
UPDATES(8, uvec4, noted);
READS(9, uvec4, quads);
READS(10, uint, words);
SHARES(11, uint, done);
READS(12, float, factors);
READS(13, float, product_bias);
READS(14, vec4, stream);
READS(15, vec4, a);
READS(16, vec4, b);
READS(17, vec4, c);
READS(18, vec4, weight);
WRITES(19, vec4, stream_next);
WRITES(20, vec4, normed);
WRITES(21, uint, normed_bytes);
WRITES(22, float, normed_scales);
PUSHES(JoinedRouteParams)
#endif
