#include "cpu/weight_streams.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace hearth {
namespace {

std::vector<FilePiece> pieces_of(std::span<const StreamedPart> parts) {
    std::vector<FilePiece> pieces;
    for (const StreamedPart& part : parts) {
        for (const WeightJob& job : part.jobs) {
            for (std::size_t task = 0; task < job.n_tasks(); ++task) {
                pieces.push_back(job.piece(task));
            }
        }
    }
    return pieces;
}

std::size_t n_tasks(const StreamedPart& part) {
    std::size_t n = 0;
    for (const WeightJob& job : part.jobs) {
        n += job.n_tasks();
    }
    return n;
}

}  // namespace

std::uint64_t WeightStreams::ring_bytes(std::span<const StreamedPart> parts,
                                        std::uint64_t largest_piece) {
    return std::max(ReadAhead::ring_bytes(pieces_of(parts)),
                    ReadAhead::least_ring_bytes({{0, largest_piece}})) +
           ReadAhead::kRingAlignment;
}

WeightStreams::WeightStreams(std::string path, ReadQueue queue, std::vector<StreamedPart> parts,
                             std::byte* slot, std::span<std::byte> ring, ThreadPool& pool)
    : path_(std::move(path)),
      queue_(std::move(queue)),
      parts_(std::move(parts)),
      checked_(parts_.size()),
      slot_(slot),
      ring_(ring),
      pool_(pool) {
    std::size_t piece = 0;
    for (const StreamedPart& part : parts_) {
        first_pieces_.push_back(piece);
        piece += n_tasks(part);
    }
}

Result<std::unique_ptr<WeightStreams>> WeightStreams::open(const InputFile& file,
                                                           std::vector<StreamedPart> parts,
                                                           std::span<std::byte> memory,
                                                           std::uint64_t slot_bytes,
                                                           ThreadPool& pool) {
    auto queue = ReadQueue::open(file.path());
    if (!queue) {
        return std::move(queue).error();
    }
    if (queue->size_bytes() != file.size_bytes()) {
        return Error{ErrorCode::ReadFailed,
                     "the file was changed while it was being opened: it has " +
                         std::to_string(queue->size_bytes()) + " bytes now and had " +
                         std::to_string(file.size_bytes()),
                     file.path(),
                     {}};
    }
    const std::span<std::byte> ring = memory.subspan(static_cast<std::size_t>(slot_bytes));
    const auto address = reinterpret_cast<std::uintptr_t>(ring.data());
    const std::size_t unaligned = address % ReadAhead::kRingAlignment;
    return std::unique_ptr<WeightStreams>(new WeightStreams(
        file.path(), std::move(*queue), std::move(parts), memory.data(),
        unaligned == 0 ? ring : ring.subspan(ReadAhead::kRingAlignment - unaligned), pool));
}

void WeightStreams::start() {
    std::vector<FilePiece> pieces = pieces_of(parts_);
    for (const FilePiece& piece : pieces) {
        for (const FileRange& run : piece) {
            bytes_per_pass_ += run.bytes;
        }
    }
    ahead_ = std::make_unique<ReadAhead>(queue_, std::move(pieces), ring_);
    queue_.restart_counters();
}

// How long the pass that ended has waited.
void WeightStreams::note_pass() {
    const std::uint64_t waited = ahead_->waited_ns();
    if (passed_) {
        stalls_.add((waited - waited_ns_) / static_cast<std::uint64_t>(pool_.n_threads()));
    }
    waited_ns_ = waited;
    passed_ = true;
}

FlashReads WeightStreams::reads() const {
    const ReadCounters counters = queue_.counters();
    return {.bytes_per_pass = bytes_per_pass_,
            .why_not_direct = std::string(queue_.why_not_direct()),
            .reads = counters.reads,
            .bytes = counters.bytes_read,
            .stall_p50_ns = stalls_.percentile(0.5),
            .stall_p90_ns = stalls_.percentile(0.9),
            .stall_p99_ns = stalls_.percentile(0.99)};
}

Result<void> WeightStreams::bring(int layer, Part part) {
    const auto found =
        std::find_if(parts_.begin(), parts_.end(), [&](const StreamedPart& streamed) {
            return streamed.layer == layer && streamed.part == part;
        });
    if (found == parts_.end() || &*found == held_) {
        return {};
    }
    held_ = nullptr;
    const auto index = static_cast<std::size_t>(found - parts_.begin());
    if (index == 0) {
        note_pass();
        if (const std::string change = queue_.change(); !change.empty()) {
            return Error{ErrorCode::ReadFailed,
                         "the model's file was changed while it was being read: " + change,
                         path_,
                         {}};
        }
    }
    std::size_t piece = first_pieces_[index];
    ahead_->seek(piece);
    for (const WeightJob& job : found->jobs) {
        AheadRows rows(*ahead_, piece);
        if (auto done = job.run(rows, pool_, {}, !checked_[index], slot_); !done) {
            return done;
        }
        piece += job.n_tasks();
    }
    checked_[index] = true;
    held_ = &*found;
    return {};
}

}  // namespace hearth
