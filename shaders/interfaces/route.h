// The interface of route.comp.
#ifndef HEARTH_ROUTE_INTERFACE_H
#define HEARTH_ROUTE_INTERFACE_H
#include "include/interface.h"

CONSTANTS(Route)
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
FLAG(10, TELL, false);        // the processor has experts too
FLAG(11, NOTE, false);        // the token is alone
FLAG(12, COUNT, false);
// For the shader that multiplies with the router:
CONSTANT(13, uint, TEAM, 32);
FLAG(14, SUBGROUPS, false);
CONSTANT(15, uint, BLOCKS, 64);  // p.matrix.blocks
FLAG(16, FACTORS, false);
FLAG(17, PRODUCT_BIAS, false);
BUFFERS
SHARES(0, float, products);
READS(1, float, bias);
WRITES(2, uvec2, chosen);
WRITES(3, uvec2, told);
WRITES(4, uvec2, shared_chosen);
READS(5, vec4, x);
READS(6, vec4, shared_router);
READS(7, uint, places);
UPDATES(8, uint, fired);
STEP(9);
UPDATES(10, uvec4, noted);
READS(11, uvec4, quads);
READS(12, uint, words);
SHARES(13, uint, done);
READS(14, float, factors);
READS(15, float, product_bias);
PUSHES(RouteParams)
#endif
