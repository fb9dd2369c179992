// The weights that RAM does not hold. Each pass reads some of them from the file, ahead of their
// use, and lays them out as loading would have; of others a token reads the neurons it needs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "base/input_file.h"
#include "base/thread_pool.h"
#include "compute/executor.h"
#include "cpu/cold_neurons.h"
#include "flash/latencies.h"
#include "flash/read_queue.h"
#include "memory/read_ahead.h"
#include "memory/weight_job.h"
#include "model/roles.h"

namespace hearth {

// What is leased at once.
struct StreamedPart {
    int layer = 0;
    Part part{};
    std::vector<WeightJob> jobs;
    std::uint64_t bytes = 0;  // as held
    bool shares = false;      // is laid out where cached neurons lie otherwise
};

// A token reads the parts in a circle, a batch others, which have all of the cached neurons too.
struct StreamedParts {
    std::vector<StreamedPart> of_token;
    std::vector<StreamedPart> of_batch;  // empty: the same
};

// The memory that is read to. What a batch streams lies over the cache, whose layers forget what
// they had there.
struct StreamMemory {
    std::uint64_t slot = 0;    // bytes for the largest part that shares nothing
    std::uint64_t ring = 0;    // read ahead, as the file has it
    std::uint64_t cached = 0;  // slots of neurons
    std::uint64_t batch_slot = 0;
    std::uint64_t ahead = 0;   // experts that are read before they are chosen
    bool ring_shares = false;  // tokens read nothing ahead: the ring is behind batch_slot
    std::uint64_t shared() const { return std::max(cached, batch_slot + (ring_shares ? ring : 0)); }
    std::uint64_t total() const { return slot + (ring_shares ? 0 : ring) + shared() + ahead; }

    // largest_piece: of what loading reads, through the same ring.
    static StreamMemory of(const StreamedParts& parts, std::uint64_t cached, std::uint64_t ahead,
                           std::uint64_t largest_piece);
};

class WeightStreams {
public:
    // parts: in the order of a pass. memory: sizes.total() bytes; it and the pool must outlive
    // this. file: as it was when the model was bound to it. without, disk: as in the plan.
    static Result<std::unique_ptr<WeightStreams>> open(const InputFile& file, StreamedParts parts,
                                                       const StreamMemory& sizes,
                                                       std::span<std::byte> memory,
                                                       ThreadPool& pool,
                                                       const FlashWithout& without = {},
                                                       const DiskReads& disk = {});

    // Where the parts lie that are streamed.
    std::byte* slot(bool shares) const { return shares ? batch_slot_ : slot_; }
    // What reads the file, and the memory to read to: until start(), anybody's.
    ReadQueue& queue() { return queue_; }
    std::span<std::byte> ring() const { return ring_; }
    // cold: layers whose neurons are cached. Fills the caches.
    Result<void> start(int n_layer, std::vector<ColdLayer> cold);
    std::uint64_t filled_bytes() const { return filled_bytes_; }  // that start() read

    // Between passes: rows of the parts have other numbers in the file from now on.
    void reorder();

    // Null: no neurons are cached.
    ColdNeurons* cold() const { return cold_.get(); }

    // Of the memory, the most that set_spared() may be asked for: without it tokens still have the
    // slots, and batches the place, without which they cannot be computed.
    std::uint64_t most_spared() const;
    // Between passes: does without `bytes` of the memory from now on, to a page or two a layer, and
    // gives their pages back to the system.
    void set_spared(std::uint64_t bytes);

    // Between passes. ReadFailed: the file was changed meanwhile.
    Result<void> begin_pass(bool batch);
    // Sleeps until the part lies in the slot; at once where it lies there already, or is no part
    // that the pass streams. ReadFailed. BadFile: Inf or NaN.
    Result<void> bring(int layer, Part part);

    FlashReads reads() const;
    // As Executor::flash_of_layers().
    std::vector<FlashOfLayer> of_layers() const;

private:
    // Parts that are read again and again in their order.
    struct Circle {
        std::vector<StreamedPart> parts;
        std::vector<std::size_t> first_pieces;  // of each part
        std::vector<bool> checked;              // found finite when it was first read
        std::uint64_t bytes = 0;                // of the file, once round
        std::unique_ptr<ReadAhead> ahead;       // null: there are no parts
    };

    WeightStreams(std::string path, ReadQueue queue, StreamedParts parts, const StreamMemory& sizes,
                  std::span<std::byte> memory, ThreadPool& pool, const FlashWithout& without);
    void read_in_circles();
    std::uint64_t waited_ns() const;
    void note_pass();
    void leave_circle();
    std::uint64_t most_shared() const { return shared_.size() - spared_; }

    std::string path_;
    ReadQueue queue_;
    std::array<Circle, 2> circles_;  // of a token, of a batch
    Circle* circle_ = nullptr;       // the one that is read
    std::byte* slot_;
    std::byte* batch_slot_;
    std::span<std::byte> shared_;  // by the slots and what a batch streams
    std::span<std::byte> cached_;  // of it, the slots
    std::span<std::byte> ahead_;
    std::uint64_t overlaid_ = 0;  // bytes of it that a batch writes to
    std::uint64_t spared_ = 0;    // bytes of it that are not used
    std::span<std::byte> ring_;
    ThreadPool& pool_;
    const FlashWithout without_;
    std::uint64_t waited_ns_ = 0;      // by all threads, until the running pass began
    std::uint64_t waited_before_ = 0;  // by all threads, for readers that are gone
    Latencies stalls_;                 // of the passes before
    bool passed_ = false;
    std::vector<CacheCounters> filled_;         // [cold layers] when loading was done
    std::vector<std::uint64_t> circled_bytes_;  // [n_layer + 1] that a token reads in a circle
    std::uint64_t filled_bytes_ = 0;
    const StreamedPart* held_ = nullptr;  // what the slot holds
    std::unique_ptr<ColdNeurons> cold_;   // goes before the queue does
};

}  // namespace hearth
