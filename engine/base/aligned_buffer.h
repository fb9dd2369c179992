// Large, aligned, zeroed memory that is asked for politely: failure is an Error, not bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <hearth/result.h>

namespace hearth {

// Move-only; a buffer that was moved from is empty. Large buffers come straight from the system:
// their pages take no memory until they are first written.
class AlignedBuffer {
public:
    static constexpr std::size_t kAlignment = 64;  // one cache line, one AVX-512 register

    // Buffers from here on may get huge pages where the system has them: arithmetic looks up fewer
    // addresses, and a disk's large reads arrive in fewer pieces (twice as fast on a virtual disk).
    static constexpr std::uint64_t kHugePagesFrom = std::uint64_t{32} << 20;

    AlignedBuffer() = default;
    ~AlignedBuffer() { reset(); }
    AlignedBuffer(AlignedBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
        if (this != &other) {
            reset();
            data_ = std::exchange(other.data_, nullptr);
            bytes_ = std::exchange(other.bytes_, 0);
        }
        return *this;
    }

    // `what` names the buffer in the OutOfMemory message. bytes may be 0. Contents are zero.
    static Result<AlignedBuffer> create(std::uint64_t bytes, std::string_view what);

    std::byte* data() noexcept { return data_; }
    const std::byte* data() const noexcept { return data_; }
    std::uint64_t bytes() const noexcept { return bytes_; }

    // The first `count` values of T from `offset` bytes on; offset a multiple of alignof(T).
    template <class T>
    std::span<T> span(std::uint64_t offset, std::size_t count) {
        return {reinterpret_cast<T*>(data_ + offset), count};
    }

private:
    void reset() noexcept;  // frees

    std::byte* data_ = nullptr;
    std::uint64_t bytes_ = 0;
};

// Lets the system have the whole pages within `memory`, which holds anything from now on and is
// written to again as before. Returns the bytes that the process no longer has; 0 where the system
// takes them only when it wants them (macOS, Windows), or refuses.
std::uint64_t give_back_pages(std::span<std::byte> memory) noexcept;
// True if the system takes them at once. Elsewhere only a buffer that goes is sure to spare memory.
#ifdef __linux__
inline constexpr bool kPagesGoAtOnce = true;
#else
inline constexpr bool kPagesGoAtOnce = false;
#endif
// Says of the whole pages within `memory` whether the system may give huge ones, which are fast and
// come with what lies around a byte that is written. Nothing where there are none.
void allow_huge_pages(std::span<std::byte> memory, bool allowed) noexcept;

}  // namespace hearth
