// The place of a past, and the positions that it can go back to. Bookkeeping alone.
#pragma once

#include "memory/moving_room.h"
#include "memory/snapshots.h"

namespace hearth {

struct PastPlace {
    bool has_states = false;
    bool moves = false;
    Snapshots snapshots;
    MovingRoom room;

    // As Past::latest().
    int latest(int position) const {
        const int of_states = has_states ? snapshots.latest(position) : position;
        if (!moves) {
            return of_states;
        }
        const int held = room.latest(of_states);
        return !has_states || held == of_states || snapshots.slot_at(held) ? held : 0;
    }
};

}  // namespace hearth
