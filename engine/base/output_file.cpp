#include "base/output_file.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "base/output_target.h"
#include "base/system_error.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace hearth {
namespace {

#ifdef _WIN32
unsigned long process_id() {
    return GetCurrentProcessId();
}
#else
unsigned long process_id() {
    return static_cast<unsigned long>(getpid());
}
#endif

std::string partial_name(const std::string& path) {
    static std::atomic<unsigned> counter{0};
    return path + ".partial-" + std::to_string(process_id()) + "-" +
           std::to_string(counter.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace

OutputFile::~OutputFile() {
    discard();
}

OutputFile::OutputFile(OutputFile&& other) noexcept {
    *this = std::move(other);
}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(partial_path_, other.partial_path_);
    std::swap(written_bytes_, other.written_bytes_);
#ifdef _WIN32
    std::swap(file_, other.file_);
#else
    std::swap(fd_, other.fd_);
#endif
    return *this;
}

#ifdef _WIN32

Result<OutputFile> OutputFile::create(const std::string& path, std::uint64_t expected_bytes) {
    if (auto fine = check_output_target(path, expected_bytes); !fine) {
        return std::move(fine).error();
    }
    OutputFile out;
    out.path_ = path;
    std::string partial = partial_name(path);
    HANDLE handle = CreateFileW(wide_path(partial).c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                                FILE_ATTRIBUTE_NORMAL, nullptr);
    if (handle == INVALID_HANDLE_VALUE) {
        return system_error(FileAction::Write, last_system_error(), path);
    }
    out.file_ = handle;
    out.partial_path_ = std::move(partial);
    return out;
}

Result<void> OutputFile::write(std::span<const std::byte> data) {
    while (!data.empty()) {
        const auto ask =
            static_cast<DWORD>(std::min<std::size_t>(data.size(), std::size_t{1} << 30));
        DWORD put = 0;
        if (!WriteFile(file_, data.data(), ask, &put, nullptr)) {
            return system_error(FileAction::Write, last_system_error(), path_);
        }
        written_bytes_ += put;
        data = data.subspan(put);
    }
    return {};
}

Result<void> OutputFile::commit() {
    if (!FlushFileBuffers(file_)) {
        return system_error(FileAction::Write, last_system_error(), path_);
    }
    CloseHandle(std::exchange(file_, nullptr));
    if (auto renamed = rename_into_place(partial_path_, path_); !renamed) {
        return renamed;
    }
    partial_path_.clear();
    return {};
}

void OutputFile::discard() noexcept {
    if (file_ != nullptr) {
        CloseHandle(std::exchange(file_, nullptr));
    }
    if (!partial_path_.empty()) {
        try {
            DeleteFileW(wide_path(partial_path_).c_str());
        } catch (const std::exception&) {
            // No memory for its name in the system's spelling: the partial file stays.
        }
        partial_path_.clear();
    }
}

#else

Result<OutputFile> OutputFile::create(const std::string& path, std::uint64_t expected_bytes) {
    if (auto fine = check_output_target(path, expected_bytes); !fine) {
        return std::move(fine).error();
    }
    OutputFile out;
    out.path_ = path;
    std::string partial = partial_name(path);
    do {
        out.fd_ = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (out.fd_ < 0 && errno == EINTR);
    if (out.fd_ < 0) {
        return system_error(FileAction::Write, errno, path);
    }
    out.partial_path_ = std::move(partial);
    return out;
}

Result<void> OutputFile::write(std::span<const std::byte> data) {
    while (!data.empty()) {
        const std::size_t ask = std::min<std::size_t>(data.size(), std::size_t{1} << 30);
        const ssize_t put = ::write(fd_, data.data(), ask);
        if (put < 0) {
            if (errno == EINTR) {
                continue;
            }
            return system_error(FileAction::Write, errno, path_);
        }
        written_bytes_ += static_cast<std::uint64_t>(put);
        data = data.subspan(static_cast<std::size_t>(put));
    }
    return {};
}

Result<void> OutputFile::commit() {
#ifdef F_FULLFSYNC
    // Where fsync() stops at the disk's cache.
    if (fcntl(fd_, F_FULLFSYNC) != 0 && fsync(fd_) != 0) {
#else
    if (fsync(fd_) != 0) {
#endif
        return system_error(FileAction::Write, errno, path_);
    }
    // Network disks may report a full disk only now.
    if (close(std::exchange(fd_, -1)) != 0 && errno != EINTR) {
        return system_error(FileAction::Write, errno, path_);
    }
    if (auto renamed = rename_into_place(partial_path_, path_); !renamed) {
        return renamed;
    }
    partial_path_.clear();
    return {};
}

void OutputFile::discard() noexcept {
    if (fd_ >= 0) {
        close(std::exchange(fd_, -1));
    }
    if (!partial_path_.empty()) {
        unlink(partial_path_.c_str());
        partial_path_.clear();
    }
}

#endif

}  // namespace hearth
