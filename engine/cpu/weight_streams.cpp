#include "cpu/weight_streams.h"

#include <numeric>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/assert.h"
#include "plan/steps.h"

namespace hearth {
namespace {

constexpr int kColdChannel = 1;
constexpr std::uint64_t kAlignment = ReadAhead::kRingAlignment;

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

// The last account is that of the model's own roles.
std::uint16_t account_of(const StreamedPart& part, int n_layer) {
    return static_cast<std::uint16_t>(part.layer == kNoLayer ? n_layer : part.layer);
}

std::size_t n_tasks(const StreamedPart& part) {
    std::size_t n = 0;
    for (const WeightJob& job : part.jobs) {
        n += job.n_tasks();
    }
    return n;
}

std::uint64_t up_to_pages(std::uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

StreamMemory StreamMemory::of(const StreamedParts& parts, std::uint64_t cached, std::uint64_t ahead,
                              std::uint64_t largest_piece) {
    StreamMemory memory;
    memory.cached = cached;
    memory.ahead = ahead;
    memory.ring_shares = parts.of_token.empty();
    memory.ring = ReadAhead::least_ring_bytes({{0, largest_piece}});
    for (const auto* list : {&parts.of_token, &parts.of_batch}) {
        memory.ring = std::max(memory.ring, ReadAhead::ring_bytes(pieces_of(*list)));
        for (const StreamedPart& part : *list) {
            for (const WeightJob& job : part.jobs) {
                // Neurons that change their places leave runs of neighbours behind.
                const std::uint64_t least = ReadAhead::least_ring_bytes(job.scattered_piece());
                memory.ring = std::max(memory.ring, part.part == Part::Neurons ? least : 0);
            }
            std::uint64_t& slot = part.shares ? memory.batch_slot : memory.slot;
            slot = std::max(slot, up_to_pages(part.bytes));
        }
    }
    memory.ring = up_to_pages(memory.ring) + kAlignment;  // memory may begin within a page
    return memory;
}

WeightStreams::WeightStreams(std::string path, ReadQueue queue, StreamedParts parts,
                             const StreamMemory& sizes, std::span<std::byte> memory,
                             ThreadPool& pool, const FlashWithout& without)
    : path_(std::move(path)),
      queue_(std::move(queue)),
      slot_(memory.data()),
      pool_(pool),
      without_(without) {
    HEARTH_ASSERT(memory.size() >= sizes.total());
    const auto ring_at =
        static_cast<std::size_t>(sizes.slot + (sizes.ring_shares ? sizes.batch_slot : 0));
    ring_ = memory.subspan(ring_at, static_cast<std::size_t>(sizes.ring));
    const std::size_t unaligned = reinterpret_cast<std::uintptr_t>(ring_.data()) % kAlignment;
    ring_ = ring_.subspan(unaligned == 0 ? 0 : static_cast<std::size_t>(kAlignment) - unaligned);
    const auto shared_at =
        static_cast<std::size_t>(sizes.slot + (sizes.ring_shares ? 0 : sizes.ring));
    batch_slot_ = memory.data() + shared_at;
    shared_ = memory.subspan(shared_at, static_cast<std::size_t>(sizes.shared()));
    cached_ = shared_.first(static_cast<std::size_t>(sizes.cached));
    ahead_ = memory.subspan(shared_at + shared_.size(), static_cast<std::size_t>(sizes.ahead));
    overlaid_ = sizes.batch_slot + (sizes.ring_shares ? sizes.ring : 0);
    circles_[0].parts = std::move(parts.of_token);
    circles_[1].parts = std::move(parts.of_batch);
    for (Circle& circle : circles_) {
        circle.checked.resize(circle.parts.size());
        std::size_t piece = 0;
        for (const StreamedPart& part : circle.parts) {
            circle.first_pieces.push_back(piece);
            piece += n_tasks(part);
        }
    }
}

Result<std::unique_ptr<WeightStreams>> WeightStreams::open(
    const InputFile& file, StreamedParts parts, const StreamMemory& sizes,
    std::span<std::byte> memory, ThreadPool& pool, const FlashWithout& without,
    const DiskReads& disk) {
    ReadQueueOptions options{.depth = disk.depth, .direct = !without.direct};
    if (disk.largest_read_bytes > 0) {
        options.largest_read_bytes = disk.largest_read_bytes;
        options.merge_gap_bytes = disk.merge_gap_bytes;
    }
    auto queue = ReadQueue::open(file, options);
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
    return std::unique_ptr<WeightStreams>(new WeightStreams(
        file.path(), std::move(*queue), std::move(parts), sizes, memory, pool, without));
}

void WeightStreams::read_in_circles() {
    const int n_layer = static_cast<int>(circled_bytes_.size()) - 1;
    std::fill(circled_bytes_.begin(), circled_bytes_.end(), 0);
    for (Circle& circle : circles_) {
        std::vector<FilePiece> pieces = pieces_of(circle.parts);
        circle.bytes = 0;
        PieceAccounts accounts;
        for (const StreamedPart& part : circle.parts) {
            accounts.resize(accounts.size() + n_tasks(part), account_of(part, n_layer));
        }
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            for (const FileRange& run : pieces[i]) {
                circle.bytes += run.bytes;
                circled_bytes_[accounts[i]] += &circle == circles_.data() ? run.bytes : 0;
            }
        }
        if (!pieces.empty()) {
            constexpr int kCircleChannel = 0;
            circle.ahead = std::make_unique<ReadAhead>(queue_, std::move(pieces), ring_,
                                                       kCircleChannel, std::move(accounts));
        }
    }
}

void WeightStreams::reorder() {
    leave_circle();
    waited_before_ += std::accumulate(
        circles_.begin(), circles_.end(), std::uint64_t{0}, [](std::uint64_t sum, const auto& one) {
            return sum + (one.ahead != nullptr ? one.ahead->waited_ns() : 0);
        });
    for (Circle& circle : circles_) {
        circle.ahead.reset();
        std::fill(circle.checked.begin(), circle.checked.end(), false);
    }
    read_in_circles();
}

Result<void> WeightStreams::start(int n_layer, std::vector<ColdLayer> cold) {
    circled_bytes_.resize(static_cast<std::size_t>(n_layer) + 1);
    read_in_circles();
    circle_ = circles_.data();
    const std::uint64_t read_before = queue_.counters().bytes_read;
    if (!cold.empty()) {
        cold_ = std::make_unique<ColdNeurons>(queue_, kColdChannel, n_layer, std::move(cold),
                                              cached_, ahead_, without_);
        for (int index = 0; index < cold_->cache().n_layers(); ++index) {
            if (auto filled = cold_->fill(index); !filled) {
                return filled;
            }
        }
        for (int index = 0; index < cold_->cache().n_layers(); ++index) {
            filled_.push_back(cold_->cache().counters(index));
        }
    }
    filled_bytes_ = queue_.counters().bytes_read - read_before;
    queue_.restart_counters();
    return {};
}

std::uint64_t WeightStreams::waited_ns() const {
    std::uint64_t waited = waited_before_ + (cold_ != nullptr ? cold_->cache().waited_ns() : 0);
    for (const Circle& circle : circles_) {
        waited += circle.ahead != nullptr ? circle.ahead->waited_ns() : 0;
    }
    return waited;
}

// How long the pass that ended has waited.
void WeightStreams::note_pass() {
    const std::uint64_t waited = waited_ns();
    if (passed_) {
        stalls_.add((waited - waited_ns_) / static_cast<std::uint64_t>(pool_.n_threads()));
    }
    waited_ns_ = waited;
    passed_ = true;
}

FlashReads WeightStreams::reads() const {
    const ReadCounters counters = queue_.counters();
    FlashReads reads{.bytes_per_pass = circles_[0].bytes,
                     .why_not_direct = std::string(queue_.why_not_direct()),
                     .reads = counters.reads,
                     .bytes = counters.bytes_read,
                     .busy_ns = counters.busy_ns,
                     .read_p50_ns = counters.p50_ns,
                     .read_p90_ns = counters.p90_ns,
                     .read_p99_ns = counters.p99_ns,
                     .stall_p50_ns = stalls_.percentile(0.5),
                     .stall_p90_ns = stalls_.percentile(0.9),
                     .stall_p99_ns = stalls_.percentile(0.99)};
    if (cold_ != nullptr) {
        const CacheCounters seen = cold_->cache().counters();
        const CacheCounters filled =
            std::accumulate(filled_.begin(), filled_.end(), CacheCounters{},
                            [](CacheCounters sum, const CacheCounters& one) { return sum += one; });
        reads.caches_neurons = true;
        reads.neuron_hits = seen.hits - filled.hits;
        reads.neuron_misses = seen.misses - filled.misses;
        reads.experts_passed = seen.passed;
        reads.read_ahead = seen.ahead;
        reads.read_ahead_used = seen.taken;
    }
    return reads;
}

std::vector<FlashOfLayer> WeightStreams::of_layers() const {
    std::vector<FlashOfLayer> layers(circled_bytes_.size());
    const std::vector<std::uint64_t> asked = queue_.bytes_by_account();
    for (std::size_t i = 0; i < layers.size(); ++i) {
        layers[i].bytes_not_held = circled_bytes_[i];
        layers[i].bytes = i < asked.size() ? asked[i] : 0;
        const int index =
            cold_ == nullptr || i + 1 == layers.size() ? -1 : cold_->index_of(static_cast<int>(i));
        if (index < 0) {
            continue;
        }
        const NeuronCache& cache = cold_->cache();
        const CacheCounters seen = cache.counters(index);
        const CacheCounters& filled = filled_[static_cast<std::size_t>(index)];
        layers[i].neuron_hits = seen.hits - filled.hits;
        layers[i].neuron_misses = seen.misses - filled.misses;
        std::uint64_t bytes = 0;
        for (const NeuronRun& run : cache.layer(index).runs) {
            bytes += run.bytes;
        }
        layers[i].bytes_not_held +=
            bytes * static_cast<std::uint64_t>(cache.layer(index).n_neurons - cache.n_held(index));
    }
    return layers;
}

Result<void> WeightStreams::begin_pass(bool batch) {
    note_pass();
    if (const std::string change = queue_.change(); !change.empty()) {
        return Error{ErrorCode::ReadFailed,
                     "the model's file was changed while it was being read: " + change,
                     path_,
                     {}};
    }
    Circle* const circle = &circles_[batch && !circles_[1].parts.empty() ? 1 : 0];
    if (circle == circle_) {
        return {};
    }
    leave_circle();
    circle_ = circle;
    if (circle == &circles_[1] && cold_ != nullptr) {
        cold_->give_up(overlaid_, most_shared());
    } else if (spared_ > 0) {
        give_back_pages(shared_.first(static_cast<std::size_t>(overlaid_)));
    }
    return {};
}

// Nothing that it read is used from here on.
void WeightStreams::leave_circle() {
    if (circle_->ahead != nullptr) {
        circle_->ahead->stop();
    }
    held_ = nullptr;
}

std::uint64_t WeightStreams::most_spared() const {
    return cold_ == nullptr ? 0 : shared_.size() - std::max(cold_->least_bytes(), overlaid_);
}

void WeightStreams::set_spared(std::uint64_t bytes) {
    HEARTH_ASSERT(bytes <= most_spared());
    if (bytes == spared_) {
        return;
    }
    spared_ = bytes;
    if (circle_ == &circles_[1]) {  // the batch's pages go too
        leave_circle();
        circle_ = circles_.data();
        give_back_pages(shared_.first(static_cast<std::size_t>(overlaid_)));
    }
    cold_->set_bytes(most_shared());
    give_back_pages(shared_.subspan(cached_.size()));  // of an earlier batch
}

Result<void> WeightStreams::bring(int layer, Part part) {
    std::vector<StreamedPart>& parts = circle_->parts;
    const auto found = std::find_if(parts.begin(), parts.end(), [&](const StreamedPart& streamed) {
        return streamed.layer == layer && streamed.part == part;
    });
    if (found == parts.end() || &*found == held_) {
        return {};
    }
    held_ = nullptr;
    const auto index = static_cast<std::size_t>(found - parts.begin());
    std::size_t piece = circle_->first_pieces[index];
    circle_->ahead->seek(piece);
    for (const WeightJob& job : found->jobs) {
        AheadRows rows(*circle_->ahead, piece);
        if (auto done = job.run(rows, pool_, {}, !circle_->checked[index], slot(found->shares));
            !done) {
            return done;
        }
        piece += job.n_tasks();
    }
    circle_->checked[index] = true;
    held_ = &*found;
    return {};
}

}  // namespace hearth
