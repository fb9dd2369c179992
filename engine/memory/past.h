// The past of a conversation, as attention and recurrence need it: each layer's part lies where its
// attention is computed. One session owns a past. Executors get it with each pass and keep none.
#pragma once

#include <memory>

#include <hearth/result.h>

#include "memory/kv_cache.h"
#include "memory/snapshots.h"

namespace hearth {

// The part that lies in a GPU's memory. The GPU makes it and alone knows what it is. Destroying it
// gives its place back; it must not be used after the GPU's executor is gone.
class GpuPast {
public:
    GpuPast() = default;
    GpuPast(const GpuPast&) = delete;
    GpuPast& operator=(const GpuPast&) = delete;
    virtual ~GpuPast() = default;

    // As KvCache's functions of these names. Between passes. DeviceLost.
    virtual bool has_states() const { return false; }
    virtual Result<void> clear_states() { return {}; }
    virtual Result<void> save_states(int /*slot*/) { return {}; }
    virtual Result<void> restore_states(int /*slot*/) { return {}; }
};

class Past {
public:
    Past() = default;
    Past(KvCache on_cpu, std::unique_ptr<GpuPast> on_gpu)
        : cpu(std::move(on_cpu)), gpu(std::move(on_gpu)) {}

    KvCache cpu;
    std::unique_ptr<GpuPast> gpu;  // null: there is no GPU

    int n_ctx() const { return cpu.n_ctx(); }
    bool has_states() const {
        return cpu.state_bytes() > 0 || (gpu != nullptr && gpu->has_states());
    }

    // The latest position up to `position` from which passes can go on: that itself where no layer
    // is recurrent. The tokens up to `position` must be those that the past has seen.
    int latest(int position) const;
    // Makes the states those of `position`, one that latest() returns. DeviceLost.
    Result<void> go_to(int position);
    // Around a pass that begins where the past is: between these two the states are void.
    void begin_pass() { snapshots_.set_present(std::nullopt); }
    void end_pass(int position) { snapshots_.set_present(position); }
    // Keeps the states of where the past is, if enough has passed since it did. DeviceLost.
    Result<void> keep_some();
    // Keeps those of where the past is until others are kept so. DeviceLost.
    Result<void> keep();
    // Forgets states of later positions: other tokens come there.
    void forget_after(int position) { snapshots_.forget_after(position); }

private:
    Result<void> save(bool pinned);

    Snapshots snapshots_;
};

}  // namespace hearth
