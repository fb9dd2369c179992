#include "memory/weight_reader.h"

#include <algorithm>
#include <chrono>

namespace hearth {
namespace {

constexpr std::uint64_t kAheadBytes = std::uint64_t{32} << 20;
constexpr std::uint64_t kStepBytes = std::uint64_t{8} << 20;
// A read below this rate came from the disk, and the reads that follow for a while will too. The
// page cache gives a thread 10 GB/s. Asking ahead for bytes that it holds already costs a look at
// every page.
constexpr double kCacheBytesPerS = 4e9;

}  // namespace

Result<void> WeightReader::read(std::uint64_t offset, std::span<std::byte> out) {
    if (offset < ask_until_.load(std::memory_order_relaxed)) {
        ask_ahead(offset + out.size());
    }
    const auto start = std::chrono::steady_clock::now();
    if (auto read = file_.read_at(offset, out); !read) {
        return read;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (static_cast<double>(out.size()) < kCacheBytesPerS * took.count()) {
        ask_until_.store(offset + 2 * kAheadBytes, std::memory_order_relaxed);
    }
    return {};
}

void WeightReader::ask_ahead(std::uint64_t end) {
    const std::uint64_t wanted = end + kAheadBytes;
    std::uint64_t asked = asked_.load(std::memory_order_relaxed);
    const std::uint64_t from = std::max(asked, end);
    if (wanted >= from + kStepBytes &&
        asked_.compare_exchange_strong(asked, wanted, std::memory_order_relaxed)) {
        file_.will_read(from, wanted - from);
    }
}

}  // namespace hearth
