// Disks that were measured before.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "flash/disk_probe.h"

namespace hearth {

// The text of "<cache_folder>/disks.txt"; docs/formats/disk-probes.md describes it.
std::string format_disk_probes(std::span<const DiskProbe> probes, std::string_view version);
// Nothing if it is of another version, or anything in it is odd.
std::vector<DiskProbe> parse_disk_probes(std::string_view text, std::string_view version);

// Of this version of the engine. Whatever is wrong with the file or the folder, it holds none: a
// cache is never trusted and never an error.
std::vector<DiskProbe> read_disk_probes(const std::string& cache_folder, std::string_view version);

// Of the disk that the file at `path` lies on.
std::optional<DiskProbe> read_disk_probe(const std::string& cache_folder, std::string_view version,
                                         const std::string& path);

// Adds the probe in place of an earlier one of its disk. Makes the folder; the file is there whole
// or not at all. NotFound (the folder's name is empty), InvalidArgument (the disk has no name),
// PermissionDenied, WriteFailed, DiskFull, ...: nothing is kept.
Result<void> keep_disk_probe(const std::string& cache_folder, std::string_view version,
                             const DiskProbe& probe);

}  // namespace hearth
