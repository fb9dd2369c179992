// The environment variables that the engine obeys. They are read here and nowhere else, and passed
// on from whoever begins something: an engine keeps what they said when it was loaded.
// docs/manual/command-line.md says what each is for.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hearth {

struct Environment {
    std::string cpu{};                  // HEARTH_CPU: a kernel table's name; empty: the fastest
    bool cpu_counts_as_gpu = false;     // HEARTH_GPU_ALLOW_CPU=1
    std::chrono::seconds gpu_trial{0};  // HEARTH_GPU_TRIAL_SECONDS=1 to 600; 0: not set
    std::string vulkan_validation{};    // HEARTH_VULKAN_VALIDATION=on|sync
    std::string vulkan_without{};       // HEARTH_VULKAN_WITHOUT: names joined by commas
    // No variable: GpuList::drivers, all that an instance may open; empty: what the system has.
    std::string vulkan_drivers{};
};
// As the variables are now.
Environment read_environment();

// A variable of the system's; `otherwise` where it is not set or empty.
std::string environment_variable(const char* name, const std::string& otherwise);
// Sets a variable that is not set, for a library that reads it when it is first used. Precondition:
// no other thread changes variables.
void set_default_environment_variable(const char* name, const char* value);
// Sets a variable; null: it is not set from then on. Precondition: no other thread changes
// variables.
void set_environment_variable(const char* name, const char* value);
// All variables, "NAME=value", whose names start with one of the prefixes, sorted. Empty on systems
// whose variables nobody asks for.
std::vector<std::string> environment_with(std::span<const std::string_view> prefixes);

}  // namespace hearth
