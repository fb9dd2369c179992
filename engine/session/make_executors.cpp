#include "session/make_executors.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "cpu/cpu_executor.h"
#include "cpu/pack_rows.h"
#include "hardware/core_scaling.h"
#include "session/decoder.h"
#include "vulkan/instance.h"
#include "vulkan/probe.h"
#include "vulkan/vulkan_executor.h"

namespace hearth {
namespace {

class OpenVulkanGpu final : public OpenGpu {
public:
    explicit OpenVulkanGpu(std::shared_ptr<vulkan::Device> device) : device_(std::move(device)) {}

    const GpuInfo& info() const override { return device_->physical().info; }

    Result<GpuMemoryCosts> memory_costs(const ModelSpec& spec, const ModelTensors& tensors,
                                        FeedForwardMode mode, bool counts_firing) const override {
        if (std::string why = vulkan::why_not_on_gpu(spec, tensors); !why.empty()) {
            return Error{ErrorCode::Unsupported, "this model does not run on a GPU: " + why};
        }
        const vulkan::GpuLimits limits{device_->features().storage_range_bytes_max};
        const bool predicted = mode == FeedForwardMode::Predicted;
        return GpuMemoryCosts{
            .attention_bytes =
                [&tensors, spec, limits, predicted](int layer) {
                    const LayerTensors& of = tensors.layers[static_cast<std::size_t>(layer)];
                    return vulkan::attention_bytes(spec, of, limits) +
                           (predicted ? vulkan::predictor_bytes(of, limits) : 0);
                },
            .neurons_bytes =
                [&tensors, spec, limits](int layer, int count) {
                    return vulkan::neurons_bytes(
                        spec, tensors.layers[static_cast<std::size_t>(layer)], count, limits);
                },
            .output_bytes = vulkan::output_bytes(tensors, limits),
            .neurons_alone = false,
            .kv_bytes =
                [spec](int n_ctx, int layer) {
                    return vulkan::PastArena::bytes(past_shape(spec, layer, n_ctx));
                },
            .scratch_bytes =
                [spec, width = tensors.predictor_width(), counts_firing](int, int n_batch) {
                    return vulkan::Buffers::scratch_bytes(spec, n_batch, width, counts_firing);
                },
            .stream_bytes =
                [spec, &tensors](int n_batch, std::uint64_t slot_bytes) {
                    return vulkan::WeightStream::bytes(spec, tensors, n_batch, slot_bytes);
                },
            .stream_host_bytes =
                [spec](int n_batch, std::uint64_t slot_bytes) {
                    return vulkan::WeightStream::host_bytes(spec, n_batch, slot_bytes);
                },
            .slot_bytes_min = vulkan::WeightStream::slot_bytes_min(spec),
        };
    }

    std::uint64_t host_bytes(const ModelSpec& spec, int n_batch) const override {
        return vulkan::Buffers::host_bytes(spec, n_batch);
    }

    GpuSpeeds measure() const override {
        vulkan::Pipelines pipelines(device_);
        auto speeds = vulkan::measure_speeds(device_, pipelines);
        return speeds ? *speeds : GpuSpeeds{};
    }

    std::unique_ptr<Accelerator> make_accelerator() const override {
        return std::make_unique<vulkan::VulkanExecutor>(device_);
    }

private:
    std::shared_ptr<vulkan::Device> device_;
};

}  // namespace

std::uint64_t weights_bytes(const ModelSpec& spec, const ModelTensors& tensors,
                            FeedForwardMode mode) {
    return CpuWeights::bytes_for(spec, tensors, mode);
}

Result<void> check_thresholds(const ModelSpec& spec, const ModelTensors& tensors) {
    if (spec.activation != Activation::SiluGated) {
        return Error{ErrorCode::InvalidArgument,
                     "thresholds are for blocks gated by SiLU; this model's activation is " +
                         std::string(to_string(spec.activation)) +
                         (is_sparse(spec.activation)
                              ? ", which makes zeros by itself: use \"exact\" or \"predicted\""
                              : ""),
                     {},
                     "mode"};
    }
    return CpuWeights::can_lie_by_input(tensors);
}

MemoryCosts memory_costs(const ModelSpec& spec, const ModelTensors& tensors, FeedForwardMode mode,
                         int n_threads) {
    return {
        .weights_bytes =
            [spec, &tensors, mode](const GpuPart& on_gpu) {
                return CpuWeights::bytes_for(spec, tensors, mode, on_gpu);
            },
        .kv_bytes =
            [spec](int n_ctx, const GpuPart& on_gpu) {
                return KvCache::bytes_for(spec, n_ctx, on_gpu.attention_in_vram);
            },
        .scratch_bytes =
            [spec, width = tensors.predictor_width(), n_threads, mode](int, int n_batch) {
                return CpuExecutor::scratch_bytes(spec, width, n_batch, n_threads, mode) +
                       Decoder::scratch_bytes(spec, n_batch);
            },
    };
}

int default_threads(const CpuFeatures& cpu, std::uint64_t weights_bytes) {
    constexpr std::uint64_t kMeasureFrom = std::uint64_t{1} << 30;
    const std::vector<int> candidates = thread_candidates(cpu);
    if (weights_bytes < kMeasureFrom || candidates.size() == 1) {
        return cpu.performance_cores;
    }
    return most_useful_threads(measure_thread_speeds(candidates));
}

double measure_gflop_per_s(std::uint32_t cpu_flags, ThreadPool& pool) {
    const kernels::KernelTable* table = kernels::select(cpu_flags, requested_isa().c_str());
    constexpr int kRows = 512;
    constexpr int kCols = 2048;
    constexpr int kTokens = 64;
    constexpr int kRuns = 3;
    const auto bytes = [](std::uint64_t n) { return AlignedBuffer::create(n, "a measurement"); };
    auto weights = bytes(packed_bytes(DType::Q8_0, kRows, kCols));
    auto inputs = bytes(quantized_bytes(kCols, kTokens));
    auto outputs = bytes(std::uint64_t{kRows} * kTokens * sizeof(float));
    if (table == nullptr || !weights || !inputs || !outputs) {
        return 0;
    }
    std::memset(weights->data(), 0x11, weights->bytes());
    std::memset(inputs->data(), 0x11, inputs->bytes());
    const PackedMatrix matrix{DType::Q8_0, kRows, kCols, weights->data()};
    const ActivationRows rows{nullptr, 0, inputs->data(), kCols, kTokens};
    const std::array products{
        Product{&matrix, reinterpret_cast<float*>(outputs->data()), std::size_t{kRows}}};
    double best = std::numeric_limits<double>::max();
    for (int run = 0; run < kRuns; ++run) {
        const auto start = std::chrono::steady_clock::now();
        multiply(pool, *table, products, rows);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = std::min(best, seconds.count());
    }
    return 2.0 * kRows * kCols * kTokens / best / 1e9;
}

std::vector<std::string> runnable_isas(std::uint32_t cpu_flags) {
    std::array<const kernels::KernelTable*, kernels::kMostTables> tables{};
    const int count = kernels::available(cpu_flags, tables.data());
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
        names.emplace_back(tables[static_cast<std::size_t>(i)]->name);
    }
    return names;
}

std::string requested_isa() {
    const char* name = std::getenv("HEARTH_CPU");
    return name == nullptr ? std::string{} : std::string(name);
}

Result<std::unique_ptr<Executor>> make_cpu_executor(std::uint32_t cpu_flags, const std::string& isa,
                                                    ThreadPool& pool) {
    const kernels::KernelTable* table = kernels::select(cpu_flags, isa.c_str());
    if (table == nullptr) {
        std::string known;
        for (const std::string& name : runnable_isas(cpu_flags)) {
            known += (known.empty() ? "" : ", ") + name;
        }
        return Error{ErrorCode::InvalidArgument,
                     "HEARTH_CPU asks for \"" + isa + "\"; this processor runs " + known,
                     {},
                     "HEARTH_CPU"};
    }
    return std::unique_ptr<Executor>(std::make_unique<CpuExecutor>(*table, pool));
}

Result<std::vector<GpuInfo>> list_gpus() {
    auto instance = vulkan::Instance::create(vulkan::requested_validation());
    if (!instance) {
        return std::move(instance).error();
    }
    return (*instance)->gpus();
}

Result<std::unique_ptr<OpenGpu>> open_gpu(int index) {
    auto without = vulkan::requested_restrictions();
    if (!without) {
        return std::move(without).error();
    }
    auto instance = vulkan::Instance::create(vulkan::requested_validation());
    if (!instance) {
        return std::move(instance).error();
    }
    auto device = vulkan::Device::create(std::move(*instance), index, *without);
    if (!device) {
        return std::move(device).error();
    }
    return std::unique_ptr<OpenGpu>(std::make_unique<OpenVulkanGpu>(std::move(*device)));
}

Result<std::string> requested_gpu_restrictions() {
    if (auto parsed = vulkan::requested_restrictions(); !parsed) {
        return std::move(parsed).error();
    }
    const char* names = std::getenv("HEARTH_VULKAN_WITHOUT");
    return names == nullptr ? std::string{} : std::string(names);
}

GpuProbe probe_gpu_device(int index) {
    GpuProbe failed;
    failed.verdict = GpuVerdict::Failed;
    auto instance = vulkan::Instance::create(vulkan::requested_validation());
    auto without = vulkan::requested_restrictions();
    if (!instance || !without) {
        failed.reason = (!instance ? instance.error() : without.error()).message;
        return failed;
    }
    return vulkan::probe(*instance, index, *without);
}

}  // namespace hearth
