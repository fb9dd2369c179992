// GPUs as units: listing them, trying one, opening one for a model. open_gpu.cpp is the only file
// outside vulkan/ that names anything of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <hearth/result.h>

#include "base/environment.h"
#include "base/thread_pool.h"
#include "compute/executor.h"
#include "hardware/gpu_info.h"
#include "hardware/gpu_probe.h"
#include "plan/memory_costs.h"

namespace hearth {

// Lists the GPUs in the drivers' order. It asks every driver, which takes some tens of ms.
// Unsupported: there is no loader or no driver, which is a normal state. Internal: a driver's
// error.
Result<std::vector<GpuInfo>> list_gpus(const Environment& environment);

// Tries one GPU. index: GpuInfo::index. The driver may crash or hang, and this process with it.
GpuProbe probe_gpu(int index, const Environment& environment);

// InvalidArgument: Environment::vulkan_without names something that no device can be without.
Result<void> check_gpu_restrictions(const Environment& environment);

// An open GPU. It must outlive the executors made of it.
class OpenGpu {
public:
    virtual ~OpenGpu() = default;
    virtual const GpuInfo& info() const = 0;
    // The costs that the planner needs. tensors must outlive the result. counts_firing: what the
    // plan will say. Unsupported: no shader computes this model.
    virtual Result<GpuMemoryCosts> memory_costs(const ModelSpec& spec, const ModelTensors& tensors,
                                                FeedForwardMode mode, bool counts_firing) const = 0;
    // Bytes of RAM for the memory that both sides see, by the size of a batch. The result needs
    // neither this nor the spec any more.
    virtual std::function<std::uint64_t(int n_batch)> host_bytes(const ModelSpec& spec) const = 0;
    virtual GpuSpeeds measure() const = 0;  // some tenths of a second; zeros: it could not
    // One that is not loaded yet. source: the processor's weights; null where the plan uploads
    // none. It must be loaded before. pool and source must outlive the executor.
    virtual std::unique_ptr<Executor> make_executor(ThreadPool& pool,
                                                    const WeightSource* source) const = 0;
};
// index: GpuInfo::index. InvalidArgument, Unsupported, Internal.
Result<std::unique_ptr<OpenGpu>> open_gpu(int index, const Environment& environment);

}  // namespace hearth
