#include "base/input_file.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "base/guarded.h"
#include "base/system_error.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace hearth {
namespace {

// A disk that is busy, or wakes up, may fail more than once before it reads.
constexpr int kTriesAgain = 2;

Error not_a_file(const std::string& path, const char* kind) {
    return Error{.code = ErrorCode::NotAFile,
                 .message = path + " is " + kind + ", not a file",
                 .path = path,
                 .field = {}};
}

Error no_such_file(const std::string& path) {
    return Error{
        .code = ErrorCode::NotFound,
        .message = path.empty() ? std::string("no file was named") : path + ": no such file",
        .path = path,
        .field = {}};
}

Error too_large(const std::string& path, std::uint64_t bytes) {
    return Error{.code = ErrorCode::OutOfMemory,
                 .message = path + ": " + std::to_string(bytes) +
                            " bytes are more than this system can address",
                 .path = path,
                 .field = {}};
}

Error ends_early(const std::string& path, std::uint64_t wanted_end, std::uint64_t at) {
    return Error{.code = ErrorCode::ReadFailed,
                 .message = path + ": wanted bytes up to " + std::to_string(wanted_end) +
                            ", the file ends at byte " + std::to_string(at),
                 .path = path,
                 .field = {}};
}

}  // namespace

#ifdef _WIN32

InputFile::~InputFile() {
    if (file_ != nullptr) {
        CloseHandle(file_);
    }
}

InputFile::InputFile(InputFile&& other) noexcept
    : parts_(std::move(other.parts_)),
      begins_(std::move(other.begins_)),
      size_bytes_(std::exchange(other.size_bytes_, 0)),
      path_(std::move(other.path_)),
      file_(std::exchange(other.file_, nullptr)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
    std::swap(parts_, other.parts_);
    std::swap(begins_, other.begins_);
    std::swap(size_bytes_, other.size_bytes_);
    std::swap(path_, other.path_);
    std::swap(file_, other.file_);
    return *this;
}

Result<InputFile> InputFile::open(const std::string& path) {
    if (path.empty() || path.find('\0') != std::string::npos) {
        return no_such_file(path);
    }
    const std::wstring wide = wide_path(path);
    if (wide.empty()) {
        return no_such_file(path);
    }
    const DWORD attributes = GetFileAttributesW(wide.c_str());
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
        return not_a_file(path, "a folder");
    }
    HANDLE handle = CreateFileW(wide.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE,
                                nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (handle == INVALID_HANDLE_VALUE) {
        const int number = last_system_error();
        if (number == ERROR_FILE_NOT_FOUND || number == ERROR_PATH_NOT_FOUND) {
            return no_such_file(path);
        }
        return system_error(FileAction::Open, number, path);
    }
    InputFile file;
    file.path_ = path;
    file.file_ = handle;
    if (GetFileType(handle) != FILE_TYPE_DISK) {
        return not_a_file(path, "a device");
    }
    LARGE_INTEGER size{};
    if (!GetFileSizeEx(handle, &size)) {
        return system_error(FileAction::Open, last_system_error(), path);
    }
    const auto bytes = static_cast<std::uint64_t>(size.QuadPart);
    if (bytes > std::numeric_limits<std::size_t>::max() / 2) {
        return too_large(path, bytes);
    }
    file.size_bytes_ = bytes;
    return file;
}

Result<void> InputFile::read(std::uint64_t offset, std::span<std::byte> out) const {
    const std::uint64_t end = offset + out.size();
    int again = kTriesAgain;
    while (!out.empty()) {
        OVERLAPPED where{};
        where.Offset = static_cast<DWORD>(offset & 0xFFFFFFFFU);
        where.OffsetHigh = static_cast<DWORD>(offset >> 32);
        const auto ask =
            static_cast<DWORD>(std::min<std::size_t>(out.size(), std::size_t{1} << 30));
        DWORD got = 0;
        if (!ReadFile(file_, out.data(), ask, &got, &where)) {
            const int number = last_system_error();
            if (number != ERROR_HANDLE_EOF) {
                if (again-- > 0) {
                    continue;
                }
                return system_error(FileAction::Read, number, path_);
            }
            got = 0;
        }
        if (got == 0) {
            LARGE_INTEGER now{};
            const bool known = GetFileSizeEx(file_, &now) != 0;
            return ends_early(path_, end,
                              known ? static_cast<std::uint64_t>(now.QuadPart) : offset);
        }
        out = out.subspan(got);
        offset += got;
    }
    return {};
}

void InputFile::will_read(std::uint64_t, std::uint64_t) const noexcept {
    // Windows reads ahead by itself; its one hint, PrefetchVirtualMemory, wants a mapping.
}

#else

InputFile::~InputFile() {
    if (fd_ >= 0) {
        close(fd_);
    }
}

InputFile::InputFile(InputFile&& other) noexcept
    : parts_(std::move(other.parts_)),
      begins_(std::move(other.begins_)),
      size_bytes_(std::exchange(other.size_bytes_, 0)),
      path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
    std::swap(parts_, other.parts_);
    std::swap(begins_, other.begins_);
    std::swap(size_bytes_, other.size_bytes_);
    std::swap(path_, other.path_);
    std::swap(fd_, other.fd_);
    return *this;
}

namespace {

// What `mode` is, if it is no regular file.
const char* odd_kind(mode_t mode) {
    if (S_ISREG(mode)) {
        return nullptr;
    }
    if (S_ISDIR(mode)) {
        return "a folder";
    }
    if (S_ISFIFO(mode)) {
        return "a pipe";
    }
    if (S_ISSOCK(mode)) {
        return "a socket";
    }
    return "a device";
}

Error open_error(int number, const std::string& path) {
    if (number == ENOENT || number == ENOTDIR) {
        return no_such_file(path);
    }
    return system_error(FileAction::Open, number, path);
}

}  // namespace

Result<InputFile> InputFile::open(const std::string& path) {
    if (path.empty() || path.find('\0') != std::string::npos) {
        return no_such_file(path);
    }
    // Looked at before it is opened, since opening a device can do something; and again after,
    // since it may be another file by then.
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) {
        return open_error(errno, path);
    }
    if (const char* kind = odd_kind(info.st_mode)) {
        return not_a_file(path, kind);
    }
    InputFile file;
    file.path_ = path;
    do {
        file.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    } while (file.fd_ < 0 && errno == EINTR);
    if (file.fd_ < 0) {
        return open_error(errno, path);
    }
    if (fstat(file.fd_, &info) != 0) {
        return open_error(errno, path);
    }
    if (const char* kind = odd_kind(info.st_mode)) {
        return not_a_file(path, kind);
    }
    const auto bytes = static_cast<std::uint64_t>(info.st_size);
    if (bytes > std::numeric_limits<std::size_t>::max() / 2) {
        return too_large(path, bytes);
    }
    file.size_bytes_ = bytes;
    return file;
}

Result<void> InputFile::read(std::uint64_t offset, std::span<std::byte> out) const {
    constexpr std::uint64_t kMostOffset = std::numeric_limits<off_t>::max();
    if (offset > kMostOffset || out.size() > kMostOffset - offset) {
        return ends_early(path_, offset, size_bytes_);
    }
    const std::uint64_t end = offset + out.size();
    int again = kTriesAgain;
    while (!out.empty()) {
        // Some systems refuse or cut reads above 2 GiB.
        const std::size_t ask = std::min<std::size_t>(out.size(), std::size_t{1} << 30);
        const ssize_t got = pread(fd_, out.data(), ask, static_cast<off_t>(offset));
        if (got < 0) {
            if (errno == EINTR || (errno == EIO && again-- > 0)) {
                continue;
            }
            return system_error(FileAction::Read, errno, path_);
        }
        if (got == 0) {
            struct stat now {};
            const bool known = fstat(fd_, &now) == 0;
            return ends_early(path_, end, known ? static_cast<std::uint64_t>(now.st_size) : offset);
        }
        out = out.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
    return {};
}

void InputFile::will_read(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    if (!parts_.empty()) {
        const std::size_t part = part_at(offset);
        parts_[part].will_read(offset - begins_[part], bytes);
        return;
    }
    if (offset >= size_bytes_ || bytes == 0) {
        return;
    }
    const std::uint64_t length = std::min<std::uint64_t>(bytes, size_bytes_ - offset);
#if defined(__APPLE__)
    radvisory advice{};
    advice.ra_offset = static_cast<off_t>(offset);
    advice.ra_count = static_cast<int>(std::min<std::uint64_t>(length, 1U << 30));
    fcntl(fd_, F_RDADVISE, &advice);
#elif defined(POSIX_FADV_WILLNEED)
    // Linux reads no more for one call than its disk takes in one request, which may be as little
    // as its read-ahead.
    constexpr std::uint64_t kStep = std::uint64_t{128} << 10;
    for (std::uint64_t at = 0; at < length; at += kStep) {
        posix_fadvise(fd_, static_cast<off_t>(offset + at),
                      static_cast<off_t>(std::min(kStep, length - at)), POSIX_FADV_WILLNEED);
    }
#endif
}

#endif

Result<void> InputFile::read_at(std::uint64_t offset, std::span<std::byte> out) const noexcept {
    if (!parts_.empty()) {
        const std::size_t part = part_at(offset);
        return parts_[part].read_at(offset - begins_[part], out);
    }
    return guarded(path_, [&] { return read(offset, out); });
}

InputFile InputFile::join(std::vector<InputFile> parts) {
    HEARTH_ASSERT(!parts.empty());
    InputFile whole;
    whole.path_ = parts.front().path_;
    for (const InputFile& part : parts) {
        HEARTH_ASSERT(part.parts_.empty());
        const std::uint64_t begin =
            whole.begins_.empty()
                ? 0
                : (whole.size_bytes_ + 2 * kPartAlignment - 1) / kPartAlignment * kPartAlignment;
        whole.begins_.push_back(begin);
        whole.size_bytes_ = begin + part.size_bytes_;
    }
    whole.parts_ = std::move(parts);
    return whole;
}

// What lies in a gap, or behind the end, is behind the end of the part before it.
std::size_t InputFile::part_at(std::uint64_t offset) const noexcept {
    const auto behind = std::upper_bound(begins_.begin(), begins_.end(), offset);
    return static_cast<std::size_t>(behind - begins_.begin()) - 1;
}

}  // namespace hearth
