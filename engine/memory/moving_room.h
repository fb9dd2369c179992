// Where the pasts are that move up when their room is full: those of layers that see a window. They
// all hold the same positions. Bookkeeping alone; keys and values are the units'.
#pragma once

#include <optional>

#include "model/past_shape.h"

namespace hearth {

class MovingRoom {
public:
    MovingRoom() = default;  // nothing moves
    // kept: AttentionSpec::kept. window: the largest.
    MovingRoom(int kept, int window) : kept_(kept), window_(window) {}
    static MovingRoom of(const ModelSpec& spec);

    // The first position that is held.
    int first() const { return first_; }
    void set_first(int position) { first_ = position; }

    // The first position that must be held for a token at `position`: a multiple of kPastStep.
    int first_for(int position) const;
    bool is_held(int position) const { return first_for(position) >= first_; }
    // True if the tokens do not fit behind what is held.
    bool is_full(int position, int n_tokens) const;

    // True if a past of so many positions may begin there.
    bool may_begin_at(int first, int n_positions) const;

    // The position that a copy leads to; nothing: there is none.
    std::optional<int> copied() const { return copied_; }
    void set_copied(std::optional<int> position) { copied_ = position; }

    // The latest position up to `position` that the past can go on from. 0 always is one.
    int latest(int position) const;

private:
    int kept_ = 0;
    int window_ = 0;
    int first_ = 0;
    std::optional<int> copied_;
};

}  // namespace hearth
