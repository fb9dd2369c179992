#include "cpu/cold_neurons.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/assert.h"
#include "cpu/cpu_forms.h"
#include "cpu/kernels/kernels.h"
#include "cpu/neuron_rows_to_tile.h"
#include "gguf/convert_neuron_row.h"
#include "model/stored_rows.h"

namespace hearth {
namespace {

// A share of a layer's slots is counted in these: finer than one slot.
constexpr int kWhole = 1 << 20;
constexpr std::uint64_t kPartRows = 128;  // of a matrix of an expert; whole tiles

// How many parts an expert's matrix is arranged in.
int parts_of(const Weight& weight) {
    return static_cast<int>((weight.expert_rows() + kPartRows - 1) / kPartRows);
}

// The runs, and of each matrix the place in the slot to which its row of the file is read.
struct Reads {
    std::vector<NeuronRun> runs;
    std::vector<std::uint64_t> places;  // [matrices]
};

Reads reads_of(std::span<const HeldWeight> matrices) {
    Reads reads;
    std::vector<std::size_t> run_of(matrices.size());
    std::vector<const TensorInfo*> tensors;  // of each run
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        const Weight& weight = matrices[i].source;
        const auto same = std::find(tensors.begin(), tensors.end(), weight.tensor);
        if (!weight.in_records() || same == tensors.end()) {
            run_of[i] = reads.runs.size();
            tensors.push_back(weight.tensor);
            const bool experts = weight.n_experts > 1;
            const std::uint64_t rows = experts ? weight.expert_rows() : 1;
            const std::uint64_t step = experts ? weight.expert_stride() : 1;
            reads.runs.push_back({weight.in_file(), step * weight.stride,
                                  rows * stored_row_bytes(weight), matrices[i].at});
            continue;
        }
        run_of[i] = static_cast<std::size_t>(same - tensors.begin());
        NeuronRun& run = reads.runs[run_of[i]];
        HEARTH_ASSERT(weight.in_file() >= run.offset);  // matrices stand as in the record
        run.bytes = std::max(run.bytes, weight.in_file() + stored_row_bytes(weight) - run.offset);
    }
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        const NeuronRun& run = reads.runs[run_of[i]];
        reads.places.push_back(run.at + matrices[i].source.in_file() - run.offset);
    }
    return reads;
}

bool is_mixture(const ColdLayer& layer) {
    return !layer.matrices.empty() && layer.matrices.front().form == CpuForm::Tiles;
}

// Bytes of the largest expert.
std::uint64_t room_for_one(std::span<const ColdLayer> layers) {
    std::uint64_t bytes = 0;
    for (const ColdLayer& layer : layers) {
        bytes = std::max(bytes, is_mixture(layer) ? layer.slot_bytes : 0);
    }
    return bytes;
}

std::vector<CachedLayer> cached_layers(std::span<const ColdLayer> layers,
                                       std::span<std::byte> memory, bool has_room) {
    std::vector<CachedLayer> cached;
    std::uint64_t at = 0;
    for (const ColdLayer& layer : layers) {
        cached.push_back({.n_neurons = static_cast<int>(layer.items.count),
                          .first = static_cast<int>(layer.items.first),
                          .numbers = layer.items.order.empty()
                                         ? std::span<const int>{}
                                         : layer.items.order.subspan(layer.items.first),
                          .runs = reads_of(layer.matrices).runs,
                          .slot_bytes = layer.slot_bytes,
                          .largest_group = layer.least_slots,
                          .n_slots = layer.n_slots,
                          .expected_uses = layer.expected_uses,
                          .base = memory.data() + at,
                          .account = static_cast<std::uint16_t>(layer.layer),
                          .may_pass = has_room && is_mixture(layer)});
        at += static_cast<std::uint64_t>(layer.n_slots) * layer.slot_bytes;
    }
    HEARTH_ASSERT(at <= memory.size());
    return cached;
}

}  // namespace

ColdNeurons::ColdNeurons(ReadQueue& queue, int channel, int n_layer, std::vector<ColdLayer> layers,
                         std::span<std::byte> memory, std::span<std::byte> ahead,
                         const FlashWithout& without)
    : layers_(std::move(layers)),
      index_(static_cast<std::size_t>(n_layer), -1),
      without_(without),
      ahead_count_(ahead.empty() ? 0 : static_cast<int>(ahead.size() / room_for_one(layers_))),
      cache_(queue, channel, cached_layers(layers_, memory, ahead_count_ > 0),
             {ahead.data(), room_for_one(layers_), ahead_count_}) {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const ColdLayer& layer = layers_[i];
        index_[static_cast<std::size_t>(layer.layer)] = static_cast<int>(i);
        places_.push_back(reads_of(layer.matrices).places);
        checked_.emplace_back(layer.items.count);
    }
}

std::uint64_t ColdNeurons::table_bytes(std::span<const ColdLayer> layers) {
    std::uint64_t bytes = 0;
    for (const ColdLayer& layer : layers) {
        bytes += SlotTable::bytes_for(static_cast<int>(layer.items.count), layer.n_slots) +
                 layer.matrices.size() * sizeof(std::uint64_t) +
                 layer.items.count * sizeof(std::uint8_t);
        if (!layer.items.order.empty()) {
            bytes += layer.items.count * sizeof(int);
        }
        if (is_mixture(layer)) {
            bytes += SlotRivals::bytes_for(static_cast<int>(layer.items.count), layer.n_slots);
        }
    }
    return bytes;
}

CpuRows ColdNeurons::rows(int index, const HeldWeight& matrix) const {
    const CachedLayer& layer = cache_.layer(index);
    return {matrix.source.type, layer.base + matrix.at, static_cast<std::size_t>(layer.slot_bytes)};
}

PackedMatrix ColdNeurons::tiles(int index, const HeldWeight& matrix) const {
    const Weight& weight = matrix.source;
    return {weight.type, static_cast<int>(weight.expert_rows()), static_cast<int>(weight.cols),
            cache_.layer(index).base + matrix.at};
}

std::uint64_t ColdNeurons::room_ahead(std::span<const ColdLayer> layers, int n_ahead) {
    constexpr int kMost = 64;
    int most = 0;
    for (const ColdLayer& layer : layers) {
        most = std::max(most, is_mixture(layer) ? layer.least_slots : 0);
    }
    return static_cast<std::uint64_t>(std::min(n_ahead * most + (most + 1) / 2, kMost)) *
           room_for_one(layers);
}

int ColdNeurons::n_parts(int index) const {
    int n = 0;
    for (const HeldWeight& matrix : layers_[static_cast<std::size_t>(index)].matrices) {
        n += parts_of(matrix.source);
    }
    return n;
}

// A tile takes the place of its rows: it has as many bytes.
Result<void> ColdNeurons::arrange_part(int index, int item, std::uint16_t at, std::uint8_t read,
                                       int part) {
    const auto i = static_cast<std::size_t>(index);
    const CachedLayer& cached = cache_.layer(index);
    const HeldWeight* matrix = layers_[i].matrices.data();
    for (; part >= parts_of(matrix->source); ++matrix) {
        part -= parts_of(matrix->source);
    }
    const Weight& weight = matrix->source;
    const std::uint64_t row_size = weight.row_size();
    std::byte* const place = cache_.place(index, at, read) + matrix->at;
    const std::byte* const from = cache_.read_place(index, at, read) + matrix->at;
    const auto first = static_cast<std::uint64_t>(part) * kPartRows;
    const std::uint64_t end = std::min(first + kPartRows, weight.expert_rows());
    if (checked_[i][static_cast<std::size_t>(item)] == 0) {
        const auto first_row =
            weight.first_row() +
            static_cast<std::uint64_t>(cached.number(item)) * weight.expert_stride() + first;
        auto fine = check_finite(weight, from + first * row_size, end - first, row_size,
                                 [&](std::uint64_t row) { return first_row + row; });
        if (!fine) {
            return fine;
        }
    }
    static thread_local std::vector<std::byte> raw;
    raw.resize(static_cast<std::size_t>(row_size) * kernels::kTileRows);
    for (std::uint64_t row = first; row < end; row += kernels::kTileRows) {
        const std::byte* rows = from + row * row_size;
        if (from == place) {
            rows = static_cast<std::byte*>(std::memcpy(raw.data(), rows, raw.size()));
        }
        form_of(CpuForm::Tiles)
            .put({weight, rows, row_size, row, kernels::kTileRows, 0, weight.cols}, place);
    }
    return {};
}

void ColdNeurons::arranged(int index, int item) {
    checked_[static_cast<std::size_t>(index)][static_cast<std::size_t>(item)] = 1;
}

Result<void> ColdNeurons::arrange(int index, int neuron, std::uint16_t at, std::uint8_t read) {
    if (is_mixture(layers_[static_cast<std::size_t>(index)])) {
        for (int part = 0; part < n_parts(index); ++part) {
            if (auto done = arrange_part(index, neuron, at, read, part); !done) {
                return done;
            }
        }
        arranged(index, neuron);
        return {};
    }
    HEARTH_DCHECK(read == NeuronCache::kRead);
    const auto i = static_cast<std::size_t>(index);
    const ColdLayer& layer = layers_[i];
    const CachedLayer& cached = cache_.layer(index);
    std::byte* const rows = cached.slot(at);
    std::uint8_t& checked = checked_[i][static_cast<std::size_t>(neuron)];
    const bool ready = std::all_of(layer.matrices.begin(), layer.matrices.end(),
                                   [](const auto& matrix) { return matrix.source.in_neuron_rows; });
    static thread_local std::vector<std::byte> raw;  // the file's rows: forms have other places
    if (!ready) {
        raw.assign(rows, rows + layer.slot_bytes);
    }
    for (std::size_t m = 0; m < layer.matrices.size(); ++m) {
        const HeldWeight& matrix = layer.matrices[m];
        const Weight& weight = matrix.source;
        const std::byte* row = (ready ? rows : raw.data()) + places_[i][m];
        if (checked == 0) {
            auto fine = check_finite(weight, row, 1, weight.stride, [&](std::uint64_t) {
                return static_cast<std::uint64_t>(cached.number(neuron));
            });
            if (!fine) {
                return fine;
            }
        }
        if (!weight.in_neuron_rows) {
            to_neuron_row(weight.type, row, static_cast<int>(weight.cols), rows + matrix.at);
        }
        HEARTH_DCHECK(!weight.in_neuron_rows || places_[i][m] == matrix.at);
    }
    checked = 1;
    return {};
}

// What a layer gets where each is to have share / kWhole of its slots.
int ColdNeurons::slots_of(std::size_t index, int share) const {
    const ColdLayer& layer = layers_[index];
    const auto slots = static_cast<int>(std::int64_t{layer.n_slots} * share / kWhole);
    return std::clamp(slots, std::min(layer.least_slots, layer.n_slots), layer.n_slots);
}

std::uint64_t ColdNeurons::least_bytes() const {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        bytes += static_cast<std::uint64_t>(slots_of(i, 0)) * layers_[i].slot_bytes;
    }
    return bytes;
}

std::span<std::byte> ColdNeurons::slots_from(int index, int first) const {
    const CachedLayer& layer = cache_.layer(index);
    return {layer.slot(first), static_cast<std::size_t>(layer.n_slots - first) *
                                   static_cast<std::size_t>(layer.slot_bytes)};
}

void ColdNeurons::set_bytes(std::uint64_t bytes) {
    const auto fits = [&](int share) {
        std::uint64_t needed = 0;
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            needed += static_cast<std::uint64_t>(slots_of(i, share)) * layers_[i].slot_bytes;
        }
        return needed <= bytes;
    };
    int share = 0;
    for (int most = kWhole; share < most;) {
        const int middle = most - (most - share) / 2;
        if (fits(middle)) {
            share = middle;
        } else {
            most = middle - 1;
        }
    }
    for (int index = 0; index < cache_.n_layers(); ++index) {
        const int n = slots_of(static_cast<std::size_t>(index), share);
        refills_ = refills_ || n > cache_.n_slots(index);
        cache_.set_slots(index, n);
        // A huge page would come with slots that are not used.
        const std::span<std::byte> unused = slots_from(index, n);
        const std::span<std::byte> all = slots_from(index, 0);
        allow_huge_pages(all.first(all.size() - unused.size()), true);
        allow_huge_pages(unused, false);
        give_back_pages(unused);
    }
}

void ColdNeurons::refill() {
    while (const auto one = cache_.next_filled()) {
        cache_.filled(*one, arrange(one->layer, one->neuron, one->at).has_value());
    }
    int idle = 0;  // layers that nothing is read for
    while (refills_ && idle < cache_.n_layers()) {
        refilled_ = (refilled_ + 1) % cache_.n_layers();
        const bool begun =
            is_mixture(layers_[static_cast<std::size_t>(refilled_)]) && cache_.refill(refilled_);
        idle = begun ? 0 : idle + 1;
    }
    refills_ = refills_ && cache_.is_filling();
}

void ColdNeurons::give_up(std::uint64_t bytes, std::uint64_t most) {
    std::uint64_t taken = bytes;  // and by the layers so far
    std::uint64_t at = 0;
    for (int index = 0; index < cache_.n_layers(); ++index) {
        const CachedLayer& layer = cache_.layer(index);
        const std::uint64_t used =
            static_cast<std::uint64_t>(cache_.n_slots(index)) * layer.slot_bytes;
        const std::uint64_t written = std::min(bytes - std::min(bytes, at), used);
        if (bytes > at) {
            cache_.drop(index);
        }
        if (taken + used - written <= most) {
            taken += used - written;
        } else {
            cache_.drop(index);
            give_back_pages({layer.base + written, static_cast<std::size_t>(used - written)});
        }
        at += static_cast<std::uint64_t>(layer.n_slots) * layer.slot_bytes;
    }
}

void ColdNeurons::forget(int layer, int item) {
    const int index = index_of(layer);
    cache_.forget(index, item);
    checked_[static_cast<std::size_t>(index)][static_cast<std::size_t>(item)] = 0;
}

Result<void> ColdNeurons::fill(int index) {
    constexpr int kGroup = 1024;
    const CachedLayer& layer = cache_.layer(index);
    const int n = std::min(layer.n_slots, layer.n_neurons);
    const int n_groups = (n + kGroup - 1) / kGroup;
    std::vector<std::uint16_t> names(static_cast<std::size_t>(n));
    std::vector<std::uint16_t> slots(names.size());
    std::vector<std::uint8_t> read(names.size());
    std::iota(names.begin(), names.end(), std::uint16_t{0});
    cache_.begin(index, n_groups);
    Result<void> status;
    for (int group = 0; group < n_groups; ++group) {
        const auto first = static_cast<std::size_t>(group * kGroup);
        const std::size_t count = std::min<std::size_t>(kGroup, names.size() - first);
        cache_.want(
            group, {0, std::span(names).subspan(first, count),
                    std::span(slots).subspan(first, count), std::span(read).subspan(first, count)});
    }
    for (int group = 0; group < n_groups && status; ++group) {
        status = cache_.await(group);
        const auto first = static_cast<std::size_t>(group * kGroup);
        for (std::size_t i = first; i < std::min(names.size(), first + kGroup) && status; ++i) {
            status = read[i] != 0 ? arrange(index, names[i], slots[i]) : Result<void>{};
        }
        if (status) {
            cache_.done(group);
        }
    }
    cache_.end();
    return status;
}

}  // namespace hearth
