// A GPU's description of itself. vulkan/ fills it in; this header knows no driver.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hearth {

enum class GpuKind { Discrete, Integrated, Virtual, Cpu, Other };

constexpr std::string_view to_string(GpuKind kind) {
    switch (kind) {
        case GpuKind::Discrete:
            return "discrete";
        case GpuKind::Integrated:
            return "integrated";
        case GpuKind::Virtual:
            return "virtual";
        case GpuKind::Cpu:
            return "cpu";
        case GpuKind::Other:
            break;
    }
    return "other";
}

struct GpuHeap {
    std::uint64_t bytes = 0;
    std::uint64_t available_bytes = 0;  // what this process may take now; `bytes` if not known
    bool device_local = false;
};

struct GpuInfo {
    int index = 0;  // in the driver's order
    std::string name;
    GpuKind kind = GpuKind::Other;
    std::string driver;          // "NVIDIA 580.159.04"
    std::string vulkan_version;  // "1.3.230"
    std::uint32_t vendor_id = 0;
    std::uint32_t device_id = 0;
    std::array<std::uint8_t, 16> uuid{};  // of device and driver: another driver, another uuid
    std::vector<GpuHeap> heaps;
    bool shares_ram = false;  // its memory is the machine's own
    // Features that the shaders use.
    bool integer_dot = false;
    bool cooperative_matrix = false;
    int subgroup_size = 0;                             // 0: shaders may not use subgroups
    int subgroup_size_min = 0, subgroup_size_max = 0;  // likewise; what a shader may demand
    std::uint64_t storage_range_bytes_max = 0;
    // Why this version cannot compute on it; empty: it can.
    std::string unusable;

    // The memory that a model's weights would lie in.
    std::uint64_t memory_bytes() const;
    std::uint64_t available_bytes() const;
};

}  // namespace hearth
