#include "session/make_executors.h"

#include <array>
#include <cstdlib>

#include "cpu/cpu_executor.h"
#include "hardware/core_scaling.h"
#include "session/decoder.h"
#include "vulkan/instance.h"
#include "vulkan/probe.h"

namespace hearth {

std::uint64_t weights_bytes(const ModelSpec& spec, const ModelTensors& tensors,
                            FeedForwardMode mode) {
    return CpuWeights::bytes_for(spec, tensors, mode);
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
            [spec, width = tensors.predictor_width(), n_threads](int, int n_batch) {
                return CpuExecutor::scratch_bytes(spec, width, n_batch, n_threads) +
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
