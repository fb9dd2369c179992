#include "engine/vulkan/shader_checks.h"

#include "engine/vulkan/gpu_checks.h"

namespace hearth::test {

std::vector<KernelCheck> shader_checks(const std::shared_ptr<vulkan::Device>& device) {
    const ShaderDevice on(device);
    std::vector<KernelCheck> checks;
    add_product_checks(on, checks);
    add_neuron_checks(on, checks);
    add_several_neurons_checks(on, checks);
    add_joined_checks(on, checks);
    add_row_checks(on, checks);
    add_attention_checks(on, checks);
    add_attention_batch_checks(on, checks);
    add_latent_checks(on, checks);
    add_expert_checks(on, checks);
    add_arrange_checks(on, checks);
    add_candidate_checks(on, checks);
    return checks;
}

std::vector<KernelCheck> gpu_checks(const std::shared_ptr<vulkan::Device>& device) {
    std::vector<KernelCheck> checks = shader_checks(device);
    for (const auto& more : {split_checks(device), feature_checks(device)}) {
        checks.insert(checks.end(), more.begin(), more.end());
    }
    return checks;
}

}  // namespace hearth::test
