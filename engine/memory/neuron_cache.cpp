#include "memory/neuron_cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "base/assert.h"

namespace hearth {

Result<void> NeuronCache::check(std::span<const CachedLayer> layers) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const CachedLayer& layer = layers[i];
        if (layer.n_slots < std::max(layer.largest_group, 1)) {
            return Error{ErrorCode::OverBudget,
                         "cached layer " + std::to_string(i) + " has " +
                             std::to_string(layer.n_slots) + " slots of " +
                             std::to_string(layer.slot_bytes) + " bytes, and a token needs " +
                             std::to_string(layer.largest_group) + " at a time"};
        }
    }
    return {};
}

NeuronCache::NeuronCache(ReadQueue& queue, int channel, std::vector<CachedLayer> layers)
    : queue_(queue), channel_(channel), layers_(std::move(layers)) {
    HEARTH_ASSERT(check(layers_));
    tables_.reserve(layers_.size());
    for (const CachedLayer& layer : layers_) {
        tables_.emplace_back(layer.n_neurons, layer.n_slots);
    }
}

NeuronCache::~NeuronCache() {
    end();
}

int NeuronCache::n_held(int layer) const {
    const std::lock_guard lock(mutex_);
    const SlotTable& table = tables_[static_cast<std::size_t>(layer)];
    int held = 0;
    for (int neuron = 0; neuron < layers_[static_cast<std::size_t>(layer)].n_neurons; ++neuron) {
        held += table.slot_of(neuron) != SlotTable::kNone ? 1 : 0;
    }
    return held;
}

void NeuronCache::begin(int layer, int n_groups, Reads reads) {
    const std::lock_guard lock(mutex_);
    HEARTH_ASSERT(running_ < 0 && layer >= 0 && layer < n_layers());
    running_ = layer;
    groups_.assign(static_cast<std::size_t>(n_groups), {});
    reads_ = reads;
    n_known_ = 0;
    next_ = 0;
}

void NeuronCache::end() {
    std::unique_lock lock(mutex_);
    for (Running& group : groups_) {
        while (group.state == State::Pinned && group.outstanding > 0) {
            wait_for_reads(lock, group);
        }
        if (group.state == State::Pinned || group.state == State::Held) {
            finish_locked(group, false);
        }
    }
    groups_.clear();
    running_ = -1;
}

void NeuronCache::drop(int layer) {
    const std::lock_guard lock(mutex_);
    HEARTH_ASSERT(running_ < 0);
    SlotTable& table = tables_[static_cast<std::size_t>(layer)];
    const int n_slots = table.n_slots();
    table.set_slots(0);
    table.set_slots(n_slots);
}

void NeuronCache::set_slots(int layer, int n_slots) {
    const std::lock_guard lock(mutex_);
    HEARTH_ASSERT(running_ < 0);
    HEARTH_ASSERT(n_slots >= layers_[static_cast<std::size_t>(layer)].largest_group);
    tables_[static_cast<std::size_t>(layer)].set_slots(n_slots);
}

int NeuronCache::n_slots(int layer) const {
    const std::lock_guard lock(mutex_);
    return tables_[static_cast<std::size_t>(layer)].n_slots();
}

void NeuronCache::want(int group, const Group& wanted) {
    const std::lock_guard lock(mutex_);
    Running& running = groups_[static_cast<std::size_t>(group)];
    HEARTH_ASSERT(running.state == State::Unknown);
    HEARTH_ASSERT(wanted.at.size() == wanted.names.size() &&
                  wanted.read.size() == wanted.names.size());
    running.wanted = wanted;
    running.state = State::Wanted;
    ++n_known_;
    pin_locked();
}

bool NeuronCache::has_room_locked(const Running& group) const {
    const SlotTable& table = tables_[static_cast<std::size_t>(running_)];
    std::size_t wanted = group.wanted.names.size();
    HEARTH_ASSERT(wanted <= static_cast<std::size_t>(table.n_slots()));
    if (group.state == State::Held) {  // the others have their slots
        wanted = static_cast<std::size_t>(
            std::count(group.wanted.read.begin(), group.wanted.read.end(), std::uint8_t{1}));
    }
    return wanted <= static_cast<std::size_t>(table.n_unpinned());
}

// Before any group is read: pins what is here of all groups, or of as many as leave room for the
// largest one.
void NeuronCache::pin_held_first_locked() {
    const SlotTable& table = tables_[static_cast<std::size_t>(running_)];
    const auto unpinned = [&] { return static_cast<std::size_t>(table.n_unpinned()); };
    std::size_t names = 0;
    std::size_t largest = 0;
    for (const Running& group : groups_) {
        names += group.wanted.names.size();
        largest = std::max(largest, group.wanted.names.size());
    }
    const std::size_t beside = names <= unpinned() ? 0 : largest;
    if (beside > 0 && reads_ != Reads::HeldStay) {
        return;
    }
    for (Running& group : groups_) {
        const auto held = static_cast<std::size_t>(std::count_if(
            group.wanted.names.begin(), group.wanted.names.end(), [&](std::uint16_t name) {
                return table.slot_of(group.wanted.first + name) != SlotTable::kNone;
            }));
        if (held + beside <= unpinned()) {
            pin_held_locked(group);
        }
    }
}

// Groups in their order, as far as they are known and there are slots.
void NeuronCache::pin_locked() {
    if (reads_ != Reads::AtOnce && n_known_ < groups_.size()) {
        return;
    }
    const std::size_t first = next_;
    if (reads_ != Reads::AtOnce && next_ == 0) {
        pin_held_first_locked();
    }
    for (; next_ < groups_.size(); ++next_) {
        Running& group = groups_[next_];
        if (group.state == State::Wanted && has_room_locked(group)) {
            pin_held_locked(group);
        }
        if (group.state != State::Held || !has_room_locked(group)) {
            break;
        }
        read_rest_locked(group);
    }
    if (next_ != first) {
        changed_.notify_all();
    }
}

// Pins what is here of a group: nothing of it may give way to the rest.
void NeuronCache::pin_held_locked(Running& group) {
    SlotTable& table = tables_[static_cast<std::size_t>(running_)];
    const Group& wanted = group.wanted;
    for (std::size_t i = 0; i < wanted.names.size(); ++i) {
        const int neuron = wanted.first + wanted.names[i];
        const int slot = table.slot_of(neuron);
        wanted.read[i] = slot == SlotTable::kNone ? 1 : 0;
        if (slot != SlotTable::kNone) {
            table.use(neuron);
            wanted.at[i] = static_cast<std::uint16_t>(slot);
            ++counters_.hits;
        }
    }
    group.state = State::Held;
}

// Gives the rest its slots and begins to read it.
void NeuronCache::read_rest_locked(Running& group) {
    const CachedLayer& layer = layers_[static_cast<std::size_t>(running_)];
    SlotTable& table = tables_[static_cast<std::size_t>(running_)];
    const Group& wanted = group.wanted;
    requests_.clear();
    for (std::size_t i = 0; i < wanted.names.size(); ++i) {
        if (wanted.read[i] == 0) {
            continue;
        }
        const int neuron = wanted.first + wanted.names[i];
        const int slot = table.put(neuron);
        wanted.at[i] = static_cast<std::uint16_t>(slot);
        ++counters_.misses;
        std::byte* to = layer.slot(slot);
        const auto number = static_cast<std::uint64_t>(layer.number(neuron));
        for (const NeuronRun& run : layer.runs) {
            requests_.push_back({.offset = run.offset + number * run.stride,
                                 .to = {to + run.at, static_cast<std::size_t>(run.bytes)},
                                 .deadline = next_,  // before all that is read ahead
                                 .ticket = next_,
                                 .channel = channel_});
        }
    }
    group.state = State::Pinned;
    if (!requests_.empty()) {
        group.status = queue_.submit(requests_);
        if (group.status) {
            group.outstanding = static_cast<int>(requests_.size());
            outstanding_ += group.outstanding;
        }
    }
}

bool NeuronCache::is_pinned(int group) {
    const std::lock_guard lock(mutex_);
    return groups_[static_cast<std::size_t>(group)].state == State::Pinned;
}

// Of the reads that the group waits for, or of others on its behalf: sleeps until so many are done
// that the group may be. To wake up for each of them costs more than the neurons do.
void NeuronCache::wait_for_reads(std::unique_lock<std::mutex>& lock, const Running& waiting) {
    if (collecting_ || outstanding_ == 0) {
        changed_.wait(lock);
        return;
    }
    collecting_ = true;
    const auto at_least = static_cast<std::size_t>(std::max(waiting.outstanding, 1));
    lock.unlock();
    std::array<ReadDone, 256> done;
    const std::size_t n = queue_.take(done, std::min(at_least, done.size()), channel_);
    lock.lock();
    collecting_ = false;
    for (std::size_t i = 0; i < n; ++i) {
        Running& group = groups_[static_cast<std::size_t>(done[i].ticket)];
        if (!done[i].status && group.status) {
            group.status = std::move(done[i].status);
        }
        --group.outstanding;
        --outstanding_;
    }
    changed_.notify_all();
}

Result<void> NeuronCache::await(int index) {
    std::unique_lock lock(mutex_);
    Running& group = groups_[static_cast<std::size_t>(index)];
    if (group.state != State::Pinned || group.outstanding > 0) {
        const auto start = std::chrono::steady_clock::now();
        while (group.state != State::Pinned || group.outstanding > 0) {
            wait_for_reads(lock, group);
        }
        const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - start;
        waited_ns_ += static_cast<std::uint64_t>(waited.count());
    }
    return group.status;
}

void NeuronCache::done(int index, bool good) {
    const std::lock_guard lock(mutex_);
    Running& group = groups_[static_cast<std::size_t>(index)];
    HEARTH_ASSERT(group.state == State::Pinned && group.outstanding == 0);
    finish_locked(group, good && group.status);
    pin_locked();
}

void NeuronCache::finish_locked(Running& group, bool good) {
    SlotTable& table = tables_[static_cast<std::size_t>(running_)];
    const Group& wanted = group.wanted;
    for (std::size_t i = 0; i < wanted.names.size(); ++i) {
        const int neuron = wanted.first + wanted.names[i];
        if (group.state == State::Held && wanted.read[i] != 0) {
            continue;  // it has no slot yet
        }
        table.unpin(neuron);
        if (!good && wanted.read[i] != 0) {
            table.drop(neuron);
        }
    }
    group.state = State::Done;
}

CacheCounters NeuronCache::counters() const {
    const std::lock_guard lock(mutex_);
    return counters_;
}

std::uint64_t NeuronCache::waited_ns() const {
    const std::lock_guard lock(mutex_);
    return waited_ns_;
}

}  // namespace hearth
