// What a conversation has seen, as attention needs it: each layer's part lies where its attention
// is computed. One session owns a past. Executors get it with each pass and keep none.
#pragma once

#include <memory>

#include "memory/kv_cache.h"

namespace hearth {

// The part that lies in a GPU's memory. The GPU makes it and alone knows what it is. Destroying it
// gives its place back; it must not be used after the GPU's executor is gone.
class GpuPast {
public:
    GpuPast() = default;
    GpuPast(const GpuPast&) = delete;
    GpuPast& operator=(const GpuPast&) = delete;
    virtual ~GpuPast() = default;
};

struct Past {
    KvCache cpu;
    std::unique_ptr<GpuPast> gpu;  // null: there is no GPU

    int n_ctx() const { return cpu.n_ctx(); }
};

}  // namespace hearth
