#include "engine/vulkan/tiny_executor.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <random>
#include <utility>

#include "base/assert.h"
#include "cpu/cpu_executor.h"
#include "hardware/cpu_features.h"
#include "session/processor.h"
#include "support/tiny_model.h"
#include "support/vram_part.h"
#include "vulkan/vulkan_executor.h"

namespace hearth::test {
namespace {

constexpr int kLayers = 2;
constexpr int kEmbd = 64;
constexpr int kFf = 96;
constexpr int kHot = 64;
constexpr int kCtx = 32;
constexpr int kBatch = 8;
constexpr int kThreads = 2;

struct Monitor : LoadMonitor {
    explicit Monitor(int at) : last(at) {}
    bool loaded(double) override { return ++calls != last; }
    int last;
    int calls = 0;
};

template <class T>
T sure(Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "the tiny model: %s\n", result.error().message.c_str());
    }
    HEARTH_ASSERT(result.has_value());
    return std::move(*result);
}

}  // namespace

TinyGpuModel::TinyGpuModel() {
    const std::string path = dir_.file("tiny.gguf");
    const TinyModelOptions options{.arch = "bamboo",
                                   .n_layer = kLayers,
                                   .n_embd = kEmbd,
                                   .n_ff = kFf,
                                   .n_ctx = kCtx,
                                   .by_neuron = true,
                                   .predictor_width = 64,
                                   .sparse_threshold = 0.1F};
    HEARTH_ASSERT(TinyModel(options).write(path));
    file_ = sure(GgufFile::open(path));
    spec_ = sure(read_model_spec(*file_));
    tensors_ = sure(bind_tensors(*file_, spec_));
    use_predictors(*file_, sure(bind_predictors(*file_, spec_, {}, std::nullopt)), tensors_);
    VramPart part{spec_.neurons()};
    part.hot_neurons.assign(kLayers, kHot);
    part.attention_in_vram.assign(kLayers, true);
    part.output_in_vram = true;
    plan_.placement = part;
    plan_.n_ctx = kCtx;
    plan_.n_batch = kBatch;
    plan_.threads = kThreads;
    plan_.mode = FeedForwardMode::Predicted;
    plan_.counts_firing = true;
    plan_.upload = {vulkan::WeightUploader::slot_bytes_min(spec_, tensors_), 2};
    plan_.ram.weights = CpuWeights::bytes_for(spec_, tensors_, plan_.mode, plan_.placement);
    plan_.ram.scratch = CpuExecutor::scratch_bytes(spec_, tensors_.predictor_width(), kBatch,
                                                   kThreads, plan_.mode) +
                        vulkan::Buffers::host_bytes(spec_, kBatch) +
                        vulkan::WeightUploader::host_bytes(spec_, kBatch, plan_.upload.slot_bytes);
}

// The processor's weights, whose rows cannot be read when a test says so.
class TinyExecutor::Reads final : public WeightSource {
public:
    explicit Reads(const WeightSource& of) : of_(of) {}
    SourceShape shape(int layer, Role matrix) const override { return of_.shape(layer, matrix); }
    Result<void> hold(int layer, Part part) const override { return of_.hold(layer, part); }
    Result<void> rows(int layer, Role matrix, std::uint64_t first, std::uint64_t count,
                      std::byte* out) const override {
        if (auto here = read(); !here) {
            return here;
        }
        return of_.rows(layer, matrix, first, count, out);
    }
    Result<std::span<const std::byte>> tiles(int layer, Role matrix, std::uint64_t first,
                                             std::uint64_t count) const override {
        if (auto here = read(); !here) {
            return here.error();
        }
        return of_.tiles(layer, matrix, first, count);
    }
    void rows_of_tile(DType type, const std::byte* tile, int cols, std::byte* out) const override {
        of_.rows_of_tile(type, tile, cols, out);
    }
    Result<std::span<const float>> vector(int layer, Role vector) const override {
        return of_.vector(layer, vector);
    }
    void fail_from(int call) {
        calls_ = 0;
        fails_from_ = call;
    }

private:
    Result<void> read() const {
        if (fails_from_ > 0 && ++calls_ >= fails_from_) {
            return Error{ErrorCode::ReadFailed, "the disk went away"};
        }
        return {};
    }

    const WeightSource& of_;
    int fails_from_ = 0;
    mutable std::atomic<int> calls_{0};
};

TinyExecutor::TinyExecutor(const std::shared_ptr<vulkan::Device>& device, TinyGpuModel& model)
    : model_(&model),
      pool_(std::make_unique<ThreadPool>(kThreads)),
      processor_(sure(make_cpu_executor(detect_cpu_features().flags, {}, *pool_))),
      reads_(std::make_unique<Reads>(*processor_->weights())),
      gpu_(std::make_unique<vulkan::VulkanExecutor>(device, *pool_, reads_.get())),
      steps_{compile(model.spec_, model.plan_.placement, PassKind::Resident),
             compile(model.spec_, model.plan_.placement, PassKind::Uploaded)} {
    // As the engine does: a driver that computes on this processor needs the cores.
    pool_->heed_alerts(!device->features().on_processor);
}

TinyExecutor::TinyExecutor(TinyExecutor&&) noexcept = default;
TinyExecutor::~TinyExecutor() = default;

Result<TinyExecutor> TinyExecutor::load(const std::shared_ptr<vulkan::Device>& device,
                                        TinyGpuModel& model, int give_up_at) {
    TinyExecutor made(device, model);
    Monitor monitor(give_up_at);
    Monitor patient(0);
    Ledger ledger(model.plan_.ram);
    const PlanSlice slice{*model.file_, model.spec_, model.tensors_, model.plan_, ledger};
    if (auto loaded = made.processor_->load(slice, patient); !loaded) {
        return std::move(loaded).error();
    }
    if (auto loaded = made.gpu_->load(slice, monitor); !loaded) {
        return std::move(loaded).error();
    }
    auto past = made.gpu_->make_past();
    if (!past) {
        return std::move(past).error();
    }
    made.past_ = std::make_unique<Past>();
    made.past_->gpu = std::move(*past);
    return made;
}

void TinyExecutor::fail_reads_from(int call) {
    reads_->fail_from(call);
}

Result<void> TinyExecutor::run(PassTask task) {
    task.steps = steps_[static_cast<std::size_t>(task.kind)];
    task.past = past_.get();
    auto status = gpu_->begin(task);
    if (!status) {
        return status;
    }
    const SharedMemory shared = gpu_->shared();
    std::mt19937 random(static_cast<unsigned>(task.position));
    std::normal_distribution<float> normal;
    std::generate_n(shared.stream_to_gpu, task.n_tokens() * kEmbd, [&] { return normal(random); });
    std::fill_n(shared.partial, task.n_tokens() * kEmbd, 0.0F);
    for (const Step& step : task.steps) {
        if (step.unit == Unit::Gpu) {
            status = gpu_->run(step);
        } else {
            status = step.wait > 0 ? gpu_->wait(step.wait) : Result<void>{};
            status = status && step.signal > 0 ? gpu_->signal(step.signal) : status;
        }
        if (!status) {
            break;
        }
    }
    auto ended = gpu_->end();  // also after an error
    return status ? ended : status;
}

Result<TinyExecutor::Logits> TinyExecutor::pass(int n_tokens, int position, bool uploaded,
                                                const Cancellation* cancellation) {
    const std::vector<std::int32_t> tokens(static_cast<std::size_t>(n_tokens));
    if (auto done = run({.kind = uploaded ? PassKind::Uploaded : PassKind::Resident,
                         .tokens = tokens,
                         .position = position,
                         .last_logits = true,
                         .cancellation = cancellation});
        !done) {
        return std::move(done).error();
    }
    const auto fetched = gpu_->last_logits();
    return fetched ? Result<Logits>(Logits(fetched->begin(), fetched->end())) : fetched.error();
}

Result<void> TinyExecutor::pass_without_logits(int n_tokens, int position) {
    const std::vector<std::int32_t> tokens(static_cast<std::size_t>(n_tokens));
    return run({.tokens = tokens, .position = position});
}

Result<TinyExecutor::Logits> TinyExecutor::rows(int first, int count) {
    const auto rows = gpu_->logits(first, count);
    return rows ? Result<Logits>(Logits(rows->begin(), rows->end())) : rows.error();
}

void TinyExecutor::count_token() {
    gpu_->count_token();
}

Result<std::vector<std::uint32_t>> TinyExecutor::fired() {
    SelfProfile profile({}, std::vector<int>(kLayers, kFf));
    if (auto collected = gpu_->collect_firing(profile); !collected) {
        return std::move(collected).error();
    }
    std::vector<std::uint32_t> all;
    for (int layer = 0; layer < kLayers; ++layer) {
        const std::span<const std::uint32_t> fired = profile.fired(layer);
        all.insert(all.end(), fired.begin(), fired.end());
    }
    return all;
}

Result<TinyExecutor::Logits> TinyExecutor::run_all(const std::shared_ptr<vulkan::Device>& device,
                                                   TinyGpuModel& model, int give_up_at) {
    auto executor = load(device, model, give_up_at);
    if (!executor) {
        return std::move(executor).error();
    }
    Logits all;
    for (int step = 0; step < 5; ++step) {
        auto logits = step == 0   ? executor->pass(5, 0)
                      : step == 1 ? executor->rows(1, 3)
                      : step == 4 ? executor->pass(6, 7, true)
                                  : executor->pass(1, 3 + step);
        if (!logits) {
            return std::move(logits).error();
        }
        all.insert(all.end(), logits->begin(), logits->end());
        if (step == 2 || step == 3) {
            executor->count_token();
        }
    }
    const auto fired = executor->fired();
    if (!fired) {
        return fired.error();
    }
    all.insert(all.end(), fired->begin(), fired->end());
    return all;
}

}  // namespace hearth::test
