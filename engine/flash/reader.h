// Carries out one planned read at a time: in place where the file system can, through a buffer of
// its own otherwise. A read that fails or brings nothing is tried twice again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <hearth/result.h>

#include "base/aligned_buffer.h"
#include "flash/file_reads.h"
#include "flash/read_order.h"

namespace hearth {

// Used by one thread at a time.
class Reader {
public:
    // file must outlive this; largest_read_bytes: of any planned read. Throws std::bad_alloc.
    Reader(FileReads& file, std::uint64_t largest_read_bytes)
        : file_(&file), largest_read_bytes_(largest_read_bytes) {
        plan_.parts.reserve(PlannedRead::kMostParts);
    }
    // What the buffer of one may come to hold: one read, and what is left out to align it.
    static std::uint64_t buffer_bytes_max(const FileFacts& file, std::uint64_t largest_read_bytes) {
        return largest_read_bytes + file.alignment + file.memory_alignment;
    }

    PlannedRead& plan() { return plan_; }
    // Reads what is planned; each part has its status then.
    void read() noexcept;

    // Of the latest read().
    struct Counts {
        std::uint64_t reads = 0, bytes = 0, retries = 0;
    };
    const Counts& counts() const { return counts_; }

private:
    enum class Tries { Once, Thrice };

    const FileFacts& facts() const { return file_->facts(); }
    Result<void> read_together();
    Result<void> read_part(const ReadPart& part) noexcept;
    bool in_place(std::uint64_t begin, std::uint64_t end, std::uint64_t wanted_begin,
                  std::uint64_t wanted_end, const std::byte* to) const;
    Result<const std::byte*> read_bounced(std::uint64_t begin, std::uint64_t end,
                                          std::uint64_t wanted_end, Tries tries);
    Result<void> read_range(std::uint64_t begin, std::span<std::byte> to, std::uint64_t wanted,
                            Tries tries);
    Error failed(std::uint64_t offset, std::uint64_t bytes, const ReadOutcome& outcome) const;

    FileReads* file_;
    std::uint64_t largest_read_bytes_;
    PlannedRead plan_{};
    AlignedBuffer buffer_{};
    Counts counts_{};
};

}  // namespace hearth
