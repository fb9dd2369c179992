// Layers of Mamba-2 as files describe them.
#pragma once

#include <string_view>

#include "model/architectures/keys.h"
#include "model/model_spec.h"

namespace hearth {

// By the keys "ssm.": "time_step_rank" heads, "group_count", "state_size", "conv_kernel",
// "inner_size". May fail the keys.
StateSpaceSpec read_state_space(Keys& keys);

// Makes a layer without key/value heads one of Mamba-2. A DecoderTraits::OfLayer; least_head_kv
// must be 0.
void make_state_space(Keys& keys, int block, LayerSpec& layer);

// Such a layer is known by its decays. For TensorName::where.
inline constexpr std::string_view kStateSpaceTensor = "ssm_a";
inline constexpr TensorName kStateSpaceInputs{.name = "ssm_in.weight",
                                              .roles = {Role::DeltaGate, Role::Q, Role::K},
                                              .where = kStateSpaceTensor};
inline constexpr TensorName kStateSpaceOutput{
    .name = "ssm_out.weight", .roles = {Role::AttnOutput}, .where = kStateSpaceTensor};

}  // namespace hearth
