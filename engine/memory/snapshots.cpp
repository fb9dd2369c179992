#include "memory/snapshots.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.h"

namespace hearth {

int Snapshots::latest(int position) const {
    int best =
        present_ && *present_ <= position ? std::max(*present_, std::min(position, ahead_.end)) : 0;
    for (const Snapshot& one : snapshots_) {
        if (one.position && *one.position <= position) {
            best = std::max(best, *one.position);
        }
    }
    return best;
}

std::optional<int> Snapshots::slot_at(int position) const {
    for (std::size_t i = 0; i < snapshots_.size(); ++i) {
        if (snapshots_[i].position == position) {
            return static_cast<int>(i);
        }
    }
    return std::nullopt;
}

int Snapshots::last() const {
    int last = 0;
    for (const Snapshot& one : snapshots_) {
        last = std::max(last, one.position.value_or(0));
    }
    return last;
}

bool Snapshots::is_due() const {
    return present_ && *present_ - last() >= kStep;
}

Snapshots::Taking Snapshots::to_take(int position) const {
    if (!present_ || position <= *present_ || position > ahead_.end) {
        return {};
    }
    const int until_due = std::max(1, last() + kStep - *present_);
    return {*present_ - ahead_.first, std::min(position - *present_, until_due)};
}

int Snapshots::add(bool pinned) {
    HEARTH_ASSERT(present_);
    const auto same = slot_at(*present_);
    const std::size_t place = same ? static_cast<std::size_t>(*same) : place_for(*present_);
    for (Snapshot& one : snapshots_) {
        one.pinned = one.pinned && !pinned;
    }
    snapshots_[place] = {present_, pinned || (same && snapshots_[place].pinned)};
    return static_cast<int>(place);
}

// The gap that a snapshot would leave counts less the longer ago it is. By the root of that: by all
// of it none would soon be left of a text's beginning.
std::size_t Snapshots::place_for(int position) const {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < snapshots_.size(); ++i) {
        const Snapshot& one = snapshots_[i];
        if (!one.position) {
            return i;
        }
        const double gap = after(i, position) - before(i);
        const double loss = gap / std::sqrt(std::max(1, position - *one.position));
        if (!one.pinned && loss < least) {
            least = loss;
            best = i;
        }
    }
    return best;
}

int Snapshots::before(std::size_t slot) const {
    int found = 0;
    for (const Snapshot& one : snapshots_) {
        if (one.position && *one.position < *snapshots_[slot].position) {
            found = std::max(found, *one.position);
        }
    }
    return found;
}

int Snapshots::after(std::size_t slot, int last) const {
    int found = last;
    for (const Snapshot& one : snapshots_) {
        if (one.position && *one.position > *snapshots_[slot].position) {
            found = std::min(found, *one.position);
        }
    }
    return found;
}

void Snapshots::forget_after(int position) {
    for (Snapshot& one : snapshots_) {
        if (one.position && *one.position > position) {
            one = {};
        }
    }
    ahead_.end = std::min(ahead_.end, position);
}

Snapshots::Numbers Snapshots::numbers() const {
    Numbers numbers{present_.value_or(-1)};
    for (std::size_t i = 0; i < snapshots_.size(); ++i) {
        numbers[1 + 2 * i] = snapshots_[i].position.value_or(-1);
        numbers[2 + 2 * i] = snapshots_[i].pinned ? 1 : 0;
    }
    return numbers;
}

bool Snapshots::set_numbers(const Numbers& numbers, int n_positions) {
    const auto position = [](std::int32_t number) {
        return number < 0 ? std::nullopt : std::optional<int>(number);
    };
    for (std::size_t i = 0; i < numbers.size(); i += i == 0 ? 1 : 2) {
        if (numbers[i] < -1 || numbers[i] > n_positions) {
            return false;
        }
    }
    set_present(position(numbers[0]));
    for (std::size_t i = 0; i < snapshots_.size(); ++i) {
        snapshots_[i] = {position(numbers[1 + 2 * i]), numbers[2 + 2 * i] != 0};
    }
    return true;
}

}  // namespace hearth
