#include "hardware/driver_state.h"

#ifdef __linux__

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/environment.h"
#include "base/hash128.h"

namespace hearth {
namespace {

namespace fs = std::filesystem;

// Prefixes of variables that the loader, its layers and drivers read.
constexpr std::array<std::string_view, 10> kVariables{
    "VK_",     "MESA_", "LD_",   "XDG_CONFIG_",    "XDG_DATA_",
    "NVIDIA_", "AMD_",  "RADV_", "HEARTH_VULKAN_", "HOME="};

std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(':', at), list.size());
        if (end > at) {
            parts.push_back(list.substr(at, end - at));
        }
        at = end + 1;
    }
    return parts;
}

void add_file(Hash128& hash, const fs::path& path) {
    std::error_code error;
    hash.add(path.string());
    const std::uintmax_t size = fs::file_size(path, error);
    hash.add(static_cast<std::uint64_t>(error ? 0 : size));
    const auto written = fs::last_write_time(path, error);
    hash.add(static_cast<std::uint64_t>(error ? 0 : written.time_since_epoch().count()));
}

std::vector<fs::path> entries(const fs::path& folder) {
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        paths.push_back(it->path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

// As the loader looks for manifests (Khronos' LoaderDriverInterface.md, LoaderLayerInterface.md).
void add_manifests(Hash128& hash, const std::string& root) {
    const std::string home = environment_variable("HOME", "/nowhere");
    std::vector<std::string> folders =
        parts_of(environment_variable("XDG_CONFIG_DIRS", "/etc/xdg"));
    for (const std::string& folder :
         parts_of(environment_variable("XDG_DATA_DIRS", "/usr/local/share:/usr/share"))) {
        folders.push_back(folder);
    }
    folders.insert(folders.end(), {"/etc", "/usr/local/etc",
                                   environment_variable("XDG_CONFIG_HOME", home + "/.config"),
                                   environment_variable("XDG_DATA_HOME", home + "/.local/share")});
    for (const std::string& folder : folders) {
        for (const char* kind : {"icd.d", "implicit_layer.d", "explicit_layer.d"}) {
            for (const fs::path& manifest : entries(root + folder + "/vulkan/" + kind)) {
                add_file(hash, manifest);
            }
        }
    }
    for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"}) {
        for (const std::string& file : parts_of(environment_variable(name, {}))) {
            add_file(hash, root + file);
        }
    }
}

void add_device_files(Hash128& hash, const std::string& root) {
    std::vector<fs::path> devices = entries(root + "/dev/dri");
    for (const fs::path& entry : entries(root + "/dev")) {
        const std::string name = entry.filename().string();
        if (name.starts_with("nvidia") || name == "kfd" || name == "dxg") {
            devices.push_back(entry);
        }
    }
    for (const fs::path& device : devices) {
        hash.add(device.string());
        hash.add(::access(device.c_str(), R_OK | W_OK) == 0 ? std::uint64_t{1} : 0);
    }
}

void add_line(Hash128& hash, const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    hash.add(line);
}

}  // namespace

std::string driver_state(const std::string& root) {
    Hash128 hash;
    add_manifests(hash, root);
    add_device_files(hash, root);
    add_file(hash, root + "/etc/ld.so.cache");
    add_line(hash, root + "/proc/sys/kernel/random/boot_id");
    add_line(hash, root + "/sys/module/nvidia/version");
    for (const std::string& variable : environment_with(kVariables)) {
        hash.add(variable);
    }
    return hash.hex();
}

}  // namespace hearth

#else

namespace hearth {

std::string driver_state(const std::string&) {
    return {};
}

}  // namespace hearth

#endif
