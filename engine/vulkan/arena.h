// An arena takes a GPU's memory at once and hands it out in pieces whose sizes were planned.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <hearth/result.h>
#include <volk.h>

#include "vulkan/device.h"

namespace hearth::vulkan {

// A piece of a buffer. Valid as long as its arena.
struct BufferView {
    VkBuffer buffer = VK_NULL_HANDLE;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::byte* mapped = nullptr;  // null: the processor cannot see it

    BufferView part(std::uint64_t from, std::uint64_t length) const {
        return {buffer, offset + from, length, mapped == nullptr ? nullptr : mapped + from};
    }
    template <class T>
    T* as() const {
        return reinterpret_cast<T*>(mapped);
    }
};

// Every piece begins at a multiple of this number and counts as a whole number of it in the ledger.
// The number satisfies every driver.
inline constexpr std::uint64_t kPieceAlignment = 256;
constexpr std::uint64_t piece_bytes(std::uint64_t bytes) {
    return (bytes + kPieceAlignment - 1) / kPieceAlignment * kPieceAlignment;
}

// Move-only. Drivers limit the size of an allocation, so an arena may consist of several. No piece
// lies in two of them.
class Arena {
public:
    // The sizes of the pieces that create() makes room for, in the order they will be taken.
    using Pieces = std::vector<std::uint64_t>;
    static std::uint64_t bytes_for(const Pieces& pieces);

    // Takes bytes_for(pieces) bytes. The memory is not initialised. OutOfMemory: the driver
    // refuses, or a piece is larger than the driver's largest allocation. The message names `what`.
    static Result<Arena> create(std::shared_ptr<Device> device, MemoryKind kind,
                                const Pieces& pieces, std::string_view what);
    Arena() = default;
    Arena(Arena&&) noexcept = default;
    Arena& operator=(Arena&&) noexcept = default;

    // Hands out the next piece. Precondition: its size is the planned one.
    BufferView take(std::uint64_t bytes);
    std::uint64_t bytes() const { return bytes_; }

private:
    class Chunk {
    public:
        Chunk(std::shared_ptr<Device> device, std::uint64_t bytes);
        Chunk(Chunk&& other) noexcept;
        Chunk& operator=(Chunk&&) = delete;
        ~Chunk();
        Result<void> allocate(MemoryKind kind, std::string_view what);

        std::shared_ptr<Device> device;
        std::uint64_t bytes;
        VkBuffer buffer = VK_NULL_HANDLE;
        VkDeviceMemory memory = VK_NULL_HANDLE;
        std::byte* mapped = nullptr;
    };

    std::vector<Chunk> chunks_;
    std::size_t chunk_ = 0;
    std::uint64_t used_ = 0;  // of that chunk
    std::uint64_t bytes_ = 0;
};

}  // namespace hearth::vulkan
