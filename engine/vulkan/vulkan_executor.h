// The GPU's part of a plan, computed in Vulkan compute shaders.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "compute/accelerator.h"
#include "model/rope.h"
#include "vulkan/buffers.h"
#include "vulkan/gpu_weights.h"
#include "vulkan/layer_recorder.h"

namespace hearth::vulkan {

// A token's commands are recorded once and replayed; a batch's are recorded anew when its size
// changes. They are submitted together and wait on timeline semaphores where the walk meets the
// processor, so that no submission stands in the way of a layer.
class VulkanExecutor final : public Accelerator {
public:
    explicit VulkanExecutor(std::shared_ptr<Device> device);
    ~VulkanExecutor() override;

    std::string_view name() const override { return name_; }
    Result<void> load(const PlanSlice& slice, ThreadPool& pool, LoadMonitor& monitor) override;
    float* input() override { return buffers_.input.as<float>(); }
    const float* published() const override { return buffers_.published.as<float>(); }
    float* partial() override { return buffers_.partial.as<float>(); }
    const float* scores(int layer) const override;
    float* logits() override { return buffers_.logits.as<float>(); }
    Result<void> start(const PassTask& task) override;
    Result<void> take() override;
    Result<void> give() override;
    Result<void> finish() override;
    Result<void> output_rows(int first, int count) override;
    void count_token() override;
    Result<void> collect_firing(SelfProfile& profile) override;
    std::uint64_t decode_weight_bytes() const override;
    std::uint64_t bus_bytes_per_token() const override;
    MemoryBytes held() const override { return held_; }
    std::uint64_t driver_bytes() const override { return device_->used_bytes(); }
    void set_tracing(bool on) override;
    std::vector<TraceLine> trace() const override;

    const Device& device() const { return *device_; }

private:
    // Commands between two meetings, and which of them it begins and ends with.
    struct Segment {
        Program program;
        bool waits = false;    // for the processor's next announcement
        bool signals = false;  // that published() is there
    };
    struct Pass {
        int n_tokens = 0;
        bool last_logits = false;
        bool recorded = false;
        std::vector<Segment> segments;
    };

    Result<void> record(int n_tokens, bool last_logits, Pass& pass);
    Result<void> run_alone(Recorder& recorder);
    void write_step(const PassTask& task);
    Result<void> read_trace(const Pass& pass);

    std::shared_ptr<Device> device_;
    std::string name_;
    ModelSpec spec_;
    GpuPart part_;
    int n_ctx_ = 0;
    int n_batch_ = 0;
    Rope rope_;
    std::unique_ptr<Pipelines> pipelines_;
    GpuWeights weights_;
    Buffers buffers_;
    std::unique_ptr<LayerRecorder> layers_;
    MemoryBytes held_;
    bool tracing_ = false;
    Trace trace_;

    Pass token_;
    Pass batch_;
    Program alone_;  // the latest of run_alone(): when a wait for it failed it may still run
    const Pass* running_ = nullptr;
    std::uint64_t counted_tokens_ = 0;  // of what collect_firing() did not have yet
    bool latest_counts_ = false;        // the token that the GPU noted last is one of them
    Timeline gpu_;                      // raised by the GPU at a Take and at the end of a pass
    Timeline cpu_;                      // raised by the processor at a Give and a Join
    std::uint64_t gpu_reached_ = 0;     // the latest value waited for
    std::uint64_t gpu_submitted_ = 0;   // the value of what was submitted last
    std::uint64_t cpu_announced_ = 0;
    std::uint64_t cpu_awaited_ = 0;  // the highest value a submission waits for
};

}  // namespace hearth::vulkan
