// Uploads weights into a GPU's memory through a ring of two buffers: one is filled while the other
// is copied.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include <hearth/result.h>

#include "vulkan/arena.h"
#include "vulkan/recorded_commands.h"

namespace hearth::vulkan {

// Move-only. The destructor waits for the copies that were started, also after an error.
class Upload {
public:
    static constexpr std::uint64_t kBufferBytes = std::uint64_t{16} << 20;

    // OutOfMemory, DeviceLost.
    static Result<Upload> create(std::shared_ptr<Device> device);
    Upload(Upload&&) noexcept = default;
    Upload& operator=(Upload&&) = delete;
    ~Upload();

    struct Copy {
        std::uint64_t from = 0;  // in the buffer
        BufferView to;
    };
    // Returns the buffer to fill next, kBufferBytes. Waits until its latest copy is done.
    Result<std::span<std::byte>> next();
    // Starts copying from the buffer that next() returned.
    Result<void> start(std::span<const Copy> copies);
    // Fills a piece of device memory with zeros.
    Result<void> clear(const BufferView& view);
    // Waits until all copies are done.
    Result<void> finish();

private:
    Upload() = default;

    struct Buffer {
        BufferView view;
        RecordedCommands recorded;
        std::uint64_t value = 0;  // of the timeline when its copy is done
    };

    std::shared_ptr<Device> device_;
    Arena arena_;
    std::array<Buffer, 2> buffers_;
    std::size_t filling_ = 0;
    Timeline timeline_;
    std::uint64_t submitted_ = 0;
};

// A GPU that does not finish a copy within this time counts as lost.
inline constexpr double kPatienceSeconds = 20.0;

}  // namespace hearth::vulkan
