#include "hardware/cpu_features.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "hardware/cpu_flags.h"
#include "hardware/linux_system.h"
#include "hardware/x86_cpuid.h"

#if defined(__x86_64__) || defined(_M_X64)
#define HEARTH_X86 1
#ifdef _MSC_VER
#include <intrin.h>
#else
#include <cpuid.h>
#endif
#endif

#if defined(__linux__)
#include <sched.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#elif defined(_WIN32)
#include <windows.h>
#endif

namespace hearth {

std::uint32_t x86::flags_of(const CpuidLeaves& leaves) {
    const auto bit = [](std::uint32_t word, int index) { return ((word >> index) & 1U) != 0; };
    constexpr std::uint64_t kYmm = 0x6;   // SSE and AVX state
    constexpr std::uint64_t kZmm = 0xE0;  // opmask and both halves of the ZMM registers
    const bool osxsave = bit(leaves.leaf1_ecx, 27);
    const bool ymm = osxsave && (leaves.xcr0 & kYmm) == kYmm;
    const bool zmm = ymm && (leaves.xcr0 & kZmm) == kZmm;

    std::uint32_t flags = 0;
    const bool fma = bit(leaves.leaf1_ecx, 12);
    const bool avx = bit(leaves.leaf1_ecx, 28);
    const bool f16c = bit(leaves.leaf1_ecx, 29);
    if (ymm && fma && avx && f16c && bit(leaves.leaf7_ebx, 5)) {
        flags |= cpu_flags::kAvx2;
        if (bit(leaves.leaf7_1_eax, 4)) {
            flags |= cpu_flags::kAvxVnni;
        }
    }
    const bool f = bit(leaves.leaf7_ebx, 16);
    const bool dq = bit(leaves.leaf7_ebx, 17);
    const bool bw = bit(leaves.leaf7_ebx, 30);
    const bool vl = bit(leaves.leaf7_ebx, 31);
    if (zmm && (flags & cpu_flags::kAvx2) != 0 && f && dq && bw && vl) {
        flags |= cpu_flags::kAvx512;
        if (bit(leaves.leaf7_ecx, 11)) {
            flags |= cpu_flags::kAvx512Vnni;
        }
        if (bit(leaves.leaf7_1_eax, 5)) {
            flags |= cpu_flags::kAvx512Bf16;
        }
    }
    return flags;
}

namespace {

#ifdef HEARTH_X86

struct Registers {
    std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
    Registers r;
#ifdef _MSC_VER
    int out[4];
    __cpuidex(out, static_cast<int>(leaf), static_cast<int>(subleaf));
    std::memcpy(&r, out, sizeof out);
#else
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
#endif
    return r;
}

std::uint64_t xgetbv0() {
#ifdef _MSC_VER
    return _xgetbv(0);
#else
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (static_cast<std::uint64_t>(high) << 32) | low;
#endif
}

std::uint32_t detect_flags() {
    x86::CpuidLeaves leaves;
    const std::uint32_t max_leaf = cpuid(0, 0).eax;
    leaves.leaf1_ecx = cpuid(1, 0).ecx;
    if (max_leaf >= 7) {
        const Registers seven = cpuid(7, 0);
        leaves.leaf7_ebx = seven.ebx;
        leaves.leaf7_ecx = seven.ecx;
        if (seven.eax >= 1) {
            leaves.leaf7_1_eax = cpuid(7, 1).eax;
        }
    }
    if (((leaves.leaf1_ecx >> 27) & 1U) != 0) {  // without OSXSAVE the instruction faults
        leaves.xcr0 = xgetbv0();
    }
    return x86::flags_of(leaves);
}

std::string detect_name() {
    if (cpuid(0x80000000U, 0).eax < 0x80000004U) {
        return {};
    }
    char brand[49] = {};
    for (std::uint32_t part = 0; part < 3; ++part) {
        const Registers r = cpuid(0x80000002U + part, 0);
        std::memcpy(brand + part * sizeof r, &r, sizeof r);
    }
    return brand;
}

#elif defined(__aarch64__) || defined(_M_ARM64)

std::uint32_t detect_flags() {
#if defined(__linux__)
    constexpr unsigned long kAsimdDp = 1UL << 20;  // HWCAP_ASIMDDP; older headers lack the name
    return (getauxval(AT_HWCAP) & kAsimdDp) != 0 ? cpu_flags::kNeonDotprod : 0;
#elif defined(__APPLE__)
    int value = 0;
    std::size_t bytes = sizeof value;
    const bool known =
        sysctlbyname("hw.optional.arm.FEAT_DotProd", &value, &bytes, nullptr, 0) == 0;
    return known && value != 0 ? cpu_flags::kNeonDotprod : 0;
#elif defined(_WIN32)
    constexpr DWORD kDotprod = 43;  // PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE
    return IsProcessorFeaturePresent(kDotprod) ? cpu_flags::kNeonDotprod : 0;
#else
    return 0;
#endif
}

std::string detect_name() {
#if defined(__linux__)
    return linux_system::read_cpu_name("");
#elif defined(__APPLE__)
    char name[256] = {};
    std::size_t bytes = sizeof name - 1;
    return sysctlbyname("machdep.cpu.brand_string", name, &bytes, nullptr, 0) == 0 ? name : "";
#elif defined(_WIN32)
    char name[256] = {};
    DWORD bytes = sizeof name - 1;
    return RegGetValueA(HKEY_LOCAL_MACHINE, "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0",
                        "ProcessorNameString", RRF_RT_REG_SZ, nullptr, name, &bytes) == 0
               ? name
               : "";
#else
    return {};
#endif
}

#else

std::uint32_t detect_flags() {
    return 0;
}

std::string detect_name() {
    return linux_system::read_cpu_name("");
}

#endif

struct Cores {
    int physical = 0;
    int logical = 0;
    int performance = 0;  // 0: not known, as physical
    std::uint64_t cache_bytes = 0;
};

#if defined(__linux__)

struct FreeCpuSet {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

// The logical processors this process may run on.
std::vector<int> allowed_cpus() {
    // The mask grows until the kernel's fits: machines with more than 1024 processors exist.
    for (int capacity = 1024; capacity <= (1 << 20); capacity *= 2) {
        const std::unique_ptr<cpu_set_t, FreeCpuSet> set(
            CPU_ALLOC(static_cast<std::size_t>(capacity)));
        if (set == nullptr) {
            break;
        }
        const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(capacity));
        CPU_ZERO_S(bytes, set.get());
        std::vector<int> cpus;
        const bool ok = sched_getaffinity(0, bytes, set.get()) == 0;
        for (int cpu = 0; ok && cpu < capacity; ++cpu) {
            if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set.get())) {
                cpus.push_back(cpu);
            }
        }
        if (ok) {
            return cpus;
        }
    }
    return {};
}

Cores count_cores() {
    const std::vector<int> cpus = allowed_cpus();
    Cores cores{linux_system::count_physical_cores("", cpus), static_cast<int>(cpus.size()),
                linux_system::count_physical_cores("", linux_system::performance_cpus("", cpus)),
                linux_system::read_cache_bytes("", cpus)};
    if (const std::optional<double> quota = linux_system::read_cpu_quota("")) {
        // More threads than the quota pays for would be stopped in the middle of a sum, all
        // waiting.
        const int most = std::max(1, static_cast<int>(std::ceil(std::min(*quota, 1e6))));
        cores.physical = std::min(cores.physical, most);
        cores.logical = std::min(cores.logical, most);
        cores.performance = std::min(cores.performance, most);
    }
    return cores;
}

#elif defined(__APPLE__)

int sysctl_int(const char* name) {
    int value = 0;
    std::size_t bytes = sizeof value;
    return sysctlbyname(name, &value, &bytes, nullptr, 0) == 0 ? value : 0;
}

std::uint64_t sysctl_bytes(const char* name) {
    std::int64_t value = 0;
    std::size_t bytes = sizeof value;
    return sysctlbyname(name, &value, &bytes, nullptr, 0) == 0 && value > 0
               ? static_cast<std::uint64_t>(value)
               : 0;
}

Cores count_cores() {
    // perflevel0 are the fast cores. Apple's have no third level that the system tells of.
    return {sysctl_int("hw.physicalcpu"), sysctl_int("hw.logicalcpu"),
            sysctl_int("hw.perflevel0.physicalcpu"),
            std::max(sysctl_bytes("hw.l3cachesize"), sysctl_bytes("hw.perflevel0.l2cachesize"))};
}

#elif defined(_WIN32)

// Of newer systems' headers; those of mingw-w64 10 keep the byte in what is reserved.
template <class Relationship>
int efficiency_class_of(const Relationship& core) {
    if constexpr (requires { core.EfficiencyClass; }) {
        return core.EfficiencyClass;
    } else {
        return core.Reserved[0];
    }
}

// Calls visit(entry) for each thing that the system tells of this kind.
template <class Visit>
void for_each_of(LOGICAL_PROCESSOR_RELATIONSHIP kind, Visit&& visit) {
    DWORD bytes = 0;
    GetLogicalProcessorInformationEx(kind, nullptr, &bytes);
    std::vector<std::uint8_t> buffer(bytes);
    auto* first = reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(buffer.data());
    if (bytes == 0 || !GetLogicalProcessorInformationEx(kind, first, &bytes)) {
        return;
    }
    for (DWORD offset = 0; offset < bytes;) {
        const auto* entry = reinterpret_cast<const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(
            buffer.data() + offset);
        visit(*entry);
        offset += entry->Size;
    }
}

// The last caches of the machine, together.
std::uint64_t count_cache_bytes() {
    int last_level = 0;
    std::uint64_t sum = 0;
    for_each_of(RelationCache, [&](const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX& entry) {
        if (entry.Cache.Level > last_level) {
            last_level = entry.Cache.Level;
            sum = 0;
        }
        sum += entry.Cache.Level == last_level ? entry.Cache.CacheSize : 0;
    });
    return sum;
}

Cores count_cores() {
    Cores cores;
    cores.cache_bytes = count_cache_bytes();
    DWORD_PTR process_mask = 0;
    DWORD_PTR system_mask = 0;
    USHORT group_count = 0;
    // The mask speaks of one processor group; a process that spans several has no restriction.
    GetProcessGroupAffinity(GetCurrentProcess(), &group_count, nullptr);
    const bool masked = group_count <= 1 &&
                        GetProcessAffinityMask(GetCurrentProcess(), &process_mask, &system_mask) &&
                        process_mask != 0;

    int fastest_class = -1;  // EfficiencyClass: higher is faster
    for_each_of(RelationProcessorCore, [&](const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX& entry) {
        int threads = 0;
        for (WORD g = 0; g < entry.Processor.GroupCount; ++g) {
            KAFFINITY mask = entry.Processor.GroupMask[g].Mask;
            if (masked) {
                mask &= process_mask;
            }
            for (; mask != 0; mask &= mask - 1) {
                ++threads;
            }
        }
        const int efficiency_class = efficiency_class_of(entry.Processor);
        if (threads > 0 && efficiency_class > fastest_class) {
            fastest_class = efficiency_class;
            cores.performance = 0;
        }
        cores.performance += threads > 0 && efficiency_class == fastest_class ? 1 : 0;
        cores.physical += threads > 0 ? 1 : 0;
        cores.logical += threads;
    });
    return cores;
}

#else

Cores count_cores() {
    return {};
}

#endif

}  // namespace

CpuFeatures detect_cpu_features() {
    CpuFeatures features;
    features.flags = detect_flags();
    features.name = detect_name();
    const std::size_t first = features.name.find_first_not_of(' ');
    const std::size_t last = features.name.find_last_not_of(' ');
    features.name =
        first == std::string::npos ? "unknown" : features.name.substr(first, last - first + 1);
    const Cores cores = count_cores();
    features.logical_cores =
        cores.logical > 0 ? cores.logical
                          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    features.physical_cores = std::clamp(cores.physical, 1, features.logical_cores);
    features.cache_bytes = cores.cache_bytes;
    features.performance_cores = cores.performance > 0
                                     ? std::min(cores.performance, features.physical_cores)
                                     : features.physical_cores;
    return features;
}

}  // namespace hearth
