// Asynchronous reads of one file: what is needed soonest is read first, by several readers at once,
// past the page cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "base/input_file.h"
#include "flash/file_reads.h"

namespace hearth {

struct ReadRequest {
    // Read on the chance that it is wanted: after all else, and few at once, since what is being
    // read holds up what is wanted meanwhile.
    static constexpr std::uint64_t kUnhurried = ~std::uint64_t{0};
    // Likely to be wanted: after all that is, and more of them at once.
    static constexpr std::uint64_t kLikely = kUnhurried - 1;

    std::uint64_t offset = 0;    // in the file, any alignment
    std::span<std::byte> to{};   // any alignment and size; see submit()
    std::uint64_t deadline = 0;  // smaller is needed sooner; equal ones go in the file's order
    std::uint64_t ticket = 0;    // chosen by the caller, given back; need not be unique
    int channel = 0;             // who takes it, below ReadQueue::kChannels
    std::uint16_t account = 0;   // whose bytes are counted together
};

struct ReadDone {
    std::uint64_t ticket = 0;
    Result<void> status{};
};

struct ReadQueueOptions {
    int depth = 0;  // reads in flight at once; 0: kUsualDepth. At most 64, or UV_THREADPOOL_SIZE
    std::uint64_t merge_gap_bytes = 16 << 10;      // see submit()
    std::uint64_t largest_read_bytes = 256 << 10;  // more becomes several reads, at once
    std::uint64_t most_requests = 1 << 16;         // of a channel, submitted and not yet taken
    int most_unhurried = 4;                        // reads of deadline kUnhurried at once
    int most_likely = 12;                          // of kLikely or kUnhurried
    bool direct = true;                            // false: through the page cache
};

// Since the queue was opened, or restart_counters().
struct ReadCounters {
    std::uint64_t reads = 0;        // asked of the system, retries included
    std::uint64_t requests = 0;     // completed well
    std::uint64_t bytes_asked = 0;  // of these
    std::uint64_t bytes_read = 0;   // as the system gave them: with alignment and merged gaps
    std::uint64_t retries = 0;      // reads that failed or came short and were tried again
    std::uint64_t busy_ns = 0;      // while at least one read was in flight
    int deepest = 0;                // most reads in flight at once
    std::uint64_t p50_ns = 0, p90_ns = 0, p99_ns = 0;  // of one read, within 7 %
};

// Of one file. Move-only. One thread owns libuv's loop; reads run on libuv's pool, which all queues
// of a process share. Nobody spins.
//
// Several users share a queue, each by a channel of its own: a channel's requests complete to its
// take() alone, and who takes late holds up no other channel. What is read next is the deadlines'
// matter, whatever the channel; a read may serve several channels.
//
// Any thread may call any member but the destructor and the moves.
class ReadQueue {
public:
    using Options = ReadQueueOptions;
    using Counters = ReadCounters;
    static constexpr int kUsualDepth = 32;
    static constexpr int kChannels = 4;

    // As open_direct_file(). InvalidArgument: a depth below 0, a size of 0, or
    // no unhurried or likely reads.
    static Result<ReadQueue> open(const std::string& path, const Options& options = {});
    // Of the file that `file` has open, or of its parts, at the places that they have in it.
    static Result<ReadQueue> open(const InputFile& file, const Options& options = {});
    // Of what the caller reads with: tests.
    static Result<ReadQueue> open(std::unique_ptr<FileReads> file, const Options& options = {});

    ReadQueue(ReadQueue&&) noexcept;
    ReadQueue& operator=(ReadQueue&&) noexcept;
    // Cancels what has not begun, waits for what has, and drops what was not taken. Nobody may be
    // inside take().
    ~ReadQueue();

    bool direct() const noexcept;  // false: the page cache takes part; why_not_direct() says why
    std::string_view why_not_direct() const noexcept;  // one sentence; empty: direct
    std::uint64_t alignment() const noexcept;          // of offset and length of a read in place
    std::uint64_t memory_alignment() const noexcept;   // likewise of where it goes
    std::uint64_t size_bytes() const noexcept;         // of the file when it was opened
    int depth() const noexcept;
    // What the queue may come to hold for requests that cannot be read in place.
    std::uint64_t bounce_bytes_max() const noexcept;

    // What was done to the file's content since it was opened; empty: nothing that the system
    // tells. One system call: cheap enough to ask once a token.
    std::string change() const;

    // Takes all of the requests, or on an error none. Never waits for the disk. Each request
    // completes exactly once; its `to` must live until its ReadDone was taken or the queue is
    // destroyed, and its content is undefined unless the status is good.
    //
    // Requests are read in the order of deadline, then offset. Those of one deadline whose gap is
    // at most merge_gap_bytes become one read of at most largest_read_bytes. A read goes straight
    // to where it shall go if offset, end and memory are aligned (several requests: and lie in
    // memory as in the file); otherwise it is copied from a buffer of the queue's.
    //
    // OverBudget: more than most_requests of a channel would wait. OutOfMemory. A request past the
    // end of the file is not an error of submit(): it completes with one.
    Result<void> submit(std::span<const ReadRequest> requests);

    // Outstanding requests of the channel complete as Cancelled: at once if their reads have not
    // begun, else when these return.
    void cancel(std::span<const std::uint64_t> tickets, int channel = 0);
    void cancel_all(int channel = 0);

    // Gives the channel's requests that deadline, as far as they wait.
    // Reads that have begun are left alone.
    void set_deadline(std::span<const std::uint64_t> tickets, std::uint64_t deadline,
                      int channel = 0);

    // Moves completed requests of the channel to `out`, oldest first, and returns how many. Sleeps
    // until there are `at_least` of them, or as many as `out` holds, or nothing of the channel is
    // outstanding. 0 does not wait.
    //
    // Statuses: Cancelled; ReadFailed and OutOfMemory, whose messages name file and offset. A read
    // that fails or brings nothing was tried twice again before.
    std::size_t take(std::span<ReadDone> out, std::size_t at_least, int channel = 0);
    std::size_t outstanding(int channel = 0) const;  // submitted and not completed

    Counters counters() const;
    // Counters::bytes_asked by ReadRequest::account, as far as any was used.
    std::vector<std::uint64_t> bytes_by_account() const;
    void restart_counters();

private:
    class Impl;
    explicit ReadQueue(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace hearth
