// Attention that chooses blocks of the past: which ones a query sees, and attention to these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "cpu/cpu_attention.h"
#include "cpu/cpu_weights.h"
#include "cpu/kernels/kernels.h"
#include "memory/past.h"
#include "model/rope.h"

namespace hearth {

// As BlockChoiceSpec says. Keys and values of what a query sees are copied together, and the
// kernels of attention see a past that holds nothing else. A query sees its own batch in the past,
// rounded, so that results do not depend on how a text is cut into batches.
//
// Belongs to the engine's thread. Everything is done when a call returns. Allocates in set_up()
// only.
class CpuBlockChoice {
public:
    struct Scratch {
        float* q = nullptr;              // [n_batch, queries_width]
        float* k = nullptr;              // [n_batch, dim]
        std::int32_t* chosen = nullptr;  // [n_batch, n_chosen] blocks, in their order
        float* best = nullptr;           // [n_threads, n_chosen] scores
        float* angles = nullptr;         // [n_threads, rope_dim]
        std::byte* keys = nullptr;    // [n_threads] of the positions that a query sees, of a head
        std::byte* values = nullptr;  // likewise
    };
    // Calls take(pointer, bytes) for every buffer. None where no layer chooses.
    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, int n_threads, Scratch& scratch,
                        Take&& take);

    CpuBlockChoice(const kernels::KernelTable& table, ThreadPool& pool)
        : table_(table), pool_(pool) {}

    // heads: q and attended are what attend() reads and leaves.
    void set_up(const ModelSpec& spec, std::span<const float> rope_factors, const Scratch& scratch,
                const CpuAttention::Scratch& heads);

    // How many of the pass's tokens see all that is before them: the first ones.
    int n_seeing_all(const HeadsTask& task) const;
    // Puts the tokens' keys into the past, and the keys of the blocks that they complete. k and q
    // of the scratch memory are the products with the layer's matrices.
    void keep_keys(const HeadsTask& task, const CpuLayer& weights);
    // Computes `attended` of the tokens from `first` on. Precondition: attention has put the pass's
    // keys and values into the past, and has rotated q.
    void attend(const HeadsTask& task, const CpuLayer& weights, int first);

private:
    // Positions that a query may see at most, in whole tiles.
    static int most_seen(const BlockChoiceSpec& choice) {
        const int seen = (choice.n_chosen + 1) * choice.block;
        return (seen + kernels::kTileRows - 1) / kernels::kTileRows * kernels::kTileRows;
    }
    const AttentionSpec& spec(int layer) const {
        return layers_[static_cast<std::size_t>(layer)].attention;
    }
    void norm_and_rotate(int layer, const float* weight, float* x, int n_heads, int position,
                         int worker) const;
    void choose(const HeadsTask& task, const CpuLayer& weights, int token, int worker);
    void attend_head(const HeadsTask& task, int token, int head_kv, int worker);
    std::size_t angles_stride() const { return static_cast<std::size_t>(rope_dim_); }

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    std::vector<LayerSpec> layers_;
    std::vector<Rope> ropes_;  // [n_layer]
    Scratch scratch_;
    CpuAttention::Scratch heads_;
    int rope_dim_ = 0;
    std::size_t key_bytes_ = 0;  // of a thread
    std::size_t value_bytes_ = 0;
};

template <class Take>
void CpuBlockChoice::lay_out(const ModelSpec& spec, int n_batch, int n_threads, Scratch& scratch,
                             Take&& take) {
    std::uint64_t q = 0, k = 0, chosen = 0, keys = 0, values = 0;
    const auto grow = [](std::uint64_t& most, std::uint64_t size) { most = std::max(most, size); };
    for (const LayerSpec& layer : spec.layers) {
        const AttentionSpec& attention = layer.attention;
        const BlockChoiceSpec& choice = attention.choice;
        if (!choice.present()) {
            continue;
        }
        const auto n_tiles = static_cast<std::uint64_t>(most_seen(choice) / kernels::kTileRows);
        grow(q, static_cast<std::uint64_t>(choice.queries_width()));
        grow(k, static_cast<std::uint64_t>(choice.dim));
        grow(chosen, static_cast<std::uint64_t>(choice.n_chosen));
        grow(keys, n_tiles * kernels::past_tile_bytes(attention.kv, attention.head_dim));
        grow(values, n_tiles * kernels::past_tile_bytes(attention.kv, attention.values_dim()));
    }
    if (k == 0) {
        return;
    }
    const auto batch = static_cast<std::uint64_t>(n_batch);
    const auto threads = static_cast<std::uint64_t>(n_threads);
    take(scratch.q, batch * q * sizeof(float));
    take(scratch.k, batch * k * sizeof(float));
    take(scratch.chosen, batch * chosen * sizeof(std::int32_t));
    take(scratch.best, threads * chosen * sizeof(float));
    take(scratch.angles, threads * static_cast<std::uint64_t>(spec.rope_dim_max()) * sizeof(float));
    take(scratch.keys, threads * keys);
    take(scratch.values, threads * values);
}

}  // namespace hearth
