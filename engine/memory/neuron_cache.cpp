#include "memory/neuron_cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/assert.h"

namespace hearth {
namespace {

// A group's reads: its number, and above it 0 or which of its names, from 1 on.
constexpr unsigned kNameShift = 16;
constexpr std::uint64_t kGroups = std::uint64_t{1} << kNameShift;
constexpr std::uint64_t kAheadTicket = std::uint64_t{1} << 32;  // above those of groups
constexpr std::uint64_t kFillTicket = std::uint64_t{2} << 32;

// Adds the time from here on to a sum.
class Waiting {
public:
    explicit Waiting(std::uint64_t& sum) : sum_(sum) {}
    ~Waiting() {
        const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - start_;
        sum_ += static_cast<std::uint64_t>(waited.count());
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    std::uint64_t& sum_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

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

NeuronCache::NeuronCache(ReadQueue& queue, int channel, std::vector<CachedLayer> layers,
                         const AheadRoom& ahead)
    : queue_(queue),
      channel_(channel),
      layers_(std::move(layers)),
      ahead_room_(ahead),
      ahead_(static_cast<std::size_t>(ahead.count)),
      counters_(layers_.size()) {
    HEARTH_ASSERT(check(layers_));
    HEARTH_ASSERT(ahead.count <= std::numeric_limits<std::uint8_t>::max() - kAhead);
    tickets_.reserve(std::max(ahead_.size(), fills_.size()));
    tables_.reserve(layers_.size());
    for (const CachedLayer& layer : layers_) {
        tables_.emplace_back(layer.n_neurons, layer.n_slots);
        tables_.back().expect(layer.expected_uses);
        rivals_.emplace_back();
        if (layer.may_pass) {
            HEARTH_ASSERT(ahead.count > 0 && layer.slot_bytes <= ahead.bytes);
            rivals_.back().emplace(layer.n_neurons, layer.n_slots);
            rivals_.back()->expect(layer.expected_uses);
        }
    }
}

NeuronCache::~NeuronCache() {
    end();
    std::unique_lock lock(mutex_);
    give_up_locked([](const Ahead&) { return true; });
    std::array<ReadDone, 64> done;
    while (queue_.take(done, 1, channel_) > 0) {}  // they write to memory that is about to go
}

int NeuronCache::n_held(int layer) const {
    const std::lock_guard lock(mutex_);
    return tables_[static_cast<std::size_t>(layer)].n_here();
}

bool NeuronCache::holds(int layer, int neuron) const {
    const std::lock_guard lock(mutex_);
    return tables_[static_cast<std::size_t>(layer)].slot_of(neuron) != SlotTable::kNone;
}

void NeuronCache::begin(int layer, int n_groups, Reads reads) {
    const std::lock_guard lock(mutex_);
    HEARTH_ASSERT(running_ < 0 && layer >= 0 && layer < n_layers());
    HEARTH_ASSERT(static_cast<std::uint64_t>(n_groups) <= kGroups);
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
            wait_for_reads(lock, group.outstanding);
        }
        if (group.state == State::Pinned || group.state == State::Held) {
            finish_locked(group, false);
        }
    }
    groups_.clear();
    running_ = -1;
}

void NeuronCache::request_locked(int index, int neuron, std::byte* to, std::uint64_t deadline,
                                 std::uint64_t ticket) {
    const CachedLayer& layer = layers_[static_cast<std::size_t>(index)];
    const auto number = static_cast<std::uint64_t>(layer.number(neuron));
    for (const NeuronRun& run : layer.runs) {
        requests_.push_back({.offset = run.offset + number * run.stride,
                             .to = {to + run.at, static_cast<std::size_t>(run.bytes)},
                             .deadline = deadline,
                             .ticket = ticket,
                             .channel = channel_,
                             .account = layer.account});
    }
}

void NeuronCache::take_done_locked(std::span<ReadDone> done) {
    for (ReadDone& read : done) {
        int group = static_cast<int>(read.ticket % kGroups);
        const auto nobody_waits = [&](auto& apart) {
            --apart.outstanding;
            group = apart.group;
            if (group == apart.kNone && !read.status && apart.status) {
                apart.status = std::move(read.status);
            }
            return group == apart.kNone;
        };
        if (read.ticket >= kFillTicket
                ? nobody_waits(fills_[static_cast<std::size_t>(read.ticket - kFillTicket)])
                : read.ticket >= kAheadTicket &&
                      nobody_waits(ahead_[static_cast<std::size_t>(read.ticket - kAheadTicket)])) {
            continue;
        }
        Running& waiting = groups_[static_cast<std::size_t>(group)];
        if (!read.status && waiting.status) {
            waiting.status = std::move(read.status);
        }
        if (const std::uint64_t name = read.ticket / kGroups;
            read.ticket < kAheadTicket && name > 0) {
            --waiting.wanted.left[static_cast<std::size_t>(name - 1)];
        }
        --waiting.outstanding;
        --outstanding_;
    }
}

// The room of a neuron of the running layer that was expected, or none. One that could not be read
// is read again, as if nobody had expected it.
int NeuronCache::expected_locked(int neuron) const {
    const auto found = std::find_if(ahead_.begin(), ahead_.end(), [&](const Ahead& ahead) {
        return ahead.layer == running_ && ahead.neuron == neuron && ahead.group == Ahead::kNone &&
               ahead.status.has_value();
    });
    return found == ahead_.end() ? Ahead::kNone : static_cast<int>(found - ahead_.begin());
}

int NeuronCache::free_room_locked() const {
    const auto found = std::find_if(ahead_.begin(), ahead_.end(),
                                    [](const Ahead& ahead) { return ahead.is_free(); });
    return found == ahead_.end() ? Ahead::kNone : static_cast<int>(found - ahead_.begin());
}

// Gives up unwanted ones that no group waits for.
template <class Unwanted>
void NeuronCache::give_up_locked(const Unwanted& unwanted) {
    tickets_.clear();
    for (std::size_t i = 0; i < ahead_.size(); ++i) {
        Ahead& ahead = ahead_[i];
        if (ahead.layer != Ahead::kNone && ahead.group == Ahead::kNone && unwanted(ahead)) {
            ahead.layer = Ahead::kNone;
            if (ahead.outstanding > 0) {
                tickets_.push_back(kAheadTicket + i);
            }
        }
    }
    if (!tickets_.empty()) {
        queue_.cancel(tickets_, channel_);
    }
}

void NeuronCache::expect_nothing() {
    const std::lock_guard lock(mutex_);
    give_up_locked([](const Ahead&) { return true; });
}

void NeuronCache::expect(int layer, std::span<const std::uint16_t> neurons, std::size_t n_likely) {
    const std::lock_guard lock(mutex_);
    HEARTH_ASSERT(layer != running_ && n_likely <= neurons.size());
    const SlotTable& table = tables_[static_cast<std::size_t>(layer)];
    give_up_locked([&](const Ahead& ahead) {
        return ahead.layer == layer &&
               std::find(neurons.begin(), neurons.end(), ahead.neuron) == neurons.end();
    });
    if (!collecting_) {  // else somebody takes them
        std::array<ReadDone, 64> done;
        for (std::size_t n = 1; n > 0;) {
            n = queue_.take(done, 0, channel_);
            take_done_locked(std::span(done).first(n));
        }
        changed_.notify_all();
    }
    requests_.clear();
    tickets_.clear();
    auto room = ahead_.begin();
    for (std::size_t i = 0; i < neurons.size(); ++i) {
        const int neuron = neurons[i];
        const auto known = std::find_if(ahead_.begin(), ahead_.end(), [&](const Ahead& ahead) {
            return ahead.layer == layer && ahead.neuron == neuron;
        });
        if (known != ahead_.end()) {
            if (i < n_likely && known->outstanding > 0) {
                tickets_.push_back(kAheadTicket +
                                   static_cast<std::uint64_t>(known - ahead_.begin()));
            }
            continue;
        }
        room = std::find_if(room, ahead_.end(), [](const Ahead& ahead) { return ahead.is_free(); });
        if (room == ahead_.end() || table.slot_of(neuron) != SlotTable::kNone) {
            continue;
        }
        const auto index = static_cast<int>(room - ahead_.begin());
        *room = {
            .layer = layer,
            .neuron = neuron,
            .outstanding = static_cast<int>(layers_[static_cast<std::size_t>(layer)].runs.size())};
        request_locked(layer, neuron, ahead_room_.at(index),
                       i < n_likely ? ReadRequest::kLikely : ReadRequest::kUnhurried,
                       kAheadTicket + static_cast<std::uint64_t>(index));
        ++counters_[static_cast<std::size_t>(layer)].ahead;
    }
    if (!tickets_.empty()) {
        queue_.set_deadline(tickets_, ReadRequest::kLikely, channel_);
    }
    if (!requests_.empty() && !queue_.submit(requests_)) {
        for (const ReadRequest& request : requests_) {  // a run each
            ahead_[static_cast<std::size_t>(request.ticket - kAheadTicket)] = {};
        }
    }
}

NeuronCache::Fill* NeuronCache::fill_of_locked(int layer, int neuron) {
    const auto found = std::find_if(fills_.begin(), fills_.end(), [&](const Fill& fill) {
        return fill.layer == layer && fill.neuron == neuron;
    });
    return found == fills_.end() ? nullptr : &*found;
}

bool NeuronCache::refill(int index) {
    const std::lock_guard lock(mutex_);
    HEARTH_ASSERT(running_ < 0);
    SlotTable& table = tables_[static_cast<std::size_t>(index)];
    const CachedLayer& layer = layers_[static_cast<std::size_t>(index)];
    Fill* const fill = fill_of_locked(Fill::kNone, Fill::kNone);
    // The largest groups of a token and of a batch find room beside what is being filled.
    const int others =
        std::max(layer.largest_group, table.n_slots() / 2) + static_cast<int>(kFills);
    const int neuron = fill != nullptr && table.has_empty() && table.n_unpinned() > others
                           ? table.most_used_absent()
                           : SlotTable::kNone;
    if (neuron == SlotTable::kNone) {
        return false;
    }
    const int slot = table.put(neuron);
    requests_.clear();
    request_locked(index, neuron, layer.slot(slot), ReadRequest::kUnhurried,
                   kFillTicket + static_cast<std::uint64_t>(fill - fills_.data()));
    if (!queue_.submit(requests_)) {
        table.unpin(neuron);
        table.drop(neuron);
        return false;
    }
    *fill = {.layer = index, .neuron = neuron, .outstanding = static_cast<int>(requests_.size())};
    return true;
}

bool NeuronCache::is_filling() const {
    const std::lock_guard lock(mutex_);
    return std::any_of(fills_.begin(), fills_.end(),
                       [](const Fill& fill) { return fill.layer != Fill::kNone; });
}

std::optional<NeuronCache::Filled> NeuronCache::next_filled() {
    const std::lock_guard lock(mutex_);
    HEARTH_ASSERT(running_ < 0);
    std::array<ReadDone, 64> done;
    for (std::size_t n = 1; n > 0;) {
        n = queue_.take(done, 0, channel_);
        take_done_locked(std::span(done).first(n));
    }
    for (Fill& fill : fills_) {
        if (fill.layer == Fill::kNone || fill.outstanding > 0) {
            continue;
        }
        SlotTable& table = tables_[static_cast<std::size_t>(fill.layer)];
        if (fill.status) {
            return Filled{fill.layer, fill.neuron,
                          static_cast<std::uint16_t>(table.slot_of(fill.neuron))};
        }
        table.unpin(fill.neuron);
        table.drop(fill.neuron);
        fill = {};
    }
    return std::nullopt;
}

void NeuronCache::filled(const Filled& one, bool good) {
    const std::lock_guard lock(mutex_);
    Fill* const fill = fill_of_locked(one.layer, one.neuron);
    HEARTH_ASSERT(fill != nullptr && fill->outstanding == 0 && fill->group == Fill::kNone);
    SlotTable& table = tables_[static_cast<std::size_t>(one.layer)];
    table.unpin(one.neuron);
    if (!good) {
        table.drop(one.neuron);
    }
    *fill = {};
}

void NeuronCache::stop_filling_locked() {
    HEARTH_ASSERT(running_ < 0);
    tickets_.clear();
    for (std::size_t i = 0; i < fills_.size(); ++i) {
        if (fills_[i].outstanding > 0) {
            tickets_.push_back(kFillTicket + i);
        }
    }
    queue_.cancel(tickets_, channel_);
    for (Fill& fill : fills_) {
        while (fill.outstanding > 0) {
            std::array<ReadDone, 64> done;
            const std::size_t n = queue_.take(done, 1, channel_);
            take_done_locked(std::span(done).first(n));
        }
        if (fill.layer != Fill::kNone) {
            SlotTable& table = tables_[static_cast<std::size_t>(fill.layer)];
            table.unpin(fill.neuron);
            table.drop(fill.neuron);
            fill = {};
        }
    }
}

void NeuronCache::drop(int layer) {
    const std::lock_guard lock(mutex_);
    HEARTH_ASSERT(running_ < 0);
    stop_filling_locked();
    SlotTable& table = tables_[static_cast<std::size_t>(layer)];
    const int n_slots = table.n_slots();
    table.set_slots(0);
    table.set_slots(n_slots);
}

void NeuronCache::forget(int layer, int neuron) {
    const std::lock_guard lock(mutex_);
    HEARTH_ASSERT(running_ < 0);
    stop_filling_locked();
    give_up_locked([&](const Ahead& one) { return one.layer == layer && one.neuron == neuron; });
    SlotTable& table = tables_[static_cast<std::size_t>(layer)];
    if (table.slot_of(neuron) != SlotTable::kNone) {
        table.drop(neuron);
    }
}

void NeuronCache::set_slots(int layer, int n_slots) {
    const std::lock_guard lock(mutex_);
    HEARTH_ASSERT(running_ < 0);
    HEARTH_ASSERT(n_slots >= layers_[static_cast<std::size_t>(layer)].largest_group);
    stop_filling_locked();
    tables_[static_cast<std::size_t>(layer)].set_slots(n_slots);
    if (auto& rivals = rivals_[static_cast<std::size_t>(layer)]) {
        rivals->set_slots(n_slots);
    }
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
    HEARTH_ASSERT(wanted.left.empty() ||
                  (wanted.left.size() == wanted.names.size() && wanted.names.size() < kGroups));
    running.wanted = wanted;
    running.state = State::Wanted;
    if (auto& rivals = rivals_[static_cast<std::size_t>(running_)];
        rivals && groups_.size() == 1) {  // a token's
        rivals->saw(wanted.first, wanted.names);
    }
    ++n_known_;
    pin_locked();
}

bool NeuronCache::has_room_locked(const Running& group) const {
    const SlotTable& table = tables_[static_cast<std::size_t>(running_)];
    std::size_t wanted = group.wanted.names.size();
    HEARTH_ASSERT(wanted <= static_cast<std::size_t>(table.n_slots()));
    if (group.state == State::Held) {  // the others have their slots
        wanted = static_cast<std::size_t>(
            std::count(group.wanted.read.begin(), group.wanted.read.end(), kRead));
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
    if (next_ == groups_.size()) {  // the rest is wanted by nobody
        give_up_locked([&](const Ahead& ahead) { return ahead.layer == running_; });
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
        const bool is_filled = fill_of_locked(running_, neuron) != nullptr;
        const int slot = is_filled ? SlotTable::kNone : table.slot_of(neuron);
        wanted.read[i] = slot == SlotTable::kNone ? kRead : 0;
        if (slot != SlotTable::kNone) {
            table.use(neuron);
            wanted.at[i] = static_cast<std::uint16_t>(slot);
            ++counters_[static_cast<std::size_t>(running_)].hits;
        }
    }
    group.state = State::Held;
}

// Gives the rest its slots and begins to read it.
void NeuronCache::read_rest_locked(Running& group) {
    const CachedLayer& layer = layers_[static_cast<std::size_t>(running_)];
    SlotTable& table = tables_[static_cast<std::size_t>(running_)];
    const Group& wanted = group.wanted;
    CacheCounters& counters = counters_[static_cast<std::size_t>(running_)];
    const auto& rivals = rivals_[static_cast<std::size_t>(running_)];
    const SlotWay way = rivals ? rivals->way() : SlotWay::Rarest;
    requests_.clear();
    tickets_.clear();
    group.state = State::Pinned;
    for (std::size_t i = 0; i < wanted.names.size(); ++i) {
        if (wanted.read[i] == 0) {
            continue;
        }
        const int neuron = wanted.first + wanted.names[i];
        const std::uint64_t name = wanted.left.empty() ? 0 : i + 1;
        if (name > 0) {
            wanted.left[i] = 0;
        }
        ++counters.misses;
        if (Fill* const fill = fill_of_locked(running_, neuron)) {
            wanted.at[i] = static_cast<std::uint16_t>(table.slot_of(neuron));
            fill->group = static_cast<int>(next_);
            group.outstanding += fill->outstanding;
            outstanding_ += fill->outstanding;
            if (!fill->status) {
                group.status = fill->status;
            }
            tickets_.push_back(kFillTicket + static_cast<std::uint64_t>(fill - fills_.data()));
            continue;
        }
        const int expected = expected_locked(neuron);
        const int free_room = way == SlotWay::RarestOrPass && expected == Ahead::kNone
                                  ? free_room_locked()
                                  : expected;
        const int slot = SlotRivals::put(table, neuron, way, free_room != Ahead::kNone);
        const int room = slot == SlotTable::kNone ? free_room : expected;
        wanted.at[i] = slot == SlotTable::kNone ? kPassing : static_cast<std::uint16_t>(slot);
        counters.passed += slot == SlotTable::kNone ? 1 : 0;
        if (room == Ahead::kNone) {
            request_locked(running_, neuron, layer.slot(wanted.at[i]), next_,
                           next_ | name << kNameShift);
            continue;
        }
        Ahead& ahead = ahead_[static_cast<std::size_t>(room)];
        const std::uint64_t ticket = kAheadTicket + static_cast<std::uint64_t>(room);
        wanted.read[i] = static_cast<std::uint8_t>(kAhead + room);
        if (room != expected) {
            ahead = {.layer = running_, .neuron = neuron};
            request_locked(running_, neuron, ahead_room_.at(room), next_, ticket);
        } else {
            ++counters.taken;
            if (ahead.outstanding > 0) {
                tickets_.push_back(ticket);
            }
        }
        group.outstanding += ahead.outstanding;
        outstanding_ += ahead.outstanding;
        ahead.group = static_cast<int>(next_);
    }
    if (!tickets_.empty()) {
        queue_.set_deadline(tickets_, next_, channel_);  // before all that is read ahead
    }
    if (!requests_.empty()) {
        const Result<void> submitted = queue_.submit(requests_);
        if (!submitted) {
            group.status = submitted;
        }
        for (const ReadRequest& request : requests_) {
            const int reads = submitted ? 1 : 0;
            if (request.ticket >= kAheadTicket) {
                ahead_[static_cast<std::size_t>(request.ticket - kAheadTicket)].outstanding +=
                    reads;
            } else if (const std::uint64_t name = request.ticket / kGroups; name > 0) {
                wanted.left[static_cast<std::size_t>(name - 1)] += static_cast<std::uint8_t>(reads);
            }
            group.outstanding += reads;
            outstanding_ += reads;
        }
    }
}

bool NeuronCache::is_pinned(int group) {
    const std::lock_guard lock(mutex_);
    return groups_[static_cast<std::size_t>(group)].state == State::Pinned;
}

// Sleeps until so many reads are done that a group waits for, or that others do on its behalf.
void NeuronCache::wait_for_reads(std::unique_lock<std::mutex>& lock, int at_least) {
    if (collecting_ || outstanding_ == 0) {
        changed_.wait(lock);
        return;
    }
    collecting_ = true;
    lock.unlock();
    std::array<ReadDone, 256> done;
    const auto most = static_cast<int>(done.size());
    const std::size_t n =
        queue_.take(done, static_cast<std::size_t>(std::clamp(at_least, 1, most)), channel_);
    lock.lock();
    collecting_ = false;
    take_done_locked(std::span(done).first(n));
    changed_.notify_all();
}

// To wake up for each read costs more than neurons do: for all of a group's at once.
Result<void> NeuronCache::await(int index) {
    std::unique_lock lock(mutex_);
    Running& group = groups_[static_cast<std::size_t>(index)];
    const Waiting waiting(waited_ns_);
    while (group.state != State::Pinned || group.outstanding > 0) {
        wait_for_reads(lock, group.outstanding);
    }
    return group.status;
}

bool NeuronCache::is_here_locked(const Running& group, std::size_t i) {
    const Group& wanted = group.wanted;
    if (wanted.read[i] >= kAhead) {
        return ahead_[static_cast<std::size_t>(wanted.read[i] - kAhead)].outstanding == 0;
    }
    const Fill* const fill = fill_of_locked(running_, wanted.first + wanted.names[i]);
    return fill != nullptr ? fill->outstanding == 0 : wanted.left[i] == 0;
}

void NeuronCache::find_more_locked(Running& group) {
    const Group& wanted = group.wanted;
    more_.clear();
    for (std::size_t i = 0; i < wanted.names.size(); ++i) {
        if (wanted.read[i] != 0 && wanted.left[i] != kTold && is_here_locked(group, i)) {
            wanted.left[i] = kTold;
            more_.push_back(static_cast<std::uint16_t>(i));
        }
    }
}

// Experts are worth waking up for each.
std::span<const std::uint16_t> NeuronCache::await_more(int index) {
    std::unique_lock lock(mutex_);
    Running& group = groups_[static_cast<std::size_t>(index)];
    HEARTH_ASSERT(group.wanted.left.size() == group.wanted.names.size());
    const Waiting waiting(waited_ns_);
    for (more_.clear(); more_.empty();) {
        if (group.state == State::Pinned) {
            if (!group.status) {
                break;
            }
            find_more_locked(group);
            if (!more_.empty() || group.outstanding == 0) {
                break;
            }
        }
        wait_for_reads(lock, 1);
    }
    return more_;
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
        if (wanted.at[i] != kPassing) {
            table.unpin(neuron);
            if (!good && wanted.read[i] != 0) {
                table.drop(neuron);
            }
        }
        if (Fill* const fill =
                wanted.read[i] == kRead ? fill_of_locked(running_, neuron) : nullptr) {
            *fill = {};
        }
        if (wanted.read[i] >= kAhead) {
            ahead_[static_cast<std::size_t>(wanted.read[i] - kAhead)] = {};
        }
    }
    group.state = State::Done;
}

CacheCounters NeuronCache::counters() const {
    const std::lock_guard lock(mutex_);
    return std::accumulate(counters_.begin(), counters_.end(), CacheCounters{},
                           [](CacheCounters sum, const CacheCounters& one) { return sum += one; });
}

CacheCounters NeuronCache::counters(int layer) const {
    const std::lock_guard lock(mutex_);
    return counters_[static_cast<std::size_t>(layer)];
}

std::uint64_t NeuronCache::waited_ns() const {
    const std::lock_guard lock(mutex_);
    return waited_ns_;
}

}  // namespace hearth
