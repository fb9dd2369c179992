// RAM in segments that shrink, grow and go by themselves: what the others hold stays where it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "base/aligned_buffer.h"

namespace hearth {

// Move-only. A segment begins at a cache line.
class Segments {
public:
    Segments() = default;
    // All in one buffer, one behind the other, and the tail behind them; apart: each in its own.
    // Sizes are multiples of AlignedBuffer::kAlignment, but for the tail's. OutOfMemory.
    static Result<Segments> create(std::span<const std::uint64_t> bytes, std::uint64_t tail_bytes,
                                   std::string_view what, bool apart = !kPagesGoAtOnce);

    std::size_t count() const { return segments_.size(); }
    std::byte* data(std::size_t segment) const { return segments_[segment].memory.data(); }
    std::uint64_t bytes(std::size_t segment) const { return segments_[segment].memory.size(); }
    std::span<std::byte> tail() const { return tail_.memory; }

    // Keeps the segment's first bytes. The system has the pages behind them; where segments are
    // apart, they are copied to a smaller buffer if there is memory for it.
    void shrink(std::size_t segment, std::uint64_t bytes);
    // Gives the segment other memory, filled by copy(old, new). The system has the old one then.
    // OutOfMemory: all is as before.
    using Copy = std::function<void(const std::byte* from, std::byte* to)>;
    Result<void> replace(std::size_t segment, std::uint64_t bytes, std::string_view what,
                         const Copy& copy);
    void drop_tail();
    // Precondition: there is none.
    Result<void> make_tail(std::uint64_t bytes, std::string_view what);

private:
    struct Segment {
        std::span<std::byte> memory;
        AlignedBuffer own;  // empty: the memory is of all_
    };
    static void give_back(Segment& segment);

    bool apart_ = false;
    AlignedBuffer all_;  // empty: each is apart
    std::vector<Segment> segments_;
    Segment tail_;
};

}  // namespace hearth
