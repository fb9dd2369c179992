// The cold part of the segmented cache: single neurons of layers that RAM does not hold whole, read
// from the file when a token needs them. (PowerInfer-2, section 4.4, cold region.) A neuron is
// whatever has a number and a slot of its own: an expert's slices of its layer's tensors are one,
// too, and all experts of a token are one group.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "flash/read_queue.h"
#include "memory/slot_rivals.h"
#include "memory/slot_table.h"

namespace hearth {

// A run of each neuron's bytes in the file: those of neuron n begin at offset + n * stride.
struct NeuronRun {
    std::uint64_t offset = 0;
    std::uint64_t stride = 0;
    std::uint64_t bytes = 0;
    std::uint64_t at = 0;  // where they are put in a slot
};

struct CachedLayer {
    int n_neurons = 0;
    int first = 0;                   // number of neuron 0 in the file
    std::span<const int> numbers{};  // [n_neurons] in the file; empty: one after the other
    std::vector<NeuronRun> runs{};
    std::uint64_t slot_bytes = 0;
    int largest_group = 0;  // most neurons that are named at a time; of experts, a token's
    int n_slots = 0;        // for which there is room
    // [n_neurons], as SlotTable::expect(); empty: nothing is known. Read by the constructor alone.
    std::span<const std::uint8_t> expected_uses{};
    std::byte* base = nullptr;  // of [n_slots] slots
    std::uint16_t account = 0;  // ReadRequest::account
    // A neuron that is used seldom may get no slot, if that misses less: it passes by, through room
    // ahead.
    bool may_pass = false;

    int number(int neuron) const {
        return numbers.empty() ? first + neuron : numbers[static_cast<std::size_t>(neuron)];
    }
    std::byte* slot(int index) const {
        return base + static_cast<std::uint64_t>(index) * slot_bytes;
    }
};

// Room for neurons that have no slot, or none yet: beside the slots, for all layers. They are read
// before anybody wants them, or are wanted too seldom.
struct AheadRoom {
    std::byte* base = nullptr;
    std::uint64_t bytes = 0;  // of each
    int count = 0;

    std::byte* at(int index) const { return base + static_cast<std::uint64_t>(index) * bytes; }
};

struct CacheCounters {
    std::uint64_t hits = 0;    // neurons that were there when a token named them
    std::uint64_t misses = 0;  // that were read
    std::uint64_t passed = 0;  // of these, that got no slot
    std::uint64_t ahead = 0;   // whose reads began when they were expected
    std::uint64_t taken = 0;   // of those, that a token then named

    CacheCounters& operator+=(const CacheCounters& other) {
        hits += other.hits;
        misses += other.misses;
        passed += other.passed;
        ahead += other.ahead;
        taken += other.taken;
        return *this;
    }
};

// One layer of one token at a time. Its neurons come in groups: a group's names are known at some
// time, then those of them that are here are pinned and the others read; when all are here it is
// computed, and then its slots are free for others. Groups are pinned in their order, and as many
// at a time as there are slots. So a layer needs no more slots than its largest group has neurons,
// and no two groups wait for each other.
//
//   begin(layer, 2)
//   want(1, ...)    any thread, groups in any order
//   want(0, ...)
//   await(0)        sleeps; then the slots are known and full
//   done(0)
//   await(1), done(1)
//   end()
//
// Neurons that a layer will probably want may be read while an earlier one is computed: expect().
// Its bytes come to room of their own, so nothing gives way for what nobody wants in the end, and
// hits and misses are those of a cache that expects nothing. Several layers may be expected.
class NeuronCache {
public:
    // True if each layer has slots enough for any of its groups. OverBudget says what it lacks.
    static Result<void> check(std::span<const CachedLayer> layers);
    // queue and slots must outlive this. Precondition: check(layers).
    NeuronCache(ReadQueue& queue, int channel, std::vector<CachedLayer> layers,
                const AheadRoom& ahead = {});
    // Waits for the reads in flight.
    ~NeuronCache();
    NeuronCache(const NeuronCache&) = delete;
    NeuronCache& operator=(const NeuronCache&) = delete;

    const CachedLayer& layer(int index) const { return layers_[static_cast<std::size_t>(index)]; }
    int n_layers() const { return static_cast<int>(layers_.size()); }
    int n_held(int layer) const;  // neurons that are here
    bool holds(int layer, int neuron) const;

    // The thread that runs the layer; nothing is between begin() and end(). Reads begin with the
    // first group, or when all groups are known: then nothing that a later group wants gives way
    // to an earlier one's neurons, which misses less. HeldStay: likewise where there are fewer
    // slots than names; groups that are here stay as far as the largest group finds room beside
    // them.
    enum class Reads : std::uint8_t { AtOnce, WhenAllAreKnown, HeldStay };
    void begin(int layer, int n_groups, Reads reads = Reads::AtOnce);
    // Waits for what is still being read, and gives up groups that were not done.
    void end();
    // Reads those of the neurons that are not here, as far as there is room and the disk has
    // nothing better to do. The layer's next run has them sooner, if it wants them. The first
    // n_likely are read first and more of them at once than of the others. Neurons of the layer's
    // earlier call that are not named again are given up. The thread that runs layers, any time.
    // Precondition: the layer does not run.
    void expect(int layer, std::span<const std::uint16_t> neurons, std::size_t n_likely = 0);
    // Gives up what was expected of any layer.
    void expect_nothing();
    // Empty slots are filled while nothing better is to be read. refill() begins to read what was
    // used most and is not here to one of the layer's; false: it has none, or too few others, too
    // much is being read, or nothing is known of use. The caller arranges what is there then, and
    // hands it back. A token that wants a neuron meanwhile waits for it. Between runs.
    struct Filled {
        int layer = 0;
        int neuron = 0;
        std::uint16_t at = 0;
    };
    bool refill(int layer);
    std::optional<Filled> next_filled();
    void filled(const Filled& one, bool good);
    bool is_filling() const;
    // Forgets the layer's neurons: its slots were written to.
    void drop(int layer);
    // Forgets the neuron: its number is another one's from now on. Between runs.
    void forget(int layer, int neuron);
    // Uses the layer's first slots only from now on, and forgets what lies in the others.
    // Precondition: as many as the largest group has neurons, and no more than there is room for.
    void set_slots(int layer, int n_slots);
    int n_slots(int layer) const;

    // What a group wants, in the caller's memory until end().
    struct Group {
        int first = 0;                           // of the neurons that names count from
        std::span<const std::uint16_t> names{};  // each neuron once
        // [names], slots, written before it is pinned. kPassing: it has none.
        std::span<std::uint16_t> at{};
        // [names] likewise: 0 where it was here, kRead where it is read to its slot, kAhead + n
        // where it lies in room n, from where it is to be put into its slot, if it has one.
        std::span<std::uint8_t> read{};
        // [names] or none: await_more() keeps its account here.
        std::span<std::uint8_t> left{};
    };
    static constexpr std::uint16_t kPassing = SlotTable::kMostSlots;
    static constexpr std::uint8_t kRead = 1;
    static constexpr std::uint8_t kAhead = 2;
    // From await() to done(), by the entries in Group: where the bytes of a neuron are that was not
    // here, and where a neuron is computed with.
    std::byte* read_place(int layer, std::uint16_t at, std::uint8_t read) const {
        return read >= kAhead ? ahead_room_.at(read - kAhead)
                              : layers_[static_cast<std::size_t>(layer)].slot(at);
    }
    std::byte* place(int layer, std::uint16_t at, std::uint8_t read) const {
        return at == kPassing ? read_place(layer, at, read)
                              : layers_[static_cast<std::size_t>(layer)].slot(at);
    }
    // Any thread, once a group.
    void want(int group, const Group& wanted);
    // Whether slots and read are known, and what is not read may be computed with. Any thread.
    bool is_pinned(int group);
    // Sleeps until all of the group's neurons are here. ReadFailed names file and offset. Any
    // thread; groups are awaited in their order where there are fewer slots than neurons.
    Result<void> await(int group);
    // Sleeps until more of the group's neurons that were not here are: each is told once, as its
    // index in names. None: all were told, or the group failed; await() says which, and is to be
    // called in any case. One thread at a time, for groups with `left`, until its next call.
    std::span<const std::uint16_t> await_more(int group);
    // Any thread, after await(). good: false forgets what was read of the group.
    void done(int group, bool good = true);

    CacheCounters counters() const;           // of all layers
    CacheCounters counters(int layer) const;  // of one
    // How long await() has slept, of all threads together.
    std::uint64_t waited_ns() const;

private:
    enum class State : std::uint8_t { Unknown, Wanted, Held, Pinned, Done };
    struct Running {
        Group wanted{};
        State state = State::Unknown;
        int outstanding = 0;
        Result<void> status{};
    };
    static constexpr std::uint8_t kTold = 255;  // in Group::left, above any number of reads

    // One that has no slot, or none yet.
    struct Ahead {
        static constexpr int kNone = -1;
        int layer = kNone;  // none: it is not wanted any more
        int neuron = kNone;
        int group = kNone;    // that waits for it, or has it
        int outstanding = 0;  // reads; until they are over the room is not free
        Result<void> status{};
        bool is_free() const { return layer == kNone && outstanding == 0; }
    };

    // A slot that is filled.
    struct Fill {
        static constexpr int kNone = -1;
        int layer = kNone;
        int neuron = kNone;
        int group = kNone;  // that waits for it, or has it
        int outstanding = 0;
        Result<void> status{};
    };
    static constexpr std::size_t kFills = 4;  // at once

    Fill* fill_of_locked(int layer, int neuron);
    void stop_filling_locked();
    void request_locked(int layer, int neuron, std::byte* to, std::uint64_t deadline,
                        std::uint64_t ticket);
    void take_done_locked(std::span<ReadDone> done);
    int expected_locked(int neuron) const;
    int free_room_locked() const;
    template <class Unwanted>
    void give_up_locked(const Unwanted& unwanted);
    void pin_locked();
    bool has_room_locked(const Running& group) const;
    void pin_held_first_locked();
    void pin_held_locked(Running& group);
    void read_rest_locked(Running& group);
    void finish_locked(Running& group, bool good);
    bool is_here_locked(const Running& group, std::size_t i);
    void find_more_locked(Running& group);
    void wait_for_reads(std::unique_lock<std::mutex>& lock, int at_least);

    ReadQueue& queue_;
    const int channel_;
    const std::vector<CachedLayer> layers_;
    const AheadRoom ahead_room_;
    std::vector<SlotTable> tables_;                  // [n_layers]
    std::vector<std::optional<SlotRivals>> rivals_;  // likewise, of those that may pass

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    int running_ = -1;  // layer
    std::vector<Running> groups_;
    Reads reads_ = Reads::AtOnce;
    std::size_t n_known_ = 0;  // groups
    std::size_t next_ = 0;     // group to pin
    int outstanding_ = 0;      // reads of all groups
    bool collecting_ = false;  // a thread waits for the disk on behalf of all
    std::vector<ReadRequest> requests_;
    std::vector<Ahead> ahead_;  // [ahead_room_.count]
    std::vector<std::uint64_t> tickets_;
    std::vector<std::uint16_t> more_;  // what await_more() tells
    std::array<Fill, kFills> fills_;
    std::vector<CacheCounters> counters_;  // [n_layers]
    std::uint64_t waited_ns_ = 0;
};

}  // namespace hearth
