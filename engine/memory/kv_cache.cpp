#include "memory/kv_cache.h"

#include <cstring>
#include <utility>

#include "base/assert.h"

namespace hearth {
namespace {

int padded(int n_ctx) {
    return (n_ctx + KvCache::kTilePositions - 1) / KvCache::kTilePositions *
           KvCache::kTilePositions;
}

}  // namespace

std::vector<KvCache::Layer> KvCache::lay_out(const ModelSpec& spec, int n_ctx,
                                             const std::vector<bool>& attention_in_vram,
                                             std::uint64_t& bytes) {
    HEARTH_ASSERT(attention_in_vram.empty() || attention_in_vram.size() == spec.layers.size());
    std::vector<Layer> layers(spec.layers.size());
    bytes = 0;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const AttentionSpec& attention = spec.layers[l].attention;
        if (!attention_in_vram.empty() && attention_in_vram[l]) {
            continue;
        }
        if (!attention.has_own_past()) {
            layers[l] = layers[static_cast<std::size_t>(attention.past_of)];
            HEARTH_ASSERT(layers[l].shape.n_positions > 0);  // both on one unit
        } else {
            layers[l] = {past_shape(spec.layers[l], padded(n_ctx)), bytes / sizeof(std::uint16_t)};
            bytes += layers[l].shape.bytes_of(layers[l].shape.n_positions);
        }
    }
    return layers;
}

std::uint64_t KvCache::bytes_for(const ModelSpec& spec, int n_ctx,
                                 const std::vector<bool>& attention_in_vram) {
    std::uint64_t bytes = 0;
    lay_out(spec, n_ctx, attention_in_vram, bytes);
    return bytes;
}

Result<KvCache> KvCache::create(const ModelSpec& spec, int n_ctx, Ledger& ledger,
                                const std::vector<bool>& attention_in_vram) {
    KvCache cache;
    std::uint64_t bytes = 0;
    cache.layers_ = lay_out(spec, n_ctx, attention_in_vram, bytes);
    auto buffer = ledger.allocate(Purpose::Kv, bytes, "KV cache");
    if (!buffer) {
        return std::move(buffer).error();
    }
    cache.buffer_ = std::move(*buffer);
    cache.bytes_ = bytes;
    cache.n_ctx_ = n_ctx;
    return cache;
}

bool KvCache::is_for(const ModelSpec& spec, int n_ctx,
                     const std::vector<bool>& attention_in_vram) const {
    std::uint64_t bytes = 0;
    const std::vector<Layer> layers = lay_out(spec, n_ctx, attention_in_vram, bytes);
    return n_ctx == n_ctx_ && bytes == bytes_ && layers == layers_;
}

std::uint64_t KvCache::read_bytes(int n_positions) const {
    std::uint64_t bytes = 0;
    for (const Layer& layer : layers_) {
        bytes += layer.shape.bytes_of(n_positions);
    }
    return bytes;
}

std::uint16_t* KvCache::at(int layer, int head_kv, int which) {
    const Layer& held = layers_[static_cast<std::size_t>(layer)];
    HEARTH_DCHECK(held.shape.n_positions > 0 && head_kv < held.shape.n_head_kv);
    const auto index = static_cast<std::size_t>(head_kv * 2 + which);
    return reinterpret_cast<std::uint16_t*>(buffer_.data()) + held.first +
           index * static_cast<std::size_t>(held.shape.n_positions) *
               static_cast<std::size_t>(held.shape.head_dim);
}

void KvCache::store_keys(int layer, int head_kv, int position, int n, const std::uint16_t* tile) {
    HEARTH_DCHECK(n <= kTilePositions && position + n <= n_ctx_);
    const auto dim =
        static_cast<std::size_t>(layers_[static_cast<std::size_t>(layer)].shape.head_dim);
    std::uint16_t* all = keys(layer, head_kv);
    if (n == kTilePositions && position % kTilePositions == 0) {
        std::memcpy(all + static_cast<std::size_t>(position) * dim, tile,
                    dim * kTilePositions * sizeof(std::uint16_t));
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
    const auto dim =
        static_cast<std::size_t>(layers_[static_cast<std::size_t>(layer)].shape.head_dim);
    const auto p = static_cast<std::size_t>(position);
    std::uint16_t* column =
        keys(layer, head_kv) + p / kTilePositions * kTilePositions * dim + p % kTilePositions;
    for (std::size_t c = 0; c < dim; ++c) {
        column[c * kTilePositions] = key[c * stride];
    }
}

}  // namespace hearth
