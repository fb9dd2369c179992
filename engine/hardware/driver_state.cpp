#include "hardware/driver_state.h"

#ifdef __linux__

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/environment.h"
#include "base/hash128.h"
#include "hardware/driver_manifests.h"

namespace hearth {
namespace {

namespace fs = std::filesystem;

// Prefixes of variables that the loader, its layers and drivers read.
constexpr std::array<std::string_view, 10> kVariables{
    "VK_",     "MESA_", "LD_",   "XDG_CONFIG_",    "XDG_DATA_",
    "NVIDIA_", "AMD_",  "RADV_", "HEARTH_VULKAN_", "HOME="};

void add_file(Hash128& hash, const fs::path& path) {
    std::error_code error;
    hash.add(path.string());
    const std::uintmax_t size = fs::file_size(path, error);
    hash.add(static_cast<std::uint64_t>(error ? 0 : size));
    const auto written = fs::last_write_time(path, error);
    hash.add(static_cast<std::uint64_t>(error ? 0 : written.time_since_epoch().count()));
}

void add_manifests(Hash128& hash, const std::string& root) {
    for (const std::string& folder : manifest_folders(root)) {
        for (const char* kind : {"icd.d", "implicit_layer.d", "explicit_layer.d"}) {
            for (const std::string& manifest : entries_of(folder + "/vulkan/" + kind)) {
                add_file(hash, manifest);
            }
        }
    }
    for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"}) {
        for (const std::string& file : paths_of(environment_variable(name, {}))) {
            add_file(hash, root + file);
        }
    }
}

void add_device_files(Hash128& hash, const std::string& root) {
    std::vector<std::string> devices = entries_of(root + "/dev/dri");
    for (const std::string& entry : entries_of(root + "/dev")) {
        const std::string name = fs::path(entry).filename().string();
        if (name.starts_with("nvidia") || name == "kfd" || name == "dxg") {
            devices.push_back(entry);
        }
    }
    for (const std::string& device : devices) {
        hash.add(device);
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
