#include <hearth/result.h>

namespace hearth {

std::string_view to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidArgument:
            return "invalid_argument";
        case ErrorCode::NotFound:
            return "not_found";
        case ErrorCode::NotAFile:
            return "not_a_file";
        case ErrorCode::PermissionDenied:
            return "permission_denied";
        case ErrorCode::ReadFailed:
            return "read_failed";
        case ErrorCode::WriteFailed:
            return "write_failed";
        case ErrorCode::DiskFull:
            return "disk_full";
        case ErrorCode::BadFile:
            return "bad_file";
        case ErrorCode::Unsupported:
            return "unsupported";
        case ErrorCode::OutOfMemory:
            return "out_of_memory";
        case ErrorCode::OverBudget:
            return "over_budget";
        case ErrorCode::ContextFull:
            return "context_full";
        case ErrorCode::DeviceLost:
            return "device_lost";
        case ErrorCode::Cancelled:
            return "cancelled";
        case ErrorCode::Internal:
            return "internal";
    }
    return "internal";
}

}  // namespace hearth
