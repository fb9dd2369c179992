#include "memory/kv_cache.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/assert.h"
#include "base/half.h"

namespace hearth {
namespace {

int padded(int n_ctx) {
    return (n_ctx + KvCache::kTilePositions - 1) / KvCache::kTilePositions *
           KvCache::kTilePositions;
}

std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + AlignedBuffer::kAlignment - 1) / AlignedBuffer::kAlignment *
           AlignedBuffer::kAlignment;
}

constexpr int kBlockValues = 32;  // that share a scale

// The bytes of one head's keys (which: 0), or values (1), of so many positions.
std::size_t head_bytes(const PastShape& shape, int which, int positions) {
    return static_cast<std::size_t>(which == 0 ? shape.key_bytes(positions)
                                               : shape.value_bytes(positions));
}

// The same of a tile.
std::size_t tile_bytes(const PastShape& shape, int which) {
    return head_bytes(shape, which, KvCache::kTilePositions);
}

std::size_t tiles(int positions) {
    return static_cast<std::size_t>(padded(positions) / KvCache::kTilePositions);
}

// Rounds n values to codes times the half that is returned, and puts that in their places.
std::uint16_t round_to_bytes(float* values, std::size_t n, std::int8_t* codes) {
    constexpr float kMostHalf = 65504.0F;
    constexpr std::uint16_t kNoNumber = 0x7E00;
    float largest = 0;
    bool finite = true;
    for (std::size_t i = 0; i < n; ++i) {
        largest = std::max(largest, std::fabs(values[i]));
        finite = finite && std::isfinite(values[i]);
    }
    const std::uint16_t half =
        finite ? float_to_half(std::min(largest / 127.0F, kMostHalf)) : kNoNumber;
    const float scale = half_to_float(half);
    const float inverse = scale > 0 ? 1.0F / scale : 0.0F;
    for (std::size_t i = 0; i < n; ++i) {
        const float code =
            finite ? std::clamp(std::nearbyint(values[i] * inverse), -127.0F, 127.0F) : 0.0F;
        codes[i] = static_cast<std::int8_t>(code);
        values[i] = scale * code;
    }
    return half;
}

}  // namespace

// bytes: of everything, with the snapshots.
std::vector<KvCache::Layer> KvCache::lay_out(const ModelSpec& spec, int n_ctx,
                                             const Placement& placement, std::uint64_t& bytes,
                                             std::uint64_t& state_bytes) {
    HEARTH_ASSERT(placement.layers.empty() || placement.layers.size() == spec.layers.size());
    std::vector<Layer> layers(spec.layers.size());
    bytes = 0;
    state_bytes = 0;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        if (placement.attention_in_vram(static_cast<int>(l))) {
            continue;
        }
        if (const int source = spec.layers[l].attention.past_of;
            source != AttentionSpec::kOwnPast) {
            layers[l] = layers[static_cast<std::size_t>(source)];
            layers[l].reads_another = true;
            continue;
        }
        const PastShape shape = past_shape(spec.layers[l], padded(n_ctx));
        if (shape.kind == PastKind::State) {
            layers[l] = {shape, state_bytes};
            state_bytes += aligned(shape.state_bytes());
        } else {
            layers[l] = {shape, bytes};
            bytes += shape.room_bytes();
        }
    }
    for (Layer& layer : layers) {
        if (layer.shape.kind == PastKind::State) {
            bytes = aligned(bytes);
            layer.ahead = bytes;
            bytes += layer.shape.ahead_bytes();
        }
    }
    if (state_bytes > 0) {
        bytes = aligned(bytes) + (1 + kSnapshots) * state_bytes;
    }
    return layers;
}

std::uint64_t KvCache::bytes_for(const ModelSpec& spec, int n_ctx, const Placement& placement) {
    std::uint64_t bytes = 0;
    std::uint64_t state_bytes = 0;
    lay_out(spec, n_ctx, placement, bytes, state_bytes);
    return bytes;
}

Result<KvCache> KvCache::create(const ModelSpec& spec, int n_ctx, Ledger& ledger,
                                const Placement& placement) {
    KvCache cache;
    std::uint64_t bytes = 0;
    cache.layers_ = lay_out(spec, n_ctx, placement, bytes, cache.state_bytes_);
    for (std::size_t l = 0; l < cache.layers_.size(); ++l) {
        const int source = spec.layers[l].attention.past_of;
        const bool held = !placement.attention_in_vram(static_cast<int>(l));
        HEARTH_ASSERT(!held || source == AttentionSpec::kOwnPast ||
                      cache.layers_[static_cast<std::size_t>(source)].shape.n_positions > 0);
    }
    auto buffer = ledger.allocate(Purpose::Kv, bytes, "KV cache");
    if (!buffer) {
        return std::move(buffer).error();
    }
    cache.buffer_ = std::move(*buffer);
    cache.bytes_ = bytes;
    cache.n_ctx_ = n_ctx;
    return cache;
}

bool KvCache::is_for(const ModelSpec& spec, int n_ctx, const Placement& placement) const {
    std::uint64_t bytes = 0;
    std::uint64_t state_bytes = 0;
    const std::vector<Layer> layers = lay_out(spec, n_ctx, placement, bytes, state_bytes);
    return n_ctx == n_ctx_ && bytes == bytes_ && layers == layers_;
}

bool KvCache::moves() const {
    return std::any_of(layers_.begin(), layers_.end(),
                       [](const Layer& layer) { return layer.shape.n_kept > 0; });
}

int KvCache::first_position(int layer) const {
    return layers_[static_cast<std::size_t>(layer)].shape.n_kept > 0 ? first_ : 0;
}

template <class Move>
void KvCache::each_head_that_moves(const Move& move) {
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        const Layer& layer = layers_[l];
        const PastShape& shape = layer.shape;
        if (shape.n_kept == 0 || layer.reads_another) {
            continue;
        }
        std::byte* copy = buffer_.data() + layer.first + shape.bytes_of(shape.n_positions);
        for (int head = 0; head < shape.n_head_kv; ++head) {
            for (const int which : {0, 1}) {
                const std::size_t of_tile = tile_bytes(shape, which);
                move(at(static_cast<int>(l), head, which), copy, of_tile);
                copy += tiles(shape.n_kept) * of_tile;
            }
        }
    }
}

void KvCache::move_up(int first, int end) {
    HEARTH_ASSERT(first % kPastStep == 0 && first >= first_ && first <= end);
    const std::size_t from = tiles(first - first_);
    const std::size_t count = tiles(end - first);
    each_head_that_moves([&](std::byte* room, std::byte*, std::size_t of_tile) {
        std::memmove(room, room + from * of_tile, count * of_tile);
    });
    first_ = first;
}

void KvCache::move_back() {
    first_ = 0;
}

void KvCache::save_kept(int first, int end) {
    HEARTH_ASSERT(first % kPastStep == 0 && first >= first_ && first <= end);
    const std::size_t from = tiles(first - first_);
    const std::size_t count = tiles(end - first);
    each_head_that_moves([&](const std::byte* room, std::byte* copy, std::size_t of_tile) {
        std::memcpy(copy, room + from * of_tile, count * of_tile);
    });
}

void KvCache::restore_kept(int first, int end) {
    const std::size_t count = tiles(end - first);
    each_head_that_moves([&](std::byte* room, const std::byte* copy, std::size_t of_tile) {
        std::memcpy(room, copy, count * of_tile);
    });
    first_ = first;
}

std::vector<std::span<std::byte>> KvCache::pieces(int n_positions, int first) {
    std::vector<std::span<std::byte>> pieces;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        const Layer& layer = layers_[l];
        const PastShape& shape = layer.shape;
        const auto index = static_cast<int>(l);
        if (layer.reads_another || shape.kind == PastKind::State || shape.n_positions == 0) {
            continue;
        }
        if (shape.n_kept > 0) {
            pieces.emplace_back(buffer_.data() + layer.first,
                                static_cast<std::size_t>(shape.room_bytes()));
            continue;
        }
        const std::size_t first_tile = static_cast<std::size_t>(first) / kTilePositions;
        const std::size_t n_tiles = tiles(n_positions) - first_tile;
        for (int head = 0; head < shape.n_head_kv; ++head) {
            for (const int which : {0, 1}) {
                const std::size_t bytes = tile_bytes(shape, which);
                pieces.emplace_back(at(index, head, which) + first_tile * bytes, n_tiles * bytes);
            }
        }
        if (shape.choice_dim > 0) {
            const auto bytes = [&](int keys) {
                return static_cast<std::size_t>(shape.choice_bytes(keys));
            };
            const auto add = [&](float* keys, int from, int end) {
                pieces.emplace_back(reinterpret_cast<std::byte*>(keys) + bytes(from),
                                    bytes(end) - bytes(from));
            };
            add(choice_keys(index), first, n_positions);
            add(choice_blocks(index), first / shape.choice_block, n_positions / shape.choice_block);
        }
    }
    if (state_bytes_ > 0) {
        pieces.emplace_back(states(0), static_cast<std::size_t>((1 + kSnapshots) * state_bytes_));
    }
    return pieces;
}

std::string KvCache::layout_text() const {
    std::string text;
    for (const Layer& layer : layers_) {
        const PastShape& shape = layer.shape;
        for (const std::uint64_t number :
             {static_cast<std::uint64_t>(shape.kind), static_cast<std::uint64_t>(shape.n_head_kv),
              static_cast<std::uint64_t>(shape.head_dim),
              static_cast<std::uint64_t>(shape.value_dim),
              static_cast<std::uint64_t>(shape.n_positions),
              static_cast<std::uint64_t>(shape.n_kept), static_cast<std::uint64_t>(shape.type),
              shape.state_floats, static_cast<std::uint64_t>(shape.choice_dim),
              static_cast<std::uint64_t>(layer.reads_another)}) {
            text += std::to_string(number) + ' ';
        }
        text += ';';
    }
    return text;
}

std::byte* KvCache::states(int copy) {
    const std::uint64_t all = (1 + kSnapshots) * state_bytes_;
    return buffer_.data() + bytes_ - all + static_cast<std::uint64_t>(copy) * state_bytes_;
}

float* KvCache::state(int layer) {
    const Layer& held = layers_[static_cast<std::size_t>(layer)];
    HEARTH_DCHECK(held.shape.kind == PastKind::State);
    return reinterpret_cast<float*>(states(0) + held.first);
}

float* KvCache::ahead(int layer) {
    const Layer& held = layers_[static_cast<std::size_t>(layer)];
    HEARTH_DCHECK(held.shape.kind == PastKind::State);
    return reinterpret_cast<float*>(buffer_.data() + held.ahead);
}

float* KvCache::choice_keys(int layer) {
    const Layer& held = layers_[static_cast<std::size_t>(layer)];
    HEARTH_DCHECK(held.shape.choice_dim > 0);
    return reinterpret_cast<float*>(buffer_.data() + held.first +
                                    held.shape.heads_bytes(held.shape.n_positions));
}

float* KvCache::choice_blocks(int layer) {
    const PastShape& shape = layers_[static_cast<std::size_t>(layer)].shape;
    return choice_keys(layer) +
           static_cast<std::size_t>(shape.choice_dim) * static_cast<std::size_t>(shape.n_positions);
}

void KvCache::clear_states() {
    std::memset(states(0), 0, state_bytes_);
}

void KvCache::save_states(int slot) {
    HEARTH_ASSERT(slot >= 0 && slot < kSnapshots);
    std::memcpy(states(1 + slot), states(0), state_bytes_);
}

void KvCache::restore_states(int slot) {
    HEARTH_ASSERT(slot >= 0 && slot < kSnapshots);
    std::memcpy(states(0), states(1 + slot), state_bytes_);
}

std::byte* KvCache::at(int layer, int head_kv, int which) {
    const Layer& held = layers_[static_cast<std::size_t>(layer)];
    HEARTH_DCHECK(held.shape.n_positions > 0 && head_kv < held.shape.n_head_kv);
    const int n = held.shape.n_positions;
    const std::size_t of_keys = head_bytes(held.shape, 0, n);
    const std::size_t of_head = of_keys + head_bytes(held.shape, 1, n);
    return buffer_.data() + held.first + static_cast<std::size_t>(head_kv) * of_head +
           (which == 0 ? 0 : of_keys);
}

std::size_t KvCache::head_dim(int layer) const {
    return static_cast<std::size_t>(layers_[static_cast<std::size_t>(layer)].shape.head_dim);
}

void KvCache::store_keys(int layer, int head_kv, int position, int n, const std::uint16_t* tile) {
    HEARTH_DCHECK(n <= kTilePositions && position + n <= n_ctx_);
    const std::size_t dim = head_dim(layer);
    const int row = position - first_position(layer);
    if (n == kTilePositions && position % kTilePositions == 0) {
        std::memcpy(
            keys(layer, head_kv) + static_cast<std::size_t>(row) * dim * sizeof(std::uint16_t),
            tile, dim * kTilePositions * sizeof(std::uint16_t));
        return;
    }
    for (int i = 0; i < n; ++i) {
        store_column(layer, head_kv, position + i, tile + i, kTilePositions);
    }
}

void KvCache::store_key(int layer, int head_kv, int position, const std::uint16_t* key) {
    HEARTH_DCHECK(position < n_ctx_);
    store_column(layer, head_kv, position, key, 1);
}

void KvCache::store_column(int layer, int head_kv, int position, const std::uint16_t* key,
                           std::size_t stride) {
    const std::size_t dim = head_dim(layer);
    const auto p = static_cast<std::size_t>(position - first_position(layer));
    auto* column = reinterpret_cast<std::uint16_t*>(keys(layer, head_kv)) +
                   p / kTilePositions * kTilePositions * dim + p % kTilePositions;
    for (std::size_t c = 0; c < dim; ++c) {
        column[c * kTilePositions] = key[c * stride];
    }
}

std::uint16_t* KvCache::value(int layer, int head_kv, int position) {
    return reinterpret_cast<std::uint16_t*>(values(layer, head_kv)) +
           static_cast<std::size_t>(position - first_position(layer)) *
               static_cast<std::size_t>(layers_[static_cast<std::size_t>(layer)].shape.value_dim);
}

void KvCache::store_rounded(int layer, int head_kv, int position, float* key, float* value) {
    HEARTH_DCHECK(position < n_ctx_);
    const PastShape& shape = layers_[static_cast<std::size_t>(layer)].shape;
    const auto p = static_cast<std::size_t>(position - first_position(layer));
    const std::size_t row = p % kTilePositions;
    // Rounds a row of so many columns, which lie so far apart in the tile.
    const auto store = [&](int which, int width, float* from, std::size_t at, std::size_t apart) {
        const auto dim = static_cast<std::size_t>(width);
        std::byte* const tile =
            this->at(layer, head_kv, which) + p / kTilePositions * tile_bytes(shape, which);
        for (std::size_t c = 0; c < dim; c += kBlockValues) {
            const std::size_t n = std::min<std::size_t>(kBlockValues, dim - c);
            std::array<std::int8_t, kBlockValues> codes;
            const std::uint16_t scale = round_to_bytes(from + c, n, codes.data());
            std::memcpy(tile + kTilePositions * dim +
                            sizeof scale * (c / kBlockValues * kTilePositions + row),
                        &scale, sizeof scale);
            for (std::size_t i = 0; i < n; ++i) {
                tile[at + (c + i) * apart] = static_cast<std::byte>(codes[i]);
            }
        }
    };
    store(0, shape.head_dim, key, row, kTilePositions);
    store(1, shape.value_dim, value, row * static_cast<std::size_t>(shape.value_dim), 1);
}

}  // namespace hearth
