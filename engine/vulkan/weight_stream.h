// Weights the processor holds, borrowed for a batch: slices of matrices, in the order a pass
// multiplies with them, through two slots of the GPU's memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/executor.h"
#include "compute/weight_lender.h"
#include "vulkan/gpu_weights.h"
#include "vulkan/program.h"
#include "vulkan/row_fitter.h"

namespace hearth::vulkan {

// The pool's threads write slice i into memory the GPU reads while it copies slice i - 1 and
// multiplies with slice i - 2. Where GPU and processor share memory nothing is copied: slots are
// written where they are read.
class WeightStream {
public:
    // What create() takes of the GPU's memory and of the machine's, by the same arithmetic,
    // whichever part of a model the GPU holds.
    static std::uint64_t bytes(const ModelSpec& spec, const ModelTensors& tensors, int n_batch,
                               std::uint64_t slot_bytes);
    static std::uint64_t host_bytes(const ModelSpec& spec, int n_batch, std::uint64_t slot_bytes);
    // Rows that stay together fit a slot of so many bytes, whatever their type.
    static std::uint64_t slot_bytes_min(const ModelSpec& spec);

    // The plan's Streaming is on. lender and pool must outlive it. OutOfMemory, DeviceLost.
    static Result<std::unique_ptr<WeightStream>> create(const std::shared_ptr<Device>& device,
                                                        const PlanSlice& slice,
                                                        const WeightLender& lender,
                                                        ThreadPool& pool, Pipelines& pipelines);
    ~WeightStream();
    WeightStream(const WeightStream&) = delete;
    WeightStream& operator=(const WeightStream&) = delete;

    std::uint64_t held_bytes() const { return arena_.bytes() + slots_arena_.bytes(); }

    // What is borrowed of a layer. Slices of its matrices have no memory of their own.
    const GpuLayer& layer(int index) const { return layers_[static_cast<std::size_t>(index)]; }
    // [n_batch, n_embd] what borrowed neurons add.
    const BufferView& out() const { return out_; }
    // Both sides see: queries, keys and values for heads of the processor, [n_batch, n_embd_q |
    // n_embd_kv], and what those attended to.
    const BufferView& q() const { return q_; }
    const BufferView& k() const { return k_; }
    const BufferView& v() const { return v_; }
    const BufferView& attended() const { return attended_; }

    // A pass is recorded anew: its slices follow, in the order of place().
    void begin_recording() { items_.clear(); }
    // Where slice `slice` of a matrix of layer() will be when the pass comes to it.
    BufferView place(const GpuMatrix& matrix, std::size_t slice);
    int n_placed() const { return static_cast<int>(items_.size()); }

    // A pass runs: send(0), send(1), ... What multiplies with slice i waits for there(i) and raises
    // done_with(i), and is submitted before send(i + 2). Everything of the pass before has ended.
    void begin_pass() { first_value_ = sent_; }
    // DeviceLost, OutOfMemory.
    Result<void> send(int item);
    Meeting there(int item) const;
    Meeting done_with(int item) const;
    std::uint64_t sent_bytes() const { return sent_bytes_; }
    // Copies have ended.
    Result<void> finish();

private:
    static constexpr int kSlots = 2;
    // Rows r of a matrix come from its sources by turns.
    struct Source {
        int layer = 0;
        LentMatrix matrix = LentMatrix::Query;
        LentShape shape;
    };
    struct Borrowed {
        const GpuMatrix* matrix = nullptr;
        std::vector<Source> sources;
    };
    struct Item {
        const Borrowed* from = nullptr;
        std::size_t slice = 0;
    };
    struct Staging {
        std::vector<std::byte> rows;
        RowFitter fitter;
    };

    WeightStream(std::shared_ptr<Device> device, const WeightLender& lender, ThreadPool& pool);
    void borrow(int layer, const ModelSpec& spec, std::uint64_t range_bytes_max);
    void borrow_matrix(int layer, LentMatrix from, std::uint64_t range_bytes_max, GpuMatrix& to);
    Result<void> take_memory(const PlanSlice& slice);
    Result<void> upload_vectors(const PlanSlice& slice, Pipelines& pipelines);
    Result<void> make_copy_commands();
    void prepare_staging();
    void fill(const Item& item, std::byte* slot);
    Result<void> copy(int slot, std::uint64_t bytes, const Submission& meetings);
    std::uint64_t value_of(int item) const {
        return first_value_ + static_cast<std::uint64_t>(item) + 1;
    }

    std::shared_ptr<Device> device_;
    const WeightLender& lender_;
    ThreadPool& pool_;
    bool direct_;  // slots are written where they are read
    Arena arena_;  // of the GPU: vectors, out, and slots where they are copied to
    Arena slots_arena_;
    Arena host_arena_;     // what the GPU writes, and slots on their way
    Arena written_arena_;  // what the processor writes for the GPU
    std::array<BufferView, kSlots> slots_;
    std::array<BufferView, kSlots> on_their_way_;
    BufferView out_, q_, k_, v_, attended_;
    std::vector<GpuLayer> layers_;
    std::vector<std::unique_ptr<Borrowed>> borrowed_;
    std::vector<Staging> staging_;
    std::vector<Item> items_;

    std::array<VkCommandPool, kSlots> pools_{};
    std::array<VkCommandBuffer, kSlots> commands_{};
    Timeline there_;
    Timeline done_;
    std::uint64_t first_value_ = 0;  // of the pass: slice i stands for this + i + 1
    std::uint64_t sent_ = 0;
    std::uint64_t sent_bytes_ = 0;
};

}  // namespace hearth::vulkan
