#include "base/aligned_buffer.h"

#include <cstring>
#include <limits>
#include <new>
#include <string>

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace hearth {
namespace {

// From here on memory is asked of the system itself: it comes zeroed without a write, and goes back
// whole. Under AddressSanitizer most buffers stay on the heap, where overruns are seen.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kMapFrom = std::uint64_t{1} << 30;
#else
constexpr std::uint64_t kMapFrom = std::uint64_t{1} << 20;
#endif

// Null if the system refuses. bytes > 0.
std::byte* allocate_mapped(std::size_t bytes) noexcept {
#ifdef _WIN32
    return static_cast<std::byte*>(
        VirtualAlloc(nullptr, bytes, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE));
#else
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (p == MAP_FAILED) {
        return nullptr;
    }
#ifdef MADV_HUGEPAGE
    if (bytes >= AlignedBuffer::kHugePagesFrom) {
        madvise(p, bytes, MADV_HUGEPAGE);  // a hint: refusal costs speed only
    }
#endif
    return static_cast<std::byte*>(p);
#endif
}

std::byte* allocate_on_heap(std::size_t bytes) noexcept {
    void* p = ::operator new (bytes, std::align_val_t{AlignedBuffer::kAlignment}, std::nothrow);
    if (p != nullptr) {
        std::memset(p, 0, bytes);
    }
    return static_cast<std::byte*>(p);
}

std::span<std::byte> whole_pages(std::span<std::byte> memory) noexcept {
#ifdef _WIN32
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    const auto page = static_cast<std::uintptr_t>(info.dwPageSize);
#else
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
#endif
    const std::uintptr_t before =
        (page - reinterpret_cast<std::uintptr_t>(memory.data()) % page) % page;
    if (before + page > memory.size()) {
        return {};
    }
    return memory.subspan(before, (memory.size() - before) / page * page);
}

}  // namespace

Result<AlignedBuffer> AlignedBuffer::create(std::uint64_t bytes, std::string_view what) {
    AlignedBuffer buffer;
    if (bytes == 0) {
        return buffer;
    }
    // Half the address space is more than any system gives, and keeps pointer differences signed.
    if (bytes <= std::numeric_limits<std::size_t>::max() / 2) {
        const auto size = static_cast<std::size_t>(bytes);
        buffer.data_ = bytes >= kMapFrom ? allocate_mapped(size) : allocate_on_heap(size);
    }
    if (buffer.data_ == nullptr) {
        return Error{.code = ErrorCode::OutOfMemory,
                     .message = std::string(what) + ": the system refused " +
                                std::to_string(bytes) + " bytes of memory",
                     .path = {},
                     .field = std::string(what)};
    }
    buffer.bytes_ = bytes;
    return buffer;
}

std::uint64_t give_back_pages(std::span<std::byte> memory) noexcept {
    const std::span<std::byte> pages = whole_pages(memory);
    if (pages.empty()) {
        return 0;
    }
#if defined(_WIN32)
    VirtualAlloc(pages.data(), pages.size(), MEM_RESET, PAGE_READWRITE);
    return 0;
#elif defined(__linux__)
    return madvise(pages.data(), pages.size(), MADV_DONTNEED) == 0 ? pages.size() : 0;
#else
    madvise(pages.data(), pages.size(), MADV_FREE);
    return 0;
#endif
}

void allow_huge_pages([[maybe_unused]] std::span<std::byte> memory,
                      [[maybe_unused]] bool allowed) noexcept {
#ifdef MADV_HUGEPAGE
    if (const std::span<std::byte> pages = whole_pages(memory); !pages.empty()) {
        madvise(pages.data(), pages.size(), allowed ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    }
#endif
}

void AlignedBuffer::reset() noexcept {
    if (data_ == nullptr) {
        return;
    }
    if (bytes_ < kMapFrom) {
        ::operator delete (data_, std::align_val_t{kAlignment});
    } else {
#ifdef _WIN32
        VirtualFree(data_, 0, MEM_RELEASE);
#else
        munmap(data_, static_cast<std::size_t>(bytes_));
#endif
    }
    data_ = nullptr;
    bytes_ = 0;
}

}  // namespace hearth
