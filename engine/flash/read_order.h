// What waits to be read: what is needed soonest is in front, and neighbours become one read. No
// locks and no files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hearth/result.h>

namespace hearth {

constexpr std::uint64_t round_down(std::uint64_t value, std::uint64_t alignment) {
    return value & ~(alignment - 1);
}
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
    return round_down(value + alignment - 1, alignment);
}

// What of a request is not being read yet.
struct WaitingPiece {
    std::uint64_t deadline = 0, offset = 0;
    std::span<std::byte> to{};
    std::uint32_t request = 0;  // its number
    std::uint64_t end() const { return offset + to.size(); }
};

// What of a request one read brings.
struct ReadPart {
    std::uint64_t offset = 0;
    std::span<std::byte> to{};
    std::uint32_t request = 0;
    Result<void> status{};
    std::uint64_t end() const { return offset + to.size(); }
};

struct PlannedRead {
    static constexpr std::size_t kMostParts = 64;
    std::vector<ReadPart> parts{};     // of kMostParts at most: reserve that, and nothing can fail
    std::uint64_t begin = 0, end = 0;  // aligned
    std::uint64_t deadline = 0;
};

class ReadOrder {
public:
    // alignment divides largest_read_bytes.
    ReadOrder(std::uint64_t alignment, std::uint64_t largest_read_bytes,
              std::uint64_t merge_gap_bytes)
        : alignment_(alignment), largest_read_bytes_(largest_read_bytes), gap_(merge_gap_bytes) {}

    // Room for so many, so that push() cannot fail.
    void reserve(std::size_t pieces);
    bool empty() const { return pieces_.empty(); }
    // About as many reads bring all that waits, if nothing is merged.
    std::uint64_t reads() const { return pieces_.size() + bytes_ / largest_read_bytes_; }

    void push(const WaitingPiece& piece);
    const WaitingPiece& front() const { return pieces_.front(); }
    WaitingPiece pop();
    // The next read. True: it brings only the beginning of its first piece, and the rest still
    // waits. Not while empty.
    bool next(PlannedRead& read);

    // Drops the pieces of the requests for which unwanted(number), calling gone(number) for each.
    template <class Unwanted, class Gone>
    void drop(const Unwanted& unwanted, const Gone& gone) {
        const auto first =
            std::partition(pieces_.begin(), pieces_.end(),
                           [&](const WaitingPiece& piece) { return !unwanted(piece.request); });
        for (auto piece = first; piece != pieces_.end(); ++piece) {
            bytes_ -= piece->to.size();
            gone(piece->request);
        }
        pieces_.erase(first, pieces_.end());
        std::make_heap(pieces_.begin(), pieces_.end(), later);
    }

    // The pieces of the requests for which chosen(number) are wanted at another time.
    template <class Chosen>
    void set_deadline(const Chosen& chosen, std::uint64_t deadline) {
        for (WaitingPiece& piece : pieces_) {
            piece.deadline = chosen(piece.request) ? deadline : piece.deadline;
        }
        std::make_heap(pieces_.begin(), pieces_.end(), later);
    }

private:
    static bool later(const WaitingPiece& a, const WaitingPiece& b);

    const std::uint64_t alignment_, largest_read_bytes_, gap_;
    std::vector<WaitingPiece> pieces_{};  // a heap
    std::uint64_t bytes_ = 0;
};

// Grows by doubling: a capacity that follows each call would copy everything each time.
template <class T>
void reserve_doubling(std::vector<T>& list, std::size_t size) {
    if (size > list.capacity()) {
        list.reserve(std::max(size, 2 * list.capacity()));
    }
}

}  // namespace hearth
