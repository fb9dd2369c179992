// Probes that were made before: a GPU is tried once, not at every start.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "hardware/gpu_probe.h"

namespace hearth {

// Of this version of the engine, from "<cache_folder>/gpus.txt". Whatever is wrong with the file or
// the folder, it holds none: a cache is never trusted and never an error.
std::vector<GpuProbe> read_gpu_probes(const std::string& cache_folder, std::string_view version);

// Adds the probe to that file in place of an earlier one of the same device; devices that are not
// there at the moment keep theirs. Makes the folder; the file is there whole or not at all.
// NotFound (the folder's name is empty), PermissionDenied, WriteFailed, DiskFull, ...: nothing is
// kept.
Result<void> keep_gpu_probe(const std::string& cache_folder, std::string_view version,
                            const GpuProbe& probe);

}  // namespace hearth
