#include "base/output_file.h"

#include <atomic>
#include <exception>
#include <utility>

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
    std::swap(file_, other.file_);
    return *this;
}

Result<OutputFile> OutputFile::create(const std::string& path, std::uint64_t expected_bytes) {
    if (auto fine = check_output_target(path, expected_bytes); !fine) {
        return std::move(fine).error();
    }
    OutputFile out;
    out.path_ = path;
    std::string partial = partial_name(path);
#ifdef _WIN32
    HANDLE handle = CreateFileW(wide_path(partial).c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                                FILE_ATTRIBUTE_NORMAL, nullptr);
    if (handle == INVALID_HANDLE_VALUE) {
        return system_error(FileAction::Write, last_system_error(), path);
    }
    out.file_ = handle;
#else
    do {
        out.file_ = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (out.file_ < 0 && errno == EINTR);
    if (out.file_ < 0) {
        return system_error(FileAction::Write, errno, path);
    }
#endif
    out.partial_path_ = std::move(partial);
    return out;
}

Result<void> OutputFile::write(std::span<const std::byte> data) {
    return write_all(file_, data, path_, written_bytes_);
}

Result<void> OutputFile::commit() {
    if (auto flushed = flush_file(file_, path_); !flushed) {
        return flushed;
    }
#ifdef _WIN32
    close_file(file_);
#else
    // Network disks may report a full disk only now.
    if (close(std::exchange(file_, kNoFile)) != 0 && errno != EINTR) {
        return system_error(FileAction::Write, errno, path_);
    }
#endif
    if (auto renamed = rename_into_place(partial_path_, path_); !renamed) {
        return renamed;
    }
    partial_path_.clear();
    return {};
}

void OutputFile::discard() noexcept {
    close_file(file_);
    if (!partial_path_.empty()) {
#ifdef _WIN32
        try {
            DeleteFileW(wide_path(partial_path_).c_str());
        } catch (const std::exception&) {
            // No memory for its name in the system's spelling: the partial file stays.
        }
#else
        unlink(partial_path_.c_str());
#endif
        partial_path_.clear();
    }
}

}  // namespace hearth
