// What files that appear whole or not at all have in common.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <hearth/result.h>

namespace hearth {

// path (UTF-8) as the system spells it.
std::filesystem::path native_path(const std::string& path);

// Whether a regular file can be put at `path` and its disk has room for `bytes` more; 0 asks for no
// room. InvalidArgument (no path), NotAFile (a folder or a device), DiskFull.
Result<void> check_output_target(const std::string& path, std::uint64_t bytes);

// Gives the file the name `path` and brings the folder's entry to the disk. WriteFailed, ...
Result<void> rename_into_place(const std::string& from, const std::string& path);

}  // namespace hearth
