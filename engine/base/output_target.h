// What files that appear whole or not at all have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include <hearth/result.h>

namespace hearth {

// path (UTF-8) as the system spells it.
std::filesystem::path native_path(const std::string& path);

// Whether a regular file can be put at `path` and its disk has room for `bytes` more; 0 asks for no
// room. InvalidArgument (no path), NotAFile (a folder or a device), DiskFull.
Result<void> check_output_target(const std::string& path, std::uint64_t bytes);

// An open file, as the system has it.
#ifdef _WIN32
using FileHandle = void*;
inline constexpr FileHandle kNoFile = nullptr;
#else
using FileHandle = int;
inline constexpr FileHandle kNoFile = -1;
#endif

// Appends all of it; written_bytes grows by what was written, also upon an error. path: what errors
// name. WriteFailed, DiskFull.
Result<void> write_all(FileHandle file, std::span<const std::byte> data, const std::string& path,
                       std::uint64_t& written_bytes);
// Brings what was written to the disk, where Windows has not closed it yet. WriteFailed, DiskFull.
Result<void> flush_file(FileHandle file, const std::string& path);
// Nothing where it is kNoFile, as it is afterwards.
void close_file(FileHandle& file) noexcept;

// Gives the file the name `path` and brings the folder's entry to the disk. WriteFailed, ...
Result<void> rename_into_place(const std::string& from, const std::string& path);

}  // namespace hearth
