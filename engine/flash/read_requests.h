// The requests of a queue from submit() to take(): which are outstanding, which completed, by
// channel. Whoever holds the queue's lock calls; nothing here waits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "flash/file_reads.h"
#include "flash/read_meter.h"
#include "flash/read_order.h"
#include "flash/read_queue.h"

namespace hearth {

class ReadRequests {
public:
    // file and meter must outlive this. options: largest_read_bytes is aligned.
    ReadRequests(const FileFacts& file, const ReadQueueOptions& options, ReadMeter& meter);

    // As ReadQueue::submit(). Throws std::bad_alloc; then too none is taken.
    Result<void> enter(std::span<const ReadRequest> requests);

    // Those of a channel for which chosen(ticket) complete as Cancelled as soon as no read brings
    // a part of them.
    template <class Chosen>
    void cancel(int channel, const Chosen& chosen) {
        for (Request& request : requests_) {
            request.cancelled = request.cancelled || (request.live && request.channel == channel &&
                                                      chosen(request.ticket));
        }
        order_.drop([&](std::uint32_t number) { return requests_[number].cancelled; },
                    [&](std::uint32_t number) { --requests_[number].open; });
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            if (requests_[i].live && requests_[i].cancelled) {
                complete_if_over(static_cast<std::uint32_t>(i));
            }
        }
    }

    // Requests of a channel for which chosen(ticket) are wanted at another time, as far as they
    // wait.
    template <class Chosen>
    void set_deadline(int channel, const Chosen& chosen, std::uint64_t deadline) {
        order_.set_deadline(
            [&](std::uint32_t number) {
                return requests_[number].channel == channel && chosen(requests_[number].ticket);
            },
            deadline);
    }

    // Fills in what shall be read next; false: nothing waits, or what waits has to wait until
    // others are read. Each read that next() gave ends with finish().
    bool next(PlannedRead& read);
    void finish(PlannedRead& read);
    std::uint64_t reads_waiting() const { return has_to_wait() ? 0 : order_.reads(); }

    std::size_t outstanding(int channel) const { return of(channel).outstanding; }
    std::size_t completed(int channel) const {
        return of(channel).done.size() - of(channel).done_begin;
    }
    // Moves the oldest completed ones to `out`.
    std::size_t take(std::span<ReadDone> out, int channel);

private:
    struct Request {
        std::uint64_t ticket = 0;
        std::uint64_t bytes = 0;
        int channel = 0;
        std::uint16_t account = 0;
        int open = 0;  // pieces of it that wait or are being read
        bool live = false;
        bool cancelled = false;
        Result<void> status{};
    };
    struct Channel {
        std::vector<ReadDone> done{};  // from done_begin on
        std::size_t done_begin = 0;
        std::size_t outstanding = 0;
    };

    Channel& of(int channel) { return channels_[static_cast<std::size_t>(channel)]; }
    const Channel& of(int channel) const { return channels_[static_cast<std::size_t>(channel)]; }
    // The next read is one that nobody wants yet, and enough of these are under way.
    bool has_to_wait() const {
        if (order_.empty() || order_.front().deadline < ReadRequest::kLikely) {
            return false;
        }
        const bool likely = order_.front().deadline == ReadRequest::kLikely;
        return unhurried_ >= (likely ? most_likely_ : most_unhurried_);
    }
    bool beyond_the_file(const ReadRequest& request) const;
    Result<void> make_room(std::span<const ReadRequest> requests);
    std::uint32_t free_number();
    void complete_if_over(std::uint32_t number);

    const FileFacts& file_;
    const std::uint64_t most_requests_;
    const int most_unhurried_, most_likely_;
    int unhurried_ = 0;  // reads that are under way, likely ones too
    ReadMeter& meter_;
    ReadOrder order_;
    std::vector<Request> requests_{};             // by number; those not live are in the next list
    std::vector<std::uint32_t> free_requests_{};  // their numbers
    std::array<Channel, ReadQueue::kChannels> channels_{};
};

}  // namespace hearth
