// An executor of the processor whose blocks a test may compute one by one.
#pragma once

#include <memory>
#include <string>

#include "cpu/cpu_executor.h"
#include "hardware/cpu_features.h"

namespace hearth::test {

// isa: one that this processor runs; empty: the fastest.
inline std::unique_ptr<CpuExecutor> loose_cpu_executor(ThreadPool& pool,
                                                       const std::string& isa = {}) {
    return std::make_unique<CpuExecutor>(*kernels::select(detect_cpu_features().flags, isa.c_str()),
                                         pool);
}

}  // namespace hearth::test
