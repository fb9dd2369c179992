#include "base/system_error.h"

#include <cerrno>
#include <system_error>

#ifdef _WIN32
#include <windows.h>
#endif

namespace hearth {
namespace {

ErrorCode code_of(FileAction action, int number) {
#ifdef _WIN32
    switch (number) {
        case ERROR_FILE_NOT_FOUND:
        case ERROR_PATH_NOT_FOUND:
        case ERROR_INVALID_NAME:
        case ERROR_BAD_NETPATH:
            return ErrorCode::NotFound;
        case ERROR_ACCESS_DENIED:
        case ERROR_SHARING_VIOLATION:
        case ERROR_WRITE_PROTECT:
            return ErrorCode::PermissionDenied;
        case ERROR_DISK_FULL:
        case ERROR_HANDLE_DISK_FULL:
            return ErrorCode::DiskFull;
        case ERROR_NOT_ENOUGH_MEMORY:
        case ERROR_OUTOFMEMORY:
            return ErrorCode::OutOfMemory;
        default:
            break;
    }
#else
    switch (number) {
        case ENOENT:
        case ENOTDIR:
            return ErrorCode::NotFound;
        case EISDIR:
        case ENXIO:  // a socket
            return ErrorCode::NotAFile;
        case EACCES:
        case EPERM:
        case EROFS:
            return ErrorCode::PermissionDenied;
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
            return ErrorCode::DiskFull;
        case ENOMEM:
            return ErrorCode::OutOfMemory;
        default:
            break;
    }
#endif
    return action == FileAction::Write ? ErrorCode::WriteFailed : ErrorCode::ReadFailed;
}

const char* verb(FileAction action) {
    switch (action) {
        case FileAction::Open:
            return "cannot be opened";
        case FileAction::Read:
            return "cannot be read";
        case FileAction::Write:
            return "cannot be written";
    }
    return "failed";
}

}  // namespace

Error system_error(FileAction action, int number, const std::string& path) {
    return Error{
        .code = code_of(action, number),
        .message = path + ": " + verb(action) + ": " + std::system_category().message(number),
        .path = path,
        .field = {}};
}

int last_system_error() noexcept {
#ifdef _WIN32
    return static_cast<int>(GetLastError());
#else
    return errno;
#endif
}

#ifdef _WIN32
std::wstring wide_path(const std::string& path) {
    const int bytes = static_cast<int>(path.size());
    const int length =
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), bytes, nullptr, 0);
    if (length <= 0) {
        return {};
    }
    std::wstring wide(static_cast<std::size_t>(length), L'\0');
    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), bytes, wide.data(), length);
    return wide;
}
#endif

}  // namespace hearth
