#include "vulkan/pass_recorder.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace hearth::vulkan {

// The first error is kept.
Result<RecordedPass> PassRecorder::record(const PassShape& shape, std::span<const Step> steps) {
    pass_.shape = shape;
    if (std::none_of(steps.begin(), steps.end(),
                     [](const Step& step) { return step.unit == Unit::Gpu; })) {
        return std::move(pass_);
    }
    open();
    LayerRecorder::Place place;
    if (shape.kind == PassKind::Uploaded) {
        uploader_->begin_recording();
        place = [this](const GpuMatrix& matrix, std::size_t slice) {
            close(0);
            open();
            const BufferView view = uploader_->place(matrix, slice);
            segment_.upload = uploader_->n_placed() - 1;
            uploader_->arrange(*recorder_);
            return view;
        };
    }
    layers_.begin(*recorder_, {shape.n_tokens, shape.each_alone}, std::move(place));
    layers_.read_step();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        int& n_points = pass_.n_points[static_cast<std::size_t>(steps[i].unit)];
        n_points = std::max(n_points, steps[i].signal);
        if (steps[i].unit == Unit::Gpu) {
            add(steps[i], steps.subspan(i + 1));
            pass_.ends.push_back(pass_.segments.size());
        }
    }
    HEARTH_ASSERT(!recorder_);  // the GPU's last step signals
    if (error_) {
        return std::move(*error_);
    }
    return std::move(pass_);
}

void PassRecorder::open() {
    recorder_.emplace(device_, timed_);
    layers_.go_on(*recorder_);
}

void PassRecorder::close(int signal) {
    segment_.signal = signal;
    auto recorded = recorder_->finish();
    if (recorded) {
        segment_.recorded = std::move(*recorded);
        pass_.segments.push_back(std::move(segment_));
    } else if (!error_) {
        error_ = std::move(recorded).error();
    }
    segment_ = {};
    recorder_.reset();
}

void PassRecorder::cut() {
    if (recorder_ && !recorder_->empty()) {
        close(0);
    }
}

void PassRecorder::add(const Step& step, std::span<const Step> rest) {
    if (step.wait > 0) {
        cut();
        segment_.wait = step.wait;
    }
    if (!recorder_) {
        open();
    }
    switch (step.op) {
        case Op::Embed:
            HEARTH_ASSERT(false);  // the processor's, always
            break;
        case Op::AttentionIn: {
            // A parallel layer leaves the block's input here, where its norm is.
            const auto out = std::find_if(rest.begin(), rest.end(), [](const Step& later) {
                return later.op == Op::AttentionOut;
            });
            if (step.wait > 0) {
                layers_.take_input();
            }
            layers_.attention_in(step.layer, step.signal > 0, out->signal > 0);
            break;
        }
        case Op::Attend:
            layers_.attend(step.layer);
            break;
        case Op::AttentionOut:
            layers_.attention_out(step.layer, step.wait > 0, step.signal > 0);
            break;
        case Op::FeedForward:
            layers_.neurons(step.layer);
            break;
        case Op::Sum:
            layers_.sum(step.layer, step.wait > 0);
            if (step.signal > 0) {
                layers_.update(true);
            }
            break;
        case Op::Head:
            if (step.wait > 0) {
                layers_.take_input();
            }
            add_head();
            break;
    }
    if (step.signal > 0) {
        close(step.signal);
    } else if (step.op == Op::Sum && pass_.shape.n_tokens > 1) {
        cut();  // no segment of a batch runs long enough for a watchdog
    }
}

void PassRecorder::add_head() {
    const auto& [kind, n_tokens, last_logits, each_alone] = pass_.shape;
    if (each_alone || (last_logits && n_tokens == 1)) {
        layers_.picked_output(0, n_tokens);
        return;
    }
    layers_.update(false);
    if (last_logits) {
        layers_.picked_output(n_tokens - 1, 1);
    }
}

}  // namespace hearth::vulkan
