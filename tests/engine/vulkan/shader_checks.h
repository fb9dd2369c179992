// The parts of shader_checks(), a family of shaders each.
#pragma once

#include <vector>

#include "engine/vulkan/shader_rig.h"

namespace hearth::test {

void add_product_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks);  // gemv, gemm
void add_neuron_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks);   // and down_rows
void add_several_neurons_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks);
void add_joined_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks);
void add_row_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks);  // norm and others
void add_attention_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks);
void add_attention_batch_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks);
void add_latent_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks);
void add_expert_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks);
void add_arrange_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks);
void add_candidate_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks);

}  // namespace hearth::test
