// The one place that names the executors there are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/accelerator.h"
#include "compute/executor.h"
#include "hardware/cpu_features.h"
#include "hardware/gpu_info.h"
#include "hardware/gpu_probe.h"
#include "plan/planner.h"

namespace hearth {

// Bytes of the weights as the executors hold them.
std::uint64_t weights_bytes(const ModelSpec& spec, const ModelTensors& tensors,
                            FeedForwardMode mode);

// Bytes the executors, the caches and the decoder will ask the ledger for. tensors must outlive
// what is returned.
MemoryCosts memory_costs(const ModelSpec& spec, const ModelTensors& tensors, FeedForwardMode mode,
                         int n_threads);

// Whether single tokens can be computed from the inputs above a threshold. InvalidArgument: not
// with this activation. Unsupported: names the tensor that stands in the way.
Result<void> check_thresholds(const ModelSpec& spec, const ModelTensors& tensors);

// Not yet loaded. isa: a kernel table's name, empty for the fastest this processor runs.
// InvalidArgument names the tables there are. pool must outlive the executor.
Result<std::unique_ptr<Executor>> make_cpu_executor(std::uint32_t cpu_flags, const std::string& isa,
                                                    ThreadPool& pool);

// Threads when nobody asked for a number. For weights of 1 GiB and more measured anew (20 to 40 ms,
// where reading them takes 130 or longer); below, the machine's fast cores as the system counts
// them: a small model must answer in less time than measuring takes.
int default_threads(const CpuFeatures& cpu, std::uint64_t weights_bytes);

// Billions of multiplications and additions a second, products of many tokens with quantised
// weights by all of the pool's threads; a few milliseconds. 0: it could not be measured.
double measure_gflop_per_s(std::uint32_t cpu_flags, ThreadPool& pool);

// Names of the kernel tables this processor runs, slowest first.
std::vector<std::string> runnable_isas(std::uint32_t cpu_flags);

// Whether single tokens can be computed from the inputs above a threshold. InvalidArgument: not
// with this activation. Unsupported: names the tensor that stands in the way.
Result<void> check_thresholds(const ModelSpec& spec, const ModelTensors& tensors);

// What HEARTH_CPU asks for; empty if it is not set.
std::string requested_isa();

// The GPUs that drivers list, in their order. Unsupported: there is no loader or no driver, a
// normal state; Internal: what a driver says. Asks every driver there is: some tens of ms.
Result<std::vector<GpuInfo>> list_gpus();

// Tries one of them, GpuInfo::index. The driver may crash or hang, and this with it.
GpuProbe probe_gpu_device(int index);

// A GPU, open. Must outlive the accelerators made of it.
class OpenGpu {
public:
    virtual ~OpenGpu() = default;
    virtual const GpuInfo& info() const = 0;
    // What a plan has to know of it; tensors must outlive what is returned. counts_firing: as the
    // plan will say. Unsupported: the model is one that no shader takes.
    virtual Result<GpuMemoryCosts> memory_costs(const ModelSpec& spec, const ModelTensors& tensors,
                                                FeedForwardMode mode, bool counts_firing) const = 0;
    // Of RAM, for what both sides see.
    virtual std::uint64_t host_bytes(const ModelSpec& spec, int n_batch) const = 0;
    virtual GpuSpeeds measure() const = 0;  // some tenths of a second; zeros: it could not
    virtual std::unique_ptr<Accelerator> make_accelerator() const = 0;
};
// index: GpuInfo::index. InvalidArgument, Unsupported, Internal.
Result<std::unique_ptr<OpenGpu>> open_gpu(int index);

// What HEARTH_VULKAN_WITHOUT asks GPUs to do without, a word of names and commas; empty if it is
// not set. InvalidArgument: it names something else.
Result<std::string> requested_gpu_restrictions();

}  // namespace hearth
