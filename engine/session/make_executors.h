// Makes executors. This is the only place that names them.
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

// The bytes that executors, caches and decoder will ask the ledger for. tensors must outlive the
// result.
MemoryCosts memory_costs(const ModelSpec& spec, const ModelTensors& tensors, FeedForwardMode mode,
                         int n_threads);

// Whether single tokens can be computed from the inputs above a threshold. InvalidArgument: not
// with this activation. Unsupported: names the tensor that stands in the way.
Result<void> check_thresholds(const ModelSpec& spec, const ModelTensors& tensors);

// Makes an executor that is not loaded yet. isa: the name of a kernel table; empty: the fastest
// that this processor runs. InvalidArgument names the tables there are. pool must outlive the
// executor.
Result<std::unique_ptr<Executor>> make_cpu_executor(std::uint32_t cpu_flags, const std::string& isa,
                                                    ThreadPool& pool);

// The number of threads when nobody asked for one. For weights of 1 GiB and more it is measured (20
// to 40 ms, where reading the weights takes 130 or longer). For less it is the number of fast cores
// that the system counts, because a small model must answer in less time than measuring takes.
int default_threads(const CpuFeatures& cpu, std::uint64_t weights_bytes);

// Measures billions of multiplications and additions a second, for products of many tokens with
// quantised weights on all of the pool's threads. Takes a few milliseconds. 0: it could not be
// measured.
double measure_gflop_per_s(std::uint32_t cpu_flags, ThreadPool& pool);

// Names of the kernel tables this processor runs, slowest first.
std::vector<std::string> runnable_isas(std::uint32_t cpu_flags);

// The kernel table that HEARTH_CPU asks for; empty if it is not set.
std::string requested_isa();

// Lists the GPUs in the drivers' order. It asks every driver, which takes some tens of ms.
// Unsupported: there is no loader or no driver, which is a normal state. Internal: a driver's
// error.
Result<std::vector<GpuInfo>> list_gpus();

// Tries one GPU. index: GpuInfo::index. The driver may crash or hang, and this process with it.
GpuProbe probe_gpu_device(int index);

// An open GPU. It must outlive the accelerators made of it.
class OpenGpu {
public:
    virtual ~OpenGpu() = default;
    virtual const GpuInfo& info() const = 0;
    // The costs that the planner needs. tensors must outlive the result. counts_firing: what the
    // plan will say. Unsupported: no shader computes this model.
    virtual Result<GpuMemoryCosts> memory_costs(const ModelSpec& spec, const ModelTensors& tensors,
                                                FeedForwardMode mode, bool counts_firing) const = 0;
    // Bytes of RAM for the memory that both sides see.
    virtual std::uint64_t host_bytes(const ModelSpec& spec, int n_batch) const = 0;
    virtual GpuSpeeds measure() const = 0;  // some tenths of a second; zeros: it could not
    virtual std::unique_ptr<Accelerator> make_accelerator() const = 0;
};
// index: GpuInfo::index. InvalidArgument, Unsupported, Internal.
Result<std::unique_ptr<OpenGpu>> open_gpu(int index);

// The features that HEARTH_VULKAN_WITHOUT takes away: names joined by commas; empty if it is not
// set. InvalidArgument: it names something else.
Result<std::string> requested_gpu_restrictions();

}  // namespace hearth
