// The processor as a unit: what a model costs it, what it can do, and its executor. processor.cpp
// is the only file outside cpu/ that names anything of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/executor.h"
#include "compute/foretelling.h"
#include "compute/kernel_speeds.h"
#include "model/foretelling.h"
#include "plan/firing_window.h"
#include "plan/memory_costs.h"

namespace hearth {

// Bytes of the weights as the processor holds them.
std::uint64_t weights_bytes(const ModelSpec& spec, const ModelTensors& tensors,
                            FeedForwardMode mode);

// The bytes that the executor, caches and decoder will ask the ledger for. tensors must outlive the
// result. without: as in the plan's budget. Where RAM does not hold all neurons, layers get room by
// the window.
MemoryCosts memory_costs(const ModelSpec& spec, const ModelTensors& tensors, FeedForwardMode mode,
                         int n_threads, const FlashWithout& without = {},
                         const FiringWindow& window = {});

// Whether single tokens can be computed from the inputs above a threshold. InvalidArgument: not
// with this activation. Unsupported: names the tensor that stands in the way.
Result<void> check_thresholds(const ModelSpec& spec, const ModelTensors& tensors);

// Names of the kernel tables this processor runs, slowest first.
std::vector<std::string> runnable_isas(std::uint32_t cpu_flags);

// Makes an executor that is not loaded yet. isa: the name of a kernel table; empty: the fastest
// that this processor runs. InvalidArgument names the tables there are. pool must outlive the
// executor.
Result<std::unique_ptr<Executor>> make_cpu_executor(std::uint32_t cpu_flags, const std::string& isa,
                                                    ThreadPool& pool);

// The bytes that make_foretelling() will ask the ledger for.
MemoryBytes foretelling_bytes(const ForetellingModel& model, int n_vocab, int n_ctx, int n_threads);

// Makes the layer that foretells of a model whose output head `cpu` has: an executor that
// make_cpu_executor() made, loaded. The file, cpu and its pool outlive it. OutOfMemory, ReadFailed,
// BadFile, Cancelled.
Result<std::unique_ptr<Foretelling>> make_foretelling(const GgufFile& file,
                                                      std::shared_ptr<const ForetellingModel> model,
                                                      const Executor& cpu, const Plan& plan,
                                                      Ledger& ledger, LoadMonitor& monitor);

// The type that most of the weights have, and the blocks' shape.
UsualMatrix usual_matrix(const ModelSpec& spec, const ModelTensors& tensors);

// As kernels' measure_kernel_speeds(), of the table that make_cpu_executor() would take.
KernelSpeeds measure_kernel_speeds(std::uint32_t cpu_flags, const std::string& isa,
                                   ThreadPool& pool, const UsualMatrix& usual,
                                   std::uint64_t most_bytes);

}  // namespace hearth
