#include "support/memory_cgroup.h"

#ifdef __linux__
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

namespace fs = std::filesystem;
#endif

namespace hearth::test {

#ifdef __linux__
namespace {

std::string text_of(const std::string& path) {
    std::ifstream in(path);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

bool write_number(const std::string& path, std::uint64_t number) {
    std::ofstream out(path);
    out << number;
    out.close();
    return !out.fail();
}

bool has_word(std::string text, const std::string& word) {
    for (char& c : text) {
        c = c == ',' ? ' ' : c;
    }
    std::istringstream in(text);
    for (std::string one; in >> one;) {
        if (one == word) {
            return true;
        }
    }
    return false;
}

// The number in the line of `name`; 0: there is none.
std::uint64_t value_of(const std::string& text, const std::string& name) {
    std::istringstream in(text);
    std::string one;
    for (std::uint64_t value = 0; in >> one >> value;) {
        if (one == name) {
            return value;
        }
    }
    return 0;
}

// Where the hierarchy that limits memory is mounted; empty: nowhere.
std::string mount_point(bool v2) {
    std::istringstream mounts(text_of("/proc/self/mounts"));
    for (std::string line; std::getline(mounts, line);) {
        std::istringstream in(line);
        std::string device, point, type, options;
        in >> device >> point >> type >> options;
        if (v2 ? type == "cgroup2" : type == "cgroup" && has_word(options, "memory")) {
            return point;
        }
    }
    return {};
}

// This process's group, and all above it, innermost first.
std::vector<std::string> groups(bool v2) {
    const std::string top = mount_point(v2);
    if (top.empty()) {
        return {};
    }
    std::vector<std::string> out;
    std::istringstream lines(text_of("/proc/self/cgroup"));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (v2 ? !controllers.empty() : !has_word(controllers, "memory")) {
            continue;
        }
        for (std::string path = line.substr(second + 1); path.size() > 1;
             path.resize(path.rfind('/'))) {
            out.push_back(top + path);
        }
    }
    out.push_back(top);
    return out;
}

}  // namespace

std::unique_ptr<MemoryCgroup> MemoryCgroup::create(std::uint64_t limit_bytes) {
    if (geteuid() != 0) {
        return nullptr;
    }
    for (const bool v2 : {false, true}) {
        for (const std::string& parent : groups(v2)) {
            if (v2 && !has_word(text_of(parent + "/cgroup.subtree_control"), "memory")) {
                continue;  // its children have no limits
            }
            const std::string folder = parent + "/hearth-test-" + std::to_string(getpid());
            std::error_code failed;
            if (!fs::create_directory(folder, failed) || failed) {
                continue;
            }
            std::unique_ptr<MemoryCgroup> group(new MemoryCgroup(folder, v2));
            const bool limited =
                write_number(folder + (v2 ? "/memory.max" : "/memory.limit_in_bytes"), limit_bytes);
            // Where the kernel counts swap: none.
            const std::string swap =
                folder + (v2 ? "/memory.swap.max" : "/memory.memsw.limit_in_bytes");
            const bool swapless = !fs::exists(swap, failed) ||
                                  write_number(swap, v2 ? std::uint64_t{0} : limit_bytes);
            // Linux before 5.19 does not say the peak of version 2.
            if (limited && swapless && group->peak_bytes() != ~std::uint64_t{0}) {
                return group;
            }
        }
    }
    return nullptr;
}

MemoryCgroup::MemoryCgroup(std::string folder, bool v2)
    : folder_(std::move(folder)), members_(folder_ + "/cgroup.procs"), v2_(v2) {}

MemoryCgroup::~MemoryCgroup() {
    // The kernel counts a process as a member until it has torn it down.
    for (int i = 0; i < 1000 && rmdir(folder_.c_str()) != 0; ++i) {
        usleep(1000);
    }
}

bool MemoryCgroup::enter() const noexcept {
    const int file = open(members_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const bool done = write(file, "0", 1) == 1;
    close(file);
    return done;
}

std::uint64_t MemoryCgroup::peak_bytes() const {
    std::ifstream in(folder_ + (v2_ ? "/memory.peak" : "/memory.max_usage_in_bytes"));
    std::uint64_t bytes = 0;
    return in >> bytes ? bytes : ~std::uint64_t{0};
}

std::uint64_t MemoryCgroup::anonymous_bytes() const {
    return value_of(text_of(folder_ + "/memory.stat"), v2_ ? "anon" : "rss");
}

std::uint64_t MemoryCgroup::file_bytes() const {
    return value_of(text_of(folder_ + "/memory.stat"), v2_ ? "file" : "cache");
}

std::uint64_t MemoryCgroup::swapped_bytes() const {
    return v2_ ? value_of("swap " + text_of(folder_ + "/memory.swap.current"), "swap")
               : value_of(text_of(folder_ + "/memory.stat"), "swap");
}

#else

std::unique_ptr<MemoryCgroup> MemoryCgroup::create(std::uint64_t) {
    return nullptr;
}
MemoryCgroup::~MemoryCgroup() = default;
bool MemoryCgroup::enter() const noexcept {
    return false;
}
std::uint64_t MemoryCgroup::peak_bytes() const {
    return 0;
}
std::uint64_t MemoryCgroup::anonymous_bytes() const {
    return 0;
}
std::uint64_t MemoryCgroup::file_bytes() const {
    return 0;
}
std::uint64_t MemoryCgroup::swapped_bytes() const {
    return 0;
}

#endif

}  // namespace hearth::test
