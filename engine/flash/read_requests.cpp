#include "flash/read_requests.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/assert.h"

namespace hearth {
namespace {

Error past_the_end(const FileFacts& file, std::uint64_t offset, std::uint64_t bytes) {
    return Error{ErrorCode::ReadFailed,
                 file.path + ": " + std::to_string(bytes) + " bytes at byte " +
                     std::to_string(offset) + " are wanted, the file has " +
                     std::to_string(file.size_bytes),
                 file.path,
                 {}};
}

}  // namespace

ReadRequests::ReadRequests(const FileFacts& file, const ReadQueueOptions& options, ReadMeter& meter)
    : file_(file),
      most_requests_(options.most_requests),
      most_unhurried_(options.most_unhurried),
      most_likely_(options.most_likely),
      meter_(meter),
      order_(file.alignment, options.largest_read_bytes, options.merge_gap_bytes) {}

bool ReadRequests::beyond_the_file(const ReadRequest& request) const {
    return request.offset > file_.size_bytes ||
           request.to.size() > file_.size_bytes - request.offset;
}

// What follows a read then needs no memory.
Result<void> ReadRequests::make_room(std::span<const ReadRequest> requests) {
    std::array<std::size_t, ReadQueue::kChannels> added{};
    for (const ReadRequest& request : requests) {
        HEARTH_ASSERT(request.channel >= 0 && request.channel < ReadQueue::kChannels);
        ++added[static_cast<std::size_t>(request.channel)];
    }
    std::size_t all = 0;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
        Channel& channel = channels_[i];
        const std::size_t held = channel.outstanding + channel.done.size() - channel.done_begin;
        if (added[i] > most_requests_ - std::min<std::uint64_t>(most_requests_, held)) {
            return Error{
                ErrorCode::OverBudget,
                file_.path + ": more than " + std::to_string(most_requests_) + " reads would wait",
                file_.path,
                {}};
        }
        all += channel.outstanding + added[i];
    }
    for (std::size_t i = 0; i < channels_.size(); ++i) {
        Channel& channel = channels_[i];
        if (added[i] == 0) {
            continue;
        }
        channel.done.erase(channel.done.begin(),
                           channel.done.begin() + static_cast<std::ptrdiff_t>(channel.done_begin));
        channel.done_begin = 0;
        reserve_doubling(channel.done, channel.done.size() + channel.outstanding + added[i]);
    }
    for (const ReadRequest& request : requests) {
        meter_.open_account(request.account);
    }
    reserve_doubling(requests_, all);
    reserve_doubling(free_requests_, all);
    order_.reserve(all);
    return {};
}

std::uint32_t ReadRequests::free_number() {
    if (free_requests_.empty()) {
        requests_.emplace_back();
        return static_cast<std::uint32_t>(requests_.size() - 1);
    }
    const std::uint32_t number = free_requests_.back();
    free_requests_.pop_back();
    return number;
}

Result<void> ReadRequests::enter(std::span<const ReadRequest> requests) {
    // All that can fail comes before the first request is taken.
    if (auto room = make_room(requests); !room) {
        return room;
    }
    std::vector<Error> refused;
    for (const ReadRequest& asked : requests) {
        if (beyond_the_file(asked)) {
            refused.push_back(past_the_end(file_, asked.offset, asked.to.size()));
        }
    }
    auto error = refused.begin();
    for (const ReadRequest& asked : requests) {
        const std::uint32_t number = free_number();
        Request& request = requests_[number];
        request = {.ticket = asked.ticket,
                   .bytes = asked.to.size(),
                   .channel = asked.channel,
                   .account = asked.account,
                   .live = true};
        ++of(asked.channel).outstanding;
        if (beyond_the_file(asked)) {
            request.status = std::move(*error++);
        } else if (!asked.to.empty()) {
            request.open = 1;
            order_.push({asked.deadline, asked.offset, asked.to, number});
        }
        complete_if_over(number);
    }
    return {};
}

bool ReadRequests::next(PlannedRead& read) {
    // Another piece of it failed: the rest is not wanted any more.
    while (!order_.empty() && !requests_[order_.front().request].status) {
        const std::uint32_t number = order_.pop().request;
        --requests_[number].open;
        complete_if_over(number);
    }
    if (order_.empty() || has_to_wait()) {
        return false;
    }
    const bool cut = order_.next(read);
    if (cut) {
        ++requests_[read.parts.front().request].open;
    }
    unhurried_ += read.deadline >= ReadRequest::kLikely ? 1 : 0;
    return true;
}

void ReadRequests::finish(PlannedRead& read) {
    unhurried_ -= read.deadline >= ReadRequest::kLikely ? 1 : 0;
    for (ReadPart& part : read.parts) {
        Request& request = requests_[part.request];
        --request.open;
        if (!part.status && request.status) {
            request.status = std::move(part.status);
        }
        complete_if_over(part.request);
    }
}

void ReadRequests::complete_if_over(std::uint32_t number) {
    Request& request = requests_[number];
    if (!request.live || request.open > 0) {
        return;
    }
    if (request.cancelled) {
        request.status = Error{ErrorCode::Cancelled, "cancelled", {}, {}};  // fits in a string
    } else if (request.status) {
        meter_.request_completed(request.bytes, request.account);
    }
    Channel& channel = of(request.channel);
    channel.done.push_back({request.ticket, std::move(request.status)});
    --channel.outstanding;
    request.live = false;
    free_requests_.push_back(number);
}

std::size_t ReadRequests::take(std::span<ReadDone> out, int number) {
    Channel& channel = of(number);
    const std::size_t count = std::min(out.size(), completed(number));
    const auto first = channel.done.begin() + static_cast<std::ptrdiff_t>(channel.done_begin);
    std::move(first, first + static_cast<std::ptrdiff_t>(count), out.begin());
    channel.done_begin += count;
    if (channel.done_begin == channel.done.size()) {
        channel.done.clear();
        channel.done_begin = 0;
    }
    return count;
}

}  // namespace hearth
