#include "engine/vulkan/split_model.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "cpu/cpu_executor.h"
#include "hardware/cpu_features.h"
#include "session/processor.h"
#include "support/best_candidates.h"

namespace hearth::test {
namespace {

struct Nothing : LoadMonitor {
    bool loaded(double) override { return true; }
};

}  // namespace

SplitModel::SplitModel(const GgufFile& file, const ModelSpec& spec, const ModelTensors& tensors,
                       FeedForwardMode mode, const Placement& placement,
                       const std::shared_ptr<vulkan::Device>& device, const WeightUpload& upload,
                       const SplitSizes& sizes)
    : ledger({}),
      pool(sizes.threads),
      profile({}, spec.counted()),
      file_(file),
      spec_(spec),
      tensors_(tensors) {
    plan.placement = placement.layers.empty() ? all_in_ram(spec.neurons()) : placement;
    plan.upload = upload;
    const std::uint64_t slot = upload.slot_bytes;
    plan.n_ctx = sizes.n_ctx;
    plan.n_batch = sizes.n_batch;
    plan.n_pasts = sizes.n_pasts;
    plan.threads = sizes.threads;
    plan.mode = mode;
    plan.counts_firing = mode != FeedForwardMode::Dense || spec.has_experts();
    plan.ram = {CpuWeights::bytes_for(spec, tensors, mode, placement),
                static_cast<std::uint64_t>(sizes.n_pasts) *
                    KvCache::bytes_for(spec, sizes.n_ctx, placement),
                CpuExecutor::scratch_bytes(spec, tensors.predictor_width(), sizes.n_batch,
                                           sizes.threads, mode) +
                    (device != nullptr ? vulkan::Buffers::host_bytes(spec, sizes.n_batch) : 0) +
                    (slot > 0 ? vulkan::WeightUploader::host_bytes(spec, sizes.n_batch, slot) : 0)};
    ledger = Ledger(plan.ram);
    const PlanSlice slice{file, spec, tensors, plan, ledger};
    Nothing monitor;
    // As the engine does: a driver that computes on this processor needs the cores.
    pool.heed_alerts(device == nullptr || !device->features().on_processor);
    executor = std::move(*make_cpu_executor(detect_cpu_features().flags, {}, pool));
    auto status = executor->load(slice, monitor);
    if (status && device != nullptr) {
        gpu = std::make_unique<vulkan::VulkanExecutor>(device, pool, executor->weights());
        status = gpu->load(slice, monitor);
        const vulkan::GpuLimits limits{device->features().storage_range_bytes_max};
        MemoryBytes planned;
        for (int layer = 0; layer < spec.n_layer(); ++layer) {
            if (placement.attention_in_vram(layer)) {
                const auto at = static_cast<std::size_t>(layer);
                planned.weights +=
                    vulkan::attention_bytes(spec.layer(layer), tensors.layers[at], limits) +
                    vulkan::neurons_bytes(spec.layer(layer), tensors.layers[at],
                                          placement.hot(layer), limits);
                if (mode == FeedForwardMode::Predicted && placement.predictor_in_vram(layer)) {
                    planned.weights += vulkan::predictor_bytes(tensors.layers[at], limits);
                }
                planned.kv += static_cast<std::uint64_t>(sizes.n_pasts) *
                              vulkan::PastArena::bytes(spec.layer(layer), sizes.n_ctx);
            }
        }
        planned.weights += placement.output_in_vram() ? vulkan::output_bytes(tensors, limits) : 0;
        planned.scratch =
            vulkan::Buffers::scratch_bytes(spec, sizes.n_batch, tensors.predictor_width(),
                                           plan.counts_firing, device->features().matrix_units());
        if (slot > 0) {
            planned.scratch += vulkan::WeightUploader::bytes(spec, tensors, sizes.n_batch, slot);
        }
        if (status && !(gpu->held() == planned)) {
            problem = "the GPU holds other bytes than were planned";
        }
    }
    if (!status) {
        problem = status.error().message;
    } else {
        decoder.emplace(spec, plan, *executor, gpu.get());
        for (int i = 0; i < sizes.n_pasts; ++i) {
            auto past = decoder->make_past(ledger);
            if (!past) {
                problem = past.error().message;
                return;
            }
            pasts.push_back(std::move(*past));
        }
        decoder->count_firing(plan.counts_firing ? &profile : nullptr);
    }
}

std::vector<std::vector<float>> SplitModel::run(const std::vector<std::int32_t>& tokens,
                                                int n_single) {
    std::vector<std::vector<float>> all;
    const Cancellation go_on;
    const auto keep = [&](std::size_t, std::span<const float> logits) {
        all.emplace_back(logits.begin(), logits.end());
    };
    const auto keep_last = [&](std::size_t index, std::span<const float> logits) {
        keep(index, logits);
        const bool picks = gpu != nullptr && plan.placement.output_in_vram();
        if (!same_candidates(decoder->candidates(),
                             best_of(logits, picks ? Executor::kCandidates : 0))) {
            problem = "the candidates are not the best of the logits";
        }
    };
    const std::span<const std::int32_t> span(tokens);
    const std::size_t n_first = tokens.size() - static_cast<std::size_t>(n_single);
    auto done = decoder->forward(span.first(n_first), 0, pasts.front(), Decoder::Want::Last,
                                 keep_last, go_on);
    // The tokens that are passed alone, as drafts before.
    std::vector<std::vector<float>> together;
    if (done && gpu != nullptr && n_single > 1 && decoder->can_pass_each_alone() &&
        !pasts.front().has_states()) {
        done = decoder->forward(
            span.subspan(n_first), static_cast<int>(n_first), pasts.front(),
            Decoder::Want::EachAlone,
            [&](std::size_t, std::span<const float> logits) {
                together.emplace_back(logits.begin(), logits.end());
            },
            go_on);
    }
    for (std::size_t i = n_first; done && i < tokens.size(); ++i) {
        if (i == n_first + 1) {
            // Given up half way: the GPU runs through it alone and nobody may count it. States are
            // void then, and those of before are taken back.
            Cancellation stop;
            stop.request();
            if (!pasts.front().keep()) {
                problem = "the states could not be kept";
            }
            if (decoder->forward(span.first(1), static_cast<int>(i), pasts.front(),
                                 Decoder::Want::Last, keep, stop)) {
                problem = "a pass was not given up";
            }
        }
        done = decoder->forward(span.subspan(i, 1), static_cast<int>(i), pasts.front(),
                                Decoder::Want::Last, keep_last, go_on);
        if (done && !together.empty() && all.back() != together[i - n_first]) {
            problem = "a drafted token has other bits than it has alone";
        }
    }
    // All of them at once, from the start: rows of a batch.
    if (done) {
        done = decoder->forward(span.first(20), 0, pasts.front(), Decoder::Want::All, keep, go_on);
    }
    if (done && gpu != nullptr) {
        done = gpu->collect_firing(profile);
    }
    if (!done) {
        problem = done.error().message;
    }
    return all;
}

void SplitModel::exchange(std::span<const PlaceExchange> pairs) {
    for (const PlaceExchange& two : pairs) {
        hearth::exchange(plan.placement, two);
    }
    const PlanSlice slice{file_, spec_, tensors_, plan, ledger};
    for (Executor* unit : {executor.get(), static_cast<Executor*>(gpu.get())}) {
        if (auto done = unit->exchange(slice, pairs); !done) {
            problem = done.error().message;
        }
    }
    profile = SelfProfile({}, spec_.counted());
}

RowError worst_row(const std::vector<std::vector<float>>& expected,
                   const std::vector<std::vector<float>>& seen) {
    RowError worst;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        double squares = 0;
        double errors = 0;
        for (std::size_t k = 0; k < expected[i].size(); ++k) {
            const auto a = static_cast<double>(expected[i][k]);
            const double difference = static_cast<double>(seen[i][k]) - a;
            squares += a * a;
            errors += std::isnan(difference) ? HUGE_VAL : difference * difference;
        }
        const double error = std::sqrt(errors / squares);
        if (!(error <= worst.error)) {
            worst = {error, i};
        }
    }
    return worst;
}

}  // namespace hearth::test
