// Pipelines: shaders that are ready to run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <hearth/result.h>
#include <volk.h>

#include "vulkan/device.h"
#include "vulkan/interface_fields.h"

namespace hearth::vulkan {

// A module, which is one .comp file with one set of defines as glslang compiled it, and how it
// reads weights.
struct Shader {
    const char* name = nullptr;
    std::span<const std::uint32_t> words;
    std::uint32_t n_buffers = 0;  // bindings 0 to n_buffers - 1 of set 0, storage buffers all
    std::size_t push_bytes = 0;   // of its push constants, a multiple of 4
    // How it reads weights, of those that do: shaders/interfaces/weights.h.
    std::optional<std::array<ConstantValue, 4>> weights;
};

// A shader that has an interface of shaders/interfaces/: it is given the interface's Constants,
// Buffers and Params, and nothing else.
template <class Interface>
struct ShaderOf : Shader {};

struct Pipeline {
    VkPipeline handle = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
};

// Any thread may call get(), other than what else the device has.
class Pipelines {
public:
    explicit Pipelines(const Device& device) : device_(device) {}
    ~Pipelines();
    Pipelines(const Pipelines&) = delete;
    Pipelines& operator=(const Pipelines&) = delete;

    // Makes a pipeline once and keeps it; threads that ask for the same one at the same time may
    // each take the time that it takes. The pointer is valid as long as this object. constants:
    // those of the shader's interface. subgroup_size: the size that the shader counts on; 0: any.
    // The error is the driver's, for example that it cannot compile the shader.
    Result<const Pipeline*> get(const Shader& shader, std::span<const ConstantValue> constants,
                                int subgroup_size = 0);

private:
    using Key = std::tuple<const std::uint32_t*, std::vector<ConstantValue>, int>;

    Result<void> make(const Shader& shader, std::span<const ConstantValue> values,
                      int subgroup_size, Pipeline& pipeline) const;
    void destroy(const Pipeline& pipeline) const;

    const Device& device_;
    std::mutex mutex_;  // of made_
    std::map<Key, Pipeline> made_;
};

}  // namespace hearth::vulkan
