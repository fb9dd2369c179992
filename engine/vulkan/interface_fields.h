// The fields of the interfaces of shaders in C++ (shaders/include/interface.h): one for every
// specialization constant and every binding. The fields have no default, so that a dispatch that
// leaves one out does not compile.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>

#include "vulkan/arena.h"

namespace hearth::vulkan {

// The value of a specialization constant, as bits.
struct ConstantValue {
    std::uint32_t id = 0;
    std::uint32_t value = 0;

    auto operator<=>(const ConstantValue&) const = default;
};

// A buffer for a binding. An empty view: not used.
struct BoundBuffer {
    std::uint32_t binding = 0;
    BufferView view;
};

template <std::uint32_t Id>
class Constant {
public:
    constexpr Constant(std::uint32_t value) : value_{Id, value} {}
    constexpr Constant(int value) : Constant(static_cast<std::uint32_t>(value)) {}
    constexpr Constant(bool value) : Constant(value ? 1U : 0U) {}

private:
    ConstantValue value_;
};

template <std::uint32_t Number>
class Binding {
public:
    constexpr Binding(const BufferView& view) : bound_{Number, view} {}

private:
    BoundBuffer bound_;
};

// The fields of an interface's Constants, or of its Buffers, in their order.
template <class Constants>
auto constant_values(const Constants& constants) {
    return std::bit_cast<std::array<ConstantValue, sizeof(Constants) / sizeof(ConstantValue)>>(
        constants);
}
template <class Buffers>
auto bound_buffers(const Buffers& buffers) {
    return std::bit_cast<std::array<BoundBuffer, sizeof(Buffers) / sizeof(BoundBuffer)>>(buffers);
}

}  // namespace hearth::vulkan
