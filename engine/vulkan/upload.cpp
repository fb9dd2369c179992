#include "vulkan/upload.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hearth::vulkan {

Result<Upload> Upload::create(std::shared_ptr<Device> device) {
    Upload upload;
    auto arena = Arena::create(device, MemoryKind::Shared, {kBufferBytes, kBufferBytes},
                               "weights on their way");
    if (!arena) {
        return std::move(arena).error();
    }
    upload.arena_ = std::move(*arena);
    auto timeline = Timeline::create(device);
    if (!timeline) {
        return std::move(timeline).error();
    }
    upload.timeline_ = std::move(*timeline);
    for (Buffer& buffer : upload.buffers_) {
        buffer.view = upload.arena_.take(kBufferBytes);
    }
    upload.device_ = std::move(device);
    return upload;
}

Upload::~Upload() {
    if (device_ != nullptr && submitted_ > 0) {
        // Nothing that is about to be freed may still be in use. A lost device has ended its work.
        [[maybe_unused]] const auto idle = device_->wait_idle();
    }
}

Result<std::span<std::byte>> Upload::next() {
    filling_ = 1 - filling_;
    Buffer& buffer = buffers_[filling_];
    if (auto waited = timeline_.wait(buffer.value, kPatienceSeconds); !waited) {
        return std::move(waited).error();
    }
    return std::span<std::byte>(buffer.view.mapped, kBufferBytes);
}

Result<void> Upload::start(std::span<const Copy> copies) {
    Buffer& buffer = buffers_[filling_];
    Recorder recorder(device_, false);
    for (const Copy& copy : copies) {
        if (copy.to.bytes > 0) {
            recorder.copy(buffer.view.part(copy.from, copy.to.bytes), copy.to);
        }
    }
    auto recorded = recorder.finish();
    if (!recorded) {
        return std::move(recorded).error();
    }
    buffer.recorded = std::move(*recorded);
    buffer.value = ++submitted_;
    const Submission submission{&buffer.recorded, {}, {&timeline_, submitted_}};
    return submit(*device_, {&submission, 1});
}

Result<void> Upload::clear(const BufferView& view) {
    for (std::uint64_t at = 0; at < view.bytes; at += kBufferBytes) {
        auto buffer = next();
        if (!buffer) {
            return std::move(buffer).error();
        }
        const std::uint64_t bytes = std::min(kBufferBytes, view.bytes - at);
        std::memset(buffer->data(), 0, bytes);
        const Copy copy{0, view.part(at, bytes)};
        if (auto started = start({&copy, 1}); !started) {
            return started;
        }
    }
    return {};
}

Result<void> Upload::finish() {
    return timeline_.wait(submitted_, kPatienceSeconds);
}

}  // namespace hearth::vulkan
