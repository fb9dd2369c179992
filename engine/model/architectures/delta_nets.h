// Gated delta nets as files describe them.
#pragma once

#include <string_view>

#include "model/architectures/keys.h"
#include "model/delta_net_spec.h"

namespace hearth {

// By the keys "ssm.": "group_count" key heads, "time_step_rank" value heads, "state_size",
// "conv_kernel", "inner_size". May fail the keys.
DeltaNetSpec read_delta_net(Keys& keys);

// False: the block has attention. By "attention.recurrent_layers", or all but every n-th, by
// "full_attention_interval". May fail the keys.
bool is_delta_net(Keys& keys, int block);

// Such a layer is known by its decays. For TensorName::where.
inline constexpr std::string_view kDeltaNetTensor = "ssm_a";

}  // namespace hearth
