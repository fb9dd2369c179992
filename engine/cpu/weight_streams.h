// The weights that RAM does not hold: each pass reads them from the file, ahead of their use, and
// lays them out as loading would have.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "base/input_file.h"
#include "base/thread_pool.h"
#include "compute/executor.h"
#include "cpu/weight_job.h"
#include "flash/latencies.h"
#include "flash/read_queue.h"
#include "memory/read_ahead.h"
#include "model/roles.h"

namespace hearth {

// What is leased at once.
struct StreamedPart {
    int layer = 0;
    Part part{};
    std::vector<WeightJob> jobs;
    std::uint64_t bytes = 0;  // as held
};

class WeightStreams {
public:
    // Of the memory in which parts are read ahead, and other pieces of at most largest_piece bytes.
    static std::uint64_t ring_bytes(std::span<const StreamedPart> parts,
                                    std::uint64_t largest_piece);

    // parts: in the order of a pass. memory: slot_bytes for the largest part, then ring_bytes(); it
    // and the pool must outlive this. file: as it was when the model was bound to it.
    static Result<std::unique_ptr<WeightStreams>> open(const InputFile& file,
                                                       std::vector<StreamedPart> parts,
                                                       std::span<std::byte> memory,
                                                       std::uint64_t slot_bytes, ThreadPool& pool);

    // What reads the file, and the memory to read to: until start(), anybody's.
    ReadQueue& queue() { return queue_; }
    std::span<std::byte> ring() const { return ring_; }
    void start();

    // Sleeps until the part lies in the slot; at once where it lies there already, or is no
    // streamed part. ReadFailed: also if the file was changed meanwhile. BadFile: Inf or NaN.
    Result<void> bring(int layer, Part part);

    FlashReads reads() const;

private:
    WeightStreams(std::string path, ReadQueue queue, std::vector<StreamedPart> parts,
                  std::byte* slot, std::span<std::byte> ring, ThreadPool& pool);
    void note_pass();

    std::string path_;
    ReadQueue queue_;
    std::vector<StreamedPart> parts_;
    std::vector<std::size_t> first_pieces_;  // of each part
    std::vector<bool> checked_;              // found finite when it was first read
    std::byte* slot_;
    std::span<std::byte> ring_;
    ThreadPool& pool_;
    std::uint64_t bytes_per_pass_ = 0;
    std::uint64_t waited_ns_ = 0;  // by all threads, until the running pass began
    Latencies stalls_;             // of the passes before
    bool passed_ = false;
    const StreamedPart* held_ = nullptr;  // what the slot holds
    std::unique_ptr<ReadAhead> ahead_;    // goes before the queue does
};

}  // namespace hearth
