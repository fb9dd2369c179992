#include "session/open_gpu.h"

#include <utility>

#include "vulkan/instance.h"
#include "vulkan/probe.h"
#include "vulkan/vulkan_executor.h"

namespace hearth {
namespace {

Result<std::shared_ptr<vulkan::Instance>> open_instance(const Environment& environment) {
    return vulkan::Instance::create(vulkan::validation_from(environment.vulkan_validation),
                                    environment.vulkan_drivers);
}

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
                    return vulkan::attention_bytes(spec.layer(layer), of, limits) +
                           (predicted ? vulkan::predictor_bytes(of, limits) : 0);
                },
            .neurons_bytes =
                [&tensors, spec, limits](int layer, int count) {
                    return vulkan::neurons_bytes(spec.layer(layer),
                                                 tensors.layers[static_cast<std::size_t>(layer)],
                                                 count, limits);
                },
            .output_bytes = vulkan::output_bytes(tensors, limits),
            .neurons_alone = false,
            .kv_bytes =
                [spec](int n_ctx, int layer) {
                    return vulkan::PastArena::bytes(spec.layer(layer), n_ctx);
                },
            .scratch_bytes =
                [spec, width = tensors.predictor_width(), counts_firing,
                 matrix_units = device_->features().matrix_units()](int, int n_batch) {
                    return vulkan::Buffers::scratch_bytes(spec, n_batch, width, counts_firing,
                                                          matrix_units);
                },
            .upload_bytes =
                [spec, &tensors](int n_batch, std::uint64_t slot_bytes) {
                    return vulkan::WeightUploader::bytes(spec, tensors, n_batch, slot_bytes);
                },
            .upload_host_bytes =
                [spec](int n_batch, std::uint64_t slot_bytes) {
                    return vulkan::WeightUploader::host_bytes(spec, n_batch, slot_bytes);
                },
            .slot_bytes_min = vulkan::WeightUploader::slot_bytes_min(spec, tensors),
        };
    }

    std::function<std::uint64_t(int n_batch)> host_bytes(const ModelSpec& spec) const override {
        return [spec](int n_batch) { return vulkan::Buffers::host_bytes(spec, n_batch); };
    }

    GpuSpeeds measure() const override {
        auto speeds = vulkan::measure_speeds(device_);
        return speeds ? *speeds : GpuSpeeds{};
    }

    std::unique_ptr<Executor> make_executor(ThreadPool& pool,
                                            const WeightSource* source) const override {
        return std::make_unique<vulkan::VulkanExecutor>(device_, pool, source);
    }

private:
    std::shared_ptr<vulkan::Device> device_;
};

}  // namespace

Result<std::vector<GpuInfo>> list_gpus(const Environment& environment) {
    auto instance = open_instance(environment);
    if (!instance) {
        return std::move(instance).error();
    }
    return (*instance)->gpus();
}

Result<std::unique_ptr<OpenGpu>> open_gpu(int index, const Environment& environment) {
    auto without = vulkan::parse_restrictions(environment.vulkan_without);
    if (!without) {
        return std::move(without).error();
    }
    auto instance = open_instance(environment);
    if (!instance) {
        return std::move(instance).error();
    }
    auto device = vulkan::Device::create(std::move(*instance), index, *without);
    if (!device) {
        return std::move(device).error();
    }
    return std::unique_ptr<OpenGpu>(std::make_unique<OpenVulkanGpu>(std::move(*device)));
}

Result<void> check_gpu_restrictions(const Environment& environment) {
    auto parsed = vulkan::parse_restrictions(environment.vulkan_without);
    return parsed ? Result<void>() : std::move(parsed).error();
}

GpuProbe probe_gpu(int index, const Environment& environment) {
    auto instance = open_instance(environment);
    auto without = vulkan::parse_restrictions(environment.vulkan_without);
    if (!instance || !without) {
        GpuProbe failed;
        failed.verdict = GpuVerdict::Failed;
        failed.reason = (!instance ? instance.error() : without.error()).message;
        return failed;
    }
    return vulkan::probe(*instance, index, *without);
}

}  // namespace hearth
