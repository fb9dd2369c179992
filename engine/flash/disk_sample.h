// How fast a disk reads that a model is going to lie on: measured on a file of the folder that it
// will lie in, since the model is not there yet.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <hearth/result.h>

#include "flash/disk_probe.h"

namespace hearth {

// The memory of a disk itself should not hold all that is measured on.
inline constexpr std::uint64_t kSampleBytes = std::uint64_t{256} << 20;

// Reads the largest model that lies in the folder, if one has `sample_bytes` on the disk and no
// holes; else a file of that size, which is written for it and removed, in the time that the disk
// takes. Errors of probe_disk(), and what writing a file can meet (ResumableFile).
Result<DiskProbe> probe_folder(const std::string& folder,
                               std::chrono::milliseconds limit = std::chrono::milliseconds(1500),
                               std::uint64_t sample_bytes = kSampleBytes);

}  // namespace hearth
