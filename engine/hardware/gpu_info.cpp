#include "hardware/gpu_info.h"

#include <algorithm>

namespace hearth {
namespace {

// The largest heap next to the processor that computes; all other heaps are smaller windows.
const GpuHeap* main_heap(const std::vector<GpuHeap>& heaps) {
    const GpuHeap* found = nullptr;
    for (const GpuHeap& heap : heaps) {
        if (heap.device_local && (found == nullptr || heap.bytes > found->bytes)) {
            found = &heap;
        }
    }
    return found;
}

}  // namespace

std::uint64_t GpuInfo::memory_bytes() const {
    const GpuHeap* heap = main_heap(heaps);
    return heap == nullptr ? 0 : heap->bytes;
}

std::uint64_t GpuInfo::available_bytes() const {
    const GpuHeap* heap = main_heap(heaps);
    return heap == nullptr ? 0 : std::min(heap->bytes, heap->available_bytes);
}

}  // namespace hearth
