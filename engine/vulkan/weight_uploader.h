// Uploads weights that the processor holds, for the length of a batch. Slices of matrices go
// through two slots of the GPU's memory, in the order in which a pass multiplies with them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/executor.h"
#include "compute/weight_source.h"
#include "vulkan/gpu_weights.h"
#include "vulkan/recorded_commands.h"
#include "vulkan/tile_arranger.h"

namespace hearth::vulkan {

// The pool's threads write slice i into memory that the GPU can read. Meanwhile the GPU copies
// slice i - 1 and multiplies with slice i - 2. Where GPU and processor share memory nothing is
// copied: the threads write the slots where the GPU reads them. Tiles pass as the processor holds
// them, and the GPU lays them out in a third slot (TileMap). The threads lay out what has no such
// map.
class WeightUploader {
public:
    // The bytes that create() takes of the GPU's memory and of the machine's, exactly. They do not
    // depend on the part of the model that the GPU holds.
    static std::uint64_t bytes(const ModelSpec& spec, const ModelTensors& tensors, int n_batch,
                               std::uint64_t slot_bytes);
    static std::uint64_t host_bytes(const ModelSpec& spec, int n_batch, std::uint64_t slot_bytes);
    // The smallest slot that holds the rows that must stay together: those of a block of 32
    // neurons and of a head of latent attention whatever their type, and all of an expert.
    static std::uint64_t slot_bytes_min(const ModelSpec& spec, const ModelTensors& tensors);

    // Precondition: the plan uploads weights. weights and pool must outlive the uploader.
    // OutOfMemory, DeviceLost.
    static Result<std::unique_ptr<WeightUploader>> create(const std::shared_ptr<Device>& device,
                                                          const PlanSlice& slice,
                                                          const WeightSource& weights,
                                                          ThreadPool& pool);
    ~WeightUploader();
    WeightUploader(const WeightUploader&) = delete;
    WeightUploader& operator=(const WeightUploader&) = delete;

    // As Executor::exchange(): what is uploaded are others. The source has exchanged them already.
    Result<void> exchange(const PlanSlice& slice, std::span<const PlaceExchange> pairs);

    std::uint64_t held_bytes() const { return arena_.bytes() + slots_arena_.bytes(); }

    // The uploaded parts of a layer. The slices of its matrices have no memory of their own.
    const GpuLayer& layer(int index) const { return layers_[static_cast<std::size_t>(index)]; }
    // The sums of the uploaded neurons, [n_batch, n_embd].
    const BufferView& out() const { return out_; }
    // Memory that both sides see: queries, keys and values for the heads that the processor
    // computes, [n_batch, n_embd_q | n_embd_kv], and the heads' output.
    const BufferView& q() const { return q_; }
    const BufferView& k() const { return k_; }
    const BufferView& v() const { return v_; }
    const BufferView& attended() const { return attended_; }

    // Begins the recording of a pass. Calls of place() follow, in the order of its slices.
    void begin_recording() { items_.clear(); }
    // Says where slice `slice` of a matrix of layer() will be when the pass multiplies with it.
    BufferView place(const GpuMatrix& matrix, std::size_t slice);
    // Records what has to be done before the pass multiplies with the slice placed last.
    void arrange(Recorder& recorder) const;
    int n_placed() const { return static_cast<int>(items_.size()); }

    // Begins a run of the pass: send(0), send(1), ... follow. The commands that multiply with slice
    // i wait for there(i) and signal done_with(i). They must be submitted before send(i + 2).
    // Precondition: everything of the pass before has ended.
    void begin_pass() { first_value_ = sent_; }
    // DeviceLost, OutOfMemory, and what the source fails with: the pass must then end, and another
    // may begin.
    Result<void> send(int item);
    TimelinePoint there(int item) const;
    TimelinePoint done_with(int item) const;
    std::uint64_t sent_bytes() const { return sent_bytes_; }
    // Waits until all copies have ended.
    Result<void> finish();

private:
    static constexpr int kSlots = 2;
    // The rows of a matrix come from its sources in turns. These are of one part of one layer.
    struct Source {
        int layer = 0;
        Role matrix = Role::Q;
        SourceShape shape;
    };
    struct Uploaded {
        const GpuMatrix* matrix = nullptr;
        std::vector<Source> sources;
        std::size_t map = TileArranger::kNoMap;  // kNoMap: the threads lay it out
        bool mapped() const { return map != TileArranger::kNoMap; }
    };
    // Rows of one source that a slice has, in tiles, and where these lie in the slot.
    struct Tiles {
        std::uint64_t first = 0, count = 0;
        std::uint64_t at = 0, bytes = 0;
    };
    struct Item {
        const Uploaded* from = nullptr;
        std::size_t slice = 0;
    };

    WeightUploader(std::shared_ptr<Device> device, const WeightSource& weights, ThreadPool& pool);
    void add_layer(int layer, const PlanSlice& slice, std::uint64_t range_bytes_max);
    void add_experts(int layer, const PlanSlice& slice, std::uint64_t range_bytes_max);
    void add_matrix(int layer, Role role, std::uint64_t unit, std::uint64_t range_bytes_max);
    void add_gates_and_ups(int layer, Role gate, Role up, std::uint64_t unit,
                           std::uint64_t range_bytes_max);
    Result<void> take_memory(const PlanSlice& slice);
    Result<void> upload_vectors(const PlanSlice& slice);
    Result<void> upload_places(const PlanSlice& slice);
    static Result<void> send(std::span<const float> values, const BufferView& view, Upload& upload);
    Result<void> send_up_biases(int index, Upload& upload);
    Result<void> send_places(const PlanSlice& slice, int index, Upload& upload);
    Result<void> make_copy_commands();
    void prepare_staging();
    void find_maps(const PlanSlice& slice, std::uint64_t range_bytes_max);
    static Tiles tiles_of(const Item& item, std::size_t source);
    static std::uint64_t bytes_of(const Item& item);  // that pass the bus
    Result<void> fill(const Item& item, std::byte* slot);
    Result<void> fill_tiles(const Item& item, std::byte* slot);
    Result<void> copy(int slot, const BufferView& to, const Submission& points);
    std::uint64_t value_of(int item) const {
        return first_value_ + static_cast<std::uint64_t>(item) + 1;
    }

    std::shared_ptr<Device> device_;
    const WeightSource& weights_;
    ThreadPool& pool_;
    bool direct_;  // slots are written where they are read
    Arena arena_;  // of the GPU: vectors, out, and slots where they are copied to
    Arena slots_arena_;
    Arena host_arena_;                             // what the GPU writes, and slots on their way
    Arena written_arena_;                          // what the processor writes for the GPU
    std::array<BufferView, kSlots> slots_;         // what has passed the bus
    BufferView arranged_;                          // what the GPU laid out of it
    std::array<BufferView, kSlots> on_their_way_;  // empty where nothing is copied
    BufferView out_, q_, k_, v_, attended_;
    std::vector<GpuLayer> layers_;
    std::vector<std::unique_ptr<Uploaded>> uploaded_;
    TileArranger arranger_;
    std::vector<std::vector<std::byte>> rows_;  // as the source has them, by worker
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
