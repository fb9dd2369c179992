#include "base/output_target.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/system_error.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#endif

namespace hearth {
namespace {

std::filesystem::path folder_of(const std::string& path) {
    std::filesystem::path folder = native_path(path).parent_path();
    return folder.empty() ? std::filesystem::path(".") : folder;
}

}  // namespace

std::filesystem::path native_path(const std::string& path) {
#ifdef _WIN32
    return wide_path(path);
#else
    return path;
#endif
}

Result<void> check_output_target(const std::string& path, std::uint64_t bytes) {
    if (path.empty() || path.find('\0') != std::string::npos) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "no output file was named",
                     .path = path,
                     .field = {}};
    }
    std::error_code ignored;
    const auto status = std::filesystem::status(native_path(path), ignored);
    // A rename would replace a device file as readily as a model.
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        const bool folder = std::filesystem::is_directory(status);
        return Error{.code = ErrorCode::NotAFile,
                     .message = path + " is " + (folder ? "a folder" : "a device") +
                                ", not a file that can be written",
                     .path = path,
                     .field = {}};
    }
    if (bytes == 0) {
        return {};
    }
    std::error_code unknown;
    const auto space = std::filesystem::space(folder_of(path), unknown);
    // Some network disks report no capacity at all: then only writing tells.
    if (!unknown && space.capacity > 0 && space.available < bytes) {
        return Error{.code = ErrorCode::DiskFull,
                     .message = path + ": needs " + std::to_string(bytes) +
                                " bytes, its disk has " + std::to_string(space.available) + " free",
                     .path = path,
                     .field = {}};
    }
    return {};
}

#ifdef _WIN32

Result<void> write_all(FileHandle file, std::span<const std::byte> data, const std::string& path,
                       std::uint64_t& written_bytes) {
    while (!data.empty()) {
        const auto ask =
            static_cast<DWORD>(std::min<std::size_t>(data.size(), std::size_t{1} << 30));
        DWORD put = 0;
        if (!WriteFile(file, data.data(), ask, &put, nullptr)) {
            return system_error(FileAction::Write, last_system_error(), path);
        }
        written_bytes += put;
        data = data.subspan(put);
    }
    return {};
}

Result<void> flush_file(FileHandle file, const std::string& path) {
    if (file != kNoFile && !FlushFileBuffers(file)) {
        return system_error(FileAction::Write, last_system_error(), path);
    }
    return {};
}

void close_file(FileHandle& file) noexcept {
    if (file != kNoFile) {
        CloseHandle(std::exchange(file, kNoFile));
    }
}

Result<void> rename_into_place(const std::string& from, const std::string& path) {
    if (!MoveFileExW(wide_path(from).c_str(), wide_path(path).c_str(),
                     MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) {
        return system_error(FileAction::Write, last_system_error(), path);
    }
    return {};
}

#else

Result<void> write_all(FileHandle file, std::span<const std::byte> data, const std::string& path,
                       std::uint64_t& written_bytes) {
    while (!data.empty()) {
        const std::size_t ask = std::min<std::size_t>(data.size(), std::size_t{1} << 30);
        const ssize_t put = ::write(file, data.data(), ask);
        if (put < 0) {
            if (errno == EINTR) {
                continue;
            }
            return system_error(FileAction::Write, errno, path);
        }
        written_bytes += static_cast<std::uint64_t>(put);
        data = data.subspan(static_cast<std::size_t>(put));
    }
    return {};
}

Result<void> flush_file(FileHandle file, const std::string& path) {
#ifdef F_FULLFSYNC
    // Where fsync() stops at the disk's cache.
    if (fcntl(file, F_FULLFSYNC) != 0 && fsync(file) != 0) {
#else
    if (fsync(file) != 0) {
#endif
        return system_error(FileAction::Write, errno, path);
    }
    return {};
}

void close_file(FileHandle& file) noexcept {
    if (file != kNoFile) {
        close(std::exchange(file, kNoFile));
    }
}

Result<void> rename_into_place(const std::string& from, const std::string& path) {
    const std::filesystem::path folder_path = folder_of(path);  // nothing may throw once renamed
    if (std::rename(from.c_str(), path.c_str()) != 0) {
        return system_error(FileAction::Write, errno, path);
    }
    // The new name is on the disk once its folder is; not every file system can say so.
    const int folder = ::open(folder_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
    return {};
}

#endif

}  // namespace hearth
