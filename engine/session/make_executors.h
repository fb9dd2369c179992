// The one place that names the executors there are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/executor.h"
#include "hardware/cpu_features.h"
#include "plan/planner.h"

namespace hearth {

// Bytes of the weights as the executors hold them.
std::uint64_t weights_bytes(const ModelSpec& spec, const ModelTensors& tensors,
                            FeedForwardMode mode);

// Bytes the executors, the caches and the decoder will ask the ledger for.
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

// Names of the kernel tables this processor runs, slowest first.
std::vector<std::string> runnable_isas(std::uint32_t cpu_flags);

// Whether single tokens can be computed from the inputs above a threshold. InvalidArgument: not
// with this activation. Unsupported: names the tensor that stands in the way.
Result<void> check_thresholds(const ModelSpec& spec, const ModelTensors& tensors);

// What HEARTH_CPU asks for; empty if it is not set.
std::string requested_isa();

}  // namespace hearth
