#include "hardware/driver_manifests.h"

#ifdef __linux__

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/environment.h"

namespace hearth {
namespace {

namespace fs = std::filesystem;

// A file, or a folder of files.
void add(const std::string& path, std::vector<std::string>& manifests) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        for (const std::string& entry : entries_of(path)) {
            if (entry.ends_with(".json")) {
                add(entry, manifests);
            }
        }
    } else if (fs::is_regular_file(path, error) &&
               std::find(manifests.begin(), manifests.end(), path) == manifests.end()) {
        manifests.push_back(path);
    }
}

}  // namespace

std::vector<std::string> paths_of(const std::string& list) {
    std::vector<std::string> paths;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(':', at), list.size());
        if (end > at) {
            paths.push_back(list.substr(at, end - at));
        }
        at = end + 1;
    }
    return paths;
}

std::vector<std::string> entries_of(const std::string& folder) {
    std::vector<std::string> paths;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        paths.push_back(it->path().string());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

// As the loader looks for manifests (Khronos' LoaderDriverInterface.md, LoaderLayerInterface.md).
std::vector<std::string> manifest_folders(const std::string& root) {
    const std::string home = environment_variable("HOME", "/nowhere");
    std::vector<std::string> folders =
        paths_of(environment_variable("XDG_CONFIG_DIRS", "/etc/xdg"));
    for (const std::string& folder :
         paths_of(environment_variable("XDG_DATA_DIRS", "/usr/local/share:/usr/share"))) {
        folders.push_back(folder);
    }
    folders.insert(folders.end(), {"/etc", "/usr/local/etc",
                                   environment_variable("XDG_CONFIG_HOME", home + "/.config"),
                                   environment_variable("XDG_DATA_HOME", home + "/.local/share")});
    for (std::string& folder : folders) {
        folder = root + folder;
    }
    return folders;
}

std::vector<std::string> driver_manifests(const std::string& root) {
    std::vector<std::string> manifests;
    const std::string older = environment_variable("VK_ICD_FILENAMES", {});
    const std::string given = environment_variable("VK_DRIVER_FILES", older);
    for (const std::string& path : paths_of(environment_variable("VK_ADD_DRIVER_FILES", {}))) {
        add(root + path, manifests);
    }
    for (const std::string& path : paths_of(given)) {
        add(root + path, manifests);
    }
    if (given.empty()) {
        for (const std::string& folder : manifest_folders(root)) {
            add(folder + "/vulkan/icd.d", manifests);
        }
    }
    return manifests;
}

}  // namespace hearth

#else

namespace hearth {

std::vector<std::string> driver_manifests(const std::string&) {
    return {};
}

}  // namespace hearth

#endif
