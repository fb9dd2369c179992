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

    bool has_states() const override { return !states_.empty(); }
    Result<void> save_states(int slot) override { return copy_states(0, 1 + slot); }
    Result<void> restore_states(int slot) override { return copy_states(1 + slot, 0); }

    // copies: [1 + kSnapshots] of a layer.
    void add_states(std::vector<BufferView> copies) { states_.push_back(std::move(copies)); }
    void set_run(RunCopies run) { run_ = std::move(run); }

    bool is_of(const PastArena& arena) const { return taken_ == arena.taken_; }
    std::span<const std::uint32_t> offsets() const { return offsets_; }

private:
    Result<void> copy_states(int from, int to) {
        std::vector<Copy> copies;
        for (const std::vector<BufferView>& layer : states_) {
            copies.push_back(
                {layer[static_cast<std::size_t>(from)], layer[static_cast<std::size_t>(to)]});
        }
        return run_(copies);
    }

    std::vector<std::vector<BufferView>> states_;
    RunCopies run_;
    std::shared_ptr<std::vector<bool>> taken_;
    std::size_t index_;
    std::vector<std::uint32_t> offsets_;
};

std::uint64_t PastArena::bytes(const LayerSpec& layer, int n_ctx) {
    if (!layer.attention.has_own_past()) {
        return 0;
    }
    const PastShape shape = past_shape(layer, n_ctx);
    if (shape.kind == PastKind::State) {
        return (1 + kSnapshots) * piece_bytes(shape.state_bytes());
    }
    // Two scales a word: an odd one leaves half of its word free.
    const std::uint64_t free =
        shape.scales() % 2 * sizeof(std::uint16_t) * static_cast<std::uint64_t>(shape.n_head_kv);
    return 2 * piece_bytes(shape.bytes_of(shape.n_positions) / 2 +
                           free * static_cast<std::uint64_t>(shape.n_positions));
}

Result<PastArena> PastArena::create(const std::shared_ptr<Device>& device, const ModelSpec& spec,
                                    const Plan& plan) {
    PastArena made;
    const auto n_layer = spec.layers.size();
    const auto n_pasts = static_cast<std::uint64_t>(plan.n_pasts);
    made.keys.resize(n_layer);
    made.values.resize(n_layer);
    made.strides_.resize(n_layer);
    made.state_bytes_.resize(n_layer);
    made.taken_ = std::make_shared<std::vector<bool>>(n_pasts, false);
    const GpuPart part = plan.on_gpu();
    Arena::Pieces pieces;
    for (std::size_t l = 0; l < n_layer; ++l) {
        const auto layer = static_cast<int>(l);
        if (!part.has_attention(layer)) {
            continue;
        }
        if (const int source = spec.layer(layer).attention.past_of;
            source != AttentionSpec::kOwnPast) {
            HEARTH_ASSERT(part.has_attention(source));
            made.strides_[l] = made.strides_[static_cast<std::size_t>(source)];
            continue;
        }
        const PastShape shape = past_shape(spec.layer(layer), plan.n_ctx);
        const bool state = shape.kind == PastKind::State;
        const std::uint64_t all = bytes(spec.layer(layer), plan.n_ctx);
        made.state_bytes_[l] = shape.state_bytes();
        made.strides_[l] = state ? all : all / 2;
        const std::uint64_t half = made.strides_[l] * n_pasts;
        if (half > device->features().storage_range_bytes_max) {
            return Error{
                ErrorCode::Unsupported,
                (state ? std::string("a layer's states, ")
                       : "a layer's keys for " + std::to_string(plan.n_ctx) + " tokens, ") +
                    std::to_string(half) +
                    " bytes, are more than this GPU's driver lets a shader see"};
        }
        pieces.insert(pieces.end(), state ? 1 : 2, half);
    }
    auto arena = Arena::create(device, MemoryKind::Device, pieces, "the KV cache");
    if (!arena) {
        return std::move(arena).error();
    }
    made.arena_ = std::move(*arena);
    for (std::size_t l = 0; l < n_layer; ++l) {
        if (made.strides_[l] == 0) {
            continue;
        }
        if (const int source = spec.layers[l].attention.past_of;
            source != AttentionSpec::kOwnPast) {
            made.keys[l] = made.keys[static_cast<std::size_t>(source)];
            made.values[l] = made.values[static_cast<std::size_t>(source)];
        } else {
            made.keys[l] = made.arena_.take(made.strides_[l] * n_pasts);
            if (made.state_bytes_[l] == 0) {
                made.values[l] = made.arena_.take(made.strides_[l] * n_pasts);
            }
        }
    }
    return made;
}

BufferView PastArena::states(std::size_t past, std::size_t layer, int copy) const {
    const std::uint64_t bytes = state_bytes_[layer];
    return keys[layer].part(
        past * strides_[layer] + static_cast<std::uint64_t>(copy) * piece_bytes(bytes), bytes);
}

Result<std::unique_ptr<GpuPast>> PastArena::make_past(RunCopies run) const {
    const auto free = std::find(taken_->begin(), taken_->end(), false);
    if (free == taken_->end()) {
        return Error{ErrorCode::Internal,
                     "the plan has " + std::to_string(taken_->size()) +
                         " conversations in the GPU's memory, and no place for one more"};
    }
    const auto index = static_cast<std::size_t>(free - taken_->begin());
    auto place = std::make_unique<Place>(taken_, index, strides_);
    place->set_run(std::move(run));
    for (std::size_t layer = 0; layer < state_bytes_.size(); ++layer) {
        std::vector<BufferView> copies;
        for (int copy = 0; copy <= kSnapshots && state_bytes_[layer] > 0; ++copy) {
            copies.push_back(states(index, layer, copy));
        }
        if (!copies.empty()) {
            place->add_states(std::move(copies));
        }
    }
    return std::unique_ptr<GpuPast>(std::move(place));
}

std::span<const std::uint32_t> PastArena::offsets(const GpuPast& past) const {
    const auto& place = static_cast<const Place&>(past);
    HEARTH_ASSERT(place.is_of(*this));
    return place.offsets();
}

}  // namespace hearth::vulkan
