#include "files.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>

#include "system.h"

namespace hearth::cli {
namespace {

std::filesystem::path to_path(const std::string& utf8) {
    return std::filesystem::path(std::u8string(utf8.begin(), utf8.end()));
}

std::FILE* open_file(const std::filesystem::path& path, const char* mode) {
#ifdef _WIN32
    return _wfopen(path.c_str(), std::filesystem::path(mode).c_str());
#else
    return std::fopen(path.c_str(), mode);
#endif
}

ErrorCode code_of(int number, ErrorCode otherwise) {
    switch (number) {
        case ENOENT:
        case ENOTDIR:
            return ErrorCode::NotFound;
        case EISDIR:
            return ErrorCode::NotAFile;
        case EACCES:
        case EPERM:
        case EROFS:
            return ErrorCode::PermissionDenied;
        case ENOSPC:
        case EFBIG:  // a limit, not the disk; the remedy is the same: make room
            return ErrorCode::DiskFull;
        default:
            return otherwise;
    }
}

std::string message_of(int number) {
    return std::generic_category().message(number);
}

}  // namespace

Result<std::string> read_text(const std::string& path) {
    const bool input = path == "-";
    const std::string name = input ? "standard input" : path;
    const auto failed = [&](ErrorCode code, const std::string& what) {
        return Error{code, name + ": " + what, input ? "" : path, ""};
    };
    std::FILE* file = stdin;
    if (!input) {
        std::error_code ignored;
        if (std::filesystem::is_directory(to_path(path), ignored)) {
            return failed(ErrorCode::NotAFile, "is a directory");
        }
        file = open_file(to_path(path), "rb");
        if (file == nullptr) {
            return failed(code_of(errno, ErrorCode::ReadFailed), message_of(errno));
        }
    }
    std::string text;
    char buffer[1 << 16];
    std::ptrdiff_t bytes = 0;
    bool too_long = false;
    while (!too_long && (bytes = read_some(file, buffer)) > 0) {
        const auto count = static_cast<std::size_t>(bytes);
        too_long = text.size() + count > kMaxTextBytes;
        text.append(buffer, too_long ? 0 : count);
    }
    const bool broken = bytes < 0;
    const int number = errno;
    if (!input) {
        std::fclose(file);
    }
    if (broken) {
        return failed(ErrorCode::ReadFailed, message_of(number));
    }
    if (too_long) {
        return failed(ErrorCode::Unsupported,
                      "longer than " + std::to_string(kMaxTextBytes) + " bytes");
    }
    return text;
}

std::optional<std::string> read_line() {
    std::string line;
    char c = 0;
    std::ptrdiff_t bytes = 0;
    while ((bytes = read_some(stdin, {&c, 1})) > 0 && c != '\n') {
        if (line.size() < kMaxTextBytes) {
            line += c;
        }
    }
    if (bytes <= 0 && line.empty()) {
        return std::nullopt;
    }
    if (line.ends_with('\r')) {
        line.pop_back();
    }
    return line;
}

Result<std::vector<std::int32_t>> parse_token_ids(std::string_view text) {
    constexpr std::string_view kSeparators = " \t\r\n,;[]";
    std::vector<std::int32_t> ids;
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(kSeparators), text.size()));
        if (text.empty()) {
            return ids;
        }
        const std::string_view word = text.substr(0, text.find_first_of(kSeparators));
        std::int32_t id = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
        if (error != std::errc{} || end != word.data() + word.size()) {
            return Error{ErrorCode::InvalidArgument,
                         std::string("\"").append(word.substr(0, 40)) + "\" is not a token id", "",
                         "tokens"};
        }
        ids.push_back(id);
        text.remove_prefix(word.size());
    }
}

FileOrPipe::~FileOrPipe() {
    if (file_ != nullptr) {
        std::fclose(file_);
        if (written_ != target_) {
            std::error_code ignored;
            std::filesystem::remove(written_, ignored);
        }
    }
}

Error FileOrPipe::error(int code) const {
    return {code_of(code, ErrorCode::WriteFailed), path_ + ": " + message_of(code), path_, ""};
}

Result<void> FileOrPipe::open(const std::string& path) {
    path_ = path;
    target_ = to_path(path);
    written_ = target_;
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(target_, ignored);
    if (std::filesystem::is_directory(status)) {
        return error(EISDIR);
    }
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        file_ = open_file(written_, "wb");
    } else {
        // An existing file of that name belongs to somebody else or to a killed run. It is refused,
        // and the next number is tried.
        for (int number = 0; file_ == nullptr && number < 1000; ++number) {
            written_ = target_;
            written_ += ".partial-" + std::to_string(process_id()) + "-" + std::to_string(number);
            file_ = create_file(written_);
            if (file_ == nullptr && errno != EEXIST) {
                break;
            }
        }
    }
    if (file_ == nullptr) {
        return error(errno);
    }
    return {};
}

Result<void> FileOrPipe::write(std::span<const std::byte> bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
        return error(errno);
    }
    bytes_ += bytes.size();
    return {};
}

Result<void> FileOrPipe::finish() {
    if (std::fflush(file_) != 0) {
        return error(errno);
    }
    const int closed = std::fclose(file_);
    file_ = nullptr;
    const int number = errno;
    std::error_code failed;
    if (closed == 0 && written_ != target_) {
        std::filesystem::rename(written_, target_, failed);
    }
    if (closed != 0 || failed) {
        std::error_code ignored;
        if (written_ != target_) {
            std::filesystem::remove(written_, ignored);
        }
        // Windows has its own error numbers.
        return error(closed != 0 ? number : failed.default_error_condition().value());
    }
    return {};
}

}  // namespace hearth::cli
