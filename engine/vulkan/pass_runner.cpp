#include "vulkan/pass_runner.h"

#include <utility>
#include <vector>

#include "base/assert.h"

namespace hearth::vulkan {

Result<PassRunner> PassRunner::create(const std::shared_ptr<Device>& device,
                                      WeightUploader* uploader) {
    PassRunner made;
    made.device_ = device;
    made.uploader_ = uploader;
    for (Timeline* timeline : {&made.gpu_, &made.cpu_}) {
        auto created = Timeline::create(device);
        if (!created) {
            return std::move(created).error();
        }
        *timeline = std::move(*created);
    }
    return made;
}

Result<void> PassRunner::begin(const RecordedPass& pass, const Cancellation* cancellation) {
    HEARTH_ASSERT(!running());
    pass_ = &pass;
    signalled_ = 0;
    step_ = 0;
    next_ = 0;
    if (pass.shape.kind == PassKind::Uploaded) {
        uploader_->begin_pass();
        cancellation_ = cancellation;
        sent_ = 0;
        return {};
    }
    std::vector<Submission> submissions;
    submissions.reserve(pass.segments.size());
    for (const Segment& segment : pass.segments) {
        submissions.push_back(submission_of(segment));
    }
    next_ = pass.segments.size();
    return start_work(submissions);
}

// What was refused half way leaves others waiting for it: the device is of no more use.
Result<void> PassRunner::start_work(std::span<const Submission> submissions) {
    auto submitted = submit(*device_, submissions);
    if (!submitted) {
        Error error = std::move(submitted).error();
        error.code = ErrorCode::DeviceLost;
        return error;
    }
    return {};
}

Submission PassRunner::submission_of(const Segment& segment) {
    Submission submission{&segment.recorded, {}, {}};
    if (segment.wait > 0) {
        submission.wait = {&cpu_, cpu_base_ + static_cast<std::uint64_t>(segment.wait)};
    } else if (segment.upload >= 0) {
        submission.wait = uploader_->there(segment.upload);
    }
    if (segment.signal > 0) {
        submission.signal = {&gpu_, gpu_base_ + static_cast<std::uint64_t>(segment.signal)};
    }
    if (segment.upload >= 0) {
        submission.signal_too = uploader_->done_with(segment.upload);
    }
    return submission;
}

// Weights go ahead of what is multiplied with them as far as there are slots.
Result<void> PassRunner::run_step() {
    HEARTH_ASSERT(running() && step_ < pass_->ends.size());
    for (const std::size_t end = pass_->ends[step_++]; next_ < end; ++next_) {
        const Segment& segment = pass_->segments[next_];
        if (segment.upload >= sent_) {
            if (auto sent = send_next(); !sent) {
                return sent;
            }
        }
        const Submission submission = submission_of(segment);
        if (auto submitted = start_work({&submission, 1}); !submitted) {
            ++next_;
            return submitted;
        }
    }
    return {};
}

Result<void> PassRunner::send_next() {
    if (cancellation_ != nullptr && cancellation_->requested()) {
        return Error{ErrorCode::Cancelled, "cancelled"};
    }
    return uploader_->send(sent_++);
}

Result<void> PassRunner::wait(int point) {
    HEARTH_ASSERT(running());
    // The next ones, while the GPU is still at it.
    const bool uploads = pass_->shape.kind == PassKind::Uploaded;
    for (int ahead = 0; uploads && ahead < 2 && sent_ < uploader_->n_placed(); ++ahead) {
        if (auto sent = send_next(); !sent) {
            return sent;
        }
    }
    return gpu_.wait(gpu_base_ + static_cast<std::uint64_t>(point), kPatienceSeconds);
}

Result<void> PassRunner::signal(int point) {
    HEARTH_ASSERT(running() && point == signalled_ + 1);
    signalled_ = point;
    return cpu_.signal(cpu_base_ + static_cast<std::uint64_t>(point));
}

Result<PassRunner::End> PassRunner::end() {
    HEARTH_ASSERT(running());
    const RecordedPass& pass = *pass_;
    const auto [cpu_points, gpu_points] = pass.n_points;
    const End end{next_ == pass.segments.size(), signalled_ == cpu_points};
    pass_ = nullptr;
    gpu_base_ += static_cast<std::uint64_t>(gpu_points);
    // One by one: Khronos' layer takes values that were passed over for ones still to come.
    for (cpu_base_ += static_cast<std::uint64_t>(signalled_); signalled_ < cpu_points;
         ++signalled_) {
        if (auto signalled = cpu_.signal(++cpu_base_); !signalled) {
            return std::move(signalled).error();
        }
    }
    if (!end.submitted) {
        const Submission last{nullptr, {}, {&gpu_, gpu_base_}};
        if (auto submitted = submit(*device_, {&last, 1}); !submitted) {
            return std::move(submitted).error();
        }
    }
    if (auto waited = gpu_.wait(gpu_base_, kPatienceSeconds); !waited) {
        return std::move(waited).error();
    }
    if (pass.shape.kind == PassKind::Uploaded) {
        if (auto copied = uploader_->finish(); !copied) {
            return std::move(copied).error();
        }
    }
    return end;
}

Result<void> PassRunner::run_alone(const RecordedCommands& recorded) {
    HEARTH_ASSERT(!running());
    const Submission submission{&recorded, {}, {&gpu_, ++gpu_base_}};
    if (auto submitted = submit(*device_, {&submission, 1}); !submitted) {
        return submitted;
    }
    return gpu_.wait(gpu_base_, kPatienceSeconds);
}

}  // namespace hearth::vulkan
