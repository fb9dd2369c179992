#include "base/mapped_file.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/system_error.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace hearth {
namespace {

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
    return Error{
        .code = ErrorCode::OutOfMemory,
        .message = path + ": " + std::to_string(bytes) + " bytes are more than this system can map",
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

MappedFile::~MappedFile() {
    if (data_ != nullptr) {
        UnmapViewOfFile(data_);
    }
    if (mapping_ != nullptr) {
        CloseHandle(mapping_);
    }
    if (file_ != nullptr) {
        CloseHandle(file_);
    }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      path_(std::move(other.path_)),
      file_(std::exchange(other.file_, nullptr)),
      mapping_(std::exchange(other.mapping_, nullptr)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(path_, other.path_);
    std::swap(file_, other.file_);
    std::swap(mapping_, other.mapping_);
    return *this;
}

Result<MappedFile> MappedFile::open(const std::string& path) {
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
    MappedFile file;
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
    if (bytes == 0) {
        return file;
    }
    file.mapping_ = CreateFileMappingW(handle, nullptr, PAGE_READONLY, 0, 0, nullptr);
    if (file.mapping_ == nullptr) {
        return system_error(FileAction::Read, last_system_error(), path);
    }
    file.data_ =
        static_cast<const std::byte*>(MapViewOfFile(file.mapping_, FILE_MAP_READ, 0, 0, 0));
    if (file.data_ == nullptr) {
        return system_error(FileAction::Read, last_system_error(), path);
    }
    file.size_ = static_cast<std::size_t>(bytes);
    return file;
}

Result<void> MappedFile::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    const std::uint64_t end = offset + out.size();
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

void MappedFile::release(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    if (offset >= size_ || bytes == 0) {
        return;
    }
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, size_ - offset));
    // Unlocking pages that were never locked "fails" and takes them out of the working set.
    VirtualUnlock(const_cast<std::byte*>(data_ + offset), length);
}

#else

MappedFile::~MappedFile() {
    if (data_ != nullptr) {
        munmap(const_cast<std::byte*>(data_), size_);
    }
    if (fd_ >= 0) {
        close(fd_);
    }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
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

Result<MappedFile> MappedFile::open(const std::string& path) {
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
    MappedFile file;
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
    if (bytes == 0) {
        return file;
    }
    void* p = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_SHARED, file.fd_, 0);
    if (p == MAP_FAILED) {
        return system_error(FileAction::Read, errno, path);
    }
    file.data_ = static_cast<const std::byte*>(p);
    file.size_ = static_cast<std::size_t>(bytes);
    return file;
}

Result<void> MappedFile::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    constexpr std::uint64_t kMostOffset = std::numeric_limits<off_t>::max();
    if (offset > kMostOffset || out.size() > kMostOffset - offset) {
        return ends_early(path_, offset, size_);
    }
    const std::uint64_t end = offset + out.size();
    while (!out.empty()) {
        // Some systems refuse or cut reads above 2 GiB.
        const std::size_t ask = std::min<std::size_t>(out.size(), std::size_t{1} << 30);
        const ssize_t got = pread(fd_, out.data(), ask, static_cast<off_t>(offset));
        if (got < 0) {
            if (errno == EINTR) {
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

void MappedFile::release(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    if (offset >= size_ || bytes == 0) {
        return;
    }
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t end = offset + std::min<std::uint64_t>(bytes, size_ - offset);
    // Whole pages only: the page at either edge is someone else's too.
    const std::uint64_t first = (offset + page - 1) / page * page;
    const std::uint64_t last = end == size_ ? end : end / page * page;
    if (first < last) {
        madvise(const_cast<std::byte*>(data_ + first), static_cast<std::size_t>(last - first),
                MADV_DONTNEED);
    }
}

#endif

}  // namespace hearth
