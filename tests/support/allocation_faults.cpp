#include "support/allocation_faults.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#ifdef _WIN32
#include <malloc.h>
#endif

namespace hearth::test {
namespace {

constinit std::atomic<bool> g_armed{false};
constinit std::atomic<std::int64_t> g_left{0};  // allocations until the refused one
constinit std::atomic<bool> g_all_after{false};
constinit std::atomic<std::int64_t> g_live{0};

bool refused() noexcept {
    if (!g_armed.load(std::memory_order_relaxed)) {
        return false;
    }
    const std::int64_t left = g_left.fetch_sub(1, std::memory_order_relaxed);
    return left == 1 || (left < 1 && g_all_after.load(std::memory_order_relaxed));
}

void* counted(void* memory) noexcept {
    if (memory != nullptr) {
        g_live.fetch_add(1, std::memory_order_relaxed);
    }
    return memory;
}

void* allocate(std::size_t bytes) noexcept {
    return refused() ? nullptr : counted(std::malloc(bytes == 0 ? 1 : bytes));
}

void* allocate(std::size_t bytes, std::align_val_t alignment) noexcept {
    if (refused()) {
        return nullptr;
    }
    const auto multiple = static_cast<std::size_t>(alignment);
#ifdef _WIN32
    return counted(_aligned_malloc(bytes, multiple));
#else
    return counted(std::aligned_alloc(multiple, (bytes + multiple - 1) / multiple * multiple));
#endif
}

void* or_throw(void* memory) {
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

void release(void* memory) noexcept {
    if (memory != nullptr) {
        g_live.fetch_sub(1, std::memory_order_relaxed);
        std::free(memory);
    }
}

void release_aligned(void* memory) noexcept {
#ifdef _WIN32
    if (memory != nullptr) {
        g_live.fetch_sub(1, std::memory_order_relaxed);
        _aligned_free(memory);
    }
#else
    release(memory);
#endif
}

}  // namespace

AllocationFault::AllocationFault(std::int64_t number, Refuse refuse) noexcept {
    g_left.store(number, std::memory_order_relaxed);
    g_all_after.store(refuse == Refuse::FromThere, std::memory_order_relaxed);
    g_armed.store(true, std::memory_order_seq_cst);
}

AllocationFault::~AllocationFault() {
    g_armed.store(false, std::memory_order_seq_cst);
}

bool AllocationFault::happened() const noexcept {
    return g_left.load(std::memory_order_relaxed) < 1;
}

std::int64_t live_allocations() noexcept {
    return g_live.load(std::memory_order_relaxed);
}

}  // namespace hearth::test

using hearth::test::allocate;
using hearth::test::or_throw;
using hearth::test::release;
using hearth::test::release_aligned;

void* operator new(std::size_t bytes) {
    return or_throw(allocate(bytes));
}
void* operator new[](std::size_t bytes) {
    return or_throw(allocate(bytes));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return allocate(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return allocate(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return or_throw(allocate(bytes, alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return or_throw(allocate(bytes, alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return allocate(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
    return allocate(bytes, alignment);
}
void operator delete(void* memory) noexcept {
    release(memory);
}
void operator delete[](void* memory) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
    release(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
    release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    release_aligned(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    release_aligned(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    release_aligned(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    release_aligned(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
    release_aligned(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
    release_aligned(memory);
}
