#include "cpu/layout_jobs.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/assert.h"
#include "cpu/cpu_forms.h"
#include "cpu/pack_rows.h"

namespace hearth {
namespace {

// True if its rows are read neuron by neuron, to be put into tiles or rows.
bool is_read_by_neuron(const HeldWeight& held) {
    return row_of(held.role).part == Part::Neurons && held.form != CpuForm::Columns &&
           is_by_neuron(held.role, held.source);
}

NeuronMatrix of_neurons(const HeldWeight& held) {
    return {held.source, held.form, held.at};
}

// The columns of the neurons of a down projection that is stored by output.
WeightJob columns_of(const Weight& down, const RowChoice& neurons, std::uint64_t at) {
    const std::uint64_t first = neurons.in_file(0);
    const std::uint64_t block = dtype_info(down.type).block_values;
    HEARTH_ASSERT(first % block == 0 && neurons.count % block == 0);
    for (std::uint64_t i = 1; i < neurons.count && !neurons.order.empty(); ++i) {
        HEARTH_ASSERT(neurons.in_file(i) == first + i);
    }
    return tiles_job(down, {down.rows}, first, neurons.count, at);
}

// A job for the matrix, and for those of `block` that lie in the same records and have the same
// home, since reading one reads the others. Empty: it comes with an earlier one of them.
std::optional<WeightJob> job_of(const HeldWeight& held, std::span<const HeldWeight> block,
                                const RowChoice& neurons) {
    const Weight& source = held.source;
    if (source.n_parts > 1 || source.turned) {
        return parts_job(source, held.at);
    }
    if (!is_of_neurons(held) || held.role == Role::PredictorFc1) {
        return tiles_job(source, rows_of(source), 0, source.cols, held.at);
    }
    if (source.n_experts > 1) {
        return tiles_job(source, rows_of_experts(source, held.role, neurons), 0, source.cols,
                         held.at);
    }
    if (held.form == CpuForm::Columns) {
        return columns_job(source, held.at);
    }
    if (held.role == Role::PredictorFc2) {
        return tiles_job(source, neurons, 0, source.cols, held.at);
    }
    if (!is_read_by_neuron(held)) {
        return columns_of(source, neurons, held.at);
    }
    if (!source.in_records()) {
        return neurons_job({of_neurons(held)}, neurons);
    }
    std::vector<NeuronMatrix> together;
    for (const HeldWeight& other : block) {
        if (other.source.tensor != source.tensor || !is_read_by_neuron(other) ||
            other.home != held.home) {
            continue;
        }
        if (together.empty() && &other != &held) {
            return std::nullopt;
        }
        together.push_back(of_neurons(other));
    }
    return neurons_job(together, neurons);
}

// The weights of the same layer as `first` from there on, and of the same kind.
std::span<const HeldWeight> block_from(std::span<const HeldWeight> weights, std::size_t first) {
    std::size_t end = first;
    while (end < weights.size() && weights[end].layer == weights[first].layer &&
           is_of_neurons(weights[end])) {
        ++end;
    }
    return weights.subspan(first, end - first);
}

// Calls visit(index, job) for each matrix of the home, in their order; no job: it comes with an
// earlier one's.
template <class Visit>
void for_each_matrix(const CpuLayout& layout, std::span<const HeldWeight> weights, Home home,
                     Visit&& visit) {
    std::span<const HeldWeight> block;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const HeldWeight& held = weights[i];
        if (is_of_neurons(held) && (block.empty() || block.front().layer != held.layer)) {
            block = block_from(weights, i);
        }
        if (held.home != home || held.form == CpuForm::Floats) {
            continue;
        }
        const RowChoice neurons = is_of_neurons(held)
                                      ? layout.blocks[static_cast<std::size_t>(held.layer)].neurons
                                      : RowChoice{};
        visit(i, job_of(held, block, neurons));
    }
}

// The streamed weights of each layer's part.
std::vector<StreamedPart> parts_of(const CpuLayout& layout, std::span<const HeldWeight> weights,
                                   bool batch) {
    std::vector<StreamedPart> parts;
    for_each_matrix(
        layout, weights, Home::Stream, [&](std::size_t i, std::optional<WeightJob> job) {
            const HeldWeight& held = weights[i];
            const Part part = row_of(held.role).part;
            if (parts.empty() || parts.back().layer != held.layer || parts.back().part != part) {
                const bool shares =
                    batch && part == Part::Neurons &&
                    layout.blocks[static_cast<std::size_t>(held.layer)].slot_bytes > 0;
                parts.push_back({held.layer, part, {}, 0, shares});
            }
            parts.back().bytes = held.at + held.bytes;
            if (job) {
                parts.back().jobs.push_back(std::move(*job));
            }
        });
    return parts;
}

// As a batch sees them.
std::vector<HeldWeight> weights_of_batch(const CpuLayout& layout) {
    std::vector<HeldWeight> weights;
    int replaced = kNoLayer;
    for (const HeldWeight& held : layout.weights) {
        if (!is_of_neurons(held) ||
            layout.blocks[static_cast<std::size_t>(held.layer)].slot_bytes == 0) {
            weights.push_back(held);
        } else if (held.layer != replaced) {
            replaced = held.layer;
            const auto all = layout.for_batches_of(held.layer);
            weights.insert(weights.end(), all.begin(), all.end());
        }
    }
    return weights;
}

// The items of a block's slots: its neurons, or its experts.
RowChoice items_of(const HeldBlock& block) {
    const auto width = static_cast<std::uint64_t>(block.slot_neurons);
    return {block.neurons.count / width, block.neurons.first / width, block.neurons.order};
}

}  // namespace

std::vector<ResidentJob> resident_jobs(const CpuLayout& layout) {
    std::vector<ResidentJob> jobs;
    const auto of_same_records = [&](std::size_t weight) {
        const HeldWeight& held = layout.weights[weight];
        return std::find_if(jobs.rbegin(), jobs.rend(), [&](const ResidentJob& job) {
            const HeldWeight& first = layout.weights[job.weights.front()];
            return first.layer == held.layer && first.source.tensor == held.source.tensor;
        });
    };
    for_each_matrix(
        layout, layout.weights, Home::Ram, [&](std::size_t i, std::optional<WeightJob> job) {
            if (job) {
                jobs.push_back(
                    {std::move(*job), {i}, row_of(layout.weights[i].role).part == Part::Predictor});
            } else {
                of_same_records(i)->weights.push_back(i);
            }
        });
    return jobs;
}

std::vector<WeightJob> expert_jobs(const CpuLayout& layout, int layer, int place) {
    const RowChoice& neurons = layout.blocks[static_cast<std::size_t>(layer)].neurons;
    std::vector<WeightJob> jobs;
    for (const HeldWeight& held : layout.weights) {
        const Weight& source = held.source;
        if (held.layer != layer || !is_of_neurons(held) || held.home != Home::Ram ||
            source.n_experts <= 1) {
            continue;
        }
        RowChoice rows = rows_of_experts(source, held.role, neurons);
        const std::uint64_t first = static_cast<std::uint64_t>(place) * source.expert_rows();
        HEARTH_ASSERT(first >= rows.first &&
                      first + source.expert_rows() <= rows.first + rows.count);
        const std::uint64_t at =
            held.at + (first - rows.first) / source.expert_rows() *
                          packed_bytes(source.type, source.expert_rows(), source.cols);
        rows.first = first;
        rows.count = source.expert_rows();
        jobs.push_back(tiles_job(source, rows, 0, source.cols, at));
    }
    return jobs;
}

StreamedParts streamed_parts(const CpuLayout& layout) {
    StreamedParts parts;
    parts.of_token = parts_of(layout, layout.weights, false);
    if (!layout.for_batches.empty()) {
        parts.of_batch = parts_of(layout, weights_of_batch(layout), true);
    }
    return parts;
}

std::vector<ColdLayer> cold_layers(const CpuLayout& layout) {
    std::vector<ColdLayer> layers;
    for (const HeldWeight& held : layout.weights) {
        if (held.home != Home::Slots) {
            continue;
        }
        if (layers.empty() || layers.back().layer != held.layer) {
            const HeldBlock& block = layout.blocks[static_cast<std::size_t>(held.layer)];
            layers.push_back({.layer = held.layer,
                              .items = items_of(block),
                              .matrices = {},
                              .slot_bytes = block.slot_bytes,
                              .n_slots = block.n_slots,
                              .least_slots = block.least_slots,
                              .expected_uses = block.expected_uses});
        }
        layers.back().matrices.push_back(held);
    }
    return layers;
}

LayoutBytes bytes_of(const CpuLayout& layout, bool reads_flash) {
    LayoutBytes bytes;
    bytes.resident = layout.ram_bytes();
    if (!reads_flash) {
        return bytes;
    }
    const std::vector<ColdLayer> cold = cold_layers(layout);
    bytes.tables = ColdNeurons::table_bytes(cold);
    std::uint64_t cached = 0;
    for (const ColdLayer& layer : cold) {
        cached += static_cast<std::uint64_t>(layer.n_slots) * layer.slot_bytes;
    }
    std::uint64_t largest = 0;  // that loading reads, through the same memory
    for (const ResidentJob& resident : resident_jobs(layout)) {
        largest = std::max(largest, resident.job.task_bytes());
    }
    // A few slots are worth more than room for experts that may be chosen.
    constexpr std::uint64_t kAheadPart = 2;
    std::uint64_t ahead = 0;
    for (int n = ColdNeurons::kMostAhead; n > 0 && ahead == 0; --n) {
        const std::uint64_t room = ColdNeurons::room_ahead(cold, n);
        ahead = room <= cached / kAheadPart ? room : 0;
    }
    bytes.streamed = StreamMemory::of(streamed_parts(layout), cached, ahead, largest);
    return bytes;
}

}  // namespace hearth
