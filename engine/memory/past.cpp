#include "memory/past.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/assert.h"

namespace hearth {

int Past::latest(int position) const {
    return place().latest(position);
}

Result<void> Past::go_to(int position) {
    if (moves() && !room_.is_held(position)) {
        if (position == 0) {
            cpu.move_back();
            if (gpu != nullptr) {
                gpu->move_back();
            }
            room_.set_first(0);
        } else {
            HEARTH_ASSERT(room_.copied() == position);
            const int first = room_.first_for(position);
            cpu.restore_kept(first, position);
            if (auto done = gpu == nullptr ? Result<void>() : gpu->restore_kept(first, position);
                !done) {
                return done;
            }
            room_.set_first(first);
        }
    }
    if (!has_states() || snapshots_.present() == position) {
        return {};
    }
    const auto slot = snapshots_.slot_at(position);
    HEARTH_ASSERT(slot || position == 0);
    snapshots_.set_present(std::nullopt);
    if (gpu != nullptr) {
        if (auto done = slot ? gpu->restore_states(*slot) : gpu->clear_states(); !done) {
            return done;
        }
    }
    if (slot) {
        cpu.restore_states(*slot);
    } else {
        cpu.clear_states();
    }
    snapshots_.set_present(position);
    return {};
}

Result<void> Past::make_room(int position, int n_tokens) {
    if (!moves() || !room_.is_full(position, n_tokens)) {
        return {};
    }
    const int first = room_.first_for(position);
    HEARTH_ASSERT(first >= room_.first());
    cpu.move_up(first, position);
    if (auto done = gpu == nullptr ? Result<void>() : gpu->move_up(first, position); !done) {
        return done;
    }
    room_.set_first(first);
    return {};
}

void Past::end_pass_ahead(int position, int n_tokens) {
    if (has_states()) {
        snapshots_.set_ahead({position, position + n_tokens});
    } else {
        end_pass(position + n_tokens);
    }
}

Result<void> Past::keep_some() {
    return has_states() && snapshots_.is_due() ? save(false) : Result<void>();
}

Result<void> Past::keep() {
    const std::optional<int> present = snapshots_.present();
    if (moves() && present && room_.is_held(*present)) {
        const int first = room_.first_for(*present);
        room_.set_copied(std::nullopt);
        cpu.save_kept(first, *present);
        if (auto done = gpu == nullptr ? Result<void>() : gpu->save_kept(first, *present); !done) {
            return done;
        }
        room_.set_copied(present);
    }
    return has_states() ? save(true) : Result<void>();
}

void Past::forget_after(int position) {
    snapshots_.forget_after(position);
    if (room_.copied() && *room_.copied() > position) {
        room_.set_copied(std::nullopt);
    }
}

namespace {

// The bytes of a past begin with its place: the room's first position, the one that a copy leads to
// or -1, and the snapshots.
using Beginning = std::array<std::int32_t, 2 + Snapshots::kNumbers>;

}  // namespace

std::string Past::layout_text() const {
    return cpu.layout_text() + (gpu != nullptr ? "gpu" : "");
}

Result<void> Past::get(int n_positions, const PastSink& sink, int first) {
    HEARTH_ASSERT(!is_ahead() && (first == 0 || !forgets()));
    // Nothing of later positions goes along.
    const int copied = room_.copied().value_or(-1);
    Beginning beginning{room_.first(), copied > n_positions ? -1 : copied};
    Snapshots snapshots = snapshots_;
    snapshots.forget_after(n_positions);
    if (snapshots.present() > n_positions) {
        snapshots.set_present(std::nullopt);
    }
    const Snapshots::Numbers numbers = snapshots.numbers();
    std::copy(numbers.begin(), numbers.end(), beginning.begin() + 2);
    if (auto done = sink(std::as_bytes(std::span(beginning))); !done) {
        return done;
    }
    for (const std::span<std::byte> piece : cpu.pieces(n_positions, first)) {
        if (auto done = sink(piece); !done) {
            return done;
        }
    }
    return gpu == nullptr ? Result<void>() : gpu->get(n_positions, sink, first);
}

Result<void> Past::put(int n_positions, const PastSource& source, int first) {
    HEARTH_ASSERT(first == 0 || !forgets());
    auto done = put_all(n_positions, source, first);
    if (!done) {
        forget();
    }
    return done;
}

Result<void> Past::put_all(int n_positions, const PastSource& source, int from) {
    forget();  // where nothing is forgotten, this forgets nothing that lies before `from`
    Beginning beginning;
    if (auto done = source(std::as_writable_bytes(std::span(beginning))); !done) {
        return done;
    }
    Snapshots::Numbers numbers;
    std::copy(beginning.begin() + 2, beginning.end(), numbers.begin());
    const int first = beginning[0];
    const int copied = beginning[1];
    Snapshots snapshots;
    if (!room_.may_begin_at(first, n_positions) || copied < -1 || copied > n_positions ||
        !snapshots.set_numbers(numbers, n_positions)) {
        return Error{ErrorCode::BadFile,
                     "this is no past of " + std::to_string(n_positions) + " tokens"};
    }
    for (const std::span<std::byte> piece : cpu.pieces(n_positions, from)) {
        if (auto done = source(piece); !done) {
            return done;
        }
    }
    if (gpu != nullptr) {
        if (auto done = gpu->put(n_positions, source, from); !done) {
            return done;
        }
        gpu->set_first(first);
    }
    cpu.set_first(first);
    room_.set_first(first);
    room_.set_copied(copied < 0 ? std::nullopt : std::optional<int>(copied));
    snapshots_ = snapshots;
    return {};
}

void Past::forget() {
    snapshots_ = {};
    room_.set_first(0);
    room_.set_copied(std::nullopt);
    cpu.move_back();
    if (gpu != nullptr) {
        gpu->move_back();
    }
}

Result<void> Past::save(bool pinned) {
    const int slot = snapshots_.add(pinned);
    cpu.save_states(slot);
    return gpu == nullptr ? Result<void>() : gpu->save_states(slot);
}

}  // namespace hearth
