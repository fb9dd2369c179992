#include "flash/read_queue.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/guarded.h"
#include "flash/direct_file.h"
#include "flash/joined_file.h"
#include "flash/read_loop.h"
#include "flash/read_meter.h"
#include "flash/read_requests.h"
#include "flash/reader.h"

namespace hearth {
namespace {

constexpr int kReadsPerTurn = 64;  // then other queues may have the pool's thread

}  // namespace

// The lock, and who sleeps and wakes. What is read next is ReadRequests', how it is read Reader's,
// on which threads ReadLoop's.
class ReadQueue::Impl final : ReadTurns {
public:
    Impl(std::unique_ptr<FileReads> file, const Options& options)
        : file_(std::move(file)),
          options_(with_limits(options, facts())),
          requests_(facts(), options_, meter_) {
        for (int i = 0; i < options_.depth; ++i) {
            readers_.push_back({Reader(*file_, options_.largest_read_bytes), 0});
        }
    }

    ~Impl() {
        for (int channel = 0; channel < kChannels; ++channel) {
            cancel(channel, [](std::uint64_t) { return true; });
        }
        loop_.stop();
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    Result<void> start() { return loop_.start(readers_.size(), facts().path); }

    const FileFacts& facts() const noexcept { return file_->facts(); }
    const Options& options() const noexcept { return options_; }
    std::string change() const { return file_->change(); }

    std::uint64_t bounce_bytes_max() const noexcept {
        return static_cast<std::uint64_t>(options_.depth) *
               Reader::buffer_bytes_max(facts(), options_.largest_read_bytes);
    }

    Result<void> submit(std::span<const ReadRequest> requests) {
        std::unique_lock lock(mutex_);
        Result<void> taken = requests_.enter(requests);
        const bool wanted = active_ < readers_wanted();
        unlock_and_tell(lock);
        if (wanted) {
            loop_.wake();
        }
        return taken;
    }

    template <class Chosen>
    void cancel(int channel, const Chosen& chosen) {
        std::unique_lock lock(mutex_);
        requests_.cancel(channel, chosen);
        unlock_and_tell(lock);
    }

    template <class Chosen>
    void set_deadline(int channel, const Chosen& chosen, std::uint64_t deadline) {
        std::unique_lock lock(mutex_);
        requests_.set_deadline(channel, chosen, deadline);
        const bool wanted = active_ < readers_wanted();
        lock.unlock();
        if (wanted) {
            loop_.wake();
        }
    }

    std::size_t take(std::span<ReadDone> out, std::size_t at_least, int channel) {
        HEARTH_ASSERT(channel >= 0 && channel < kChannels);
        std::unique_lock lock(mutex_);
        Takers& takers = takers_[static_cast<std::size_t>(channel)];
        const std::size_t wanted = std::min(at_least, out.size());
        while (requests_.completed(channel) < wanted && requests_.outstanding(channel) > 0) {
            ++takers.asleep;
            takers.least_wanted = std::min(takers.least_wanted, wanted);
            takers.changed.wait(lock);
            if (--takers.asleep == 0) {
                takers.least_wanted = kNobody;
            }
        }
        return requests_.take(out, channel);
    }

    std::size_t outstanding(int channel) const {
        HEARTH_ASSERT(channel >= 0 && channel < kChannels);
        const std::lock_guard lock(mutex_);
        return requests_.outstanding(channel);
    }

    Counters counters() const {
        const std::lock_guard lock(mutex_);
        return meter_.counters();
    }

    std::vector<std::uint64_t> bytes_by_account() const {
        const std::lock_guard lock(mutex_);
        return meter_.by_account();
    }

    void restart_counters() {
        const std::lock_guard lock(mutex_);
        meter_.restart();
    }

private:
    static constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

    // Of one channel.
    struct Takers {
        std::condition_variable changed{};
        int asleep = 0;
        std::size_t least_wanted = kNobody;  // at most what any of them waits for
    };
    struct TimedReader {
        Reader reader;
        std::uint64_t began_ns = 0;
    };

    static Options with_limits(Options options, const FileFacts& file) {
        const int wished = options.depth == 0 ? kUsualDepth : options.depth;
        options.depth = std::min(wished, ReadLoop::pool_threads());
        options.largest_read_bytes = round_up(options.largest_read_bytes, file.alignment);
        return options;
    }

    // ---- with the lock held ------------------------------------------------------------------

    int readers_wanted() const {
        const std::uint64_t reads =
            static_cast<std::uint64_t>(meter_.in_flight()) + requests_.reads_waiting();
        return static_cast<int>(
            std::min<std::uint64_t>(reads, static_cast<std::uint64_t>(options_.depth)));
    }

    // Gives up the lock, then wakes who has what it waits for.
    void unlock_and_tell(std::unique_lock<std::mutex>& lock) {
        std::bitset<kChannels> ready;
        for (int channel = 0; channel < kChannels; ++channel) {
            const auto i = static_cast<std::size_t>(channel);
            ready[i] =
                takers_[i].asleep > 0 && (requests_.outstanding(channel) == 0 ||
                                          requests_.completed(channel) >= takers_[i].least_wanted);
        }
        lock.unlock();
        for (std::size_t i = 0; i < kChannels; ++i) {
            if (ready[i]) {
                takers_[i].changed.notify_all();
            }
        }
    }

    bool begin_read(TimedReader& own, std::uint64_t now) {
        if (!requests_.next(own.reader.plan())) {
            return false;
        }
        own.began_ns = now;
        meter_.read_began(now);
        return true;
    }
    void end_read(TimedReader& own, std::uint64_t now) {
        const Reader::Counts& counts = own.reader.counts();
        meter_.read_ended(own.began_ns, now, counts.reads, counts.bytes, counts.retries);
        requests_.finish(own.reader.plan());
    }

    // ---- the loop's thread -------------------------------------------------------------------

    bool begin_turn() override {
        const std::lock_guard lock(mutex_);
        if (active_ >= readers_wanted()) {
            return false;
        }
        ++active_;
        return true;
    }
    void drop_turn() override {
        const std::lock_guard lock(mutex_);
        --active_;
    }

    // ---- a thread of the pool ----------------------------------------------------------------

    void turn(std::size_t index) noexcept override {
        TimedReader& own = readers_[index];
        std::uint64_t now = ReadMeter::now_ns();
        std::unique_lock lock(mutex_);
        for (int read = 0; read < kReadsPerTurn && begin_read(own, now); ++read) {
            unlock_and_tell(lock);
            own.reader.read();
            now = ReadMeter::now_ns();
            lock.lock();
            end_read(own, now);
        }
        --active_;
        unlock_and_tell(lock);
    }

    const std::unique_ptr<FileReads> file_;
    const Options options_;

    mutable std::mutex mutex_;
    ReadMeter meter_{};
    ReadRequests requests_;
    std::array<Takers, kChannels> takers_{};
    int active_ = 0;  // readers that the loop gave a turn, until they find nothing to read

    std::vector<TimedReader> readers_{};
    ReadLoop loop_{*this};
};

ReadQueue::ReadQueue(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ReadQueue::ReadQueue(ReadQueue&&) noexcept = default;
ReadQueue& ReadQueue::operator=(ReadQueue&&) noexcept = default;
ReadQueue::~ReadQueue() = default;

Result<ReadQueue> ReadQueue::open(const std::string& path, const Options& options) {
    return guarded(path, [&]() -> Result<ReadQueue> {
        auto file = open_direct_file(path, options.direct);
        if (!file) {
            return std::move(file).error();
        }
        return open(*std::move(file), options);
    });
}

Result<ReadQueue> ReadQueue::open(const InputFile& file, const Options& options) {
    return guarded(file.path(), [&]() -> Result<ReadQueue> {
        auto reads = open_direct_parts(file, options.direct);
        if (!reads) {
            return std::move(reads).error();
        }
        return open(*std::move(reads), options);
    });
}

Result<ReadQueue> ReadQueue::open(std::unique_ptr<FileReads> file, const Options& options) {
    const std::string path = file->facts().path;
    return guarded(path, [&]() -> Result<ReadQueue> {
        constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
        if (options.depth < 0 || options.most_unhurried < 1 || options.most_likely < 1 ||
            options.largest_read_bytes == 0 || options.largest_read_bytes > kMost ||
            options.most_requests == 0 || options.most_requests > kMost) {
            return Error{ErrorCode::InvalidArgument,
                         path + ": a queue of depth " + std::to_string(options.depth) +
                             " with reads of " + std::to_string(options.largest_read_bytes) +
                             " bytes makes no sense",
                         path,
                         {}};
        }
        auto impl = std::make_unique<Impl>(std::move(file), options);
        if (auto started = impl->start(); !started) {
            return std::move(started).error();
        }
        return ReadQueue(std::move(impl));
    });
}

bool ReadQueue::direct() const noexcept {
    return impl_->facts().direct;
}
std::string_view ReadQueue::why_not_direct() const noexcept {
    return impl_->facts().why_not_direct;
}
std::uint64_t ReadQueue::alignment() const noexcept {
    return impl_->facts().alignment;
}
std::uint64_t ReadQueue::memory_alignment() const noexcept {
    return impl_->facts().memory_alignment;
}
std::uint64_t ReadQueue::size_bytes() const noexcept {
    return impl_->facts().size_bytes;
}
int ReadQueue::depth() const noexcept {
    return impl_->options().depth;
}
std::uint64_t ReadQueue::bounce_bytes_max() const noexcept {
    return impl_->bounce_bytes_max();
}
std::string ReadQueue::change() const {
    return impl_->change();
}
Result<void> ReadQueue::submit(std::span<const ReadRequest> requests) {
    return guarded(impl_->facts().path, [&] { return impl_->submit(requests); });
}
void ReadQueue::cancel(std::span<const std::uint64_t> tickets, int channel) {
    impl_->cancel(channel, [&](std::uint64_t ticket) {
        return std::find(tickets.begin(), tickets.end(), ticket) != tickets.end();
    });
}
void ReadQueue::cancel_all(int channel) {
    impl_->cancel(channel, [](std::uint64_t) { return true; });
}
void ReadQueue::set_deadline(std::span<const std::uint64_t> tickets, std::uint64_t deadline,
                             int channel) {
    const auto chosen = [&](std::uint64_t ticket) {
        return std::find(tickets.begin(), tickets.end(), ticket) != tickets.end();
    };
    impl_->set_deadline(channel, chosen, deadline);
}
std::size_t ReadQueue::take(std::span<ReadDone> out, std::size_t at_least, int channel) {
    return impl_->take(out, at_least, channel);
}
std::size_t ReadQueue::outstanding(int channel) const {
    return impl_->outstanding(channel);
}
ReadQueue::Counters ReadQueue::counters() const {
    return impl_->counters();
}
std::vector<std::uint64_t> ReadQueue::bytes_by_account() const {
    return impl_->bytes_by_account();
}

void ReadQueue::restart_counters() {
    impl_->restart_counters();
}

}  // namespace hearth
