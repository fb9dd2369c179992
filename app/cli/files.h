// Whole files and standard input, bounded.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

namespace hearth::cli {

// Longer text is refused: as tokens it would take several times its memory.
inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{256} << 20;

// path: UTF-8, "-" for standard input. NotFound, NotAFile, PermissionDenied, ReadFailed,
// Unsupported (longer than kMaxTextBytes).
Result<std::string> read_text(const std::string& path);

// One line without its end. Empty at the end of standard input. A line longer than kMaxTextBytes is
// cut there.
std::optional<std::string> read_line();

// Token ids, separated by anything but digits and '-' ("1 2 3", "[1, 2, 3]"). InvalidArgument names
// text that is no token id.
Result<std::vector<std::int32_t>> parse_token_ids(std::string_view text);

// A file that appears under its name only when it is complete: it is written beside it, then
// renamed. An existing target that is no regular file (a pipe, /dev/stdout) is written directly.
class FileOrPipe {
public:
    FileOrPipe() = default;
    ~FileOrPipe();  // an unfinished file is removed
    FileOrPipe(const FileOrPipe&) = delete;
    FileOrPipe& operator=(const FileOrPipe&) = delete;

    // NotFound, NotAFile, PermissionDenied, WriteFailed.
    Result<void> open(const std::string& path);
    // DiskFull, WriteFailed.
    Result<void> write(std::span<const std::byte> bytes);
    Result<void> finish();
    std::uint64_t bytes() const { return bytes_; }

private:
    Error error(int code) const;

    std::string path_;
    std::filesystem::path target_;
    std::filesystem::path written_;  // differs from target_ until finish() renames
    std::FILE* file_ = nullptr;
    std::uint64_t bytes_ = 0;
};

}  // namespace hearth::cli
