#include "memory/kv_cache.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace hearth {
namespace {

int padded(int n_ctx) {
    return (n_ctx + KvCache::kTilePositions - 1) / KvCache::kTilePositions *
           KvCache::kTilePositions;
}

int held_layers(const ModelSpec& spec, const std::vector<bool>& attention_in_vram) {
    return spec.n_layer -
           static_cast<int>(std::count(attention_in_vram.begin(), attention_in_vram.end(), true));
}

}  // namespace

std::uint64_t KvCache::bytes_for(const ModelSpec& spec, int n_ctx,
                                 const std::vector<bool>& attention_in_vram) {
    return 2ULL * sizeof(std::uint16_t) *
           static_cast<std::uint64_t>(held_layers(spec, attention_in_vram)) *
           static_cast<std::uint64_t>(spec.n_embd_kv()) * static_cast<std::uint64_t>(padded(n_ctx));
}

Result<KvCache> KvCache::create(const ModelSpec& spec, int n_ctx, Ledger& ledger,
                                const std::vector<bool>& attention_in_vram) {
    HEARTH_ASSERT(attention_in_vram.empty() ||
                  attention_in_vram.size() == static_cast<std::size_t>(spec.n_layer));
    auto buffer =
        ledger.allocate(Purpose::Kv, bytes_for(spec, n_ctx, attention_in_vram), "KV cache");
    if (!buffer) {
        return std::move(buffer).error();
    }
    KvCache cache;
    cache.buffer_ = std::move(*buffer);
    cache.n_ctx_ = n_ctx;
    cache.n_padded_ = padded(n_ctx);
    cache.slots_.assign(static_cast<std::size_t>(spec.n_layer), -1);
    for (std::size_t layer = 0; layer < cache.slots_.size(); ++layer) {
        if (attention_in_vram.empty() || !attention_in_vram[layer]) {
            cache.slots_[layer] = cache.n_held_++;
        }
    }
    cache.n_head_kv_ = spec.n_head_kv;
    cache.head_dim_ = spec.head_dim;
    return cache;
}

std::uint64_t KvCache::read_bytes(int n_positions) const {
    return 2ULL * sizeof(std::uint16_t) * static_cast<std::uint64_t>(n_held_) *
           static_cast<std::uint64_t>(n_head_kv_) * static_cast<std::uint64_t>(head_dim_) *
           static_cast<std::uint64_t>(n_positions);
}

std::uint16_t* KvCache::at(int layer, int head_kv, int which) {
    const int slot = slots_[static_cast<std::size_t>(layer)];
    HEARTH_DCHECK(slot >= 0 && head_kv < n_head_kv_);
    const auto index = static_cast<std::size_t>((slot * n_head_kv_ + head_kv) * 2 + which);
    return reinterpret_cast<std::uint16_t*>(buffer_.data()) +
           index * static_cast<std::size_t>(n_padded_) * static_cast<std::size_t>(head_dim_);
}

void KvCache::store_keys(int layer, int head_kv, int position, int n, const std::uint16_t* tile) {
    HEARTH_DCHECK(n <= kTilePositions && position + n <= n_ctx_);
    const auto dim = static_cast<std::size_t>(head_dim_);
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
    const auto dim = static_cast<std::size_t>(head_dim_);
    const auto p = static_cast<std::size_t>(position);
    std::uint16_t* column =
        keys(layer, head_kv) + p / kTilePositions * kTilePositions * dim + p % kTilePositions;
    for (std::size_t c = 0; c < dim; ++c) {
        column[c * kTilePositions] = key[c * stride];
    }
}

}  // namespace hearth
