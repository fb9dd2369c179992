#include "flash/direct_file.h"

#include <algorithm>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/input_file.h"
#include "base/system_error.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#ifdef __linux__
#include <sys/vfs.h>
#endif
#endif

namespace hearth {
namespace {

constexpr std::uint64_t kUsualAlignment = 4096;  // holds on every disk that names no other

// Of one read: some systems refuse or cut more.
constexpr std::size_t kLargestRead = std::size_t{1} << 30;

std::string size_change(std::uint64_t now, std::uint64_t then) {
    return "it has " + std::to_string(now) + " bytes now and had " + std::to_string(then) +
           " when it was opened";
}

#ifdef _WIN32

std::uint64_t as_number(DWORD high, DWORD low) {
    return (std::uint64_t{high} << 32) | low;
}

class DirectFile final : public FileReads {
public:
    DirectFile() = default;
    DirectFile(const DirectFile&) = delete;
    DirectFile& operator=(const DirectFile&) = delete;
    ~DirectFile() override {
        if (file_ != INVALID_HANDLE_VALUE) {
            CloseHandle(file_);
        }
    }

    Result<void> open(const std::string& path, bool direct) {
        facts_.path = path;
        const DWORD flags = FILE_ATTRIBUTE_NORMAL | (direct ? FILE_FLAG_NO_BUFFERING : 0);
        file_ =
            CreateFileW(wide_path(path).c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE,
                        nullptr, OPEN_EXISTING, flags, nullptr);
        if (file_ == INVALID_HANDLE_VALUE || !GetFileInformationByHandle(file_, &opened_)) {
            return system_error(FileAction::Open, last_system_error(), path);
        }
        facts_.size_bytes = as_number(opened_.nFileSizeHigh, opened_.nFileSizeLow);
        if (direct) {
            FILE_STORAGE_INFO storage{};
            const bool known =
                GetFileInformationByHandleEx(file_, FileStorageInfo, &storage, sizeof storage);
            facts_.alignment = facts_.memory_alignment =
                std::max<std::uint64_t>(kUsualAlignment, known ? storage.LogicalBytesPerSector : 0);
            facts_.direct = true;
        }
        return {};
    }

    const FileFacts& facts() const noexcept override { return facts_; }

    ReadOutcome read(std::uint64_t offset, std::span<std::byte> to) noexcept override {
        OVERLAPPED where{};
        where.Offset = static_cast<DWORD>(offset & 0xFFFFFFFFU);
        where.OffsetHigh = static_cast<DWORD>(offset >> 32);
        DWORD got = 0;
        if (!ReadFile(file_, to.data(), static_cast<DWORD>(std::min(to.size(), kLargestRead)), &got,
                      &where)) {
            const int number = last_system_error();
            return number == ERROR_HANDLE_EOF ? ReadOutcome{} : ReadOutcome{0, number};
        }
        return {got, 0};
    }

    std::string change() const override {
        BY_HANDLE_FILE_INFORMATION now{};
        if (!GetFileInformationByHandle(file_, &now)) {
            return {};
        }
        const std::uint64_t bytes = as_number(now.nFileSizeHigh, now.nFileSizeLow);
        if (bytes != facts_.size_bytes) {
            return size_change(bytes, facts_.size_bytes);
        }
        return CompareFileTime(&now.ftLastWriteTime, &opened_.ftLastWriteTime) == 0
                   ? std::string()
                   : "it was written to since it was opened";
    }
    std::string change_of_name() const override { return {}; }

private:
    FileFacts facts_;
    HANDLE file_ = INVALID_HANDLE_VALUE;
    BY_HANDLE_FILE_INFORMATION opened_{};
};

#else

bool same_time(const struct stat& a, const struct stat& b) {
#ifdef __APPLE__
    return a.st_mtimespec.tv_sec == b.st_mtimespec.tv_sec &&
           a.st_mtimespec.tv_nsec == b.st_mtimespec.tv_nsec;
#else
    return a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
#endif
}

class DirectFile final : public FileReads {
public:
    DirectFile() = default;
    DirectFile(const DirectFile&) = delete;
    DirectFile& operator=(const DirectFile&) = delete;
    ~DirectFile() override { close_file(); }

    Result<void> open(const std::string& path, bool direct) {
        facts_.path = path;
        if (direct) {
            open_direct();
        } else {
            facts_.why_not_direct = "the page cache was asked for";
        }
        if (!facts_.direct) {
            close_file();
            facts_.alignment = facts_.memory_alignment = 1;
            fd_ = open_with(0);
            if (fd_ < 0 || fstat(fd_, &opened_) != 0) {
                return system_error(FileAction::Open, errno, path);
            }
#ifdef POSIX_FADV_RANDOM
            // Reading ahead of scattered reads brings what nobody wants.
            posix_fadvise(fd_, 0, 0, POSIX_FADV_RANDOM);
#endif
        }
        if (!S_ISREG(opened_.st_mode)) {
            return Error{ErrorCode::NotAFile, path + " is not a file any more", path, {}};
        }
        facts_.size_bytes = static_cast<std::uint64_t>(opened_.st_size);
        return {};
    }

    const FileFacts& facts() const noexcept override {
        return facts_;
    }

    ReadOutcome read(std::uint64_t offset, std::span<std::byte> to) noexcept override {
        const ssize_t got =
            pread(fd_, to.data(), std::min(to.size(), kLargestRead), static_cast<off_t>(offset));
        return got < 0 ? ReadOutcome{0, errno} : ReadOutcome{static_cast<std::uint64_t>(got), 0};
    }

    std::string change() const override {
        struct stat now {};
        if (fstat(fd_, &now) != 0) {
            return {};
        }
        if (now.st_size != opened_.st_size) {
            return size_change(static_cast<std::uint64_t>(now.st_size), facts_.size_bytes);
        }
        return same_time(now, opened_) ? std::string() : "it was written to since it was opened";
    }

    std::string change_of_name() const override {
        struct stat now {};
        if (stat(facts_.path.c_str(), &now) != 0) {
            return "no file has its name any more";
        }
        return now.st_ino == opened_.st_ino && now.st_dev == opened_.st_dev
                   ? std::string()
                   : "another file has its name now";
    }

private:
    int open_with(int flags) const {
        int fd = -1;
        do {
            fd = ::open(facts_.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
        } while (fd < 0 && errno == EINTR);
        return fd;
    }
    void close_file() {
        if (fd_ >= 0) {
            close(std::exchange(fd_, -1));
        }
    }

#if defined(__linux__)
    // Leaves facts_.direct false, with the reason, where it cannot be done.
    void open_direct() {
        fd_ = open_with(O_DIRECT);
        if (fd_ < 0 || fstat(fd_, &opened_) != 0) {
            facts_.why_not_direct = "the file system refuses O_DIRECT";
            return;
        }
        struct statfs system {};
        constexpr unsigned long kTmpfs = 0x01021994, kRamfs = 0x858458F6;
        if (fstatfs(fd_, &system) == 0 && (static_cast<unsigned long>(system.f_type) == kTmpfs ||
                                           static_cast<unsigned long>(system.f_type) == kRamfs)) {
            facts_.why_not_direct = "the file system keeps its files in memory";
            return;
        }
        facts_.alignment = facts_.memory_alignment = kUsualAlignment;
#ifdef STATX_DIOALIGN
        struct statx told {};
        if (statx(fd_, "", AT_EMPTY_PATH, STATX_DIOALIGN, &told) == 0 &&
            (told.stx_mask & STATX_DIOALIGN) != 0) {
            if (told.stx_dio_offset_align == 0 || told.stx_dio_mem_align == 0) {
                facts_.why_not_direct = "the file system has no direct reads of this file";
                return;
            }
            facts_.alignment = told.stx_dio_offset_align;
            facts_.memory_alignment = told.stx_dio_mem_align;
        }
#endif
        facts_.direct = tried();
    }

    // Reads one block: some file systems take O_DIRECT and then refuse to read, or want more
    // alignment than anybody told.
    bool tried() {
        constexpr std::uint64_t kMost = 64 << 10;
        auto buffer = AlignedBuffer::create(2 * kMost, "trial read");
        if (!buffer) {
            facts_.why_not_direct = buffer.error().message;
            return false;
        }
        for (;;) {
            const auto at = reinterpret_cast<std::uintptr_t>(buffer->data());
            const std::uint64_t skip = (kMost - at % kMost) % kMost;
            const auto to = buffer->span<std::byte>(skip, facts_.alignment);
            if (opened_.st_size == 0 || read(0, to).error != EINVAL) {
                return true;  // any other error is for whoever reads
            }
            if (facts_.alignment >= kMost) {
                facts_.why_not_direct = "the file system refuses to read with O_DIRECT";
                return false;
            }
            facts_.alignment = std::max(2 * facts_.alignment, kUsualAlignment);
            facts_.memory_alignment = facts_.alignment;
        }
    }
#elif defined(__APPLE__)
    void open_direct() {
        fd_ = open_with(0);
        if (fd_ < 0 || fstat(fd_, &opened_) != 0 || fcntl(fd_, F_NOCACHE, 1) != 0) {
            facts_.why_not_direct = "the file system refuses F_NOCACHE";
            return;
        }
        facts_.alignment = facts_.memory_alignment = kUsualAlignment;
        facts_.direct = true;
    }
#else
    void open_direct() {
        facts_.why_not_direct = "this version knows no direct reads here";
    }
#endif

    FileFacts facts_;
    int fd_ = -1;
    struct stat opened_ {};
};

#endif

}  // namespace

Result<std::unique_ptr<FileReads>> open_direct_file(const std::string& path, bool direct) {
    // Says what is wrong with a path, and opens no device.
    if (auto plain = InputFile::open(path); !plain) {
        return std::move(plain).error();
    }
    auto file = std::make_unique<DirectFile>();
    if (auto opened = file->open(path, direct); !opened) {
        return std::move(opened).error();
    }
    return std::unique_ptr<FileReads>(std::move(file));
}

}  // namespace hearth
