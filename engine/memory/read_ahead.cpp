#include "memory/read_ahead.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/assert.h"

namespace hearth {
namespace {

// What the disk may be ahead of the processor: a tenth of a second of a slow disk, and what several
// layers take to compute on a fast one. Of a small model no more than a part of what it saves.
constexpr std::uint64_t kAheadBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kAheadPart = 4;

std::uint64_t up_to(std::uint64_t bytes, std::uint64_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
}

// The room of a piece. Reads begin and end at the file system's alignment, so a run may need one
// more of it.
std::uint64_t room_of(const FilePiece& piece) {
    std::uint64_t bytes = 0;
    for (const FileRange& run : piece) {
        bytes += up_to(run.bytes, ReadAhead::kRingAlignment) + ReadAhead::kRingAlignment;
    }
    return bytes;
}

std::uint64_t largest_room(std::span<const FilePiece> pieces) {
    std::uint64_t most = 0;
    for (const FilePiece& piece : pieces) {
        most = std::max(most, room_of(piece));
    }
    return most;
}

}  // namespace

std::uint64_t ReadAhead::ring_bytes(std::span<const FilePiece> pieces) {
    if (pieces.empty()) {
        return 0;
    }
    const std::uint64_t room = largest_room(pieces);
    std::uint64_t total = 0;
    for (const FilePiece& piece : pieces) {
        total += room_of(piece);
    }
    const std::uint64_t slots = std::min(kAheadBytes, total / kAheadPart) / room;
    return room * std::clamp<std::uint64_t>(slots, 2, pieces.size() + 1);
}

std::uint64_t ReadAhead::least_ring_bytes(const FilePiece& largest) {
    return 2 * room_of(largest);
}

ReadAhead::ReadAhead(ReadQueue& queue, std::vector<FilePiece> pieces, std::span<std::byte> ring,
                     int channel, PieceAccounts accounts)
    : queue_(queue),
      pieces_(std::move(pieces)),
      ring_(ring),
      channel_(channel),
      accounts_(std::move(accounts)),
      slot_bytes_(largest_room(pieces_)) {
    HEARTH_ASSERT(accounts_.empty() || accounts_.size() == pieces_.size());
    HEARTH_ASSERT(!pieces_.empty() && ring_.size() >= slot_bytes_);
    HEARTH_ASSERT(queue_.alignment() <= kRingAlignment);
    for (std::size_t slot = ring_.size() / slot_bytes_; slot > 0; --slot) {
        free_.push_back(slot - 1);
    }
}

ReadAhead::~ReadAhead() {
    stop();
}

void ReadAhead::stop() {
    std::unique_lock lock(mutex_);
    for (Entry& entry : entries_) {
        entry.dropped = true;
        if (entry.outstanding == 0) {
            entry.state = State::Gone;
        }
    }
    queue_.cancel_all(channel_);
    const auto reading = [&] {
        return std::any_of(entries_.begin(), entries_.end(),
                           [](const Entry& entry) { return entry.outstanding > 0; });
    };
    while (reading()) {
        wait_for_reads(lock);
    }
    collect_locked();
    started_ = false;
}

ReadAhead::Entry* ReadAhead::find(std::size_t piece) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.piece == piece && !entry.dropped && entry.state != State::Gone;
    });
    return found == entries_.end() ? nullptr : &*found;
}

void ReadAhead::seek(std::size_t piece) {
    HEARTH_ASSERT(piece < pieces_.size());
    const std::lock_guard lock(mutex_);
    Entry* wanted = find(piece);
    bool kept = false;
    for (Entry& entry : entries_) {
        kept = kept || &entry == wanted;
        if (kept) {
            entry.earlier = true;
            continue;
        }
        entry.dropped = true;
        if (entry.outstanding == 0) {
            entry.state = State::Gone;
        }
    }
    if (wanted == nullptr && !(started_ && entries_.empty() && next_ == piece)) {
        queue_.cancel_all(channel_);
        next_ = piece;
    }
    started_ = true;
    collect_locked();
    issue_locked();
}

void ReadAhead::issue_locked() {
    while (!free_.empty()) {
        const std::uint64_t id = first_id_ + entries_.size();
        Entry& entry = entries_.emplace_back();
        entry.piece = next_;
        entry.slot = free_.back();
        free_.pop_back();
        next_ = (next_ + 1) % pieces_.size();
        begin_read(entry, id);
    }
}

// With what the file system's alignment adds at both ends.
FileRange ReadAhead::read_of(const FileRange& run) const {
    const std::uint64_t begin = run.offset / queue_.alignment() * queue_.alignment();
    const std::uint64_t end =
        std::min(up_to(run.offset + run.bytes, queue_.alignment()), queue_.size_bytes());
    return {begin, end - begin};
}

void ReadAhead::begin_read(Entry& entry, std::uint64_t id) {
    std::vector<ReadRequest> requests;
    std::uint64_t at = 0;
    for (const FileRange& run : pieces_[entry.piece]) {
        const FileRange read = read_of(run);
        requests.push_back(
            {.offset = read.offset,
             .to = {slot(entry) + at, static_cast<std::size_t>(read.bytes)},
             .deadline = id,
             .ticket = id,
             .channel = channel_,
             .account = accounts_.empty() ? std::uint16_t{0} : accounts_[entry.piece]});
        at += up_to(read.bytes, kRingAlignment);
    }
    if (auto submitted = queue_.submit(requests); !submitted) {
        entry.status = std::move(submitted);
        entry.state = State::Ready;
        return;
    }
    entry.outstanding = static_cast<int>(requests.size());
}

void ReadAhead::read_again(Entry& failed) {
    const auto at = std::find_if(entries_.begin(), entries_.end(),
                                 [&](const Entry& entry) { return &entry == &failed; });
    failed.state = State::Reading;
    failed.earlier = false;
    failed.status = {};
    begin_read(failed, first_id_ + static_cast<std::uint64_t>(at - entries_.begin()));
}

void ReadAhead::complete(const ReadDone& done) {
    Entry& entry = entries_[static_cast<std::size_t>(done.ticket - first_id_)];
    if (!done.status && entry.status) {
        entry.status = done.status;
    }
    if (--entry.outstanding > 0) {
        return;
    }
    entry.state = entry.dropped ? State::Gone : State::Ready;
}

// Slots of entries that are over are read into again. Entries leave from the front alone: a ticket
// says how far behind it an entry stands.
void ReadAhead::collect_locked() {
    while (!entries_.empty() && entries_.front().state == State::Gone) {
        free_.push_back(entries_.front().slot);
        entries_.pop_front();
        ++first_id_;
    }
}

void ReadAhead::wait_for_reads(std::unique_lock<std::mutex>& lock) {
    const bool reading = std::any_of(entries_.begin(), entries_.end(),
                                     [](const Entry& entry) { return entry.outstanding > 0; });
    if (collecting_ || !reading) {
        changed_.wait(lock);
        return;
    }
    collecting_ = true;
    lock.unlock();
    std::array<ReadDone, 64> done;
    const std::size_t n = queue_.take(done, 1, channel_);
    lock.lock();
    collecting_ = false;
    for (std::size_t i = 0; i < n; ++i) {
        complete(done[i]);
    }
    collect_locked();
    changed_.notify_all();
}

Result<std::span<const std::byte>> ReadAhead::take(std::size_t piece) {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    HEARTH_ASSERT(started_);
    for (;;) {
        issue_locked();
        if (Entry* entry = find(piece); entry != nullptr && entry->state == State::Ready) {
            if (!entry->status && entry->earlier) {
                read_again(*entry);
                continue;
            }
            const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - start;
            waited_ns_ += static_cast<std::uint64_t>(waited.count());
            entry->state = State::Taken;
            if (!entry->status) {
                return entry->status.error();
            }
            std::byte* base = slot(*entry);
            const FilePiece& runs = pieces_[piece];
            std::uint64_t at = 0;
            std::uint64_t used = 0;
            for (const FileRange& run : runs) {
                const FileRange read = read_of(run);
                const std::byte* from = base + at + (run.offset - read.offset);
                if (runs.size() == 1) {
                    return std::span<const std::byte>(from, static_cast<std::size_t>(run.bytes));
                }
                std::memmove(base + used, from, static_cast<std::size_t>(run.bytes));
                used += run.bytes;
                at += up_to(read.bytes, kRingAlignment);
            }
            return std::span<const std::byte>(base, static_cast<std::size_t>(used));
        }
        wait_for_reads(lock);
    }
}

void ReadAhead::give_back(std::size_t piece) {
    const std::lock_guard lock(mutex_);
    const auto taken = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.piece == piece && entry.state == State::Taken;
    });
    HEARTH_ASSERT(taken != entries_.end());
    taken->state = State::Gone;
    collect_locked();
    issue_locked();
    changed_.notify_all();
}

std::uint64_t ReadAhead::waited_ns() const {
    const std::lock_guard lock(mutex_);
    return waited_ns_;
}

}  // namespace hearth
