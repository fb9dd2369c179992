// Pipelines: shaders that are ready to run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <hearth/result.h>
#include <volk.h>

#include "vulkan/device.h"

namespace hearth::vulkan {

// A module, which is one .comp file with one set of defines as glslang compiled it, and how it
// reads weights.
struct Shader {
    const char* name = nullptr;
    std::span<const std::uint32_t> words;
    std::uint32_t n_buffers = 0;  // bindings 0 to n_buffers - 1 of set 0, storage buffers all
    std::size_t push_bytes = 0;   // of its push constants, a multiple of 4
    // The values of the specialization constants from WEIGHT_CONSTANTS on. Of no meaning where it
    // reads none.
    std::array<std::uint32_t, 3> weights{};
};

struct Pipeline {
    VkPipeline handle = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
};

class Pipelines {
public:
    explicit Pipelines(std::shared_ptr<Device> device) : device_(std::move(device)) {}
    ~Pipelines();
    Pipelines(const Pipelines&) = delete;
    Pipelines& operator=(const Pipelines&) = delete;

    // Makes a pipeline once and keeps it. The pointer is valid as long as this object. constants:
    // the values of the specialization constants 0, 1, 2, ..., as bits; the first is the size of
    // the workgroup. subgroup_size: the size that the shader counts on; 0: any. The error is the
    // driver's, for example that it cannot compile the shader.
    Result<const Pipeline*> get(const Shader& shader, std::span<const std::uint32_t> constants,
                                int subgroup_size = 0);

private:
    using Key = std::tuple<const std::uint32_t*, std::vector<std::uint32_t>, int>;

    std::shared_ptr<Device> device_;
    std::map<Key, Pipeline> made_;
};

}  // namespace hearth::vulkan
