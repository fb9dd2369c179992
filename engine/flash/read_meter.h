// Counts what a queue of reads did. Whoever holds the queue's lock calls.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "flash/latencies.h"
#include "flash/read_queue.h"

namespace hearth {

class ReadMeter {
public:
    static std::uint64_t now_ns() {
        return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                              std::chrono::steady_clock::now().time_since_epoch())
                                              .count());
    }

    int in_flight() const { return in_flight_; }

    void read_began(std::uint64_t now) {
        if (in_flight_++ == 0) {
            busy_since_ns_ = now;
        }
        counters_.deepest = std::max(counters_.deepest, in_flight_);
    }
    void read_ended(std::uint64_t began, std::uint64_t now, std::uint64_t reads,
                    std::uint64_t bytes, std::uint64_t retries) {
        if (--in_flight_ == 0) {
            counters_.busy_ns += now - busy_since_ns_;
        }
        latencies_.add(now - began);
        counters_.reads += reads;
        counters_.bytes_read += bytes;
        counters_.retries += retries;
    }
    // Before a request of the account completes. Throws std::bad_alloc.
    void open_account(std::uint16_t account) {
        by_account_.resize(std::max<std::size_t>(by_account_.size(), std::size_t{account} + 1));
    }
    void request_completed(std::uint64_t bytes, std::uint16_t account) {
        ++counters_.requests;
        counters_.bytes_asked += bytes;
        by_account_[account] += bytes;
    }
    const std::vector<std::uint64_t>& by_account() const { return by_account_; }

    ReadCounters counters() const {
        ReadCounters out = counters_;
        if (in_flight_ > 0) {
            out.busy_ns += now_ns() - busy_since_ns_;
        }
        out.p50_ns = latencies_.percentile(0.50);
        out.p90_ns = latencies_.percentile(0.90);
        out.p99_ns = latencies_.percentile(0.99);
        return out;
    }
    void restart() {
        counters_ = {};
        latencies_ = {};
        std::fill(by_account_.begin(), by_account_.end(), 0);
        busy_since_ns_ = now_ns();
        counters_.deepest = in_flight_;
    }

private:
    ReadCounters counters_{};
    std::vector<std::uint64_t> by_account_{};
    Latencies latencies_{};
    int in_flight_ = 0;
    std::uint64_t busy_since_ns_ = 0;
};

}  // namespace hearth
