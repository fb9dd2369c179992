#include "vulkan/vulkan_executor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/assert.h"
#include "gguf/finite.h"
#include "gguf/rows.h"
#include "include/params.h"

namespace hearth::vulkan {

VulkanExecutor::VulkanExecutor(std::shared_ptr<Device> device)
    : device_(std::move(device)), name_("vulkan/" + device_->physical().info.name) {}

VulkanExecutor::~VulkanExecutor() {
    if (running_ != nullptr) {
        // Nothing is left to tell: what is being destroyed must not be running.
        [[maybe_unused]] const auto finished = finish();
    }
    [[maybe_unused]] const auto idle = device_->wait_idle();
}

Result<void> VulkanExecutor::load(const PlanSlice& slice, const WeightLender* lender,
                                  ThreadPool& pool, LoadMonitor& monitor) {
    spec_ = slice.spec;
    part_ = slice.plan;
    n_ctx_ = slice.plan.n_ctx;
    n_batch_ = slice.plan.n_batch;
    mode_ = slice.plan.mode;
    for (int layer = 0; layer < spec_.n_layer(); ++layer) {
        HEARTH_ASSERT(part_.hot(layer) == 0 || part_.has_attention(layer));
    }
    if (std::string why = why_not_on_gpu(spec_, slice.tensors); !why.empty()) {
        return Error{ErrorCode::Unsupported, "this model does not run on a GPU: " + why};
    }
    std::vector<float> factors;
    if (const Weight& weight = slice.tensors[Role::RopeFreqs]; weight.present()) {
        std::vector<std::byte> raw(weight.bytes());
        if (auto read = slice.file.file().read_at(weight.in_file(), raw); !read) {
            return read;
        }
        factors.resize(static_cast<std::size_t>(weight.values()));
        dequantize_row(weight.type, raw.data(), factors);
        if (!all_finite(factors)) {
            return not_finite(weight.tensor->name, "value", factors);
        }
    }
    rope_ = Rope(spec_.layers.front().rope, factors);
    pipelines_ = std::make_unique<Pipelines>(device_);
    if (auto counted = slice.ledger.count(Purpose::Scratch, Buffers::host_bytes(spec_, n_batch_),
                                          "memory shared with the GPU");
        !counted) {
        return counted;
    }
    auto pasts = PastArena::create(device_, spec_, slice.plan);
    if (!pasts) {
        return std::move(pasts).error();
    }
    pasts_ = std::move(*pasts);
    auto buffers = Buffers::create(device_, spec_, n_batch_, slice.tensors.predictor_width(),
                                   slice.plan.counts_firing);
    if (!buffers) {
        return std::move(buffers).error();
    }
    buffers_ = std::move(*buffers);
    auto weights = GpuWeights::load(slice, device_, *pipelines_, pool, monitor);
    if (!weights) {
        return std::move(weights).error();
    }
    weights_ = std::move(*weights);
    held_ = {weights_.bytes(), pasts_.bytes(), buffers_.scratch_held_bytes()};
    if (const std::uint64_t slot = slice.plan.streaming.slot_bytes; slot > 0) {
        HEARTH_ASSERT(lender != nullptr);
        if (auto counted = slice.ledger.count(Purpose::Scratch,
                                              WeightStream::host_bytes(spec_, n_batch_, slot),
                                              "weights on their way to the GPU");
            !counted) {
            return counted;
        }
        auto stream = WeightStream::create(device_, slice, *lender, pool, *pipelines_);
        if (!stream) {
            return std::move(stream).error();
        }
        stream_ = std::move(*stream);
        held_.scratch += stream_->held_bytes();
    }
    auto upload = Upload::create(device_, *pipelines_);
    if (!upload) {
        return std::move(upload).error();
    }
    if (auto cleared = upload->clear(buffers_.attention_done); !cleared) {
        return cleared;
    }
    if (auto finished = upload->finish(); !finished) {
        return finished;
    }
    for (Timeline* timeline : {&gpu_, &cpu_}) {
        auto made = Timeline::create(device_);
        if (!made) {
            return std::move(made).error();
        }
        *timeline = std::move(*made);
    }
    layers_ = std::make_unique<LayerRecorder>(
        *device_, LayerRecorder::Model{spec_, weights_, buffers_, pasts_, stream_.get(),
                                       slice.plan.mode, slice.tensors.predictor_input,
                                       slice.tensors.predictor_linear, n_ctx_});
    // Shaders are compiled now, not while an answer is waited for.
    return record({.n_tokens = 1, .last_logits = part_.output_in_vram}, token_);
}

// The segments of a pass, one between two meetings, as walk_of() or streamed_walk_of() has them;
// of a batch also one a layer, so that none runs long enough for a watchdog, and one for each slice
// that is borrowed. The first error is kept.
class VulkanExecutor::Recording {
public:
    Recording(VulkanExecutor& self, const PassTask& task, Pass& pass)
        : self_(self), layers_(*self.layers_), pass_(pass), task_(task) {}

    Result<void> run() {
        pass_.recorded = false;
        pass_.segments.clear();
        pass_.n_tokens = task_.n_tokens;
        pass_.last_logits = task_.last_logits;
        pass_.streamed = task_.streamed;
        open();
        if (task_.streamed) {
            self_.stream_->begin_recording();
            layers_.begin(*recorder_, task_.n_tokens,
                          [&](const GpuMatrix& matrix, std::size_t slice) {
                              close(false, false);
                              const BufferView view = self_.stream_->place(matrix, slice);
                              segment_.item = self_.stream_->n_placed() - 1;
                              return view;
                          });
        } else {
            layers_.begin(*recorder_, task_.n_tokens);
        }
        layers_.read_step();
        for (int layer = 0; layer < self_.spec_.n_layer(); ++layer) {
            if (task_.streamed) {
                streamed_layer(layer);
            } else {
                this->layer(layer);
            }
        }
        output();
        finish_segment();
        if (error_) {
            return std::move(*error_);
        }
        pass_.recorded = true;
        return {};
    }

private:
    void open() { recorder_.emplace(self_.device_, *self_.pipelines_, self_.tracing_); }

    void finish_segment() {
        auto program = recorder_->finish();
        if (!program && !error_) {
            error_ = std::move(program).error();
        } else if (program) {
            segment_.program = std::move(*program);
            pass_.segments.push_back(std::move(segment_));
        }
        segment_ = {};
    }

    void close(bool signals, bool next_waits) {
        segment_.signals = signals;
        finish_segment();
        segment_.waits = next_waits;
        open();
        layers_.go_on(*recorder_);
    }

    void give() {
        if (!on_gpu_) {
            on_gpu_ = true;
            layers_.take_input();
            close(false, true);
        }
    }

    void layer(int layer) {
        const LayerSpec& spec = self_.spec_.layer(layer);
        if (!self_.part_.has_attention(layer)) {
            if (on_gpu_) {
                layers_.update(true);
                close(true, false);
                on_gpu_ = false;
            }
            return;
        }
        give();
        const bool cold = self_.part_.hot(layer) < spec.n_ff;
        layers_.attention(layer, is_parallel(spec.norms) && cold);
        layers_.begin_feed_forward(layer, cold);
        layers_.predict(layer);
        if (cold) {
            close(true, false);
        }
        layers_.neurons(layer);
        if (cold) {
            close(false, true);
            layers_.join_partial();
        } else if (task_.n_tokens > 1) {
            close(false, false);
        }
    }

    void streamed_layer(int layer) {
        give();
        if (self_.part_.has_attention(layer)) {
            layers_.attention(layer, false);
        } else {
            layers_.queries_for_heads(layer);
            close(true, true);
            layers_.output_of_heads(layer);
        }
        layers_.begin_feed_forward(layer, false);
        layers_.neurons(layer);
        close(false, false);
    }

    void output() {
        if (self_.part_.output_in_vram) {
            give();
            if (task_.last_logits && task_.n_tokens == 1) {
                layers_.last_output(0, true);
            } else {
                layers_.update(false);
                if (task_.last_logits) {
                    layers_.last_output(task_.n_tokens - 1, false);
                }
            }
        } else if (on_gpu_) {
            layers_.update(true);
            close(true, false);
        }
    }

    VulkanExecutor& self_;
    LayerRecorder& layers_;
    Pass& pass_;
    PassTask task_;
    std::optional<Recorder> recorder_;
    Segment segment_;  // being recorded
    bool on_gpu_ = false;
    std::optional<Error> error_;
};

Result<void> VulkanExecutor::record(const PassTask& task, Pass& pass) {
    ++n_recordings_;
    return Recording(*this, task, pass).run();
}

SharedHeads VulkanExecutor::heads() {
    return {stream_->q().as<float>(), stream_->k().as<float>(), stream_->v().as<float>(),
            stream_->attended().as<float>()};
}

const float* VulkanExecutor::scores(int layer) const {
    const GpuLayer& held = weights_.layers[static_cast<std::size_t>(layer)];
    return held[Role::PredictorFc2].present() && running_ == &token_ ? buffers_.scores.as<float>()
                                                                     : nullptr;
}

void VulkanExecutor::write_step(const PassTask& task) {
    std::byte* step = buffers_.host_step.mapped;
    const auto position = static_cast<std::uint32_t>(task.position);
    std::memcpy(step, &position, sizeof position);
    if (task.n_tokens == 1) {
        const auto fate_of_latest = [](std::uint64_t n_counted, bool latest) -> std::uint32_t {
            return n_counted == 0 ? COUNTING_BEGIN : latest ? COUNTING_KEEP : COUNTING_DROP;
        };
        const std::array fates{fate_of_latest(counted_tokens_, latest_counts_),
                               fate_of_latest(activity_tokens_, latest_is_active_)};
        std::memcpy(step + sizeof position, fates.data(), sizeof fates);
        latest_counts_ = false;
        latest_is_active_ = false;
    }
    const std::span<const std::uint32_t> past_at = pasts_.offsets(*task.past->gpu);
    std::memcpy(step + STEP_PAST_AT * sizeof(std::uint32_t), past_at.data(), past_at.size_bytes());
    auto* angles = buffers_.host_angles.as<float>();
    for (int t = 0; t < task.n_tokens && rope_.n_pairs() > 0; ++t) {
        rope_.angles(task.position + t, angles + t * 2 * rope_.n_pairs());
    }
}

Result<void> VulkanExecutor::start(const PassTask& asked) {
    HEARTH_ASSERT(running_ == nullptr && asked.n_tokens > 0 && asked.n_tokens <= n_batch_);
    HEARTH_ASSERT(asked.past != nullptr && asked.past->gpu != nullptr);
    HEARTH_ASSERT(!asked.streamed || (stream_ != nullptr && asked.n_tokens > 1));
    PassTask task = asked;
    task.last_logits = task.last_logits && part_.output_in_vram;
    Pass& pass = task.n_tokens == 1 ? token_ : batch_;
    if (!pass.recorded || pass.n_tokens != task.n_tokens || pass.last_logits != task.last_logits ||
        pass.streamed != task.streamed) {
        if (auto recorded = record(task, pass); !recorded) {
            return recorded;
        }
    }
    write_step(task);
    running_ = &pass;
    notes_activity_ = task.counts && task.n_tokens == 1;
    if (task.streamed) {
        stream_->begin_pass();
        cancellation_ = task.cancellation;
        next_ = 0;
        sent_ = 0;
        return {};
    }
    std::vector<Submission> submissions;
    submissions.reserve(pass.segments.size());
    for (const Segment& segment : pass.segments) {
        submissions.push_back(submission_of(segment, &segment == &pass.segments.back()));
    }
    return start_work(submissions);
}

// What was refused half way leaves others waiting for it: the device is of no more use.
Result<void> VulkanExecutor::start_work(std::span<const Submission> submissions) {
    auto submitted = submit(*device_, submissions);
    if (!submitted) {
        Error error = std::move(submitted).error();
        error.code = ErrorCode::DeviceLost;
        return error;
    }
    return {};
}

Submission VulkanExecutor::submission_of(const Segment& segment, bool last) {
    Submission submission{&segment.program, {}, {}};
    if (segment.waits) {
        submission.wait = {&cpu_, ++cpu_awaited_};
    } else if (segment.item >= 0) {
        submission.wait = stream_->there(segment.item);
    }
    if (segment.signals || last) {
        submission.signal = {&gpu_, ++gpu_submitted_};
    }
    if (segment.item >= 0) {
        submission.signal_too = stream_->done_with(segment.item);
    }
    return submission;
}

// Submits the segments of a streamed pass up to the next Take. Weights go ahead of what is
// multiplied with them as far as there are slots.
Result<void> VulkanExecutor::advance() {
    const std::vector<Segment>& segments = running_->segments;
    while (next_ < segments.size()) {
        const Segment& segment = segments[next_];
        if (segment.item >= sent_) {
            if (auto sent = send_next(); !sent) {
                return sent;
            }
        }
        const Submission submission = submission_of(segment, next_ + 1 == segments.size());
        ++next_;
        if (auto submitted = start_work({&submission, 1}); !submitted) {
            return submitted;
        }
        if (segment.signals) {
            break;
        }
    }
    return {};
}

Result<void> VulkanExecutor::send_next() {
    if (cancellation_ != nullptr && cancellation_->requested()) {
        return Error{ErrorCode::Cancelled, "cancelled"};
    }
    return stream_->send(sent_++);
}

Result<void> VulkanExecutor::take() {
    HEARTH_ASSERT(running_ != nullptr);
    if (running_->streamed) {
        auto advanced = advance();
        // The next ones, while the GPU is still at it.
        for (int ahead = 0; advanced && ahead < 2 && sent_ < stream_->n_placed(); ++ahead) {
            advanced = send_next();
        }
        if (!advanced) {
            return advanced;
        }
    }
    HEARTH_ASSERT(gpu_reached_ < gpu_submitted_);
    return gpu_.wait(++gpu_reached_, kPatienceSeconds);
}

Result<void> VulkanExecutor::give() {
    HEARTH_ASSERT(running_ != nullptr && (running_->streamed || cpu_announced_ < cpu_awaited_));
    return cpu_.signal(++cpu_announced_);
}

Result<void> VulkanExecutor::finish() {
    if (running_ == nullptr) {
        return {};
    }
    const Pass& pass = *running_;
    running_ = nullptr;
    const bool whole = !pass.streamed || next_ == pass.segments.size();
    // What the processor gave up half way was computed from nothing.
    const bool announced = cpu_announced_ == cpu_awaited_;
    // One by one: Khronos' layer takes values that were passed over for ones still to come.
    while (cpu_announced_ < cpu_awaited_) {
        if (auto signalled = cpu_.signal(++cpu_announced_); !signalled) {
            return signalled;
        }
    }
    cpu_awaited_ = cpu_announced_;  // ahead where what would have waited was not submitted
    if (!whole) {
        const Submission end{nullptr, {}, {&gpu_, ++gpu_submitted_}};
        if (auto submitted = submit(*device_, {&end, 1}); !submitted) {
            return submitted;
        }
    }
    gpu_reached_ = gpu_submitted_;
    if (auto waited = gpu_.wait(gpu_submitted_, kPatienceSeconds); !waited) {
        return waited;
    }
    if (notes_activity_ && announced) {
        latest_is_active_ = true;
        ++activity_tokens_;
    }
    if (auto copied = pass.streamed ? stream_->finish() : Result<void>{}; !copied) {
        return copied;
    }
    if (auto read = pass.last_logits && whole ? read_candidates() : Result<void>{}; !read) {
        return read;
    }
    return tracing_ && whole ? read_trace(pass) : Result<void>{};
}

Result<void> VulkanExecutor::read_trace(const Pass& pass) {
    for (const Segment& segment : pass.segments) {
        if (auto read = segment.program.read_timestamps(trace_); !read) {
            return read;
        }
    }
    return {};
}

Result<void> VulkanExecutor::output_rows(int first, int count) {
    HEARTH_ASSERT(running_ == nullptr && part_.output_in_vram && count <= kLogitRows);
    Recorder recorder(device_, *pipelines_, tracing_);
    layers_->begin(recorder, 1);
    layers_->output(first, count);
    if (auto run = run_alone(recorder); !run) {
        return run;
    }
    return alone_.read_timestamps(trace_);
}

// Between passes; its end is waited for.
Result<void> VulkanExecutor::run_alone(Recorder& recorder) {
    auto program = recorder.finish();
    if (!program) {
        return std::move(program).error();
    }
    alone_ = std::move(*program);
    return run_alone(alone_);
}

Result<void> VulkanExecutor::run_alone(const Program& program) {
    const Submission submission{&program, {}, {&gpu_, ++gpu_submitted_}};
    if (auto submitted = submit(*device_, {&submission, 1}); !submitted) {
        return submitted;
    }
    gpu_reached_ = gpu_submitted_;
    return gpu_.wait(gpu_submitted_, kPatienceSeconds);
}

// A driver that computes nonsense must not make the sampler read behind an end.
Result<void> VulkanExecutor::read_candidates() {
    const std::span<const Candidate> seen(buffers_.candidates.as<const Candidate>(), kCandidates);
    candidates_.clear();
    const Candidate& bad = buffers_.candidates.as<const Candidate>()[kCandidates];
    if (bad.token != -1) {
        return not_finite("logits", "token", {&bad.logit, 1},
                          static_cast<std::uint64_t>(bad.token));
    }
    for (const Candidate& one : seen) {
        if (one.token == -1) {
            break;
        }
        if (one.token < 0 || one.token >= spec_.n_vocab || std::isnan(one.logit) ||
            !(candidates_.empty() || better(candidates_.back(), one))) {
            candidates_.clear();
            return Error{ErrorCode::Internal, "the GPU names token " + std::to_string(one.token) +
                                                  " where none or a lesser one belongs"};
        }
        candidates_.push_back(one);
    }
    return {};
}

Result<void> VulkanExecutor::fetch_logits() {
    HEARTH_ASSERT(running_ == nullptr && part_.output_in_vram);
    if (!fetch_) {
        Recorder recorder(device_, *pipelines_, false);
        recorder.copy(
            buffers_.last_logits.part(0, static_cast<std::uint64_t>(spec_.n_vocab) * sizeof(float)),
            buffers_.logits);
        auto program = recorder.finish();
        if (!program) {
            return std::move(program).error();
        }
        fetch_ = std::move(*program);
    }
    return run_alone(*fetch_);
}

void VulkanExecutor::count_token() {
    HEARTH_ASSERT(running_ == nullptr && !buffers_.fired.empty() && !latest_counts_);
    latest_counts_ = true;
    ++counted_tokens_;
}

// Layer by layer through memory that only a pass uses. What was read is left on the GPU: the next
// token begins there at 0.
Result<void> VulkanExecutor::collect_firing(SelfProfile& profile) {
    if (counted_tokens_ == 0) {
        return {};
    }
    // A pass whose start failed may have been left behind.
    if (auto ended = finish(); !ended) {
        return ended;
    }
    std::vector<std::vector<std::uint32_t>> counts(weights_.layers.size());
    for (std::size_t l = 0; l < counts.size(); ++l) {
        const auto n = static_cast<std::size_t>(weights_.layers[l].n_neurons);
        if (n == 0) {
            continue;
        }
        Recorder recorder(device_, *pipelines_, false);
        recorder.copy(buffers_.fired[l].part(0, n * sizeof(std::uint32_t)), buffers_.scores);
        if (auto run = run_alone(recorder); !run) {
            return run;
        }
        const auto* words = buffers_.scores.as<const std::uint32_t>();
        for (std::size_t i = 0; i < n; ++i) {
            counts[l].push_back((words[i] >> 1) + (latest_counts_ ? words[i] & 1 : 0));
            if (counts[l].back() > counted_tokens_) {
                return Error{ErrorCode::Internal,
                             "the GPU says that a neuron of layer " + std::to_string(l) +
                                 " fired " + std::to_string(counts[l].back()) + " times in " +
                                 std::to_string(counted_tokens_) + " tokens"};
            }
        }
    }
    for (std::size_t l = 0; l < counts.size(); ++l) {
        const std::span<const int> order = part_.order(static_cast<int>(l));
        const std::span<std::uint32_t> fired = profile.fired(static_cast<int>(l));
        for (std::size_t i = 0; i < counts[l].size(); ++i) {
            fired[order.empty() ? i : static_cast<std::size_t>(order[i])] += counts[l][i];
        }
    }
    counted_tokens_ = 0;
    latest_counts_ = false;
    return {};
}

FeedForwardMode VulkanExecutor::path_of(const GpuLayer& layer) const {
    if (!is_sparse(spec_.activation()) || mode_ == FeedForwardMode::Dense) {
        return FeedForwardMode::Dense;
    }
    return layer[Role::PredictorFc1].present() ? FeedForwardMode::Predicted
                                               : FeedForwardMode::Exact;
}

void VulkanExecutor::reset_activity() {
    activity_tokens_ = 0;
    latest_is_active_ = false;
}

// Through memory that only a pass uses, as collect_firing() does.
Result<std::vector<LayerActivity>> VulkanExecutor::activity() {
    if (auto ended = finish(); !ended) {
        return std::move(ended).error();
    }
    std::vector<LayerActivity> layers(weights_.layers.size());
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const GpuLayer& held = weights_.layers[l];
        const auto n = static_cast<std::uint64_t>(held.n_neurons);
        LayerActivity& seen = layers[l];
        seen.path = path_of(held);
        if (n == 0 || activity_tokens_ == 0) {
            continue;
        }
        const std::uint64_t n_groups = (n + kBlockColumns - 1) / kBlockColumns;
        Recorder recorder(device_, *pipelines_, false);
        recorder.copy(buffers_.noted[l].part(0, n_groups * 4 * sizeof(std::uint32_t)),
                      buffers_.scores);
        if (auto run = run_alone(recorder); !run) {
            return std::move(run).error();
        }
        const auto* words = buffers_.scores.as<const std::uint32_t>();
        std::array<std::uint64_t, 3> sums{};
        for (std::uint64_t group = 0; group < n_groups; ++group) {
            const std::uint32_t latest = latest_is_active_ ? words[4 * group + 3] : 0;
            for (std::size_t k = 0; k < sums.size(); ++k) {
                sums[k] += words[4 * group + k] + (latest >> (8 * k) & 0xFF);
            }
        }
        const auto [examined, opened, fired] = sums;
        if (examined > n * activity_tokens_ || opened > examined || fired > opened) {
            return Error{ErrorCode::Internal, "the GPU says that of " + std::to_string(n) +
                                                  " neurons of layer " + std::to_string(l) +
                                                  " it computed " + std::to_string(examined) +
                                                  " gates, " + std::to_string(opened) + " open, " +
                                                  std::to_string(fired) + " firing, in " +
                                                  std::to_string(activity_tokens_) + " tokens"};
        }
        seen.passed = activity_tokens_;
        seen.down_rows = held.down_by_neuron ? fired : 0;
        if (seen.path == FeedForwardMode::Dense) {
            seen.computed = n * activity_tokens_;
            continue;
        }
        seen.tokens = activity_tokens_;
        seen.neurons = n * activity_tokens_;
        seen.examined = examined;
        // Without a gate, a neuron is open where up is.
        seen.opened = is_gated(spec_.activation()) ? opened : fired;
        seen.fired = fired;
        seen.computed = seen.opened;
    }
    return layers;
}

std::uint64_t VulkanExecutor::decode_weight_bytes() const {
    const std::vector<LayerActivity> none(weights_.layers.size());
    return decode_weight_bytes(none);
}

std::uint64_t VulkanExecutor::decode_weight_bytes(std::span<const LayerActivity> activity) const {
    const auto whole = [](const GpuMatrix& matrix) { return matrix.rows * matrix.row_bytes(); };
    const bool gated = is_gated(spec_.activation());
    std::uint64_t bytes = whole(weights_.matrices[Role::Output]);
    double rows = 0;
    for (std::size_t l = 0; l < weights_.layers.size(); ++l) {
        const GpuLayer& layer = weights_.layers[l];
        const LayerActivity& seen = activity[l];
        // Whatever fires, all of these are read.
        for (const RoleRow& row : layer_roles()) {
            const bool by_neuron =
                row.role == Role::Up || (row.role == Role::Down && layer.down_by_neuron);
            bytes += by_neuron && seen.passed > 0 ? 0 : whole(layer[row.role]);
        }
        if (seen.passed == 0) {
            continue;
        }
        const auto per_token = [&](std::uint64_t count, const GpuMatrix& matrix) {
            return static_cast<double>(count * matrix.row_bytes()) /
                   static_cast<double>(seen.passed);
        };
        if (seen.path == FeedForwardMode::Dense) {
            bytes += whole(layer[Role::Up]);
        } else {
            const bool apart = layer[Role::Gate].present();
            rows +=
                per_token((apart ? 0 : seen.examined) + (gated ? seen.opened : 0), layer[Role::Up]);
        }
        if (layer.down_by_neuron) {
            rows += per_token(seen.down_rows, layer[Role::Down]);
        }
    }
    return bytes + static_cast<std::uint64_t>(std::llround(rows));
}

std::uint64_t VulkanExecutor::bus_bytes_per_token() const {
    const std::uint64_t stream = static_cast<std::uint64_t>(spec_.n_embd) * sizeof(float);
    std::uint64_t bytes = buffers_.host_step.bytes;
    bytes += stream * walk_of(part_, spec_).size();
    for (const GpuLayer& layer : weights_.layers) {
        const GpuMatrix& scores = layer[Role::PredictorFc2];
        bytes += scores.present()
                     ? (scores.rows - static_cast<std::uint64_t>(layer.n_neurons)) * sizeof(float)
                     : 0;
    }
    if (part_.output_in_vram) {
        bytes += buffers_.candidates.bytes;
    }
    return bytes;
}

void VulkanExecutor::set_tracing(bool on) {
    tracing_ = on;
    trace_.clear();
    token_.recorded = batch_.recorded = false;
}

std::vector<TraceLine> VulkanExecutor::trace() const {
    std::vector<TraceLine> lines;
    for (const auto& [label, entry] : trace_) {
        lines.push_back({label, entry.count, static_cast<double>(entry.ns) / 1e3, entry.bytes});
    }
    std::sort(lines.begin(), lines.end(),
              [](const TraceLine& a, const TraceLine& b) { return a.us > b.us; });
    return lines;
}

}  // namespace hearth::vulkan
