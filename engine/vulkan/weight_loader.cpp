#include "vulkan/weight_loader.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/assert.h"
#include "gguf/blocks.h"
#include "gguf/finite.h"
#include "gguf/rows.h"
#include "model/stored_rows.h"

namespace hearth::vulkan {
namespace {

constexpr std::uint64_t kRowsPerTask = 32;

// As few bytes as keep the disk at work while rows are taken apart.
constexpr std::uint64_t kRingBytes = std::uint64_t{8} << 20;

// Rows of a slice that one of the upload's buffers holds.
struct Stretch {
    const GpuMatrix::Slice& slice;
    std::uint64_t first = 0;  // row of the slice
    std::uint64_t count = 0;
    std::array<std::uint64_t, 4> at{};  // of each run, in the buffer
    std::array<Upload::Copy, 4> copies{};
};

Stretch stretch_of(const GpuMatrix::Slice& slice, std::uint64_t first, std::uint64_t count) {
    Stretch stretch{slice, first, count};
    const std::array runs{&slice.layout.quads, &slice.layout.high, &slice.layout.scales,
                          &slice.layout.supers};
    std::uint64_t end = 0;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        stretch.at[r] = end;
        const std::uint64_t bytes = count * runs[r]->row_bytes;
        stretch.copies[r] = {end, slice.view.part(runs[r]->at + first * runs[r]->row_bytes, bytes)};
        end += (bytes + 15) / 16 * 16;
    }
    return stretch;
}

// Rows that a buffer holds all of: one of each source, or what a part becomes that is turned.
std::uint64_t rows_together(const MatrixJob& job) {
    const Weight& weight = job.sources.front().weight;
    return weight.turned ? weight.cols : job.sources.size();
}

// Calls visit(stretch) until it fails. Each has as many rows of every source. Unsupported: a buffer
// does not hold rows_together().
template <class Visit>
Result<void> for_each_stretch(const MatrixJob& job, Visit&& visit) {
    for (const GpuMatrix::Slice& slice : job.matrix->slices) {
        const MatrixLayout& layout = slice.layout;
        const std::uint64_t row_bytes = layout.quads.row_bytes + layout.high.row_bytes +
                                        layout.scales.row_bytes + layout.supers.row_bytes;
        const std::uint64_t together = rows_together(job);
        const std::uint64_t most = (Upload::kBufferBytes - 64) / row_bytes / together * together;
        if (most == 0) {
            return Error{ErrorCode::Unsupported, job.sources.front().weight.tensor->name +
                                                     ": its rows are too long for a GPU"};
        }
        for (std::uint64_t first = 0; first < layout.rows; first += most) {
            if (auto done = visit(stretch_of(slice, first, std::min(most, layout.rows - first)));
                !done) {
                return done;
            }
        }
    }
    return {};
}

// Copies `count` rows of the stretch, from `row` on, to those of `held` from `to` on, which lie in
// one slice.
void add_copies(const Stretch& stretch, std::uint64_t row, std::uint64_t count, std::uint64_t to,
                const GpuMatrix& held, std::vector<Upload::Copy>& copies) {
    const MatrixLayout& from = stretch.slice.layout;
    const GpuMatrix::Slice& slice = slice_of(held, to);
    const MatrixLayout& layout = slice.layout;
    HEARTH_ASSERT(layout.type == from.type && layout.blocks == from.blocks &&
                  to - slice.first_row + count <= layout.rows);
    const auto copy = [&](std::size_t run, const MatrixLayout::Run& source,
                          const MatrixLayout::Run& target) {
        HEARTH_ASSERT(source.row_bytes == target.row_bytes);
        copies.push_back({stretch.at[run] + row * source.row_bytes,
                          slice.view.part(target.at + (to - slice.first_row) * target.row_bytes,
                                          count * target.row_bytes)});
    };
    copy(0, from.quads, layout.quads);
    if (!keeps_patterns(layout)) {
        copy(1, from.high, layout.high);
    }
    copy(2, from.scales, layout.scales);
    copy(3, from.supers, layout.supers);
}

// The rows of one source of a stretch, in the runs of the upload's buffer.
class Runs final : public WeightForm {
public:
    // turn: of the source, among as many as take turns.
    Runs(const Stretch& stretch, std::uint64_t turn, std::uint64_t n_turns)
        : layout_(stretch.slice.layout),
          first_(stretch.first),
          at_(stretch.at),
          turn_(turn),
          n_turns_(n_turns) {}

    std::uint64_t room_bytes(const Weight& weight) const override {
        return weight.in_neuron_rows ? weight.row_size() : 0;
    }
    void put(const FormRows& rows, std::byte* base) const override {
        if (rows.weight.turned) {
            put_turned(rows, reinterpret_cast<float*>(base + at_[0]));
            return;
        }
        const RunPlaces runs{base + at_[0], base + at_[1], base + at_[2], base + at_[3], first_};
        for (std::uint64_t i = 0; i < rows.count; ++i) {
            put_in_runs(
                layout_, file_row(rows.weight, rows.rows + i * rows.stride, rows.room.data()),
                rows.first_col, places_of_row(layout_, runs, (rows.first + i) * n_turns_ + turn_));
        }
    }

private:
    // Each row of a part is a column of what the part becomes.
    static void put_turned(const FormRows& rows, float* to) {
        const Weight& weight = rows.weight;
        const std::uint64_t n_cols = weight.rows / weight.n_parts;
        constexpr std::uint64_t kPiece = kSuperBlockValues;
        std::array<float, kPiece * kRowsPerTask> values;
        HEARTH_ASSERT(rows.count <= kRowsPerTask);
        for (std::uint64_t first = 0; first < weight.cols; first += kPiece) {
            const std::uint64_t n = std::min(kPiece, weight.cols - first);
            for (std::uint64_t i = 0; i < rows.count; ++i) {
                dequantize_row(weight.type,
                               rows.rows + i * rows.stride + hearth::row_bytes(weight.type, first),
                               std::span(values).subspan(i * kPiece, n));
            }
            for (std::uint64_t k = 0; k < n; ++k) {
                for (std::uint64_t i = 0; i < rows.count; ++i) {
                    const std::uint64_t part = (rows.first + i) / n_cols;
                    const std::uint64_t col = (rows.first + i) % n_cols;
                    to[(part * weight.cols + first + k) * n_cols + col] = values[i * kPiece + k];
                }
            }
        }
    }

    const MatrixLayout& layout_;
    std::uint64_t first_;
    std::array<std::uint64_t, 4> at_;
    std::uint64_t turn_, n_turns_;
};

std::vector<Runs> forms_of(const MatrixJob& job, const Stretch& stretch) {
    std::vector<Runs> forms;
    for (std::size_t s = 0; s < job.sources.size(); ++s) {
        forms.emplace_back(stretch, s, job.sources.size());
    }
    return forms;
}

WeightJob job_of(const MatrixJob& job, const Stretch& stretch, std::span<const Runs> forms) {
    const std::uint64_t n_sources = job.sources.size();
    std::vector<WeightJob::Source> sources;
    std::vector<WeightJob::Matrix> matrices;
    for (std::size_t s = 0; s < job.sources.size(); ++s) {
        const Weight& weight = job.sources[s].weight;
        HEARTH_ASSERT(!weight.runs || job.order.empty());
        RowChoice rows = rows_of(weight);
        rows.count = stretch.count / n_sources;
        rows.first = (stretch.slice.first_row + stretch.first) / n_sources;
        if (weight.n_parts > 1) {
            const std::uint64_t each = weight.rows / weight.n_parts;  // rows of a part in the file
            const std::uint64_t made = weight.turned ? weight.cols : each;  // and in the matrix
            rows.count = rows.count / made * each;
            rows.first = rows.first / made * each;
            rows.run = each;
            rows.run_step = weight.part_stride / weight.stride;
        }
        if (!job.order.empty() || weight.expert_step > 0) {
            rows.order = job.order;
            rows.run = job.run;
            rows.run_step = weight.expert_step;
        }
        sources.push_back({weight.in_file(), weight.stride, stored_row_bytes(weight), rows});
        matrices.push_back({weight, s, &forms[s], 0, job.sources[s].first_col, weight.cols});
    }
    return {std::move(sources), std::move(matrices), kRowsPerTask / n_sources};
}

}  // namespace

Result<void> WeightLoader::read_ahead(const GgufFile& file, std::span<const MatrixJob> jobs) {
    std::vector<FilePiece> pieces;
    for (const MatrixJob& job : jobs) {
        if (job.sources.front().file != &file) {
            continue;
        }
        auto added = for_each_stretch(job, [&](const Stretch& stretch) -> Result<void> {
            const std::vector<Runs> forms = forms_of(job, stretch);
            const WeightJob rows = job_of(job, stretch, forms);
            for (std::size_t task = 0; task < rows.n_tasks(); ++task) {
                pieces.push_back(rows.piece(task));
            }
            return {};
        });
        if (!added) {
            return added;
        }
    }
    if (pieces.empty()) {
        return {};
    }
    auto queue = ReadQueue::open(file.file());
    if (!queue) {
        return std::move(queue).error();
    }
    if (queue->size_bytes() != file.file().size_bytes()) {
        return Error{ErrorCode::ReadFailed,
                     "the file was changed while it was being loaded: it has " +
                         std::to_string(queue->size_bytes()) + " bytes now and had " +
                         std::to_string(file.file().size_bytes()),
                     file.path(),
                     {}};
    }
    constexpr std::uint64_t kAlignment = ReadAhead::kRingAlignment;
    std::uint64_t least = 0;
    for (const FilePiece& piece : pieces) {
        least = std::max(least, ReadAhead::least_ring_bytes(piece));
    }
    const std::uint64_t bytes =
        std::max(least, std::min(kRingBytes, ReadAhead::ring_bytes(pieces)));
    auto ring = AlignedBuffer::create(bytes + kAlignment, "rows on their way to a GPU");
    if (!ring) {
        return std::move(ring).error();
    }
    queue_ = std::move(*queue);
    ring_ = std::move(*ring);
    const std::uint64_t unaligned = reinterpret_cast<std::uintptr_t>(ring_.data()) % kAlignment;
    ahead_file_ = &file;
    ahead_.emplace(*queue_, std::move(pieces),
                   std::span(ring_.data() + (unaligned == 0 ? 0 : kAlignment - unaligned), bytes));
    ahead_->seek(0);
    return {};
}

Result<void> WeightLoader::vector(const VectorJob& job) {
    const Weight& weight = job.weight;
    std::vector<std::byte> raw(weight.bytes());
    if (auto read = job.file->file().read_at(weight.in_file(), raw); !read) {
        return read;
    }
    std::vector<float> values(static_cast<std::size_t>(weight.values()));
    dequantize_row(weight.type, raw.data(), values);
    if (!all_finite(values)) {
        return not_finite(weight.tensor->name, "value", values);
    }
    auto buffer = upload_.next();
    if (!buffer) {
        return std::move(buffer).error();
    }
    if (job.count * sizeof(float) > Upload::kBufferBytes) {
        return Error{ErrorCode::Unsupported, weight.tensor->name + ": too long for a GPU"};
    }
    auto* out = reinterpret_cast<float*>(buffer->data());
    for (std::uint64_t i = 0; i < job.count; ++i) {
        out[i] = values[job.order.empty() ? i : static_cast<std::size_t>(job.order[i])];
    }
    const Upload::Copy copy{0, *job.view};
    return upload_.start({&copy, 1});
}

Result<void> WeightLoader::matrix(const MatrixJob& job) {
    return for_each_stretch(job, [&](const Stretch& stretch) -> Result<void> {
        auto buffer = upload_.next();
        if (!buffer) {
            return std::move(buffer).error();
        }
        const std::vector<Runs> forms = forms_of(job, stretch);
        if (auto read =
                rows(job_of(job, stretch, forms), *job.sources.front().file, buffer->data());
            !read) {
            return read;
        }
        return upload_.start(stretch.copies);
    });
}

Result<void> WeightLoader::neurons(const MatrixJob& job, std::span<const int> places,
                                   const GpuMatrix& held) {
    HEARTH_ASSERT(job.order.size() == places.size());
    std::vector<Upload::Copy> copies;
    return for_each_stretch(job, [&](const Stretch& stretch) -> Result<void> {
        auto buffer = upload_.next();
        if (!buffer) {
            return std::move(buffer).error();
        }
        const std::vector<Runs> forms = forms_of(job, stretch);
        if (auto read =
                rows(job_of(job, stretch, forms), *job.sources.front().file, buffer->data());
            !read) {
            return read;
        }
        copies.clear();
        const std::uint64_t together = job.sources.size();
        for (std::uint64_t row = 0; row < stretch.count; row += together) {
            const auto neuron = static_cast<std::size_t>(
                (stretch.slice.first_row + stretch.first + row) / together);
            add_copies(stretch, row, together,
                       static_cast<std::uint64_t>(places[neuron]) * together, held, copies);
        }
        return upload_.start(copies);
    });
}

Result<void> WeightLoader::table(const TableJob& job) {
    auto buffer = upload_.next();
    if (!buffer) {
        return std::move(buffer).error();
    }
    const auto bytes = std::as_bytes(std::span(job.words));
    HEARTH_ASSERT(bytes.size() <= buffer->size());
    std::copy(bytes.begin(), bytes.end(), buffer->begin());
    const Upload::Copy copy{0, *job.view};
    return upload_.start({&copy, 1});
}

Result<void> WeightLoader::rows(const WeightJob& job, const GgufFile& file, std::byte* buffer) {
    if (!ahead_ || &file != ahead_file_) {
        if (&file != read_file_) {
            read_file_ = &file;
            reads_ = std::make_unique<FileRows>(file.file());
        }
        return job.run(*reads_, pool_, staging_, true, buffer);
    }
    AheadRows source(*ahead_, next_piece_);
    next_piece_ += job.n_tasks();
    return job.run(source, pool_, staging_, true, buffer);
}

}  // namespace hearth::vulkan
