// Tensors of a delta net that hold rows of several roles, key head by key head: a head's rows of
// all roles, then the next head's (Qwen3-Next).
#pragma once

#include <cstdint>
#include <vector>

#include "model/delta_net_spec.h"
#include "model/tensor_names.h"

namespace hearth {

// The runs of `rows` rows that are a role's, counted from its first one's.
struct KeyHeadRuns {
    std::uint64_t first = 0;  // row of the tensor at which the role's first run begins
    std::uint64_t rows = 1;   // of a run
    std::vector<int> order;   // in the order of the role's rows: 0 first
};

// A key head has its query and its key, then the values of the value heads that share it, of Q;
// their betas of K; their alphas of V; their gates of DeltaGate. roles: of the tensor, among these.
// role: one of them. Precondition: net has heads, n_value_heads a multiple of n_key_heads.
KeyHeadRuns key_head_runs(const HeldRoles& roles, Role role, const DeltaNetSpec& net);

}  // namespace hearth
