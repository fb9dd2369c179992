#include "flash/read_queue.h"

#include <uv.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/assert.h"
#include "base/environment.h"
#include "base/guarded.h"
#include "base/system_error.h"
#include "flash/direct_file.h"
#include "flash/latencies.h"

namespace hearth {
namespace {

constexpr std::size_t kMostParts = 64;   // requests that one read serves
constexpr int kReadsPerTurn = 64;        // then other queues may have the pool's thread
constexpr const char* kPoolSize = "64";  // more threads than any disk here gained from

// libuv reads the size of its pool once, when the first work is queued. A size that the user has
// set stays.
int pool_threads() {
    static const int threads = [] {
        set_default_environment_variable("UV_THREADPOOL_SIZE", kPoolSize);
        const std::string set = environment_variable("UV_THREADPOOL_SIZE", kPoolSize);
        return std::clamp(std::atoi(set.c_str()), 1, 1024);
    }();
    return threads;
}

std::uint64_t now_ns() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

std::uint64_t round_down(std::uint64_t value, std::uint64_t alignment) {
    return value & ~(alignment - 1);
}
std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
    return round_down(value + alignment - 1, alignment);
}

Error past_the_end(const FileFacts& file, std::uint64_t offset, std::uint64_t bytes) {
    return Error{ErrorCode::ReadFailed,
                 file.path + ": " + std::to_string(bytes) + " bytes at byte " +
                     std::to_string(offset) + " are wanted, the file has " +
                     std::to_string(file.size_bytes),
                 file.path,
                 {}};
}

}  // namespace

class ReadQueue::Impl {
public:
    Impl(std::unique_ptr<FileReads> file, const Options& options)
        : file_(std::move(file)), options_(options) {
        const int wished = options_.depth == 0 ? kUsualDepth : options_.depth;
        options_.depth = std::min(wished, pool_threads());
        options_.largest_read_bytes = round_up(options_.largest_read_bytes, facts().alignment);
    }

    ~Impl() {
        if (!loop_thread_.joinable()) {
            return;
        }
        cancel([](const Request&) { return true; });
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        uv_async_send(&wake_);
        loop_thread_.join();
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    Result<void> start() {
        const auto count = static_cast<std::size_t>(options_.depth);
        readers_.resize(count);
        idle_.reserve(count);
        for (Reader& reader : readers_) {
            reader.queue = this;
            reader.work.data = &reader;
            reader.parts.reserve(kMostParts);
            idle_.push_back(&reader);
        }
        if (const int failed = uv_loop_init(&loop_); failed != 0) {
            return no_loop(failed);
        }
        wake_.data = this;
        const int failed = uv_async_init(
            &loop_, &wake_, [](uv_async_t* handle) { static_cast<Impl*>(handle->data)->issue(); });
        if (failed != 0) {
            uv_loop_close(&loop_);
            return no_loop(failed);
        }
        try {
            loop_thread_ = std::thread([this] {
                uv_run(&loop_, UV_RUN_DEFAULT);
                uv_loop_close(&loop_);
            });
        } catch (const std::system_error& error) {
            uv_close(reinterpret_cast<uv_handle_t*>(&wake_), nullptr);
            uv_run(&loop_, UV_RUN_DEFAULT);
            uv_loop_close(&loop_);
            return Error{ErrorCode::OutOfMemory,
                         facts().path + ": no thread to read with: " + error.what(),
                         facts().path,
                         {}};
        }
        return {};
    }

    const FileFacts& facts() const noexcept { return file_->facts(); }
    const Options& options() const noexcept { return options_; }
    std::string change() const { return file_->change(); }

    // A bounce buffer holds one read, and what is left out to align it.
    std::uint64_t bounce_bytes_max() const noexcept {
        return static_cast<std::uint64_t>(options_.depth) *
               (options_.largest_read_bytes + facts().alignment + facts().memory_alignment);
    }

    Result<void> submit(std::span<const ReadRequest> requests) {
        std::unique_lock lock(mutex_);
        const std::size_t done = done_.size() - done_begin_;
        if (requests.size() >
            options_.most_requests -
                std::min<std::uint64_t>(options_.most_requests, outstanding_ + done)) {
            return Error{ErrorCode::OverBudget,
                         facts().path + ": more than " + std::to_string(options_.most_requests) +
                             " reads would wait",
                         facts().path,
                         {}};
        }
        // All that can fail comes before the first request is taken; what follows a read then needs
        // no memory.
        done_.erase(done_.begin(), done_.begin() + static_cast<std::ptrdiff_t>(done_begin_));
        done_begin_ = 0;
        const std::size_t all = outstanding_ + requests.size();
        reserve(done_, done + all);
        reserve(requests_, all);
        reserve(free_requests_, all);
        reserve(waiting_, all);
        Result<void> taken = guarded(facts().path, [&]() -> Result<void> {
            for (const ReadRequest& request : requests) {
                if (beyond_the_file(request)) {
                    refused_.push_back(past_the_end(facts(), request.offset, request.to.size()));
                }
            }
            return {};
        });
        std::size_t refused = 0;
        if (taken) {
            for (const ReadRequest& request : requests) {
                enter(request, refused);
            }
        }
        refused_.clear();
        const bool wanted = active_ < readers_wanted();
        const bool ready = somebody_waits_for_this();
        lock.unlock();
        if (ready) {
            done_changed_.notify_all();
        }
        if (wanted) {
            uv_async_send(&wake_);
        }
        return taken;
    }

    template <class Chosen>
    void cancel(const Chosen& chosen) {
        std::unique_lock lock(mutex_);
        for (Request& request : requests_) {
            request.cancelled = request.cancelled || (request.live && chosen(request));
        }
        const auto gone = std::partition(waiting_.begin(), waiting_.end(), [&](const Wait& wait) {
            return !requests_[wait.request].cancelled;
        });
        for (auto wait = gone; wait != waiting_.end(); ++wait) {
            waiting_bytes_ -= wait->to.size();
            requests_[wait->request].waits = false;
        }
        waiting_.erase(gone, waiting_.end());
        std::make_heap(waiting_.begin(), waiting_.end(), later);
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            if (requests_[i].live && requests_[i].cancelled) {
                complete_if_over(static_cast<std::uint32_t>(i));
            }
        }
        const bool ready = somebody_waits_for_this();
        lock.unlock();
        if (ready) {
            done_changed_.notify_all();
        }
    }

    std::size_t take(std::span<ReadDone> out, std::size_t at_least) {
        std::unique_lock lock(mutex_);
        const std::size_t wanted = std::min(at_least, out.size());
        while (done_.size() - done_begin_ < wanted && outstanding_ > 0) {
            ++takers_;
            least_wanted_ = std::min(least_wanted_, wanted);
            done_changed_.wait(lock);
            if (--takers_ == 0) {
                least_wanted_ = kNobody;
            }
        }
        const std::size_t count = std::min(out.size(), done_.size() - done_begin_);
        const auto first = done_.begin() + static_cast<std::ptrdiff_t>(done_begin_);
        std::move(first, first + static_cast<std::ptrdiff_t>(count), out.begin());
        done_begin_ += count;
        if (done_begin_ == done_.size()) {
            done_.clear();
            done_begin_ = 0;
        }
        return count;
    }

    std::size_t outstanding() const {
        const std::lock_guard lock(mutex_);
        return outstanding_;
    }

    Counters counters() const {
        const std::lock_guard lock(mutex_);
        Counters out = counters_;
        if (in_flight_ > 0) {
            out.busy_ns += now_ns() - busy_since_ns_;
        }
        out.p50_ns = latencies_.percentile(0.50);
        out.p90_ns = latencies_.percentile(0.90);
        out.p99_ns = latencies_.percentile(0.99);
        return out;
    }

    void restart_counters() {
        const std::lock_guard lock(mutex_);
        counters_ = {};
        latencies_ = {};
        busy_since_ns_ = now_ns();
        counters_.deepest = in_flight_;
    }

private:
    static constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

    struct Request {
        std::uint64_t ticket = 0;
        std::uint64_t bytes = 0;
        int reading = 0;     // reads in flight with a part of it
        bool waits = false;  // a part of it is in waiting_
        bool live = false;
        bool cancelled = false;
        Result<void> status{};
    };
    // What of a request is not being read yet.
    struct Wait {
        std::uint64_t deadline, offset;
        std::span<std::byte> to;
        std::uint32_t request;
        std::uint64_t end() const { return offset + to.size(); }
    };
    // What of a request one read brings.
    struct Part {
        std::uint64_t offset;
        std::span<std::byte> to;
        std::uint32_t request;
        Result<void> status{};
        std::uint64_t end() const { return offset + to.size(); }
    };
    // One read at a time, on a thread of the pool.
    struct Reader {
        uv_work_t work{};
        Impl* queue = nullptr;
        std::vector<Part> parts{};
        std::uint64_t begin = 0, end = 0;  // of the read, aligned
        AlignedBuffer bounce{};
        std::uint64_t reads = 0, bytes = 0, retries = 0;  // of this one, for the counters
        std::uint64_t began_ns = 0;
    };

    static bool later(const Wait& a, const Wait& b) {
        return std::pair(a.deadline, a.offset) > std::pair(b.deadline, b.offset);
    }

    // Grows by doubling: a capacity that follows each call would copy everything each time.
    template <class T>
    static void reserve(std::vector<T>& list, std::size_t size) {
        if (size > list.capacity()) {
            list.reserve(std::max(size, 2 * list.capacity()));
        }
    }

    Error no_loop(int number) const {
        return Error{ErrorCode::OutOfMemory,
                     facts().path + ": no event loop to read with: " + uv_strerror(number),
                     facts().path,
                     {}};
    }

    bool beyond_the_file(const ReadRequest& request) const {
        return request.offset > facts().size_bytes ||
               request.to.size() > facts().size_bytes - request.offset;
    }

    // ---- with the lock held ------------------------------------------------------------------

    void enter(const ReadRequest& asked, std::size_t& refused) {
        std::uint32_t index = 0;
        if (free_requests_.empty()) {
            index = static_cast<std::uint32_t>(requests_.size());
            requests_.emplace_back();
        } else {
            index = free_requests_.back();
            free_requests_.pop_back();
        }
        Request& request = requests_[index];
        request = {.ticket = asked.ticket, .bytes = asked.to.size(), .live = true};
        ++outstanding_;
        if (beyond_the_file(asked)) {
            request.status = std::move(refused_[refused++]);
        } else if (!asked.to.empty()) {
            request.waits = true;
            push({asked.deadline, asked.offset, asked.to, index});
        }
        complete_if_over(index);
    }

    void push(const Wait& wait) {
        waiting_bytes_ += wait.to.size();
        waiting_.push_back(wait);
        std::push_heap(waiting_.begin(), waiting_.end(), later);
    }
    Wait pop() {
        std::pop_heap(waiting_.begin(), waiting_.end(), later);
        const Wait wait = waiting_.back();
        waiting_.pop_back();
        waiting_bytes_ -= wait.to.size();
        requests_[wait.request].waits = false;
        return wait;
    }

    int readers_wanted() const {
        const std::uint64_t reads = static_cast<std::uint64_t>(in_flight_) + waiting_.size() +
                                    waiting_bytes_ / options_.largest_read_bytes;
        return static_cast<int>(
            std::min<std::uint64_t>(reads, static_cast<std::uint64_t>(options_.depth)));
    }

    void add_part(Reader& reader, const Wait& wait) {
        ++requests_[wait.request].reading;
        reader.parts.push_back({wait.offset, wait.to, wait.request});
    }

    // Gives the reader what is needed soonest; false: nothing waits.
    bool take_next(Reader& reader, std::uint64_t now) {
        reader.parts.clear();
        while (!waiting_.empty() && !requests_[waiting_.front().request].status) {
            complete_if_over(
                pop().request);  // another part of it failed: it is not wanted any more
        }
        if (waiting_.empty()) {
            return false;
        }
        Wait first = pop();
        reader.begin = round_down(first.offset, facts().alignment);
        const std::uint64_t most_end = reader.begin + options_.largest_read_bytes;
        if (first.end() > most_end) {
            const auto now_bytes = static_cast<std::size_t>(most_end - first.offset);
            Wait rest = first;
            rest.offset = most_end;
            rest.to = first.to.subspan(now_bytes);
            first.to = first.to.first(now_bytes);
            requests_[rest.request].waits = true;
            push(rest);
        }
        add_part(reader, first);
        std::uint64_t end = first.end();
        while (!waiting_.empty() && reader.parts.size() < kMostParts) {
            const Wait& next = waiting_.front();
            if (next.deadline != first.deadline || next.end() > most_end ||
                (next.offset > end && next.offset - end > options_.merge_gap_bytes)) {
                break;
            }
            const Wait taken = pop();
            add_part(reader, taken);
            end = std::max(end, taken.end());
        }
        reader.end = round_up(end, facts().alignment);
        reader.began_ns = now;
        reader.reads = reader.bytes = reader.retries = 0;
        if (in_flight_++ == 0) {
            busy_since_ns_ = now;
        }
        counters_.deepest = std::max(counters_.deepest, in_flight_);
        return true;
    }

    void finish(Reader& reader, std::uint64_t now) {
        if (--in_flight_ == 0) {
            counters_.busy_ns += now - busy_since_ns_;
        }
        latencies_.add(now - reader.began_ns);
        counters_.reads += reader.reads;
        counters_.bytes_read += reader.bytes;
        counters_.retries += reader.retries;
        for (Part& part : reader.parts) {
            Request& request = requests_[part.request];
            --request.reading;
            if (!part.status && request.status) {
                request.status = std::move(part.status);
            }
            complete_if_over(part.request);
        }
    }

    void complete_if_over(std::uint32_t index) {
        Request& request = requests_[index];
        if (!request.live || request.reading > 0 || request.waits) {
            return;
        }
        if (request.cancelled) {
            request.status = Error{ErrorCode::Cancelled, "cancelled", {}, {}};  // fits in a string
        } else if (request.status) {
            ++counters_.requests;
            counters_.bytes_asked += request.bytes;
        }
        done_.push_back({request.ticket, std::move(request.status)});
        request.live = false;
        free_requests_.push_back(index);
        --outstanding_;
    }

    bool somebody_waits_for_this() const {
        return takers_ > 0 && (outstanding_ == 0 || done_.size() - done_begin_ >= least_wanted_);
    }

    // ---- the loop's thread -------------------------------------------------------------------

    void issue() {
        const std::lock_guard lock(mutex_);
        while (active_ < readers_wanted() && !idle_.empty()) {
            Reader* reader = idle_.back();
            idle_.pop_back();
            ++active_;
            const int failed = uv_queue_work(
                &loop_, &reader->work,
                [](uv_work_t* work) {
                    auto* self = static_cast<Reader*>(work->data);
                    self->queue->read_for_a_turn(*self);
                },
                [](uv_work_t* work, int status) {
                    auto* self = static_cast<Reader*>(work->data);
                    self->queue->turn_is_over(*self, status);
                });
            HEARTH_ASSERT(failed == 0);  // only a work without a function fails
        }
        if (!stopping_ || closed_) {
            return;
        }
        if (idle_.size() == readers_.size()) {
            closed_ = true;
            uv_close(reinterpret_cast<uv_handle_t*>(&wake_), nullptr);
            return;
        }
        for (Reader& reader : readers_) {
            if (std::find(idle_.begin(), idle_.end(), &reader) == idle_.end()) {
                uv_cancel(reinterpret_cast<uv_req_t*>(&reader.work));  // if no thread has it yet
            }
        }
    }

    void turn_is_over(Reader& reader, int status) {
        {
            const std::lock_guard lock(mutex_);
            if (status == UV_ECANCELED) {
                --active_;  // it never began
            }
            idle_.push_back(&reader);
        }
        issue();
    }

    // ---- a thread of the pool ----------------------------------------------------------------

    void read_for_a_turn(Reader& reader) {
        std::uint64_t now = now_ns();
        std::unique_lock lock(mutex_);
        for (int turn = 0; turn < kReadsPerTurn && take_next(reader, now); ++turn) {
            const bool ready = somebody_waits_for_this();
            lock.unlock();
            if (ready) {
                done_changed_.notify_all();
            }
            read(reader);
            now = now_ns();
            lock.lock();
            finish(reader, now);
        }
        --active_;
        const bool ready = somebody_waits_for_this();
        lock.unlock();
        if (ready) {
            done_changed_.notify_all();
        }
    }

    void read(Reader& reader) noexcept {
        if (reader.parts.size() == 1) {
            Part& part = reader.parts.front();
            part.status = read_part(reader, part);
            return;
        }
        const Result<void> all = guarded(facts().path, [&] { return read_together(reader); });
        if (all) {
            return;
        }
        // One place that cannot be read must not cost the others.
        ++reader.retries;
        for (Part& part : reader.parts) {
            part.status = read_part(reader, part);
        }
    }

    Result<void> read_together(Reader& reader) {
        const Part& first = reader.parts.front();
        const Part& last = reader.parts.back();
        bool as_in_the_file = true;
        for (std::size_t i = 1; i < reader.parts.size(); ++i) {
            const Part& before = reader.parts[i - 1];
            const Part& part = reader.parts[i];
            as_in_the_file = as_in_the_file && before.end() == part.offset &&
                             before.to.data() + before.to.size() == part.to.data();
        }
        if (as_in_the_file &&
            in_place(reader.begin, reader.end, first.offset, last.end(), first.to.data())) {
            const auto bytes = static_cast<std::size_t>(reader.end - reader.begin);
            return read_range(reader, reader.begin, {first.to.data(), bytes}, bytes, Tries::One);
        }
        std::uint64_t end = 0;
        for (const Part& part : reader.parts) {
            end = std::max(end, part.end());
        }
        auto got = read_bounced(reader, reader.begin, reader.end, end, Tries::One);
        if (!got) {
            return std::move(got).error();
        }
        for (const Part& part : reader.parts) {
            std::memcpy(part.to.data(), *got + (part.offset - reader.begin), part.to.size());
        }
        return {};
    }

    Result<void> read_part(Reader& reader, const Part& part) noexcept {
        return guarded(facts().path, [&]() -> Result<void> {
            const std::uint64_t begin = round_down(part.offset, facts().alignment);
            const std::uint64_t end = round_up(part.end(), facts().alignment);
            if (in_place(begin, end, part.offset, part.end(), part.to.data())) {
                return read_range(reader, begin, part.to, part.to.size(), Tries::Two);
            }
            auto got = read_bounced(reader, begin, end, part.end(), Tries::Two);
            if (!got) {
                return std::move(got).error();
            }
            std::memcpy(part.to.data(), *got + (part.offset - begin), part.to.size());
            return {};
        });
    }

    bool in_place(std::uint64_t begin, std::uint64_t end, std::uint64_t wanted_begin,
                  std::uint64_t wanted_end, const std::byte* to) const {
        return begin == wanted_begin && end == wanted_end &&
               reinterpret_cast<std::uintptr_t>(to) % facts().memory_alignment == 0;
    }

    enum class Tries { One, Two };

    // [begin, end) into the reader's buffer, of which up to `wanted_end` must be there.
    Result<const std::byte*> read_bounced(Reader& reader, std::uint64_t begin, std::uint64_t end,
                                          std::uint64_t wanted_end, Tries tries) {
        const std::uint64_t bytes = end - begin;
        const std::uint64_t room = facts().memory_alignment - 1;
        if (reader.bounce.bytes() < bytes + room) {
            constexpr std::uint64_t kGrain = 16 << 10;  // a reader's buffer grows a few times only
            const std::uint64_t most =
                options_.largest_read_bytes + facts().alignment + facts().memory_alignment;
            reader.bounce = {};
            auto buffer = AlignedBuffer::create(std::min(round_up(bytes + room, kGrain), most),
                                                "buffer for reads");
            if (!buffer) {
                buffer.error().message +=
                    ", wanted to read byte " + std::to_string(begin) + " of " + facts().path;
                buffer.error().path = facts().path;
                return std::move(buffer).error();
            }
            reader.bounce = *std::move(buffer);
        }
        const auto at = reinterpret_cast<std::uintptr_t>(reader.bounce.data());
        const std::uint64_t skip = round_up(at, facts().memory_alignment) - at;
        const auto to = reader.bounce.span<std::byte>(skip, static_cast<std::size_t>(bytes));
        if (auto read = read_range(reader, begin, to, wanted_end - begin, tries); !read) {
            return std::move(read).error();
        }
        return static_cast<const std::byte*>(to.data());
    }

    // Reads until the first `wanted` bytes of `to` are there. A read that brings less goes on where
    // it stopped; one that brings nothing is tried again if `tries` allows.
    Result<void> read_range(Reader& reader, std::uint64_t begin, std::span<std::byte> to,
                            std::uint64_t wanted, Tries tries) {
        std::uint64_t got = 0;
        bool again = tries == Tries::Two;
        for (;;) {
            const ReadOutcome outcome =
                file_->read(begin + got, to.subspan(static_cast<std::size_t>(got)));
            ++reader.reads;
            reader.bytes += outcome.bytes;
            if (outcome.error == 0 && got + outcome.bytes >= wanted) {
                return {};
            }
            const std::uint64_t more = round_down(outcome.bytes, facts().alignment);
            if (more == 0 && !std::exchange(again, false)) {
                return failed(begin + got, wanted - got, outcome);
            }
            got += more;
            ++reader.retries;
        }
    }

    Error failed(std::uint64_t offset, std::uint64_t bytes, const ReadOutcome& outcome) const {
        Error error{ErrorCode::ReadFailed, {}, facts().path, {}};
        error.message = facts().path + ": " + std::to_string(bytes) + " bytes at byte " +
                        std::to_string(offset) + " cannot be read: ";
        if (outcome.error != 0) {
            error.code = system_error(FileAction::Read, outcome.error, facts().path).code;
            error.message += std::system_category().message(outcome.error);
        } else {
            error.message += "the file ends at byte " + std::to_string(offset + outcome.bytes);
        }
        for (const std::string& change : {file_->change(), file_->change_of_name()}) {
            if (!change.empty()) {
                error.message += "; " + change;
            }
        }
        return error;
    }

    const std::unique_ptr<FileReads> file_;
    Options options_;

    mutable std::mutex mutex_;
    std::condition_variable done_changed_;
    std::vector<Request> requests_{};             // by number; those not live are in the next list
    std::vector<std::uint32_t> free_requests_{};  // their numbers
    std::vector<Wait> waiting_{};                 // a heap, what is needed soonest in front
    std::vector<ReadDone> done_{};                // from done_begin_ on
    std::vector<Error> refused_{};                // of one submit()
    std::size_t done_begin_ = 0;
    std::size_t outstanding_ = 0;
    std::uint64_t waiting_bytes_ = 0;
    int takers_ = 0;                      // asleep in take()
    std::size_t least_wanted_ = kNobody;  // at most what any of them waits for
    int active_ = 0;                      // readers that libuv has, until they find nothing to read
    int in_flight_ = 0;
    bool stopping_ = false;
    std::uint64_t busy_since_ns_ = 0;
    Counters counters_{};
    Latencies latencies_{};

    // The loop's thread alone, but for idle_, which the lock guards.
    uv_loop_t loop_{};
    uv_async_t wake_{};
    std::vector<Reader> readers_{};
    std::vector<Reader*> idle_{};
    bool closed_ = false;
    std::thread loop_thread_{};
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

Result<ReadQueue> ReadQueue::open(std::unique_ptr<FileReads> file, const Options& options) {
    const std::string path = file->facts().path;
    return guarded(path, [&]() -> Result<ReadQueue> {
        constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
        if (options.depth < 0 || options.largest_read_bytes == 0 ||
            options.largest_read_bytes > kMost || options.most_requests == 0 ||
            options.most_requests > kMost) {
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
void ReadQueue::cancel(std::span<const std::uint64_t> tickets) {
    impl_->cancel([&](const auto& request) {
        return std::find(tickets.begin(), tickets.end(), request.ticket) != tickets.end();
    });
}
void ReadQueue::cancel_all() {
    impl_->cancel([](const auto&) { return true; });
}
std::size_t ReadQueue::take(std::span<ReadDone> out, std::size_t at_least) {
    return impl_->take(out, at_least);
}
std::size_t ReadQueue::outstanding() const {
    return impl_->outstanding();
}
ReadQueue::Counters ReadQueue::counters() const {
    return impl_->counters();
}
void ReadQueue::restart_counters() {
    impl_->restart_counters();
}

}  // namespace hearth
