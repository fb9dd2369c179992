// The keys and values, or the states, of the layers whose attention or recurrence the GPU computes,
// of as many pasts as the plan has.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "memory/past.h"
#include "model/past_shape.h"
#include "plan/plan.h"
#include "vulkan/arena.h"

namespace hearth::vulkan {

// Commands are recorded for a layer's whole buffers, in which all pasts lie one behind the other.
// Which one a pass reads and writes, a table of offsets in the step's buffer says: so that another
// past needs no other commands. shaders/include/attention.glsl says how keys and values lie. The
// states of a recurrent layer are floats, those of now and behind them those of the snapshots.
class PastArena {
public:
    // The bytes that one past takes of a layer, exactly: none of one that reads another's.
    static std::uint64_t bytes(const LayerSpec& layer, int n_ctx);

    // OutOfMemory. Unsupported: a layer's pasts are more than the driver lets a shader see.
    static Result<PastArena> create(const std::shared_ptr<Device>& device, const ModelSpec& spec,
                                    const Plan& plan);

    // [n_layer], of all pasts; empty where attention is the processor's. States are in `keys`, and
    // so are latents, of which values are a part. A layer that reads another's past has that
    // layer's.
    std::vector<BufferView> keys, values;
    std::uint64_t bytes() const { return arena_.bytes(); }

    struct Copy {
        BufferView from, to;
    };
    // Runs copies between passes and waits for their end.
    using RunCopies = std::function<Result<void>(std::span<const Copy>)>;
    // Its memory is not initialised: shaders take no state from before the first token. run: may be
    // empty where no layer is recurrent. Internal: there is no room for one more.
    Result<std::unique_ptr<GpuPast>> make_past(RunCopies run = {}) const;
    // [n_layer, 2], as STEP of shaders/include/interface.h has them. Precondition: this arena made
    // it.
    std::span<const std::uint32_t> offsets(const GpuPast& past) const;

private:
    class Place;

    // The places of `count` rows of one head's keys, or values, from row `row` on: the rows, and
    // their scales if there are some.
    static std::vector<BufferView> rows_of(const BufferView& past, const PastShape& shape,
                                           int n_rows, int head, int row, int count);
    // The place where a past's states are; copy: 0: of now, 1 + slot: a snapshot's.
    BufferView states(std::size_t past, std::size_t layer, int copy) const;

    std::shared_ptr<Device> device_;
    Arena arena_;
    std::vector<std::uint64_t> strides_;        // [n_layer] bytes from a past's keys to the next's
    std::vector<bool> owns_;                    // [n_layer] a past is its own
    std::vector<PastShape> shapes_;             // [n_layer] of those whose attention is the GPU's
    std::vector<std::uint64_t> state_bytes_;    // [n_layer] of now; 0: keys and values
    std::shared_ptr<std::vector<bool>> taken_;  // [n_pasts]; outlives the arena in pasts
};

}  // namespace hearth::vulkan
