// Paths and error numbers of the system as hearth's own.
#pragma once

#include <string>

#include <hearth/result.h>

namespace hearth {

// What a failed system call was doing decides the code of an error nothing else explains.
enum class FileAction { Open, Read, Write };

// The Error for `number` (errno; GetLastError() on Windows) about `path`. The message reads
// "PATH: cannot be opened: No such file or directory".
Error system_error(FileAction action, int number, const std::string& path);

// The last error of the calling thread, for system_error().
int last_system_error() noexcept;

#ifdef _WIN32
// UTF-8 to what the system's wide functions take; empty if it is not valid UTF-8.
std::wstring wide_path(const std::string& path);
#endif

}  // namespace hearth
