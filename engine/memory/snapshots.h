// Which positions a past can go back to where layers are recurrent: their states cannot be cut back
// as keys and values can. Bookkeeping alone; the states are the units'.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "model/past_shape.h"

namespace hearth {

// A state of position p is that after the first p tokens.
class Snapshots {
public:
    // Positions passed between two snapshots that nobody asked for.
    static constexpr int kStep = 512;

    // The position of the units' present states; nothing: they are void, as after a pass that broke
    // off.
    std::optional<int> present() const { return present_; }
    void set_present(std::optional<int> position) {
        present_ = position;
        ahead_ = {};
    }

    // Tokens of positions [first, end) that were passed and that the units keep beside the states,
    // which have taken those before the present: passes can go on from each of these positions.
    struct Ahead {
        int first = 0, end = 0;
    };
    const Ahead& ahead() const { return ahead_; }
    // The states are those of `first`, and the tokens from there on are kept.
    void set_ahead(const Ahead& tokens) {
        present_ = tokens.first;
        ahead_ = tokens;
    }
    // Tokens [first, first + count) of those that were set ahead.
    struct Taking {
        int first = 0, count = 0;
    };
    // The states take these next on the way to `position`, no further than to where a snapshot
    // is due. None: the states are there, or do not come there so.
    Taking to_take(int position) const;
    void take(const Taking& tokens) { present_ = ahead_.first + tokens.first + tokens.count; }

    // The latest position up to `position` that the past can go on from. 0 always is one.
    int latest(int position) const;
    // The place of the snapshot of exactly that position; nothing: there is none.
    std::optional<int> slot_at(int position) const;

    // True if the present is kStep behind the latest snapshot.
    bool is_due() const;
    // Notes a snapshot of the present and returns its place. The one that stood there is forgotten:
    // of close neighbours the one that is longest ago, so that snapshots thin out towards the
    // beginning. pinned: it stays until another one is pinned. Precondition: there is a present.
    int add(bool pinned);

    // Forgets snapshots of later positions: other tokens come there.
    void forget_after(int position);

    // All of it as numbers, and back. False: they are of no snapshots of up to so many positions,
    // and nothing has changed.
    static constexpr std::size_t kNumbers = 1 + 2 * kSnapshots;
    using Numbers = std::array<std::int32_t, kNumbers>;
    Numbers numbers() const;
    bool set_numbers(const Numbers& numbers, int n_positions);

private:
    struct Snapshot {
        std::optional<int> position;
        bool pinned = false;
    };
    std::size_t place_for(int position) const;
    int last() const;  // position of a snapshot; 0: there is none
    int before(std::size_t slot) const;
    int after(std::size_t slot, int last) const;

    std::array<Snapshot, kSnapshots> snapshots_;
    std::optional<int> present_;
    Ahead ahead_;
};

}  // namespace hearth
