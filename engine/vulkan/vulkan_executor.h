// Computes the GPU's part of a plan in Vulkan compute shaders.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "compute/executor.h"
#include "model/rope.h"
#include "vulkan/buffers.h"
#include "vulkan/gpu_weights.h"
#include "vulkan/layer_recorder.h"
#include "vulkan/neuron_counts.h"
#include "vulkan/pass_recorder.h"
#include "vulkan/pass_runner.h"
#include "vulkan/past_arena.h"
#include "vulkan/weight_uploader.h"

namespace hearth::vulkan {

// The commands of a token are recorded once and replayed. Those of a batch are recorded anew when
// its size changes.
class VulkanExecutor final : public Executor {
public:
    // source: of the processor's weights; its executor must be loaded before this one. It may be
    // null where the plan uploads none. pool and source must outlive the executor.
    VulkanExecutor(std::shared_ptr<Device> device, ThreadPool& pool, const WeightSource* source);
    ~VulkanExecutor() override;

    std::string_view name() const override { return name_; }
    Result<void> load(const PlanSlice& slice, LoadMonitor& monitor) override;
    Result<std::unique_ptr<GpuPast>> make_past() override;
    Result<void> exchange(const PlanSlice& slice, std::span<const PlaceExchange> pairs) override;
    Result<void> begin(const PassTask& task) override;
    Result<void> run(const Step& step) override;
    Result<void> end() override;
    Result<void> take_ahead(Past& past, const Snapshots::Taking& tokens) override;
    Result<void> wait(int point) override { return runner_.wait(point); }
    Result<void> signal(int point) override { return runner_.signal(point); }
    SharedMemory shared() override;
    Result<std::span<float>> last_logits() override;
    Result<std::span<float>> logits(int first, int count) override;
    std::span<const Candidate> candidates(int token) const override {
        return candidates_[static_cast<std::size_t>(token)];
    }
    bool can_pass_each_alone() const override { return layers_->can_pass_each_alone(); }
    bool count_token() override;
    Result<void> collect_firing(SelfProfile& profile) override;
    Result<std::span<const LayerActivity>> activity() override;
    void reset_activity() override { counts_->reset_activity(); }
    std::uint64_t decode_weight_bytes() const override;
    std::uint64_t bus_bytes_per_token() const override;
    MemoryBytes held() const override { return held_; }
    std::uint64_t driver_bytes() const override { return device_->used_bytes(); }
    void set_tracing(bool on) override;
    std::vector<TraceLine> trace() const override;

    const Device& device() const { return *device_; }
    // Passes that were recorded since the executor was made.
    std::uint64_t n_recordings() const { return n_recordings_; }
    // Bytes of weights that were uploaded for passes since load().
    std::uint64_t uploaded_bytes() const { return uploader_ ? uploader_->sent_bytes() : 0; }

private:
    Result<void> set_up_rope(const PlanSlice& slice);
    Result<void> load_weights(const PlanSlice& slice, LoadMonitor& monitor);
    Result<void> record(const PassShape& shape, std::span<const Step> steps);
    std::optional<RecordedPass>& pass_of(const PassShape& shape);
    Result<void> run_alone(Recorder& recorder);
    // Commands of take_ahead() for so many tokens from the first-th on.
    Result<RecordedCommands> record_take(const Snapshots::Taking& tokens);
    bool is_recurrent(int layer) const {
        return spec_.layer(layer).is_recurrent() && placement_.attention_in_vram(layer);
    }
    void write_place(std::uint32_t position, const GpuPast& past);
    Result<void> read_candidates(std::size_t token);
    Result<std::span<float>> fetch_logits(int first, int count);
    void write_step(const PassTask& task);

    std::shared_ptr<Device> device_;
    ThreadPool& pool_;
    const WeightSource* source_;
    std::string name_;
    ModelSpec spec_;
    Placement placement_;
    int n_batch_ = 0;
    std::uint64_t stream_bytes_per_token_ = 0;  // that cross the bus
    std::vector<Rope> ropes_;                   // of ModelSpec::ropes()
    GpuWeights weights_;
    Buffers buffers_;
    PastArena pasts_;
    std::unique_ptr<WeightUploader> uploader_;  // null: the plan uploads nothing
    std::unique_ptr<LayerRecorder> layers_;
    std::unique_ptr<NeuronCounts> counts_;
    MemoryBytes held_;
    bool tracing_ = false;
    Trace trace_;

    std::optional<RecordedPass> token_, batch_;  // the latest of each; empty: to be recorded
    // Passes with each_alone, by their tokens.
    std::array<std::optional<RecordedPass>, kEachAloneMost + 1> each_alone_;
    bool latest_each_alone_ = false;  // the latest pass has left all tokens' logits in VRAM
    // record_take()'s, of so many tokens from the first on; empty: to be recorded.
    std::array<std::optional<RecordedCommands>, kEachAloneMost + 1> takes_;
    const GpuPast* ahead_ = nullptr;  // whose tokens are in Buffers::ahead
    PassRunner runner_;
    std::uint64_t n_recordings_ = 0;
    bool notes_activity_ = false;  // the running pass is to be part of activity()
    RecordedCommands
        alone_;  // the latest that ran alone; after a failed wait it may still be running
    std::optional<RecordedCommands> fetch_;
    std::array<std::vector<Candidate>, kEachAloneMost> candidates_;
};

}  // namespace hearth::vulkan
