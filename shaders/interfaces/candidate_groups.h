// The interface of candidate_groups.comp.
#ifndef HEARTH_CANDIDATE_GROUPS_INTERFACE_H
#define HEARTH_CANDIDATE_GROUPS_INTERFACE_H
#include "include/interface.h"

// At most CANDIDATE_PARTS_MAX workgroups, a power of two.
CONSTANTS(CandidateGroups)
THREADS(WORKGROUP, 256);  // a multiple of 8
BUFFERS
READS(0, uvec4, logits);  // a whole number of fours: what is behind the last value is not looked at
WRITES(1, uvec2, best);
PUSHES(CandidatesParams)
#endif
