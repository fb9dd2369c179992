#include "flash/read_order.h"

#include <utility>

namespace hearth {

bool ReadOrder::later(const WaitingPiece& a, const WaitingPiece& b) {
    return std::pair(a.deadline, a.offset) > std::pair(b.deadline, b.offset);
}

void ReadOrder::reserve(std::size_t pieces) {
    reserve_doubling(pieces_, pieces);
}

void ReadOrder::push(const WaitingPiece& piece) {
    bytes_ += piece.to.size();
    pieces_.push_back(piece);
    std::push_heap(pieces_.begin(), pieces_.end(), later);
}

WaitingPiece ReadOrder::pop() {
    std::pop_heap(pieces_.begin(), pieces_.end(), later);
    const WaitingPiece piece = pieces_.back();
    pieces_.pop_back();
    bytes_ -= piece.to.size();
    return piece;
}

bool ReadOrder::next(PlannedRead& read) {
    const auto add = [&](const WaitingPiece& piece) {
        read.parts.push_back({piece.offset, piece.to, piece.request});
    };
    read.parts.clear();
    WaitingPiece first = pop();
    read.deadline = first.deadline;
    read.begin = round_down(first.offset, alignment_);
    const std::uint64_t most_end = read.begin + largest_read_bytes_;
    const bool cut = first.end() > most_end;
    if (cut) {
        const auto now_bytes = static_cast<std::size_t>(most_end - first.offset);
        WaitingPiece rest = first;
        rest.offset = most_end;
        rest.to = first.to.subspan(now_bytes);
        first.to = first.to.first(now_bytes);
        push(rest);
    }
    add(first);
    std::uint64_t end = first.end();
    while (!pieces_.empty() && read.parts.size() < PlannedRead::kMostParts) {
        const WaitingPiece& next = pieces_.front();
        if (next.deadline != first.deadline || next.end() > most_end ||
            (next.offset > end && next.offset - end > gap_)) {
            break;
        }
        end = std::max(end, next.end());
        add(pop());
    }
    read.end = round_up(end, alignment_);
    return cut;
}

}  // namespace hearth
