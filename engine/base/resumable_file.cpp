#include "base/resumable_file.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/input_file.h"
#include "base/system_error.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace hearth {
namespace {

constexpr std::string_view kJournalStart = "hearth partial file 1\n";
constexpr std::uint64_t kMostJournalBytes = 4096;

std::string journal_text(const std::string& label, std::uint64_t bytes) {
    return std::string(kJournalStart) + label + "\n" + std::to_string(bytes) + "\n";
}

// Bytes known to be good, 0 if the journal is missing, of another label, or not readable: then
// there is nothing to go on with, and no reason to stop.
std::uint64_t bytes_in_journal(const std::string& journal_path, const std::string& label) {
    const auto file = InputFile::open(journal_path);
    if (!file || file->size_bytes() > kMostJournalBytes) {
        return 0;
    }
    std::string text(static_cast<std::size_t>(file->size_bytes()), '\0');
    if (!file->read_at(0, std::as_writable_bytes(std::span(text)))) {
        return 0;
    }
    const std::string start = std::string(kJournalStart) + label + "\n";
    if (!text.starts_with(start) || !text.ends_with('\n')) {
        return 0;
    }
    std::uint64_t bytes = 0;
    const char* end = text.data() + text.size() - 1;
    const auto [stop, error] = std::from_chars(text.data() + start.size(), end, bytes);
    return error == std::errc() && stop == end ? bytes : 0;
}

// Its name is always the same, so that a kill at this moment leaves nothing that nobody removes.
constexpr const char* kNewJournal = ".new";

// The whole file, brought to the disk.
#ifdef _WIN32
Result<void> write_small_file(const std::string& path, const std::string& text) {
    HANDLE handle = CreateFileW(wide_path(path).c_str(), GENERIC_WRITE, 0, nullptr, CREATE_ALWAYS,
                                FILE_ATTRIBUTE_NORMAL, nullptr);
    if (handle == INVALID_HANDLE_VALUE) {
        return system_error(FileAction::Write, last_system_error(), path);
    }
    DWORD put = 0;
    const bool done =
        WriteFile(handle, text.data(), static_cast<DWORD>(text.size()), &put, nullptr) &&
        put == text.size() && FlushFileBuffers(handle);
    const int number = last_system_error();
    CloseHandle(handle);
    return done ? Result<void>() : system_error(FileAction::Write, number, path);
}
#else
Result<void> write_small_file(const std::string& path, const std::string& text) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        return system_error(FileAction::Write, errno, path);
    }
    const ssize_t put = ::write(fd, text.data(), text.size());
    const bool whole = put == static_cast<ssize_t>(text.size());
    const bool done = whole && fsync(fd) == 0;
    const int number = put >= 0 && !whole ? ENOSPC : errno;
    close(fd);
    return done ? Result<void>() : system_error(FileAction::Write, number, path);
}
#endif

Result<void> write_journal(const std::string& journal_path, const std::string& text) {
    const std::string fresh = journal_path + kNewJournal;
    if (auto written = write_small_file(fresh, text); !written) {
        return written;
    }
    return rename_into_place(fresh, journal_path);
}

void remove_file(const std::string& path, const char* end = "") noexcept {
    try {
        std::error_code ignored;
        std::filesystem::remove(native_path(path + end), ignored);
    } catch (const std::exception&) {
        // No memory for its name in the system's spelling: the file stays.
    }
}

Error busy(const std::string& path) {
    return Error{.code = ErrorCode::WriteFailed,
                 .message = path + ".partial: another process is writing it",
                 .path = path,
                 .field = {}};
}

// Opens the partial file to write it, made where it is missing, as the one process that does.
Result<void> take(const std::string& partial_path, const std::string& path, FileHandle& file) {
#ifdef _WIN32
    HANDLE handle = CreateFileW(wide_path(partial_path).c_str(), GENERIC_WRITE, FILE_SHARE_READ,
                                nullptr, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (handle == INVALID_HANDLE_VALUE) {
        const int number = last_system_error();
        return number == ERROR_SHARING_VIOLATION ? busy(path)
                                                 : system_error(FileAction::Write, number, path);
    }
    file = handle;
#else
    do {
        file = ::open(partial_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    } while (file < 0 && errno == EINTR);
    if (file < 0) {
        return system_error(FileAction::Write, errno, path);
    }
    // Where a file system has no locks, two at once are the user's own doing.
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return busy(path);
    }
#endif
    return {};
}

// 0: there is no such file.
std::uint64_t bytes_at(const std::string& path) {
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(native_path(path), unknown);
    return unknown ? 0 : bytes;
}

}  // namespace

ResumableFile::~ResumableFile() {
    close_file(file_);
}

ResumableFile::ResumableFile(ResumableFile&& other) noexcept {
    *this = std::move(other);
}

ResumableFile& ResumableFile::operator=(ResumableFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(partial_path_, other.partial_path_);
    std::swap(journal_path_, other.journal_path_);
    std::swap(label_, other.label_);
    std::swap(written_bytes_, other.written_bytes_);
    std::swap(file_, other.file_);
    return *this;
}

Result<void> ResumableFile::checkpoint() {
    if (auto flushed = flush_file(file_, path_); !flushed) {
        return flushed;
    }
    // Only now: a journal must never promise what a power cut could take back.
    return write_journal(journal_path_, journal_text(label_, written_bytes_));
}

Result<void> ResumableFile::commit() {
    if (auto flushed = flush_file(file_, path_); !flushed) {
        return flushed;
    }
    close_file(file_);
    if (auto renamed = rename_into_place(partial_path_, path_); !renamed) {
        return renamed;
    }
    remove_file(journal_path_);
    remove_file(journal_path_, kNewJournal);
    return {};
}

void ResumableFile::discard() noexcept {
    // The journal first: without it the bytes are nothing.
    remove_file(journal_path_);
    remove_file(journal_path_, kNewJournal);
#ifdef _WIN32
    close_file(file_);  // nobody removes a file that is open
    remove_file(partial_path_);
#else
    remove_file(partial_path_);  // while it is locked: nobody else has begun to write it
    close_file(file_);
#endif
}

Result<ResumableFile> ResumableFile::open(const std::string& path, const std::string& label,
                                          std::uint64_t expected_bytes) {
    HEARTH_ASSERT(label.find('\n') == std::string::npos && label.size() < kMostJournalBytes / 2);
    if (auto fine = check_output_target(path, 0); !fine) {
        return std::move(fine).error();
    }
    ResumableFile out;
    out.path_ = path;
    out.partial_path_ = path + ".partial";
    out.journal_path_ = out.partial_path_ + ".journal";
    out.label_ = label;
    const std::uint64_t there_bytes = bytes_at(out.partial_path_);
    // What lies there will be continued or overwritten: that room is ours already.
    const std::uint64_t missing = expected_bytes - std::min(expected_bytes, there_bytes);
    if (auto fine = check_output_target(path, missing); !fine) {
        return std::move(fine).error();
    }
    if (auto taken = take(out.partial_path_, path, out.file_); !taken) {
        return std::move(taken).error();
    }
    const std::uint64_t good_bytes = bytes_in_journal(out.journal_path_, label);
    out.written_bytes_ = there_bytes;
    const bool goes_on = good_bytes > 0 && good_bytes <= std::min(there_bytes, expected_bytes);
    if (!goes_on) {
        // Gone before the first byte changes: it speaks of other bytes.
        remove_file(out.journal_path_);
    }
    if (auto done = out.cut(goes_on ? good_bytes : 0); !done) {
        return std::move(done).error();
    }
    return out;
}

std::uint64_t ResumableFile::kept_bytes(const std::string& path, const std::string& label) {
    const std::string partial = path + ".partial";
    const std::uint64_t good_bytes = bytes_in_journal(partial + ".journal", label);
    return good_bytes <= bytes_at(partial) ? good_bytes : 0;
}

Result<void> ResumableFile::discard_partial(const std::string& path) {
    ResumableFile out;
    out.partial_path_ = path + ".partial";
    out.journal_path_ = out.partial_path_ + ".journal";
    std::error_code unknown;
    if (std::filesystem::exists(native_path(out.partial_path_), unknown)) {
        if (auto taken = take(out.partial_path_, path, out.file_); !taken) {
            return taken;
        }
    }
    out.discard();
    if (std::filesystem::exists(native_path(out.partial_path_), unknown)) {
        return Error{.code = ErrorCode::WriteFailed,
                     .message = out.partial_path_ + ": cannot be removed",
                     .path = out.partial_path_,
                     .field = {}};
    }
    return {};
}

Result<void> ResumableFile::cut(std::uint64_t bytes) {
#ifdef _WIN32
    LARGE_INTEGER place;
    place.QuadPart = static_cast<LONGLONG>(bytes);
    if (!SetFilePointerEx(file_, place, nullptr, FILE_BEGIN) || !SetEndOfFile(file_)) {
        return system_error(FileAction::Write, last_system_error(), path_);
    }
#else
    if (ftruncate(file_, static_cast<off_t>(bytes)) != 0 ||
        lseek(file_, static_cast<off_t>(bytes), SEEK_SET) < 0) {
        return system_error(FileAction::Write, errno, path_);
    }
#endif
    written_bytes_ = bytes;
    return {};
}

Result<void> ResumableFile::write(std::span<const std::byte> data) {
    return write_all(file_, data, path_, written_bytes_);
}

Result<void> ResumableFile::settle() {
    auto flushed = flush_file(file_, path_);
#ifdef _WIN32
    close_file(file_);  // it would be in the way of who opens it to read
#elif defined(POSIX_FADV_DONTNEED)
    if (flushed) {
        posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED);
    }
#endif
    return flushed;
}

}  // namespace hearth
