#include "memory/past_shelf.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace hearth {
namespace {

std::size_t common(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
    const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return static_cast<std::size_t>(ends.first - a.begin());
}

}  // namespace

void PastShelf::set_most(std::uint64_t bytes) {
    most_ = bytes;
    make_room(0);
}

void PastShelf::clear() {
    copies_.clear();
    bytes_ = 0;
}

void PastShelf::remove(std::size_t number) {
    bytes_ -= copies_[number].bytes;
    copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(number));
}

bool PastShelf::make_room(std::uint64_t bytes) {
    while (bytes > most_ || bytes_ > most_ - bytes) {
        if (copies_.empty()) {
            return false;
        }
        const auto oldest =
            std::min_element(copies_.begin(), copies_.end(),
                             [](const Copy& a, const Copy& b) { return a.used < b.used; });
        remove(static_cast<std::size_t>(oldest - copies_.begin()));
    }
    return true;
}

Result<void> PastShelf::keep(std::span<const std::int32_t> tokens, Past& past) {
    HEARTH_ASSERT(past.latest(static_cast<int>(tokens.size())) == static_cast<int>(tokens.size()));
    for (std::size_t i = copies_.size(); i-- > 0;) {
        if (common(copies_[i].tokens, tokens) == copies_[i].tokens.size()) {
            remove(i);
        }
    }
    Copy copy;
    copy.tokens.assign(tokens.begin(), tokens.end());
    copy.place = past.place();
    copy.place.snapshots.forget_after(static_cast<int>(tokens.size()));
    copy.used = ++uses_;
    bool fits = true;
    auto done = past.get(static_cast<int>(tokens.size()),
                         [&](std::span<const std::byte> piece) -> Result<void> {
                             if (!make_room(copy.bytes + piece.size())) {
                                 fits = false;
                                 return Error{ErrorCode::OutOfMemory, "no room for a copy"};
                             }
                             copy.pieces.emplace_back(piece.begin(), piece.end());
                             copy.bytes += piece.size();
                             return {};
                         });
    if (!done) {
        return fits ? std::move(done) : Result<void>();
    }
    bytes_ += copy.bytes;
    copies_.push_back(std::move(copy));
    return {};
}

PastShelf::Found PastShelf::best_for(std::span<const std::int32_t> text) {
    Found best;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
        const std::size_t alike = common(copies_[i].tokens, text);
        const auto spared =
            static_cast<std::size_t>(copies_[i].place.latest(static_cast<int>(alike)));
        if (spared > best.tokens) {
            best = {i, spared};
        }
    }
    if (best.tokens > 0) {
        copies_[best.number].used = ++uses_;
    }
    return best;
}

Result<std::vector<std::int32_t>> PastShelf::take(const Found& found, Past& past) {
    HEARTH_ASSERT(found.number < copies_.size());
    const Copy& copy = copies_[found.number];
    std::size_t next = 0;
    auto done = past.put(
        static_cast<int>(copy.tokens.size()), [&](std::span<std::byte> piece) -> Result<void> {
            HEARTH_ASSERT(next < copy.pieces.size() && copy.pieces[next].size() == piece.size());
            std::copy(copy.pieces[next].begin(), copy.pieces[next].end(), piece.begin());
            ++next;
            return {};
        });
    std::vector<std::int32_t> tokens = copy.tokens;
    if (!done || found.tokens == tokens.size()) {
        remove(found.number);
    }
    return done ? Result<std::vector<std::int32_t>>(std::move(tokens)) : std::move(done).error();
}

}  // namespace hearth
