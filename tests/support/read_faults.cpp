#include "support/read_faults.h"

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

namespace {

std::mutex g_mutex;
std::function<bool(std::uint64_t)> g_fails;
std::size_t g_count = 0;

ssize_t read_or_fail(int file, void* to, size_t bytes, off_t offset) {
    {
        const std::lock_guard lock(g_mutex);
        if (g_fails && g_fails(static_cast<std::uint64_t>(offset))) {
            ++g_count;
            std::memset(to, 0xA5, bytes);
            errno = EIO;
            return -1;
        }
    }
    return syscall(SYS_pread64, file, to, bytes, offset);
}

}  // namespace

extern "C" ssize_t pread(int file, void* to, size_t bytes, off_t offset) {
    return read_or_fail(file, to, bytes, offset);
}
extern "C" ssize_t pread64(int file, void* to, size_t bytes, off64_t offset) {
    return read_or_fail(file, to, bytes, offset);
}

namespace hearth::test {

ReadFaults::ReadFaults(std::function<bool(std::uint64_t)> fails) {
    const std::lock_guard lock(g_mutex);
    g_count = 0;
    g_fails = std::move(fails);
}

ReadFaults::~ReadFaults() {
    const std::lock_guard lock(g_mutex);
    g_fails = {};
}

std::size_t ReadFaults::count() const {
    const std::lock_guard lock(g_mutex);
    return g_count;
}

}  // namespace hearth::test
