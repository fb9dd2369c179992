// Reads pieces of a file in the order in which they are used, ahead of their use, into a ring of
// memory: while one piece is computed with, the disk is at work on the next ones.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "flash/read_queue.h"

namespace hearth {

struct FileRange {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};
// The runs of the file that are used at once, one after the other.
using FilePiece = std::vector<FileRange>;
// [pieces], ReadRequest::account of each; empty: 0.
using PieceAccounts = std::vector<std::uint16_t>;

// Each pass uses the pieces in their order, and the last one is followed by the first: a model that
// streams is read in a circle, so that the disk has work at the end of a token too.
class ReadAhead {
public:
    // The memory that the ring needs to keep the disk at work at all times.
    static std::uint64_t ring_bytes(std::span<const FilePiece> pieces);
    // With less it cannot work.
    static std::uint64_t least_ring_bytes(const FilePiece& largest);

    // ring: of least_ring_bytes() at least, aligned to kRingAlignment. channel: of the queue, used
    // by nobody else meanwhile. queue and ring must outlive this.
    ReadAhead(ReadQueue& queue, std::vector<FilePiece> pieces, std::span<std::byte> ring,
              int channel = 0, PieceAccounts accounts = {});
    // Waits for the reads in flight.
    ~ReadAhead();
    ReadAhead(const ReadAhead&) = delete;
    ReadAhead& operator=(const ReadAhead&) = delete;

    static constexpr std::uint64_t kRingAlignment = 4096;

    // Makes `piece` the next one and begins to read, unless that is so already. Pieces that were
    // read in vain are dropped. Nothing is taken at the time.
    void seek(std::size_t piece);
    // Gives up what was read ahead and waits for the reads in flight: the ring is anybody's until
    // the next seek(). Nothing is taken at the time.
    void stop();

    // Sleeps until the piece is there, and returns its runs, one after the other, valid until
    // give_back(). Several threads may take pieces at once, each in the order of the pieces.
    // ReadFailed names file and offset. A piece that failed before the latest seek() is read once
    // more: the disk may be well again.
    Result<std::span<const std::byte>> take(std::size_t piece);
    // The piece's memory is read into from now on. Also after an error of take().
    void give_back(std::size_t piece);

    // How long take() has slept, of all threads together.
    std::uint64_t waited_ns() const;

private:
    enum class State : std::uint8_t { Reading, Ready, Taken, Gone };
    struct Entry {
        std::size_t piece = 0;
        std::size_t slot = 0;
        State state = State::Reading;
        bool dropped = false;
        bool earlier = false;  // read before the latest seek()
        int outstanding = 0;
        Result<void> status{};
    };

    Entry* find(std::size_t piece);
    FileRange read_of(const FileRange& run) const;
    void issue_locked();
    void begin_read(Entry& entry, std::uint64_t id);
    void read_again(Entry& failed);
    void complete(const ReadDone& done);
    void collect_locked();
    void wait_for_reads(std::unique_lock<std::mutex>& lock);
    std::byte* slot(const Entry& entry) const { return ring_.data() + entry.slot * slot_bytes_; }

    ReadQueue& queue_;
    const std::vector<FilePiece> pieces_;
    std::span<std::byte> ring_;
    const int channel_;
    const PieceAccounts accounts_;
    std::uint64_t slot_bytes_ = 0;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Entry> entries_;      // in the order of reading
    std::uint64_t first_id_ = 0;     // of entries_.front(); a read's ticket is its entry's id
    std::vector<std::size_t> free_;  // slots
    std::size_t next_ = 0;           // piece to read
    bool started_ = false;
    bool collecting_ = false;  // a thread waits for the disk on behalf of all
    std::uint64_t waited_ns_ = 0;
};

}  // namespace hearth
