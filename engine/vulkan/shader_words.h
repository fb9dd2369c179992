// Numbers as shaders take them.
#pragma once

#include <cstdint>

namespace hearth::vulkan {

// Workgroups of `per_group` that cover n.
constexpr std::uint32_t groups_of(std::uint64_t n, std::uint64_t per_group) {
    return static_cast<std::uint32_t>((n + per_group - 1) / per_group);
}

constexpr std::uint32_t word(bool value) {
    return value ? 1 : 0;
}

constexpr std::uint32_t word(int value) {
    return static_cast<std::uint32_t>(value);
}

}  // namespace hearth::vulkan
