// The one place that names the executors there are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/executor.h"
#include "plan/planner.h"

namespace hearth {

// Bytes the executors, the caches and the decoder will ask the ledger for.
MemoryCosts memory_costs(const ModelSpec& spec, const ModelTensors& tensors);

// Not yet loaded. isa: a kernel table's name, empty for the fastest this processor runs.
// InvalidArgument names the tables there are. pool must outlive the executor.
Result<std::unique_ptr<Executor>> make_cpu_executor(std::uint32_t cpu_flags, const std::string& isa,
                                                    ThreadPool& pool);

// Names of the kernel tables this processor runs, slowest first.
std::vector<std::string> runnable_isas(std::uint32_t cpu_flags);

// What HEARTH_CPU asks for; empty if it is not set.
std::string requested_isa();

}  // namespace hearth
