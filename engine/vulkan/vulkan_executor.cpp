#include "vulkan/vulkan_executor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/assert.h"
#include "gguf/finite.h"
#include "gguf/rows.h"
#include "include/params.h"
#include "model/finish_logits.h"

namespace hearth::vulkan {

VulkanExecutor::VulkanExecutor(std::shared_ptr<Device> device, ThreadPool& pool,
                               const WeightSource* source)
    : device_(std::move(device)),
      pool_(pool),
      source_(source),
      name_("vulkan/" + device_->physical().info.name) {}

VulkanExecutor::~VulkanExecutor() {
    // Nothing is left to tell: what is being destroyed must not be running.
    [[maybe_unused]] const auto ended = end();
    [[maybe_unused]] const auto idle = device_->wait_idle();
}

Result<void> VulkanExecutor::load(const PlanSlice& slice, LoadMonitor& monitor) {
    spec_ = slice.spec;
    check_placement(slice.plan.placement, spec_.neurons());
    placement_ = slice.plan.placement;
    n_batch_ = slice.plan.n_batch;
    for (int layer = 0; layer < spec_.n_layer(); ++layer) {
        HEARTH_ASSERT(placement_.hot(layer) == 0 || placement_.attention_in_vram(layer));
    }
    if (std::string why = why_not_on_gpu(spec_, slice.tensors); !why.empty()) {
        return Error{ErrorCode::Unsupported, "this model does not run on a GPU: " + why};
    }
    if (auto read = set_up_rope(slice); !read) {
        return read;
    }
    if (auto loaded = load_weights(slice, monitor); !loaded) {
        return loaded;
    }
    auto runner = PassRunner::create(device_, uploader_.get());
    if (!runner) {
        return std::move(runner).error();
    }
    runner_ = std::move(*runner);
    layers_ = std::make_unique<LayerRecorder>(
        *device_, LayerRecorder::Model{spec_, weights_, buffers_, pasts_, uploader_.get(),
                                       slice.plan.mode, slice.tensors.predictor_input,
                                       slice.tensors.predictor_linear, slice.plan.n_ctx});
    counts_ = std::make_unique<NeuronCounts>(
        NeuronCounts::Model{spec_, weights_, buffers_, slice.plan.mode},
        [this](const BufferView& from) {
            Recorder recorder(device_, false);
            recorder.copy(from, buffers_.scores);
            return run_alone(recorder);
        });
    const std::vector<Step> steps = compile(spec_, placement_, PassKind::Resident);
    const auto crossings =
        std::count_if(steps.begin(), steps.end(), [](const Step& step) { return step.wait > 0; });
    stream_bytes_per_token_ = static_cast<std::uint64_t>(crossings) *
                              static_cast<std::uint64_t>(spec_.n_embd) * sizeof(float);
    // Shaders are compiled now, not while an answer is waited for.
    auto recorded = record({.n_tokens = 1, .last_logits = placement_.output_in_vram()}, steps);
    // So are passes of drafts: the first one's time decides whether there is another.
    const bool drafts = can_pass_each_alone() && !device_->features().on_processor;
    const int most = drafts ? std::min(n_batch_, kEachAloneMost) : 0;
    for (int n_tokens = 2; recorded && n_tokens <= most; ++n_tokens) {
        recorded = record({.n_tokens = n_tokens, .each_alone = true}, steps);
    }
    for (int count = 1; recorded && spec_.is_recurrent() && count <= most; ++count) {
        auto taken = record_take({0, count});
        if (!taken) {
            return std::move(taken).error();
        }
        takes_[static_cast<std::size_t>(count)] = std::move(*taken);
    }
    return recorded;
}

Result<void> VulkanExecutor::set_up_rope(const PlanSlice& slice) {
    std::vector<float> factors;
    const Role role = rope_factors_role(spec_, slice.plan.n_ctx);
    if (const Weight& weight = slice.tensors[role]; weight.present()) {
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
    for (const RopeSpec& rope : spec_.ropes()) {
        ropes_.emplace_back(rope, factors);
    }
    return {};
}

Result<void> VulkanExecutor::load_weights(const PlanSlice& slice, LoadMonitor& monitor) {
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
    if (buffers_.layer_inputs.bytes > device_->features().storage_range_bytes_max) {
        return Error{ErrorCode::Unsupported,
                     "inputs of layers for " + std::to_string(n_batch_) + " tokens, " +
                         std::to_string(buffers_.layer_inputs.bytes) +
                         " bytes, are more than this GPU's driver lets a shader see"};
    }
    auto weights = GpuWeights::load(slice, device_, pool_, monitor);
    if (!weights) {
        return std::move(weights).error();
    }
    weights_ = std::move(*weights);
    held_ = {weights_.bytes(), pasts_.bytes(), buffers_.scratch_held_bytes()};
    if (const std::uint64_t slot = slice.plan.upload.slot_bytes; slot > 0) {
        HEARTH_ASSERT(source_ != nullptr);
        if (auto counted = slice.ledger.count(Purpose::Scratch,
                                              WeightUploader::host_bytes(spec_, n_batch_, slot),
                                              "weights on their way to the GPU");
            !counted) {
            return counted;
        }
        auto uploader = WeightUploader::create(device_, slice, *source_, pool_);
        if (!uploader) {
            return std::move(uploader).error();
        }
        uploader_ = std::move(*uploader);
        held_.scratch += uploader_->held_bytes();
    }
    auto upload = Upload::create(device_);
    if (!upload) {
        return std::move(upload).error();
    }
    for (const BufferView* zeros :
         {&buffers_.attention_done, &buffers_.router_done, &buffers_.shared_place}) {
        if (auto cleared = zeros->bytes > 0 ? upload->clear(*zeros) : Result<void>{}; !cleared) {
            return cleared;
        }
    }
    return upload->finish();
}

Result<void> VulkanExecutor::exchange(const PlanSlice& slice,
                                      std::span<const PlaceExchange> pairs) {
    if (auto ended = end(); !ended) {
        return ended;
    }
    for (const PlaceExchange& two : pairs) {
        hearth::exchange(placement_, two);
    }
    if (auto loaded = weights_.exchange(slice, pairs, device_, pool_); !loaded) {
        return loaded;
    }
    return uploader_ == nullptr ? Result<void>{} : uploader_->exchange(slice, pairs);
}

std::optional<RecordedPass>& VulkanExecutor::pass_of(const PassShape& shape) {
    return shape.each_alone      ? each_alone_[static_cast<std::size_t>(shape.n_tokens)]
           : shape.n_tokens == 1 ? token_
                                 : batch_;
}

Result<void> VulkanExecutor::record(const PassShape& shape, std::span<const Step> steps) {
    std::optional<RecordedPass>& pass = pass_of(shape);
    pass.reset();
    ++n_recordings_;
    auto recorded = PassRecorder(device_, *layers_, uploader_.get(), tracing_).record(shape, steps);
    if (!recorded) {
        return std::move(recorded).error();
    }
    pass = std::move(*recorded);
    return {};
}

Result<RecordedCommands> VulkanExecutor::record_take(const Snapshots::Taking& tokens) {
    Recorder recorder(device_, tracing_);
    layers_->begin(recorder, {.count = tokens.count});
    recorder.barrier();  // the pass left what is taken
    layers_->read_step();
    for (int layer = 0; layer < spec_.n_layer(); ++layer) {
        if (is_recurrent(layer)) {
            layers_->take_ahead(layer, tokens.first, tokens.count);
        }
    }
    return recorder.finish();
}

Result<void> VulkanExecutor::take_ahead(Past& past, const Snapshots::Taking& tokens) {
    HEARTH_ASSERT(!runner_.running() && tokens.first + tokens.count <= kEachAloneMost);
    bool any = false;
    for (int layer = 0; layer < spec_.n_layer(); ++layer) {
        any = any || is_recurrent(layer);
    }
    if (!any) {
        return {};
    }
    if (past.gpu.get() != ahead_) {
        return Error{ErrorCode::Internal, "the GPU has passed drafts of another conversation"};
    }
    const auto position = static_cast<std::uint32_t>(past.place().snapshots.present().value_or(0));
    write_place(position, *past.gpu);
    std::optional<RecordedCommands>& kept = takes_[static_cast<std::size_t>(tokens.count)];
    const bool from_first = tokens.first == 0;
    if (!from_first || !kept) {
        auto recorded = record_take(tokens);
        if (!recorded) {
            return std::move(recorded).error();
        }
        (from_first ? kept.emplace() : alone_) = std::move(*recorded);
    }
    const RecordedCommands& commands = from_first ? *kept : alone_;
    auto done = runner_.run_alone(commands);
    return done && tracing_ ? commands.read_timestamps(trace_) : done;
}

SharedMemory VulkanExecutor::shared() {
    SharedMemory shared{.stream_to_gpu = buffers_.input.as<float>(),
                        .stream_to_cpu = buffers_.published.as<float>(),
                        .partial = buffers_.partial.as<float>(),
                        .scores = buffers_.scores.as<float>()};
    if (spec_.has_experts()) {
        shared.chosen = buffers_.told.as<const ChosenExpert>();
    }
    if (buffers_.routed.bytes > 0) {
        shared.routed = buffers_.routed.as<const float>();
    }
    if (spec_.n_embd_layer > 0) {
        shared.layer_inputs = buffers_.layer_inputs.as<float>();
    }
    if (uploader_ != nullptr) {
        shared.q = uploader_->q().as<float>();
        shared.k = uploader_->k().as<float>();
        shared.v = uploader_->v().as<float>();
        shared.attended = uploader_->attended().as<float>();
    }
    return shared;
}

Result<std::unique_ptr<GpuPast>> VulkanExecutor::make_past() {
    return pasts_.make_past([this](std::span<const PastArena::Copy> copies) {
        Recorder recorder(device_, false);
        recorder.barrier();  // the pass before wrote the states
        for (const PastArena::Copy& copy : copies) {
            recorder.copy(copy.from, copy.to);
        }
        return run_alone(recorder);
    });
}

void VulkanExecutor::write_place(std::uint32_t position, const GpuPast& past) {
    std::byte* step = buffers_.host_step.mapped;
    std::memcpy(step, &position, sizeof position);
    const std::span<const std::uint32_t> past_at = pasts_.offsets(past);
    std::memcpy(step + STEP_PAST_AT * sizeof(std::uint32_t), past_at.data(), past_at.size_bytes());
}

void VulkanExecutor::write_step(const PassTask& task) {
    const auto position = static_cast<std::uint32_t>(task.position);
    write_place(position, *task.past->gpu);
    if (task.n_tokens() == 1) {
        const auto fates = counts_->begin_token();
        std::memcpy(buffers_.host_step.mapped + sizeof position, fates.data(), sizeof fates);
    }
    for (std::size_t i = 0; i < ropes_.size(); ++i) {
        auto* angles = buffers_.host_angles[i].as<float>();
        for (int t = 0; t < task.n_tokens(); ++t) {
            ropes_[i].angles(task.position + t, angles + t * 2 * ropes_[i].n_pairs());
        }
    }
}

Result<void> VulkanExecutor::begin(const PassTask& task) {
    HEARTH_ASSERT(!runner_.running() && task.n_tokens() > 0 && task.n_tokens() <= n_batch_);
    HEARTH_ASSERT(task.past != nullptr && task.past->gpu != nullptr);
    HEARTH_ASSERT(task.kind == PassKind::Resident || (uploader_ != nullptr && task.n_tokens() > 1));
    HEARTH_ASSERT(!task.each_alone || (can_pass_each_alone() && task.n_tokens() <= kEachAloneMost));
    const PassShape shape{task.kind, task.n_tokens(),
                          task.last_logits && placement_.output_in_vram(), task.each_alone};
    latest_each_alone_ = false;
    if (task.each_alone) {
        ahead_ = task.past->gpu.get();
    }
    const std::optional<RecordedPass>& pass = pass_of(shape);
    if (!pass || pass->shape != shape) {
        if (auto recorded = record(shape, task.steps); !recorded) {
            return recorded;
        }
    }
    write_step(task);
    notes_activity_ = task.counts && task.n_tokens() == 1;
    return runner_.begin(*pass, task.cancellation);
}

Result<void> VulkanExecutor::run(const Step&) {
    return runner_.run_step();
}

Result<void> VulkanExecutor::end() {
    if (!runner_.running()) {
        return {};
    }
    const RecordedPass& pass = runner_.pass();
    const auto ended = runner_.end();
    if (!ended) {
        return ended.error();
    }
    if (notes_activity_ && ended->signalled) {
        counts_->add_token();
    }
    if (!ended->submitted) {
        return {};
    }
    latest_each_alone_ = pass.shape.each_alone && placement_.output_in_vram();
    const int n_picked = latest_each_alone_ ? pass.shape.n_tokens : pass.shape.last_logits ? 1 : 0;
    for (int token = 0; token < n_picked; ++token) {
        if (auto read = read_candidates(static_cast<std::size_t>(token)); !read) {
            return read;
        }
    }
    for (const Segment& segment : pass.segments) {
        if (auto read = segment.recorded.read_timestamps(trace_); !read) {
            return read;
        }
    }
    return {};
}

// Between passes; its end is waited for.
Result<void> VulkanExecutor::run_alone(Recorder& recorder) {
    auto recorded = recorder.finish();
    if (!recorded) {
        return std::move(recorded).error();
    }
    alone_ = std::move(*recorded);
    return runner_.run_alone(alone_);
}

Result<std::span<float>> VulkanExecutor::logits(int first, int count) {
    HEARTH_ASSERT(placement_.output_in_vram() && count <= kLogitRows);
    if (latest_each_alone_) {
        return fetch_logits(first, count);
    }
    Recorder recorder(device_, tracing_);
    layers_->begin(recorder, {});
    layers_->output(first, count);
    auto done = run_alone(recorder);
    if (done) {
        done = alone_.read_timestamps(trace_);
    }
    if (!done) {
        return std::move(done).error();
    }
    const std::span logits(
        buffers_.logits.as<float>(),
        static_cast<std::size_t>(count) * static_cast<std::size_t>(spec_.n_vocab));
    finish_logits(spec_, logits);
    return logits;
}

// From where passes with each_alone leave them.
Result<std::span<float>> VulkanExecutor::fetch_logits(int first, int count) {
    const auto n_vocab = static_cast<std::size_t>(spec_.n_vocab);
    const auto stride = static_cast<std::size_t>(logits_stride(spec_));
    const auto rows = static_cast<std::size_t>(count);
    Recorder recorder(device_, false);
    for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t from = (static_cast<std::size_t>(first) + i) * stride;
        recorder.copy(buffers_.last_logits.part(from * sizeof(float), n_vocab * sizeof(float)),
                      buffers_.logits.part(i * n_vocab * sizeof(float), n_vocab * sizeof(float)));
    }
    if (auto fetched = run_alone(recorder); !fetched) {
        return std::move(fetched).error();
    }
    const std::span logits(buffers_.logits.as<float>(), rows * n_vocab);
    finish_logits(spec_, logits);
    return logits;
}

// A driver that computes nonsense must not make the sampler read behind an end.
Result<void> VulkanExecutor::read_candidates(std::size_t token) {
    const Candidate* const row =
        buffers_.candidates.as<const Candidate>() + token * (kCandidates + 1);
    const std::span<const Candidate> seen(row, kCandidates);
    std::vector<Candidate>& candidates = candidates_[token];
    candidates.clear();
    const Candidate& bad = row[kCandidates];
    if (bad.token != -1) {
        return not_finite("logits", "token", {&bad.logit, 1},
                          static_cast<std::uint64_t>(bad.token));
    }
    for (const Candidate& one : seen) {
        if (one.token == -1) {
            break;
        }
        if (one.token < 0 || one.token >= spec_.n_vocab || std::isnan(one.logit) ||
            !(candidates.empty() || better(candidates.back(), one))) {
            candidates.clear();
            return Error{ErrorCode::Internal, "the GPU names token " + std::to_string(one.token) +
                                                  " where none or a lesser one belongs"};
        }
        candidates.push_back(one);
    }
    for (Candidate& one : candidates) {
        one.logit = finished_logit(spec_, one.logit);
    }
    return {};
}

Result<std::span<float>> VulkanExecutor::last_logits() {
    HEARTH_ASSERT(placement_.output_in_vram());
    const auto n_vocab = static_cast<std::size_t>(spec_.n_vocab);
    if (!fetch_) {
        Recorder recorder(device_, false);
        recorder.copy(buffers_.last_logits.part(0, n_vocab * sizeof(float)), buffers_.logits);
        auto recorded = recorder.finish();
        if (!recorded) {
            return std::move(recorded).error();
        }
        fetch_ = std::move(*recorded);
    }
    if (auto fetched = runner_.run_alone(*fetch_); !fetched) {
        return std::move(fetched).error();
    }
    const std::span logits(buffers_.logits.as<float>(), n_vocab);
    finish_logits(spec_, logits);
    return logits;
}

bool VulkanExecutor::count_token() {
    HEARTH_ASSERT(!runner_.running());
    counts_->count_token();
    return true;
}

// A pass whose start failed may have been left behind.
Result<void> VulkanExecutor::collect_firing(SelfProfile& profile) {
    auto ended = end();
    return ended ? counts_->collect_firing(placement_, profile) : ended;
}

Result<std::span<const LayerActivity>> VulkanExecutor::activity() {
    if (auto ended = end(); !ended) {
        return std::move(ended).error();
    }
    return counts_->activity();
}

std::uint64_t VulkanExecutor::decode_weight_bytes() const {
    const std::span<const LayerActivity> activity = counts_->latest_activity();
    const auto whole = [](const GpuMatrix& matrix) { return matrix.rows * matrix.row_bytes(); };
    const bool gated = is_gated(spec_.activation());
    std::uint64_t bytes = whole(weights_.matrices[Role::Output]);
    double rows = 0;
    for (std::size_t l = 0; l < weights_.layers.size(); ++l) {
        const GpuLayer& layer = weights_.layers[l];
        const LayerActivity& seen = activity[l];
        if (const ExpertsSpec& experts = spec_.layers[l].experts; experts.present()) {
            const double read = seen.passed > 0
                                    ? static_cast<double>(seen.computed) /
                                          static_cast<double>(seen.passed) /
                                          std::max(1.0, static_cast<double>(layer.n_neurons))
                                    : experts.used_share();
            for (const RoleRow& row : layer_roles()) {
                const auto held = static_cast<double>(whole(layer[row.role]));
                rows += row.part == Part::Neurons ? read * held : held;
            }
            continue;
        }
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
    std::uint64_t bytes = buffers_.host_step.bytes + stream_bytes_per_token_;
    for (const GpuLayer& layer : weights_.layers) {
        const GpuMatrix& scores = layer[Role::PredictorFc2];
        bytes += scores.present()
                     ? (scores.rows - static_cast<std::uint64_t>(layer.n_neurons)) * sizeof(float)
                     : 0;
    }
    if (placement_.output_in_vram()) {
        bytes += (kCandidates + 1) * sizeof(Candidate);
    }
    bytes += static_cast<std::uint64_t>(spec_.n_layer_inputs()) * sizeof(float);
    for (std::size_t l = 0; l < weights_.layers.size(); ++l) {
        const GpuLayer& layer = weights_.layers[l];
        const bool tells = layer.expert_neurons > 0 && layer.n_neurons < spec_.layers[l].n_ff;
        bytes += tells ? static_cast<std::uint64_t>(spec_.layers[l].experts.n_used) *
                             sizeof(ChosenExpert)
                       : 0;
    }
    return bytes;
}

void VulkanExecutor::set_tracing(bool on) {
    tracing_ = on;
    trace_.clear();
    token_.reset();
    batch_.reset();
    for (std::optional<RecordedPass>& pass : each_alone_) {
        pass.reset();
    }
    for (std::optional<RecordedCommands>& take : takes_) {
        take.reset();
    }
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
