#include "memory/moving_room.h"

#include <algorithm>

namespace hearth {

MovingRoom MovingRoom::of(const ModelSpec& spec) {
    MovingRoom room;
    for (const LayerSpec& layer : spec.layers) {
        room.kept_ = std::max(room.kept_, layer.attention.kept);
        room.window_ = std::max(room.window_, layer.attention.window);
    }
    return room;
}

int MovingRoom::first_for(int position) const {
    return std::max(position + 1 - window_, 0) / kPastStep * kPastStep;
}

bool MovingRoom::is_full(int position, int n_tokens) const {
    return kept_ > 0 && position + n_tokens - first_ > room_of_kept(kept_);
}

int MovingRoom::latest(int position) const {
    if (is_held(position)) {
        return position;
    }
    return copied_ && *copied_ <= position ? *copied_ : 0;
}

bool MovingRoom::may_begin_at(int first, int n_positions) const {
    return kept_ == 0 ? first == 0
                      : first >= 0 && first % kPastStep == 0 && first <= n_positions &&
                            n_positions - first <= room_of_kept(kept_);
}

}  // namespace hearth
