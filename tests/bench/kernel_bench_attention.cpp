#include <array>
#include <cmath>

#include "base/half.h"
#include "bench/kernel_bench.h"

namespace hearth::bench {
namespace {

constexpr std::uint64_t kDecodeBytes = std::uint64_t{512} << 20;

// Small numbers of both signs, without a pattern that a kernel could profit from.
float value_at(std::size_t i) {
    return static_cast<float>(static_cast<int>(i * 2654435761U >> 8 & 0xFFU) - 128) / 256;
}

}  // namespace

AttentionSpeed measure_attention(ThreadPool& pool, const kernels::KernelTable& table,
                                 const AttentionCase& c) {
    const auto dim = static_cast<std::size_t>(c.head_dim);
    const int n_cached = c.n_tokens == 1 ? c.n_positions : c.n_positions - c.n_tokens;
    const auto cached_rows = static_cast<std::size_t>((n_cached + kernels::kTileRows - 1) /
                                                      kernels::kTileRows * kernels::kTileRows);
    const auto batch_rows = static_cast<std::size_t>((c.n_tokens + kernels::kTileRows - 1) /
                                                     kernels::kTileRows * kernels::kTileRows);
    const auto n_head_kv = static_cast<std::size_t>(c.n_head_kv);
    const int n_shared = c.n_head / c.n_head_kv;

    const std::uint64_t layer_values = std::uint64_t{cached_rows} * dim * n_head_kv;
    const std::uint64_t layer_bytes = layer_values * 2 * sizeof(std::uint16_t);
    const std::size_t n_layers = c.n_tokens == 1 ? kDecodeBytes / layer_bytes + 1 : 1;
    const std::size_t n_values = layer_values * n_layers;
    AlignedBuffer key_buffer = buffer_of(n_values * sizeof(std::uint16_t));
    AlignedBuffer value_buffer = buffer_of(n_values * sizeof(std::uint16_t));
    const auto keys = key_buffer.span<std::uint16_t>(0, n_values);
    const auto values = value_buffer.span<std::uint16_t>(0, n_values);
    std::array<std::uint16_t, 4096> some{};
    for (std::size_t i = 0; i < some.size(); ++i) {
        some[i] = float_to_half(value_at(i));
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = some[i % some.size()];
        values[i] = some[(i + 1234) % some.size()];
    }
    std::vector<float> k_batch(batch_rows * dim * n_head_kv);
    std::vector<float> v_batch(k_batch.size());
    for (std::size_t i = 0; i < k_batch.size(); ++i) {
        k_batch[i] = value_at(i);
        v_batch[i] = value_at(i + 1234);
    }
    const std::size_t n_q = static_cast<std::size_t>(c.n_head) * dim;
    std::vector<float> q(static_cast<std::size_t>(c.n_tokens) * n_q);
    for (std::size_t i = 0; i < q.size(); ++i) {
        q[i] = value_at(i + 99);
    }
    std::vector<float> out(q.size());

    const int n_pairs = c.n_tokens * n_shared;
    const int n_groups = (n_pairs + kernels::kAttentionQueries - 1) / kernels::kAttentionQueries;
    const AttentionSpec spec{.head_dim = c.head_dim,
                             .scale = 1.0F / std::sqrt(static_cast<float>(c.head_dim))};
    const auto attend = [&](std::size_t layer) {
        pool.run(c.n_head_kv * n_groups, [&](int index, int /*worker*/) {
            const int head_kv = index % c.n_head_kv;
            const int first = index / c.n_head_kv * kernels::kAttentionQueries;
            const int count = std::min(kernels::kAttentionQueries, n_pairs - first);
            std::array<const float*, kernels::kAttentionQueries> queries{};
            std::array<float*, kernels::kAttentionQueries> outs{};
            std::array<int, kernels::kAttentionQueries> n_batch{};
            for (int i = 0; i < count; ++i) {
                const int token = (first + i) / n_shared;
                const int head = head_kv * n_shared + (first + i) % n_shared;
                const std::size_t offset =
                    static_cast<std::size_t>(token) * n_q + static_cast<std::size_t>(head) * dim;
                const auto slot = static_cast<std::size_t>(i);
                queries[slot] = &q[offset];
                outs[slot] = &out[offset];
                n_batch[slot] = c.n_tokens == 1 ? 0 : token + 1;
            }
            const auto kv = static_cast<std::size_t>(head_kv);
            const std::size_t cached = (layer * n_head_kv + kv) * cached_rows * dim;
            table.attention({.spec = spec,
                             .q = queries.data(),
                             .out = outs.data(),
                             .largest = nullptr,
                             .total = nullptr,
                             .n_queries = count,
                             .n_cached = n_cached,
                             .k = reinterpret_cast<const std::byte*>(keys.data() + cached),
                             .v = reinterpret_cast<const std::byte*>(values.data() + cached),
                             .n_batch = n_batch.data(),
                             .k_batch = &k_batch[kv * batch_rows * dim],
                             .v_batch = &v_batch[kv * dim],
                             .v_batch_stride = n_head_kv * dim});
        });
    };
    const double seconds = seconds_of([&] {
                               for (std::size_t layer = 0; layer < n_layers; ++layer) {
                                   attend(layer);
                               }
                           }) /
                           static_cast<double>(n_layers);
    // Scores and the weighted sum: a multiply-add each per query, position and dimension.
    double visible = 0;
    for (int token = 0; token < c.n_tokens; ++token) {
        visible += n_cached + (c.n_tokens == 1 ? 0 : token + 1);
    }
    return {static_cast<double>(layer_bytes) / seconds / 1e9,
            4.0 * visible * c.n_head * c.head_dim / seconds};
}

}  // namespace hearth::bench
