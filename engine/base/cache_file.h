// Small text files of a cache folder: what was measured before.
#pragma once

#include <string>
#include <string_view>

#include <hearth/result.h>

namespace hearth {

// "<folder>/<name>" whole. Empty: the folder's name is empty, or the file is not there, cannot be
// read or has more than 256 KiB, which no file of ours reaches.
std::string read_cache_file(const std::string& folder, std::string_view name);

// Makes the folder, for this user alone; the file is there whole or not at all. Errors of
// OutputFile. Precondition: the folder's name is not empty.
Result<void> write_cache_file(const std::string& folder, std::string_view name,
                              std::string_view text);

}  // namespace hearth
