#include "vulkan/past_arena.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/assert.h"

namespace hearth::vulkan {

class PastArena::Place final : public GpuPast {
public:
    Place(std::shared_ptr<std::vector<bool>> taken, std::size_t index,
          std::span<const std::uint64_t> strides)
        : taken_(std::move(taken)), index_(index) {
        (*taken_)[index_] = true;
        for (const std::uint64_t stride : strides) {
            offsets_.push_back(static_cast<std::uint32_t>(stride * index / sizeof(std::uint32_t)));
        }
    }
    ~Place() override { (*taken_)[index_] = false; }

    bool is_of(const PastArena& arena) const { return taken_ == arena.taken_; }
    std::span<const std::uint32_t> offsets() const { return offsets_; }

private:
    std::shared_ptr<std::vector<bool>> taken_;
    std::size_t index_;
    std::vector<std::uint32_t> offsets_;
};

std::uint64_t PastArena::bytes(const PastShape& shape) {
    return 2 * piece_bytes(shape.bytes_of(shape.n_positions) / 2);
}

Result<PastArena> PastArena::create(const std::shared_ptr<Device>& device, const ModelSpec& spec,
                                    const Plan& plan) {
    PastArena made;
    const auto n_layer = spec.layers.size();
    const auto n_pasts = static_cast<std::uint64_t>(plan.n_pasts);
    made.keys.resize(n_layer);
    made.values.resize(n_layer);
    made.strides_.resize(n_layer);
    made.taken_ = std::make_shared<std::vector<bool>>(n_pasts, false);
    const GpuPart part = plan.on_gpu();
    Arena::Pieces pieces;
    for (std::size_t l = 0; l < n_layer; ++l) {
        const auto layer = static_cast<int>(l);
        if (!part.has_attention(layer)) {
            continue;
        }
        made.strides_[l] = bytes(past_shape(spec.layer(layer), plan.n_ctx)) / 2;
        const std::uint64_t half = made.strides_[l] * n_pasts;
        if (half > device->features().storage_range_bytes_max) {
            return Error{ErrorCode::Unsupported,
                         "a layer's keys for " + std::to_string(plan.n_ctx) + " tokens, " +
                             std::to_string(half) +
                             " bytes, are more than this GPU's driver lets a shader see"};
        }
        pieces.insert(pieces.end(), 2, half);
    }
    auto arena = Arena::create(device, MemoryKind::Device, pieces, "the KV cache");
    if (!arena) {
        return std::move(arena).error();
    }
    made.arena_ = std::move(*arena);
    for (std::size_t l = 0; l < n_layer; ++l) {
        if (made.strides_[l] > 0) {
            made.keys[l] = made.arena_.take(made.strides_[l] * n_pasts);
            made.values[l] = made.arena_.take(made.strides_[l] * n_pasts);
        }
    }
    return made;
}

Result<std::unique_ptr<GpuPast>> PastArena::make_past() const {
    const auto free = std::find(taken_->begin(), taken_->end(), false);
    if (free == taken_->end()) {
        return Error{ErrorCode::Internal,
                     "the plan has " + std::to_string(taken_->size()) +
                         " conversations in the GPU's memory, and no place for one more"};
    }
    const auto index = static_cast<std::size_t>(free - taken_->begin());
    return std::unique_ptr<GpuPast>(std::make_unique<Place>(taken_, index, strides_));
}

std::span<const std::uint32_t> PastArena::offsets(const GpuPast& past) const {
    const auto& place = static_cast<const Place&>(past);
    HEARTH_ASSERT(place.is_of(*this));
    return place.offsets();
}

}  // namespace hearth::vulkan
