// Submits recorded passes and keeps the two timelines on which the units wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <hearth/cancellation.h>
#include <hearth/result.h>

#include "vulkan/pass_recorder.h"
#include "vulkan/recorded_commands.h"
#include "vulkan/weight_uploader.h"

namespace hearth::vulkan {

// The segments of a pass are submitted ahead when it begins and wait for the processor's points, so
// that no layer waits for a submission. Those of a pass whose weights are uploaded are submitted
// step by step, each when the weights that it needs are on their way.
class PassRunner {
public:
    // uploader: null where no weights are uploaded.
    static Result<PassRunner> create(const std::shared_ptr<Device>& device,
                                     WeightUploader* uploader);

    bool running() const { return pass_ != nullptr; }
    const RecordedPass& pass() const { return *pass_; }
    // The pass must outlive its end().
    Result<void> begin(const RecordedPass& pass, const Cancellation* cancellation);
    // The next step of the pass that is the GPU's.
    Result<void> run_step();
    Result<void> wait(int point);
    Result<void> signal(int point);

    // Waits until the GPU has ended. Signals what the processor had not signalled, so that the GPU
    // does not wait for ever.
    struct End {
        bool submitted = false;  // all of the pass
        bool signalled = false;  // all of the processor's points: what was computed has a meaning
    };
    Result<End> end();

    // Between passes; its end is waited for.
    Result<void> run_alone(const RecordedCommands& recorded);

private:
    Submission submission_of(const Segment& segment);
    Result<void> start_work(std::span<const Submission> submissions);
    Result<void> send_next();

    std::shared_ptr<Device> device_;
    WeightUploader* uploader_ = nullptr;
    Timeline gpu_, cpu_;  // a unit's points of the running pass, counted from these values:
    std::uint64_t gpu_base_ = 0;
    std::uint64_t cpu_base_ = 0;
    const RecordedPass* pass_ = nullptr;          // that is running
    const Cancellation* cancellation_ = nullptr;  // of a pass whose weights are uploaded
    int signalled_ = 0;                           // the processor's latest point
    std::size_t step_ = 0;                        // that comes next, of the GPU's
    std::size_t next_ = 0;                        // segment to submit
    int sent_ = 0;                                // uploaded slices
};

}  // namespace hearth::vulkan
