#include "base/environment.h"

#include <algorithm>
#include <cstdlib>

#ifdef __linux__
extern char** environ;
#endif

namespace hearth {

std::string environment_variable(const char* name, const std::string& otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? otherwise : value;
}

Environment read_environment() {
    Environment out;
    out.cpu = environment_variable("HEARTH_CPU", {});
    out.cpu_counts_as_gpu = environment_variable("HEARTH_GPU_ALLOW_CPU", {}) == "1";
    const std::string seconds = environment_variable("HEARTH_GPU_TRIAL_SECONDS", {});
    out.gpu_trial = std::chrono::seconds(std::clamp(std::atoi(seconds.c_str()), 0, 600));
    out.vulkan_validation = environment_variable("HEARTH_VULKAN_VALIDATION", {});
    out.vulkan_without = environment_variable("HEARTH_VULKAN_WITHOUT", {});
    return out;
}

void set_default_environment_variable(const char* name, const char* value) {
#ifdef _WIN32
    if (std::getenv(name) == nullptr) {
        _putenv_s(name, value);
    }
#else
    setenv(name, value, 0);
#endif
}

void set_environment_variable(const char* name, const char* value) {
#ifdef _WIN32
    _putenv_s(name, value == nullptr ? "" : value);
#else
    if (value == nullptr) {
        unsetenv(name);
    } else {
        setenv(name, value, 1);
    }
#endif
}

std::vector<std::string> environment_with(
    [[maybe_unused]] std::span<const std::string_view> prefixes) {
    std::vector<std::string> found;
#ifdef __linux__
    for (char** one = environ; *one != nullptr; ++one) {
        const std::string_view text(*one);
        if (std::any_of(prefixes.begin(), prefixes.end(),
                        [&](std::string_view prefix) { return text.starts_with(prefix); })) {
            found.emplace_back(text);
        }
    }
    std::sort(found.begin(), found.end());
#endif
    return found;
}

}  // namespace hearth
