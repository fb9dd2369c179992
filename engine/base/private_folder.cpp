#include "base/private_folder.h"

#include <filesystem>
#include <system_error>

#include "base/output_target.h"

#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace hearth {

#ifdef _WIN32

void make_private_folder(const std::string& path) {
    std::error_code ignored;
    std::filesystem::create_directories(native_path(path), ignored);
}

void close_to_others(const std::string& /*path*/) {}

#else

void make_private_folder(const std::string& path) {
    std::error_code ignored;
    std::filesystem::path so_far;
    for (const std::filesystem::path& part : std::filesystem::path(path)) {
        so_far /= part;
        if (!std::filesystem::exists(so_far, ignored)) {
            [[maybe_unused]] const int result = mkdir(so_far.c_str(), S_IRWXU);
        }
    }
}

void close_to_others(const std::string& path) {
    struct stat is = {};
    if (stat(path.c_str(), &is) == 0 && is.st_uid == geteuid() &&
        (is.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        [[maybe_unused]] const int result = chmod(path.c_str(), is.st_mode & S_IRWXU);
    }
}

#endif

}  // namespace hearth
