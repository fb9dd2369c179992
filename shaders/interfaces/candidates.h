// The interface of candidates.comp.
#ifndef HEARTH_CANDIDATES_INTERFACE_H
#define HEARTH_CANDIDATES_INTERFACE_H
#include "include/interface.h"

CONSTANTS(Candidates)
THREADS(WORKGROUP, 1024);
CONSTANT(1, uint, TAKE, 256);   // less than CANDIDATE_GROUPS
CONSTANT(2, uint, PARTS, 1);    // workgroups of candidate_groups.comp
BUFFERS
READS(0, uvec4, logits);  // a whole number of fours: what is behind the last value is not looked at
WRITES(1, uvec2, best);
READS(2, uvec2, of_groups);  // [CANDIDATE_GROUPS + PARTS] of candidate_groups.comp
PUSHES(CandidatesParams)
#endif
