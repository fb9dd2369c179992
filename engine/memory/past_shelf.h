// Copies of pasts in RAM, so that conversations that take turns are not read anew each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "memory/past.h"

namespace hearth {

// Holds copies of pasts of one layout. One thread. Copies may go at any time: whoever needs one
// that is gone computes its tokens again.
class PastShelf {
public:
    // The most that copies may take together, in bytes. The one that was used longest ago goes
    // first.
    void set_most(std::uint64_t bytes);
    std::uint64_t most() const { return most_; }
    std::uint64_t bytes() const { return bytes_; }
    std::size_t size() const { return copies_.size(); }
    void clear();

    // Copies what `tokens` left in the past, if there is room. Copies of beginnings of these tokens
    // go: this one serves for them. Precondition: past.latest(tokens.size()) is tokens.size().
    // Errors of Past::get(): nothing was kept.
    Result<void> keep(std::span<const std::int32_t> tokens, Past& past);

    struct Found {
        std::size_t number = 0;  // of the copy
        std::size_t tokens = 0;  // of the text that it spares, all of its beginning
    };
    // The copy that spares most of the text, which counts as used now; 0 tokens: none does. Valid
    // until the next keep().
    Found best_for(std::span<const std::int32_t> text);
    // Fills the past with a copy and returns its tokens. It goes if it spares all of its tokens,
    // and stays where other conversations may begin alike. Errors of Past::put(): the past holds
    // nothing, and the copy is gone.
    Result<std::vector<std::int32_t>> take(const Found& found, Past& past);

private:
    struct Copy {
        std::vector<std::int32_t> tokens;
        std::vector<std::vector<std::byte>> pieces;  // as Past::get() gave them
        std::uint64_t bytes = 0;
        PastPlace place;
        std::uint64_t used = 0;  // the larger the later
    };
    void remove(std::size_t number);
    // Makes room for so many bytes more. False: there is none, even without copies.
    bool make_room(std::uint64_t bytes);

    std::vector<Copy> copies_;
    std::uint64_t most_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t uses_ = 0;
};

}  // namespace hearth
