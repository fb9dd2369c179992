#include "hardware/linux_system.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

namespace hearth::linux_system {
namespace {

// Nothing read here is long: a machine with 8192 processors has a /proc/cpuinfo of some 12 MB, of
// which the first processor's lines are enough.
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::string text;
    char buffer[4096];
    while (in && text.size() < kMaxFileBytes) {
        in.read(buffer, sizeof buffer);
        text.append(buffer, static_cast<std::size_t>(in.gcount()));
    }
    return text;
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Calls line(text) for every line.
template <class F>
void for_each_line(std::string_view text, F line) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        line(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

// A number at the start of the text; empty for "max", "-1" and whatever else is not one.
std::optional<std::uint64_t> parse_number(std::string_view text) {
    text = trim(text);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end == text.data()) {
        return std::nullopt;
    }
    return value;
}

// "Key:   12 kB" or "key 12": the number after the key.
std::optional<std::uint64_t> value_of(std::string_view text, std::string_view key) {
    std::optional<std::uint64_t> found;
    for_each_line(text, [&](std::string_view line) {
        if (!found && line.size() > key.size() && line.starts_with(key) &&
            (line[key.size()] == ':' || line[key.size()] == ' ')) {
            found = parse_number(line.substr(key.size() + 1));
        }
    });
    return found;
}

std::uint64_t kib_to_bytes(std::optional<std::uint64_t> kib) {
    return kib && *kib < (std::uint64_t{1} << 53) ? *kib * 1024 : 0;
}

bool has_word(std::string_view commas, std::string_view word) {
    while (!commas.empty()) {
        const std::size_t end = commas.find(',');
        if (commas.substr(0, end) == word) {
            return true;
        }
        commas.remove_prefix(end == std::string_view::npos ? commas.size() : end + 1);
    }
    return false;
}

// "0-7,16": whether the list names `cpu`.
bool in_cpu_list(std::string_view list, int cpu) {
    list = trim(list);
    while (!list.empty()) {
        const std::size_t end = list.find(',');
        const std::string_view range = list.substr(0, end);
        const auto first = parse_number(range);
        const std::size_t dash = range.find('-');
        const auto last =
            dash == std::string_view::npos ? first : parse_number(range.substr(dash + 1));
        const auto wanted = static_cast<std::uint64_t>(cpu);
        if (first && last && *first <= wanted && wanted <= *last) {
            return true;
        }
        list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    }
    return false;
}

// mountinfo writes space, tab, newline and backslash as \ooo.
std::string unescape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto digit = [&](std::size_t at) {
            return at < text.size() && text[at] >= '0' && text[at] <= '7';
        };
        if (text[i] == '\\' && digit(i + 1) && digit(i + 2) && digit(i + 3)) {
            out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                     (text[i + 3] - '0'));
            i += 3;
        } else {
            out += text[i];
        }
    }
    return out;
}

struct Mount {
    bool v2 = false;
    std::string root;   // which folder of the cgroup tree is mounted
    std::string point;  // where
};

// Where the hierarchy that has `controller` is mounted.
std::optional<Mount> find_mount(std::string_view mountinfo, std::string_view controller, bool v2) {
    std::optional<Mount> found;
    for_each_line(mountinfo, [&](std::string_view line) {
        // id parent major:minor root point options [tags] - type source superoptions
        const std::size_t dash = line.find(" - ");
        if (found || dash == std::string_view::npos) {
            return;
        }
        std::vector<std::string_view> words;
        for (std::string_view part : {line.substr(0, dash), line.substr(dash + 3)}) {
            const std::size_t wanted = words.empty() ? 5 : 8;
            while (words.size() < wanted) {
                const std::size_t end = part.find(' ');
                words.push_back(part.substr(0, end));
                part.remove_prefix(end == std::string_view::npos ? part.size() : end + 1);
            }
        }
        const std::string_view type = words[5];
        if (v2 ? type == "cgroup2" : type == "cgroup" && has_word(words[7], controller)) {
            found = Mount{v2, unescape(words[3]), unescape(words[4])};
        }
    });
    return found;
}

// The folders of this process's group for `controller` and of all groups above it, innermost first.
struct Groups {
    bool v2 = false;
    std::vector<std::string> folders;
};

void add_groups(const std::string& root, std::string_view controller, std::vector<Groups>& all) {
    const std::string mountinfo = read_file(root + "/proc/self/mountinfo");
    for_each_line(read_file(root + "/proc/self/cgroup"), [&](std::string_view line) {
        // 0::/path (v2) or 4:cpu,cpuacct:/path (v1)
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string_view::npos || second == std::string_view::npos) {
            return;
        }
        const std::string_view controllers = line.substr(first + 1, second - first - 1);
        const bool v2 = controllers.empty();
        if (!v2 && !has_word(controllers, controller)) {
            return;
        }
        const std::optional<Mount> mount = find_mount(mountinfo, controller, v2);
        if (!mount) {
            return;
        }
        // The path is in the whole tree's terms, the mount may show only a part of it. A path from
        // outside this namespace ("/../..") is not visible at all: the mount's top is the best
        // known.
        std::string_view path = trim(line.substr(second + 1));
        if (mount->root != "/") {
            const bool inside = path.starts_with(mount->root);
            path = inside ? path.substr(mount->root.size()) : std::string_view{};
        }
        if (!path.starts_with('/') || path.find("..") != std::string_view::npos) {
            path = {};
        }
        Groups groups{v2, {}};
        while (path.size() > 1) {
            groups.folders.push_back(root + mount->point + std::string(path));
            path = path.substr(0, path.rfind('/'));
        }
        groups.folders.push_back(root + mount->point);
        all.push_back(std::move(groups));
    });
}

std::vector<Groups> find_groups(const std::string& root, std::string_view controller) {
    std::vector<Groups> all;
    add_groups(root, controller, all);
    return all;
}

}  // namespace

MemoryInfo read_memory_info(const std::string& root) {
    MemoryInfo info;
    const std::string meminfo = read_file(root + "/proc/meminfo");
    info.total_bytes = kib_to_bytes(value_of(meminfo, "MemTotal"));
    // Kernels before 3.14 do not say MemAvailable.
    const auto available = value_of(meminfo, "MemAvailable");
    info.available_bytes = available ? kib_to_bytes(available)
                                     : kib_to_bytes(value_of(meminfo, "MemFree")) +
                                           kib_to_bytes(value_of(meminfo, "Cached"));

    for (const Groups& groups : find_groups(root, "memory")) {
        for (const std::string& folder : groups.folders) {
            std::optional<std::uint64_t> limit;
            // At memory.high the kernel already slows the process down until it gives memory back.
            for (const char* name :
                 {groups.v2 ? "/memory.max" : "/memory.limit_in_bytes", "/memory.high"}) {
                const auto value = parse_number(read_file(folder + name));
                if (value && *value < limit.value_or(info.total_bytes)) {
                    limit = value;
                }
            }
            if (!limit) {
                continue;
            }
            info.limit_bytes = std::min(*limit, info.limit_bytes.value_or(*limit));
            const auto used =
                parse_number(
                    read_file(folder + (groups.v2 ? "/memory.current" : "/memory.usage_in_bytes")))
                    .value_or(0);
            // The group's page cache is given back before anything is refused.
            const std::string stat = read_file(folder + "/memory.stat");
            const std::string prefix = groups.v2 ? "" : "total_";
            const std::uint64_t cache = value_of(stat, prefix + "inactive_file").value_or(0) +
                                        value_of(stat, prefix + "active_file").value_or(0);
            const std::uint64_t held = used - std::min(used, cache);
            info.available_bytes = std::min(info.available_bytes, *limit - std::min(*limit, held));
        }
    }
    return info;
}

std::uint64_t read_peak_rss_bytes(const std::string& root) {
    return kib_to_bytes(value_of(read_file(root + "/proc/self/status"), "VmHWM"));
}

std::uint64_t read_rss_bytes(const std::string& root) {
    return kib_to_bytes(value_of(read_file(root + "/proc/self/status"), "VmRSS"));
}

std::optional<ProcessorTicks> read_processor_ticks(const std::string& root) {
    // "cpu  USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL GUEST GUEST_NICE"; guests' time is in
    // USER and NICE already.
    constexpr std::size_t kLeast = 4;
    constexpr std::size_t kMost = 8;
    constexpr std::size_t kIdle = 3;
    constexpr std::size_t kWaiting = 4;
    std::istringstream line(read_file(root + "/proc/stat"));
    std::string name;
    if (!(line >> name) || name != "cpu") {
        return std::nullopt;
    }
    ProcessorTicks ticks;
    std::size_t column = 0;
    for (std::uint64_t count = 0; column < kMost && line >> count; ++column) {
        (column == kIdle || column == kWaiting ? ticks.idle : ticks.busy) += count;
    }
    return column < kLeast ? std::nullopt : std::optional(ticks);
}

Result<MemoryPressure> read_memory_pressure(const std::string& root) {
    auto worst = parse_memory_pressure(read_file(root + "/proc/pressure/memory"));
    for (const Groups& groups : find_groups(root, "memory")) {
        // What any group above slows down is counted in the innermost one too.
        const auto own =
            parse_memory_pressure(read_file(groups.folders.front() + "/memory.pressure"));
        if (!own) {
            continue;
        }
        if (!worst) {
            worst = own;
            continue;
        }
        for (double MemoryPressure::*figure :
             {&MemoryPressure::some_10s, &MemoryPressure::some_60s, &MemoryPressure::full_10s,
              &MemoryPressure::full_60s}) {
            *worst.*figure = std::max(*worst.*figure, *own.*figure);
        }
    }
    return worst;
}

std::optional<double> read_cpu_quota(const std::string& root) {
    std::optional<double> tightest;
    for (const Groups& groups : find_groups(root, "cpu")) {
        for (const std::string& folder : groups.folders) {
            std::optional<std::uint64_t> quota;
            std::optional<std::uint64_t> period;
            if (groups.v2) {
                const std::string text = read_file(folder + "/cpu.max");  // "150000 100000"
                quota = parse_number(text);
                const std::size_t space = text.find(' ');
                if (space != std::string::npos) {
                    period = parse_number(std::string_view(text).substr(space));
                }
            } else {
                quota = parse_number(read_file(folder + "/cpu.cfs_quota_us"));
                period = parse_number(read_file(folder + "/cpu.cfs_period_us"));
            }
            if (quota && period && *quota > 0 && *period > 0) {
                const double cpus = static_cast<double>(*quota) / static_cast<double>(*period);
                tightest = std::min(cpus, tightest.value_or(cpus));
            }
        }
    }
    return tightest;
}

int count_physical_cores(const std::string& root, std::span<const int> allowed) {
    std::set<std::string, std::less<>> cores;
    for (const int cpu : allowed) {
        const std::string topology =
            root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
        std::string siblings = read_file(topology + "core_cpus_list");
        if (siblings.empty()) {
            siblings = read_file(topology + "thread_siblings_list");  // its name before Linux 5.3
        }
        const std::string_view name = trim(siblings);
        cores.insert(name.empty() ? "cpu" + std::to_string(cpu) : std::string(name));
    }
    return static_cast<int>(cores.size());
}

std::vector<int> performance_cpus(const std::string& root, std::span<const int> allowed) {
    // 1024 is the fastest; big cores beside one still faster have some 850 to 950, little ones 150
    // to 450.
    constexpr double kShareMin = 0.7;
    std::vector<std::uint64_t> capacities;
    for (const int cpu : allowed) {
        capacities.push_back(parse_number(read_file(root + "/sys/devices/system/cpu/cpu" +
                                                    std::to_string(cpu) + "/cpu_capacity"))
                                 .value_or(0));
    }
    const std::uint64_t greatest =
        capacities.empty() ? 0 : *std::max_element(capacities.begin(), capacities.end());
    const std::string performance = read_file(root + "/sys/devices/cpu_core/cpus");
    std::vector<int> cpus;
    for (std::size_t i = 0; i < allowed.size(); ++i) {
        const bool fast = greatest > 0 ? static_cast<double>(capacities[i]) >=
                                             kShareMin * static_cast<double>(greatest)
                                       : in_cpu_list(performance, allowed[i]);
        if (fast) {
            cpus.push_back(allowed[i]);
        }
    }
    // None: the file is missing, or the process may run on slow cores only.
    return cpus.empty() ? std::vector<int>(allowed.begin(), allowed.end()) : cpus;
}

std::uint64_t read_cache_bytes(const std::string& root, std::span<const int> allowed) {
    constexpr int kMostCaches = 16;               // of a processor
    std::map<std::string, std::uint64_t> caches;  // by the processors that share each
    for (const int cpu : allowed) {
        std::uint64_t last_level = 0;
        std::string sharers;
        std::uint64_t kibibytes = 0;
        for (int i = 0; i < kMostCaches; ++i) {
            const std::string cache = root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                                      "/cache/index" + std::to_string(i) + "/";
            const std::optional<std::uint64_t> level = parse_number(read_file(cache + "level"));
            if (!level) {
                break;
            }
            if (*level >= last_level) {
                last_level = *level;
                kibibytes = parse_number(read_file(cache + "size")).value_or(0);  // "32768K"
                sharers = trim(read_file(cache + "shared_cpu_list"));
            }
        }
        if (kibibytes > 0) {
            caches[sharers.empty() ? "cpu" + std::to_string(cpu) : sharers] = kibibytes << 10U;
        }
    }
    return std::accumulate(caches.begin(), caches.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& cache) { return sum + cache.second; });
}

std::string read_cpu_name(const std::string& root) {
    std::string name;
    for (const char* key : {"model name", "Model", "Hardware"}) {
        for_each_line(read_file(root + "/proc/cpuinfo"), [&](std::string_view line) {
            const std::size_t colon = line.find(':');
            if (name.empty() && colon != std::string_view::npos &&
                trim(line.substr(0, colon)) == key) {
                name = trim(line.substr(colon + 1));
            }
        });
    }
    if (name.empty()) {
        name = read_file(root + "/sys/firmware/devicetree/base/model");
        name.resize(std::min(name.size(), name.find('\0')));
        name = std::string(trim(name));
    }
    return name;
}

}  // namespace hearth::linux_system
