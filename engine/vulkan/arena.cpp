#include "vulkan/arena.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/assert.h"
#include "vulkan/check.h"

namespace hearth::vulkan {

Arena::Chunk::Chunk(std::shared_ptr<Device> on, std::uint64_t size)
    : device(std::move(on)), bytes(size) {}

Arena::Chunk::Chunk(Chunk&& other) noexcept
    : device(std::move(other.device)),
      bytes(other.bytes),
      buffer(std::exchange(other.buffer, VK_NULL_HANDLE)),
      memory(std::exchange(other.memory, VK_NULL_HANDLE)),
      mapped(std::exchange(other.mapped, nullptr)) {}

Arena::Chunk::~Chunk() {
    if (buffer != VK_NULL_HANDLE) {
        vkDestroyBuffer(device->handle(), buffer, nullptr);
    }
    if (memory != VK_NULL_HANDLE) {
        vkFreeMemory(device->handle(), memory, nullptr);
    }
}

Result<void> Arena::Chunk::allocate(MemoryKind kind, std::string_view what) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    const std::array families{device->queue_family(), device->copy_family()};
    if (families[0] != families[1]) {
        info.sharingMode = VK_SHARING_MODE_CONCURRENT;
        info.queueFamilyIndexCount = static_cast<std::uint32_t>(families.size());
        info.pQueueFamilyIndices = families.data();
    }
    const std::string asked = "hold " + std::to_string(bytes) + " bytes for " + std::string(what);
    HEARTH_VK(vkCreateBuffer(device->handle(), &info, nullptr, &buffer), asked);
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device->handle(), buffer, &needs);
    const int type = device->memory_type(kind, needs.memoryTypeBits);
    if (type < 0) {
        return Error{ErrorCode::OutOfMemory, "the GPU has no memory of the kind to " + asked};
    }
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = static_cast<std::uint32_t>(type);
    HEARTH_VK(vkAllocateMemory(device->handle(), &allocation, nullptr, &memory), asked);
    HEARTH_VK(vkBindBufferMemory(device->handle(), buffer, memory, 0), asked);
    if (kind != MemoryKind::Device) {
        void* address = nullptr;
        HEARTH_VK(vkMapMemory(device->handle(), memory, 0, VK_WHOLE_SIZE, 0, &address), asked);
        mapped = static_cast<std::byte*>(address);
    }
    return {};
}

std::uint64_t Arena::bytes_for(const Pieces& pieces) {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : pieces) {
        sum += piece_bytes(bytes);
    }
    return sum;
}

Result<Arena> Arena::create(std::shared_ptr<Device> device, MemoryKind kind, const Pieces& pieces,
                            std::string_view what) {
    const std::uint64_t most = device->physical().allocation_bytes_max;
    Arena arena;
    std::uint64_t open = 0;
    const auto close = [&]() -> Result<void> {
        if (open == 0) {
            return {};
        }
        arena.chunks_.emplace_back(device, open);
        arena.bytes_ += open;
        open = 0;
        return arena.chunks_.back().allocate(kind, what);
    };
    for (const std::uint64_t piece : pieces) {
        const std::uint64_t bytes = piece_bytes(piece);
        if (bytes > most) {
            return Error{ErrorCode::OutOfMemory,
                         std::string(what) + ": a piece of " + std::to_string(bytes) +
                             " bytes is larger than the driver's largest allocation, " +
                             std::to_string(most)};
        }
        if (open + bytes > most) {
            if (auto closed = close(); !closed) {
                return std::move(closed).error();
            }
        }
        open += bytes;
    }
    if (auto closed = close(); !closed) {
        return std::move(closed).error();
    }
    return arena;
}

BufferView Arena::take(std::uint64_t bytes) {
    const std::uint64_t needed = piece_bytes(bytes);
    if (needed == 0) {
        return {};
    }
    if (used_ == chunks_[chunk_].bytes) {
        ++chunk_;
        used_ = 0;
    }
    HEARTH_ASSERT(chunk_ < chunks_.size() && chunks_[chunk_].bytes - used_ >= needed);
    const Chunk& chunk = chunks_[chunk_];
    const BufferView view{chunk.buffer, used_, bytes,
                          chunk.mapped == nullptr ? nullptr : chunk.mapped + used_};
    used_ += needed;
    return view;
}

}  // namespace hearth::vulkan
