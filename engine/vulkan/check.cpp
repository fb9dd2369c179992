#include "vulkan/check.h"

namespace hearth::vulkan {

std::string result_name(VkResult result) {
    switch (result) {
        case VK_ERROR_OUT_OF_HOST_MEMORY:
            return "VK_ERROR_OUT_OF_HOST_MEMORY";
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
            return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
        case VK_ERROR_INITIALIZATION_FAILED:
            return "VK_ERROR_INITIALIZATION_FAILED";
        case VK_ERROR_DEVICE_LOST:
            return "VK_ERROR_DEVICE_LOST";
        case VK_ERROR_MEMORY_MAP_FAILED:
            return "VK_ERROR_MEMORY_MAP_FAILED";
        case VK_ERROR_LAYER_NOT_PRESENT:
            return "VK_ERROR_LAYER_NOT_PRESENT";
        case VK_ERROR_EXTENSION_NOT_PRESENT:
            return "VK_ERROR_EXTENSION_NOT_PRESENT";
        case VK_ERROR_FEATURE_NOT_PRESENT:
            return "VK_ERROR_FEATURE_NOT_PRESENT";
        case VK_ERROR_INCOMPATIBLE_DRIVER:
            return "VK_ERROR_INCOMPATIBLE_DRIVER";
        case VK_ERROR_TOO_MANY_OBJECTS:
            return "VK_ERROR_TOO_MANY_OBJECTS";
        case VK_ERROR_OUT_OF_POOL_MEMORY:
            return "VK_ERROR_OUT_OF_POOL_MEMORY";
        case VK_ERROR_INVALID_SHADER_NV:
            return "VK_ERROR_INVALID_SHADER_NV";
        case VK_TIMEOUT:
            return "VK_TIMEOUT";
        default:
            return "VkResult " + std::to_string(static_cast<int>(result));
    }
}

Error driver_error(VkResult result, std::string_view what) {
    ErrorCode code = ErrorCode::Internal;
    if (result == VK_ERROR_DEVICE_LOST) {
        code = ErrorCode::DeviceLost;
    } else if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY ||
               result == VK_ERROR_MEMORY_MAP_FAILED || result == VK_ERROR_TOO_MANY_OBJECTS) {
        code = ErrorCode::OutOfMemory;
    }
    return Error{code, "the GPU's driver answered " + result_name(result) + " when asked to " +
                           std::string(what)};
}

}  // namespace hearth::vulkan
