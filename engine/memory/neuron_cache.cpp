#include "memory/neuron_cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/assert.h"

namespace hearth {

NeuronCache::NeuronCache(ReadQueue& queue, int channel, std::vector<CachedLayer> layers)
    : queue_(queue), channel_(channel), layers_(std::move(layers)) {
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

void NeuronCache::begin(int layer, int n_groups) {
    const std::lock_guard lock(mutex_);
    HEARTH_ASSERT(running_ < 0 && layer >= 0 && layer < n_layers());
    running_ = layer;
    groups_.assign(static_cast<std::size_t>(n_groups), {});
    next_ = 0;
}

void NeuronCache::end() {
    std::unique_lock lock(mutex_);
    for (Running& group : groups_) {
        while (group.state == State::Pinned && group.outstanding > 0) {
            wait_for_reads(lock);
        }
        if (group.state == State::Pinned) {
            finish_locked(group, false);
        }
    }
    groups_.clear();
    running_ = -1;
}

void NeuronCache::drop(int layer) {
    const std::lock_guard lock(mutex_);
    HEARTH_ASSERT(running_ < 0);
    const CachedLayer& cached = layers_[static_cast<std::size_t>(layer)];
    tables_[static_cast<std::size_t>(layer)] = SlotTable(cached.n_neurons, cached.n_slots);
}

void NeuronCache::want(int group, const Group& wanted) {
    const std::lock_guard lock(mutex_);
    Running& running = groups_[static_cast<std::size_t>(group)];
    HEARTH_ASSERT(running.state == State::Unknown);
    HEARTH_ASSERT(wanted.at.size() == wanted.names.size() &&
                  wanted.read.size() == wanted.names.size());
    running.wanted = wanted;
    running.state = State::Wanted;
    pin_locked();
}

void NeuronCache::pin_locked() {
    bool any = false;
    while (pin_next_locked()) {
        any = true;
    }
    if (any) {
        changed_.notify_all();
    }
}

// Pins the next group and begins to read what is not here. False: it is not known, or there are
// too few slots as yet.
bool NeuronCache::pin_next_locked() {
    if (next_ == groups_.size() || groups_[next_].state != State::Wanted) {
        return false;
    }
    const CachedLayer& layer = layers_[static_cast<std::size_t>(running_)];
    SlotTable& table = tables_[static_cast<std::size_t>(running_)];
    Running& group = groups_[next_];
    const Group& wanted = group.wanted;
    HEARTH_ASSERT(wanted.names.size() <= static_cast<std::size_t>(layer.n_slots));
    if (wanted.names.size() > static_cast<std::size_t>(table.n_unpinned())) {
        return false;
    }
    // What is here is pinned first: nothing of the group may give way to the rest of it.
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
    ++next_;
    return true;
}

bool NeuronCache::is_pinned(int group) {
    const std::lock_guard lock(mutex_);
    return groups_[static_cast<std::size_t>(group)].state == State::Pinned;
}

void NeuronCache::wait_for_reads(std::unique_lock<std::mutex>& lock) {
    if (collecting_ || outstanding_ == 0) {
        changed_.wait(lock);
        return;
    }
    collecting_ = true;
    lock.unlock();
    std::array<ReadDone, 64> done;
    const std::size_t n = queue_.take(done, 1, channel_);
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
            wait_for_reads(lock);
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
