#include "vulkan/past_arena.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/assert.h"

namespace hearth::vulkan {

namespace {

// The bytes of one head's keys, or values, of a position.
std::uint64_t row_bytes(const PastShape& shape) {
    const auto dim = static_cast<std::uint64_t>(shape.head_dim);
    return shape.type == KvType::Q8_0 ? dim : sizeof(std::uint16_t) * dim;
}

// Two scales a word: an odd one leaves half of its word free.
std::uint64_t scale_bytes(const PastShape& shape) {
    return (shape.scales() + 1) / 2 * sizeof(std::uint32_t);
}

// The bytes of all heads' keys, or values, of so many positions.
std::uint64_t half_bytes(const PastShape& shape, int n_rows) {
    return piece_bytes((row_bytes(shape) + scale_bytes(shape)) *
                       static_cast<std::uint64_t>(shape.n_head_kv) *
                       static_cast<std::uint64_t>(n_rows));
}

// Latents are keys, and values are a part of them.
std::uint64_t n_halves(const LayerSpec& layer) {
    return layer.is_latent() ? 1 : 2;
}

// Behind the room of a past that moves lies a copy's.
std::uint64_t half_bytes(const PastShape& shape) {
    return half_bytes(shape, shape.n_positions) +
           (shape.n_kept > 0 ? half_bytes(shape, shape.n_kept) : 0);
}

}  // namespace

class PastArena::Place final : public GpuPast {
public:
    Place(std::shared_ptr<std::vector<bool>> taken, std::size_t index,
          std::span<const std::uint64_t> strides, std::vector<PastShape> shapes)
        : taken_(std::move(taken)),
          index_(index),
          strides_(strides.begin(), strides.end()),
          shapes_(std::move(shapes)) {
        (*taken_)[index_] = true;
        move_to(0);
    }
    ~Place() override { (*taken_)[index_] = false; }

    bool has_states() const override { return !states_.empty(); }
    Result<void> save_states(int slot) override { return copy_states(0, 1 + slot); }
    Result<void> restore_states(int slot) override { return copy_states(1 + slot, 0); }

    bool moves() const override { return !moving_.empty(); }
    Result<void> move_up(int first, int end) override {
        std::vector<Copy> copies;
        for (const Moving& one : moving_) {
            add_copies(copies, one.shape, one.room, one.shape.n_positions, first - first_, one.room,
                       one.shape.n_positions, 0, end - first);
        }
        auto done = run_(copies);
        if (done) {
            move_to(first);
        }
        return done;
    }
    void move_back() override { move_to(0); }
    Result<void> save_kept(int first, int end) override {
        std::vector<Copy> copies;
        for (const Moving& one : moving_) {
            add_copies(copies, one.shape, one.room, one.shape.n_positions, first - first_, one.copy,
                       one.shape.n_kept, 0, end - first);
        }
        return run_(copies);
    }
    Result<void> restore_kept(int first, int end) override {
        std::vector<Copy> copies;
        for (const Moving& one : moving_) {
            add_copies(copies, one.shape, one.copy, one.shape.n_kept, 0, one.room,
                       one.shape.n_positions, 0, end - first);
        }
        auto done = run_(copies);
        if (done) {
            move_to(first);
        }
        return done;
    }

    void set_first(int position) override { move_to(position); }

    Result<void> get(int n_positions, const PastSink& sink, int first) override {
        auto staging =
            Arena::create(device_, MemoryKind::Readback, {kStagingBytes}, "a past's copy");
        if (!staging) {
            return std::move(staging).error();
        }
        const BufferView room = staging->take(kStagingBytes);
        return each_group(n_positions, first, [&](std::span<const BufferView> group) {
            auto done = run_between(group, room, false);
            std::uint64_t at = 0;
            for (const BufferView& piece : group) {
                if (done) {
                    done = sink({room.mapped + at, static_cast<std::size_t>(piece.bytes)});
                }
                at += piece.bytes;
            }
            return done;
        });
    }

    Result<void> put(int n_positions, const PastSource& source, int first) override {
        auto staging = Arena::create(device_, MemoryKind::Shared, {kStagingBytes}, "a past's copy");
        if (!staging) {
            return std::move(staging).error();
        }
        const BufferView room = staging->take(kStagingBytes);
        return each_group(n_positions, first, [&](std::span<const BufferView> group) {
            std::uint64_t at = 0;
            for (const BufferView& piece : group) {
                if (auto done = source({room.mapped + at, static_cast<std::size_t>(piece.bytes)});
                    !done) {
                    return done;
                }
                at += piece.bytes;
            }
            return run_between(group, room, true);
        });
    }

    // half: this past's keys, or values, of a layer, all of its room and the copy's.
    void add_held(const PastShape& shape, const BufferView& half) {
        held_.push_back({shape, half, half});
    }
    void set_device(std::shared_ptr<Device> device) { device_ = std::move(device); }

    // copies: [1 + kSnapshots] of a layer.
    void add_states(std::vector<BufferView> copies) { states_.push_back(std::move(copies)); }
    // half: this past's keys, or values, of a layer.
    void add_moving(const PastShape& shape, const BufferView& half) {
        const std::uint64_t room = half_bytes(shape, shape.n_positions);
        moving_.push_back(
            {shape, half.part(0, room), half.part(room, half_bytes(shape, shape.n_kept))});
    }
    void set_run(RunCopies run) { run_ = std::move(run); }

    bool is_of(const PastArena& arena) const { return taken_ == arena.taken_; }
    std::span<const std::uint32_t> offsets() const { return offsets_; }

private:
    struct Moving {
        PastShape shape;
        BufferView room, copy;
    };

    // Words before the past's beginning are numbers modulo 2^32.
    void move_to(int position) {
        first_ = position;
        offsets_.clear();
        for (std::size_t layer = 0; layer < shapes_.size(); ++layer) {
            const PastShape& shape = shapes_[layer];
            const auto before = static_cast<std::uint64_t>(shape.n_kept > 0 ? position : 0);
            const std::uint64_t at = strides_[layer] * index_;
            const std::uint64_t scales = at + row_bytes(shape) *
                                                  static_cast<std::uint64_t>(shape.n_head_kv) *
                                                  static_cast<std::uint64_t>(shape.n_positions);
            for (const std::uint64_t bytes :
                 {at - before * row_bytes(shape), scales - before * scale_bytes(shape)}) {
                offsets_.push_back(static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t)));
            }
        }
    }

    static void add_copies(std::vector<Copy>& copies, const PastShape& shape,
                           const BufferView& from, int from_rows, int from_row,
                           const BufferView& to, int to_rows, int to_row, int count) {
        for (int head = 0; head < shape.n_head_kv && count > 0; ++head) {
            const auto sources = rows_of(from, shape, from_rows, head, from_row, count);
            const auto targets = rows_of(to, shape, to_rows, head, to_row, count);
            for (std::size_t i = 0; i < sources.size(); ++i) {
                copies.push_back({sources[i], targets[i]});
            }
        }
    }

    static constexpr std::uint64_t kStagingBytes = std::uint64_t{16} << 20;

    // All that so many positions left, from `first` on, in pieces of at most kStagingBytes.
    std::vector<BufferView> pieces(int n_positions, int first) const {
        std::vector<BufferView> pieces;
        const auto add = [&](const BufferView& view) {
            for (std::uint64_t at = 0; at < view.bytes; at += kStagingBytes) {
                pieces.push_back(view.part(at, std::min(kStagingBytes, view.bytes - at)));
            }
        };
        for (const Moving& one : held_) {
            if (one.shape.n_kept > 0) {
                add(one.room);
                continue;
            }
            for (int head = 0; head < one.shape.n_head_kv && n_positions > first; ++head) {
                for (const BufferView& rows : rows_of(one.room, one.shape, one.shape.n_positions,
                                                      head, first, n_positions - first)) {
                    add(rows);
                }
            }
        }
        for (const std::vector<BufferView>& layer : states_) {
            std::for_each(layer.begin(), layer.end(), add);
        }
        return pieces;
    }

    // Calls transfer(pieces) for as many pieces at a time as fit into the staging memory.
    template <class Transfer>
    Result<void> each_group(int n_positions, int from, const Transfer& transfer) const {
        const std::vector<BufferView> all = pieces(n_positions, from);
        for (std::size_t first = 0; first < all.size();) {
            std::uint64_t bytes = 0;
            std::size_t end = first;
            while (end < all.size() && bytes + all[end].bytes <= kStagingBytes) {
                bytes += all[end++].bytes;
            }
            if (auto done = transfer(std::span(all).subspan(first, end - first)); !done) {
                return done;
            }
            first = end;
        }
        return {};
    }

    Result<void> run_between(std::span<const BufferView> group, const BufferView& staging,
                             bool to_past) {
        std::vector<Copy> copies;
        std::uint64_t at = 0;
        for (const BufferView& piece : group) {
            const BufferView part = staging.part(at, piece.bytes);
            copies.push_back(to_past ? Copy{part, piece} : Copy{piece, part});
            at += piece.bytes;
        }
        return run_(copies);
    }

    Result<void> copy_states(int from, int to) {
        std::vector<Copy> copies;
        for (const std::vector<BufferView>& layer : states_) {
            copies.push_back(
                {layer[static_cast<std::size_t>(from)], layer[static_cast<std::size_t>(to)]});
        }
        return run_(copies);
    }

    std::vector<std::vector<BufferView>> states_;
    std::vector<Moving> moving_;
    std::vector<Moving> held_;  // each half of a layer's own past; room: all of it
    std::shared_ptr<Device> device_;
    RunCopies run_;
    std::shared_ptr<std::vector<bool>> taken_;
    std::size_t index_;
    std::vector<std::uint64_t> strides_;
    std::vector<PastShape> shapes_;
    int first_ = 0;
    std::vector<std::uint32_t> offsets_;
};

std::vector<BufferView> PastArena::rows_of(const BufferView& past, const PastShape& shape,
                                           int n_rows, int head, int row, int count) {
    const auto at = static_cast<std::uint64_t>(head) * static_cast<std::uint64_t>(n_rows) +
                    static_cast<std::uint64_t>(row);
    const auto n = static_cast<std::uint64_t>(count);
    const std::uint64_t of_row = row_bytes(shape);
    const std::uint64_t of_scales = scale_bytes(shape);
    std::vector<BufferView> places{past.part(at * of_row, n * of_row)};
    if (of_scales > 0) {
        const std::uint64_t scales = of_row * static_cast<std::uint64_t>(shape.n_head_kv) *
                                     static_cast<std::uint64_t>(n_rows);
        places.push_back(past.part(scales + at * of_scales, n * of_scales));
    }
    return places;
}

std::uint64_t PastArena::bytes(const LayerSpec& layer, int n_ctx) {
    if (!layer.attention.has_own_past()) {
        return 0;
    }
    const PastShape shape = past_shape(layer, n_ctx);
    return shape.kind == PastKind::State ? (1 + kSnapshots) * piece_bytes(shape.state_bytes())
                                         : n_halves(layer) * half_bytes(shape);
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
    made.shapes_.resize(n_layer);
    made.owns_.resize(n_layer);
    made.device_ = device;
    made.taken_ = std::make_shared<std::vector<bool>>(n_pasts, false);
    const Placement& placement = plan.placement;
    Arena::Pieces pieces;
    for (std::size_t l = 0; l < n_layer; ++l) {
        const auto layer = static_cast<int>(l);
        if (!placement.attention_in_vram(layer)) {
            continue;
        }
        if (const int source = spec.layer(layer).attention.past_of;
            source != AttentionSpec::kOwnPast) {
            HEARTH_ASSERT(placement.attention_in_vram(source));
            made.strides_[l] = made.strides_[static_cast<std::size_t>(source)];
            made.shapes_[l] = made.shapes_[static_cast<std::size_t>(source)];
            continue;
        }
        const PastShape shape = past_shape(spec.layer(layer), plan.n_ctx);
        const bool state = shape.kind == PastKind::State;
        const std::uint64_t all = bytes(spec.layer(layer), plan.n_ctx);
        made.state_bytes_[l] = shape.state_bytes();
        made.shapes_[l] = shape;
        made.owns_[l] = true;
        const std::uint64_t halves = state ? 1 : n_halves(spec.layer(layer));
        made.strides_[l] = all / halves;
        const std::uint64_t half = made.strides_[l] * n_pasts;
        if (half > device->features().storage_range_bytes_max) {
            return Error{
                ErrorCode::Unsupported,
                (state ? std::string("a layer's states, ")
                       : "a layer's keys for " + std::to_string(plan.n_ctx) + " tokens, ") +
                    std::to_string(half) +
                    " bytes, are more than this GPU's driver lets a shader see"};
        }
        pieces.insert(pieces.end(), halves, half);
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
            if (made.state_bytes_[l] == 0 && n_halves(spec.layers[l]) > 1) {
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
    auto place = std::make_unique<Place>(taken_, index, strides_, shapes_);
    place->set_run(std::move(run));
    place->set_device(device_);
    for (std::size_t layer = 0; layer < state_bytes_.size(); ++layer) {
        std::vector<BufferView> copies;
        for (int copy = 0; copy <= kSnapshots && state_bytes_[layer] > 0; ++copy) {
            copies.push_back(states(index, layer, copy));
        }
        if (!copies.empty()) {
            place->add_states(std::move(copies));
        }
        for (const BufferView* half : {&keys[layer], &values[layer]}) {
            if (!owns_[layer] || state_bytes_[layer] > 0 || half->bytes == 0) {
                continue;
            }
            const BufferView own = half->part(index * strides_[layer], strides_[layer]);
            place->add_held(shapes_[layer], own);
            if (shapes_[layer].n_kept > 0) {
                place->add_moving(shapes_[layer], own);
            }
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
