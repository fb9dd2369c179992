// Vulkan's result codes as errors.
#pragma once

#include <string>
#include <string_view>

#include <hearth/result.h>
#include <volk.h>

namespace hearth::vulkan {

// "VK_ERROR_DEVICE_LOST", or the number of one this version does not know.
std::string result_name(VkResult result);

// OutOfMemory for what a driver says of memory, DeviceLost for a lost device, Internal otherwise;
// the message names `what` and the code.
Error driver_error(VkResult result, std::string_view what);

}  // namespace hearth::vulkan

// Returns driver_error() from the function around it unless the call succeeded.
#define HEARTH_VK(call, what)                                             \
    do {                                                                  \
        if (const VkResult hearth_vk = (call); hearth_vk != VK_SUCCESS) { \
            return ::hearth::vulkan::driver_error(hearth_vk, what);       \
        }                                                                 \
    } while (false)
