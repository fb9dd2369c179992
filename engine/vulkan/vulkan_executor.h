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

#include "compute/accelerator.h"
#include "model/rope.h"
#include "vulkan/buffers.h"
#include "vulkan/gpu_weights.h"
#include "vulkan/layer_recorder.h"
#include "vulkan/past_arena.h"
#include "vulkan/weight_stream.h"

namespace hearth::vulkan {

// The commands of a token are recorded once and replayed. Those of a batch are recorded anew when
// its size changes. All segments are submitted ahead and wait on timeline semaphores where the walk
// meets the processor, so that no layer waits for a submission. The segments of a streamed batch
// are submitted one by one, each when the weights that it borrows are on their way.
class VulkanExecutor final : public Accelerator {
public:
    explicit VulkanExecutor(std::shared_ptr<Device> device);
    ~VulkanExecutor() override;

    std::string_view name() const override { return name_; }
    Result<void> load(const PlanSlice& slice, const WeightLender* lender, ThreadPool& pool,
                      LoadMonitor& monitor) override;
    Result<std::unique_ptr<GpuPast>> make_past() override { return pasts_.make_past(); }
    float* input() override { return buffers_.input.as<float>(); }
    const float* published() const override { return buffers_.published.as<float>(); }
    float* partial() override { return buffers_.partial.as<float>(); }
    SharedHeads heads() override;
    const float* scores(int layer) const override;
    float* logits() override { return buffers_.logits.as<float>(); }
    std::span<const Candidate> candidates() const override { return candidates_; }
    Result<void> start(const PassTask& task) override;
    Result<void> take() override;
    Result<void> give() override;
    Result<void> finish() override;
    Result<void> fetch_logits() override;
    Result<void> output_rows(int first, int count) override;
    void count_token() override;
    Result<void> collect_firing(SelfProfile& profile) override;
    Result<std::vector<LayerActivity>> activity() override;
    void reset_activity() override;
    std::uint64_t decode_weight_bytes() const override;
    std::uint64_t decode_weight_bytes(std::span<const LayerActivity> activity) const override;
    std::uint64_t bus_bytes_per_token() const override;
    MemoryBytes held() const override { return held_; }
    std::uint64_t driver_bytes() const override { return device_->used_bytes(); }
    void set_tracing(bool on) override;
    std::vector<TraceLine> trace() const override;

    const Device& device() const { return *device_; }
    // Passes that were recorded since the executor was made.
    std::uint64_t n_recordings() const { return n_recordings_; }
    // Bytes of borrowed weights that were sent since load().
    std::uint64_t streamed_bytes() const { return stream_ ? stream_->sent_bytes() : 0; }

private:
    // The commands between two meetings, and the kinds of meeting before and after them.
    struct Segment {
        Program program;
        bool waits = false;    // for the processor's next announcement
        bool signals = false;  // tells the processor that published() or heads() is ready
        int item = -1;         // the borrowed slice that must be there first; -1: none
    };
    struct Pass {
        int n_tokens = 0;
        bool last_logits = false;
        bool streamed = false;
        bool recorded = false;
        std::vector<Segment> segments;
    };
    class Recording;

    Result<void> record(const PassTask& task, Pass& pass);
    Submission submission_of(const Segment& segment, bool last);
    Result<void> start_work(std::span<const Submission> submissions);
    Result<void> advance();
    Result<void> send_next();
    Result<void> run_alone(Recorder& recorder);
    Result<void> run_alone(const Program& program);
    Result<void> read_candidates();
    FeedForwardMode path_of(const GpuLayer& layer) const;
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
    PastArena pasts_;
    std::unique_ptr<WeightStream> stream_;  // null: the plan streams nothing
    std::unique_ptr<LayerRecorder> layers_;
    MemoryBytes held_;
    bool tracing_ = false;
    Trace trace_;

    std::uint64_t n_recordings_ = 0;
    Pass token_;
    Pass batch_;
    Program alone_;  // the latest that ran alone; after a failed wait it may still be running
    std::optional<Program> fetch_;
    std::vector<Candidate> candidates_;
    const Pass* running_ = nullptr;
    const Cancellation* cancellation_ = nullptr;  // of a streamed pass
    std::size_t next_ = 0;                        // segment of a streamed pass to submit
    int sent_ = 0;                                // items of it
    std::uint64_t counted_tokens_ = 0;            // of what collect_firing() did not have yet
    bool latest_counts_ = false;  // the token that the GPU noted last is one of them
    FeedForwardMode mode_ = FeedForwardMode::Dense;
    bool notes_activity_ = false;        // the running pass is to be part of activity()
    std::uint64_t activity_tokens_ = 0;  // that are
    bool latest_is_active_ = false;      // the token that the GPU noted last is one of these
    Timeline gpu_;                       // raised by the GPU at a Take and at the end of a pass
    Timeline cpu_;                       // raised by the processor at a Give and a Join
    std::uint64_t gpu_reached_ = 0;      // the latest value waited for
    std::uint64_t gpu_submitted_ = 0;    // the value of what was submitted last
    std::uint64_t cpu_announced_ = 0;
    std::uint64_t cpu_awaited_ = 0;  // the highest value a submission waits for
};

}  // namespace hearth::vulkan
