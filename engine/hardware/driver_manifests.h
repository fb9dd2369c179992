// The manifests of this system's Vulkan drivers, without opening a driver.
#pragma once

#include <string>
#include <vector>

namespace hearth {

// The files that name the drivers which Vulkan's loader opens here, each once. Those of
// VK_DRIVER_FILES or VK_ICD_FILENAMES if the user set one, else those in the folders where the
// loader looks; and those of VK_ADD_DRIVER_FILES. Empty: this system does not say. `root` is "" for
// the running system or a folder that imitates one.
std::vector<std::string> driver_manifests(const std::string& root = {});

#ifdef __linux__
// The folders where the loader looks for what lies in "vulkan/icd.d" and the like.
std::vector<std::string> manifest_folders(const std::string& root = {});

// The entries of a folder, sorted. A folder that is not there has none.
std::vector<std::string> entries_of(const std::string& folder);

// The parts of a list of paths that colons separate, as variables hold them.
std::vector<std::string> paths_of(const std::string& list);
#endif

}  // namespace hearth
