#include "engine/vulkan/shader_checks.h"

#include "engine/vulkan/gpu_checks.h"

namespace hearth::test {

std::vector<KernelCheck> shader_checks(const std::shared_ptr<vulkan::Device>& device) {
    const ShaderDevice on(device);
    std::vector<KernelCheck> checks;
    add_product_checks(on, checks);
    add_neuron_checks(on, checks);
    add_row_checks(on, checks);
    add_attention_checks(on, checks);
    add_candidate_checks(on, checks);
    return checks;
}

std::vector<KernelCheck> gpu_checks(const std::shared_ptr<vulkan::Device>& device) {
    std::vector<KernelCheck> checks = shader_checks(device);
    for (KernelCheck& check : split_checks(device)) {
        checks.push_back(std::move(check));
    }
    return checks;
}

}  // namespace hearth::test
