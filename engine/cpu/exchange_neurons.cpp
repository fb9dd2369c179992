#include "cpu/exchange_neurons.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>

#include "base/assert.h"
#include "cpu/kernels/kernels.h"
#include "cpu/neuron_rows_to_tile.h"
#include "cpu/pack_rows.h"
#include "gguf/convert_neuron_row.h"
#include "memory/weight_job.h"
#include "model/stored_rows.h"

namespace hearth {
namespace {

using kernels::kTileRows;

constexpr std::uint64_t kRowsPerTask = 8;

// Row i of a job is that of neuron places[i] in a matrix of n_neurons.
class PlacedRows final : public WeightForm {
public:
    PlacedRows(std::span<const int> places, int n_neurons, bool in_tiles)
        : places_(places), n_neurons_(n_neurons), in_tiles_(in_tiles) {}

    std::uint64_t room_bytes(const Weight& weight) const override {
        return in_tiles_ ? (kTileRows + 1) * weight.row_size() : 0;
    }
    void put(const FormRows& rows, std::byte* base) const override {
        for (std::uint64_t i = 0; i < rows.count; ++i) {
            const std::byte* stored = rows.rows + i * rows.stride;
            const int place = places_[static_cast<std::size_t>(rows.first + i)];
            if (in_tiles_) {
                put_in_tile(rows.weight, stored, place, rows.room, base);
            } else {
                put_in_rows(rows.weight, stored, place, base);
            }
        }
    }

private:
    static void put_in_rows(const Weight& weight, const std::byte* stored, int place,
                            std::byte* base) {
        const auto cols = static_cast<int>(weight.cols);
        const std::size_t bytes = neuron_row_bytes(weight.type, cols);
        std::byte* const to = base + static_cast<std::size_t>(place) * bytes;
        if (weight.in_neuron_rows) {
            std::memcpy(to, stored, bytes);
        } else {
            to_neuron_row(weight.type, stored, cols, to);
        }
    }
    // Reading the tile's other rows from the file would be sixteen times the bytes.
    void put_in_tile(const Weight& weight, const std::byte* stored, int place,
                     std::span<std::byte> room, std::byte* base) const {
        const std::uint64_t bytes = weight.row_size();
        const auto cols = static_cast<int>(weight.cols);
        std::byte* const rows = room.data();
        const int first = place / kTileRows * kTileRows;
        const int n = std::min(kTileRows, n_neurons_ - first);
        std::byte* const tile =
            base + static_cast<std::size_t>(first / kTileRows) * bytes * kTileRows;
        const std::byte* const row = file_row(weight, stored, rows + kTileRows * bytes);
        const std::lock_guard lock(tiles_);  // another thread may have a row of the same tile
        unpack_tile(weight.type, tile, n, cols, rows);
        std::memcpy(rows + static_cast<std::size_t>(place - first) * bytes, row, bytes);
        pack_tile(weight.type, rows, n, cols, tile);
    }

    const std::span<const int> places_;
    const int n_neurons_;
    const bool in_tiles_;
    mutable std::mutex tiles_;
};

bool is_read(const HeldWeight& held, int layer) {
    return held.layer == layer && held.home == Home::Ram && held.form != CpuForm::Floats &&
           row_of(held.role).part == Part::Neurons;
}

}  // namespace

Result<std::uint64_t> read_neurons(const CpuLayout& layout, int index, const CpuLayer& layer,
                                   std::span<const int> places, FileRows& file, ThreadPool& pool,
                                   std::span<std::vector<std::byte>> staging, std::byte* base) {
    std::vector<int> numbers;
    for (const int place : places) {
        HEARTH_ASSERT(place >= 0 && place < layer.n_neurons);
        numbers.push_back(layer.number(place));
    }
    std::uint64_t bytes = 0;
    std::vector<const TensorInfo*> done;  // whose records are read
    for (const HeldWeight& first : layout.weights) {
        if (!is_read(first, index) ||
            std::find(done.begin(), done.end(), first.source.tensor) != done.end()) {
            continue;
        }
        const Weight& source = first.source;
        std::deque<PlacedRows> forms;
        std::vector<WeightJob::Matrix> matrices;
        for (const HeldWeight& held : layout.weights) {
            const bool together =
                &held == &first || (source.in_records() && held.source.tensor == source.tensor);
            if (!is_read(held, index) || !together) {
                continue;
            }
            HEARTH_ASSERT(is_by_neuron(held.role, held.source));
            // Up of two layouts lies in the one that single tokens took last.
            const bool in_tiles = layer.tiles[held.role].present();
            HEARTH_ASSERT(in_tiles != layer.rows[held.role].present());
            forms.emplace_back(places, layer.n_neurons, in_tiles);
            matrices.push_back({held.source, 0, &forms.back(), held.at, 0, held.source.cols});
        }
        if (source.in_records()) {
            done.push_back(source.tensor);
        }
        const std::uint64_t offset = source.in_records() ? source.tensor->offset : source.in_file();
        const WeightJob job({{offset, source.stride, source.stride, {numbers.size(), 0, numbers}}},
                            std::move(matrices), kRowsPerTask);
        bytes += job.file_bytes();
        if (auto read = job.run(file, pool, staging, true, base); !read) {
            return std::move(read).error();
        }
    }
    return bytes;
}

}  // namespace hearth
