#include "memory/past.h"

#include "base/assert.h"

namespace hearth {

int Past::latest(int position) const {
    return has_states() ? snapshots_.latest(position) : position;
}

Result<void> Past::go_to(int position) {
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

Result<void> Past::keep_some() {
    return has_states() && snapshots_.is_due() ? save(false) : Result<void>();
}

Result<void> Past::keep() {
    return has_states() ? save(true) : Result<void>();
}

Result<void> Past::save(bool pinned) {
    const int slot = snapshots_.add(pinned);
    cpu.save_states(slot);
    return gpu == nullptr ? Result<void>() : gpu->save_states(slot);
}

}  // namespace hearth
