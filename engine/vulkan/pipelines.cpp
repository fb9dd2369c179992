#include "vulkan/pipelines.h"

#include <utility>

#include "vulkan/check.h"

namespace hearth::vulkan {

Pipelines::~Pipelines() {
    for (const auto& [key, pipeline] : made_) {
        destroy(pipeline);
    }
}

void Pipelines::destroy(const Pipeline& pipeline) const {
    vkDestroyPipeline(device_.handle(), pipeline.handle, nullptr);
    vkDestroyPipelineLayout(device_.handle(), pipeline.layout, nullptr);
    vkDestroyDescriptorSetLayout(device_.handle(), pipeline.set_layout, nullptr);
}

Result<const Pipeline*> Pipelines::get(const Shader& shader,
                                       std::span<const ConstantValue> constants,
                                       int subgroup_size) {
    std::vector<ConstantValue> values(constants.begin(), constants.end());
    if (shader.weights) {
        values.insert(values.end(), shader.weights->begin(), shader.weights->end());
    }
    Key key{shader.words.data(), values, subgroup_size};
    {
        const std::lock_guard lock(mutex_);
        if (const auto it = made_.find(key); it != made_.end()) {
            return &it->second;
        }
    }
    Pipeline pipeline;
    if (auto made = make(shader, values, subgroup_size, pipeline); !made) {
        destroy(pipeline);
        return std::move(made).error();
    }
    const std::lock_guard lock(mutex_);
    const auto [it, fresh] = made_.try_emplace(std::move(key), pipeline);
    if (!fresh) {
        destroy(pipeline);  // another thread was faster
    }
    return &it->second;
}

Result<void> Pipelines::make(const Shader& shader, std::span<const ConstantValue> values,
                             int subgroup_size, Pipeline& pipeline) const {
    const std::string asked = std::string("prepare the shader ") + shader.name;
    std::vector<VkDescriptorSetLayoutBinding> bindings(shader.n_buffers);
    for (std::uint32_t i = 0; i < shader.n_buffers; ++i) {
        bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                       nullptr};
    }
    VkDescriptorSetLayoutCreateInfo set{};
    set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    set.bindingCount = shader.n_buffers;
    set.pBindings = bindings.data();
    HEARTH_VK(vkCreateDescriptorSetLayout(device_.handle(), &set, nullptr, &pipeline.set_layout),
              asked);
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                    static_cast<std::uint32_t>(shader.push_bytes)};
    VkPipelineLayoutCreateInfo layout{};
    layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &pipeline.set_layout;
    layout.pushConstantRangeCount = shader.push_bytes > 0 ? 1 : 0;
    layout.pPushConstantRanges = &range;
    HEARTH_VK(vkCreatePipelineLayout(device_.handle(), &layout, nullptr, &pipeline.layout), asked);

    VkShaderModuleCreateInfo code{};
    code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    code.codeSize = shader.words.size_bytes();
    code.pCode = shader.words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    HEARTH_VK(vkCreateShaderModule(device_.handle(), &code, nullptr, &module), asked);

    std::vector<VkSpecializationMapEntry> entries(values.size());
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
        const auto at =
            static_cast<std::uint32_t>(i * sizeof(ConstantValue) + offsetof(ConstantValue, value));
        entries[i] = {values[i].id, at, sizeof values[i].value};
    }
    const VkSpecializationInfo specialization{static_cast<std::uint32_t>(entries.size()),
                                              entries.data(), values.size() * sizeof values[0],
                                              values.data()};
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size{};
    size.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
    size.requiredSubgroupSize = static_cast<std::uint32_t>(subgroup_size);
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &specialization;
    if (subgroup_size > 0 && device_.features().subgroup_size_control) {
        info.stage.pNext = &size;
        info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    }
    info.layout = pipeline.layout;
    const VkResult made = vkCreateComputePipelines(device_.handle(), VK_NULL_HANDLE, 1, &info,
                                                   nullptr, &pipeline.handle);
    vkDestroyShaderModule(device_.handle(), module, nullptr);
    HEARTH_VK(made, asked);
    return {};
}

}  // namespace hearth::vulkan
