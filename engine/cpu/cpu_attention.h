// A layer's attention between its matrices: rotary positions, the KV cache, softmax.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "cpu/kernels/kernels.h"
#include "memory/past.h"
#include "model/rope.h"

namespace hearth {

// Attention for tokens that the scratch memory holds.
struct HeadsTask {
    int layer;
    int n_tokens;
    int position;  // of the first token; the past holds all positions before it and gains these
    Past& past;
    const float* sinks = nullptr;  // [n_head], where the layer has some
    bool each_alone = false;       // as in PassTask
};

// Belongs to the engine's thread. Everything is done when run() returns. Allocates nothing.
class CpuAttention {
public:
    // A single token with a long past attends to it in parts, which are joined afterwards.
    static constexpr int kMostParts = 32;
    static constexpr int kShortestPart = 1024;  // positions: half a megabyte at 128 dimensions

    struct Scratch {
        float* q = nullptr;             // [n_batch, n_embd_q]
        float* k = nullptr;             // [n_batch, n_embd_kv]
        float* v = nullptr;             // [n_batch, n_embd_v]
        float* attended = nullptr;      // [n_batch, n_head * values of a head]
        float* angles = nullptr;        // [n_batch, rope_dim]
        float* k_tiles = nullptr;       // [n_head_kv][n_batch / 16][head_dim][16]
        float* parts = nullptr;         // [kMostParts, n_head, values of a head]
        float* part_largest = nullptr;  // [kMostParts, n_head]
        float* part_total = nullptr;    // [kMostParts, n_head]
        // k_tiles and v of the batch, of each layer whose past others read.
        float* shared_k_tiles = nullptr;
        float* shared_v = nullptr;
    };
    // Calls take(pointer, bytes) for every buffer.
    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, Scratch& scratch, Take&& take);

    CpuAttention(const kernels::KernelTable& table, ThreadPool& pool);

    // first_layer: the first layer whose attention this computes. The angles of a pass are computed
    // there.
    void set_up(const ModelSpec& spec, std::span<const float> rope_factors, const Scratch& scratch,
                int n_batch, int first_layer);

    // Computes `attended` from q, k and v of the task's tokens. Puts keys and values into the
    // cache.
    void run(const HeadsTask& task) { run(task, task.n_tokens); }
    // The same, with `attended` of the first n tokens alone. q of all is rotated.
    void run(const HeadsTask& task, int n);

private:
    // How the past is cut. It depends on the length of the past only, never on the number of
    // threads.
    struct ContextParts {
        int first = 0;  // position
        int count = 1;
        int positions = 0;  // of every part but the last

        // Of positions from first_position on, and a few before it.
        static ContextParts of(int first_position, int end);
    };

    static int padded_to_tiles(int n) {
        return (n + kernels::kTileRows - 1) / kernels::kTileRows * kernels::kTileRows;
    }
    const AttentionSpec& spec() const { return layer_->attention; }
    int n_shared() const { return layer_->heads_per_kv(); }
    std::size_t value_dim() const { return static_cast<std::size_t>(spec().values_dim()); }

    void rotate_and_store(const HeadsTask& task);
    void store_keys(const HeadsTask& task, int head_kv, int first, int n, const float* rows);
    // row: of the scratch memory, that of the task's first token.
    void attend(const HeadsTask& task, int row);
    void attend_group(const HeadsTask& task, int row, const ContextParts& parts, int part,
                      int head_kv, int first);
    std::size_t part_index(int part, int head) const;
    void join_parts(int n_parts, int row, int head, const float* sinks);
    float* batch_keys(int head_kv);
    static int n_shared_pasts(const ModelSpec& spec);
    void place_batch(const HeadsTask& task);

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    std::vector<LayerSpec> layers_;
    std::vector<Rope> ropes_;           // [n_layer]
    std::vector<int> shared_;           // [n_layer] place among the shared pasts; -1: its own
    const LayerSpec* layer_ = nullptr;  // of the running task
    float* k_tiles_ = nullptr;          // of its batch
    float* v_ = nullptr;                // likewise, [n_batch, n_embd_v]
    Scratch scratch_;
    int first_layer_ = 0;
    RopeSpec angles_of_;  // whose angles scratch_.angles holds
    int n_batch_ = 0;
    int n_batch_padded_ = 0;  // whole tiles of k_tiles
    int n_embd_kv_max_ = 0;
};

template <class Take>
void CpuAttention::lay_out(const ModelSpec& spec, int n_batch, Scratch& scratch, Take&& take) {
    const auto floats = [](int rows, int width) {
        return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(width) * sizeof(float);
    };
    const int n_q = spec.n_embd_q_max();
    const int n_kv = spec.n_embd_kv_max();
    take(scratch.q, floats(n_batch, n_q));
    take(scratch.k, floats(n_batch, n_kv));
    take(scratch.v, floats(n_batch, n_kv));
    take(scratch.attended, floats(n_batch, n_q));
    take(scratch.angles, floats(n_batch, spec.rope_dim_max()));
    take(scratch.k_tiles, floats(padded_to_tiles(n_batch), n_kv));
    take(scratch.parts, floats(kMostParts, n_q));
    take(scratch.part_largest, floats(kMostParts, spec.n_head_max()));
    take(scratch.part_total, floats(kMostParts, spec.n_head_max()));
    if (const int n_shared = n_shared_pasts(spec); n_shared > 0) {
        take(scratch.shared_k_tiles, floats(n_shared * padded_to_tiles(n_batch), n_kv));
        take(scratch.shared_v, floats(n_shared * n_batch, n_kv));
    }
}

}  // namespace hearth
