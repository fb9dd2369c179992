#include "cpu/cpu_weights.h"

#include <optional>
#include <string>
#include <utility>

#include "base/assert.h"
#include "cpu/cpu_layout.h"
#include "cpu/layout_jobs.h"
#include "cpu/layout_views.h"
#include "cpu/weight_streams.h"
#include "gguf/encoding.h"
#include "gguf/finite.h"
#include "gguf/rows.h"
#include "model/gate_matrix.h"

namespace hearth {
namespace {

// Checks gates that come from a matrix of their own: they must equal those of the records.
Result<void> check_gates(const GgufFile& file, const ModelTensors& tensors,
                         const HeldWeight& held) {
    if (held.role != Role::Gate) {
        return {};
    }
    const LayerTensors& layer = tensors.layers[static_cast<std::size_t>(held.layer)];
    const bool apart = layer.gate_matrix.present() && held.source.same_as(layer.gate_matrix);
    return apart ? check_gate_samples(file, layer) : Result<void>{};
}

Result<void> read_vector(const InputFile& file, const Weight& weight, std::byte* place) {
    std::vector<std::byte> raw(weight.bytes());
    if (auto read = file.read_at(weight.in_file(), raw); !read) {
        return read;
    }
    const std::span<float> values(reinterpret_cast<float*>(place),
                                  static_cast<std::size_t>(weight.values()));
    dequantize_row(weight.type, raw.data(), values);
    if (!all_finite(values)) {
        return not_finite(weight.tensor->name, "value", values);
    }
    return {};
}

Result<void> read_up_bias(const InputFile& file, const Weight& bias, const RowChoice& neurons,
                          std::byte* place) {
    std::vector<float> all(bias.values());
    if (auto read = read_vector(file, bias, reinterpret_cast<std::byte*>(all.data())); !read) {
        return read;
    }
    auto* held = reinterpret_cast<float*>(place);
    for (std::uint64_t i = 0; i < neurons.count; ++i) {
        held[i] = all[neurons.in_file(i)];
    }
    return {};
}

bool by_input(const Encoding& encoding) {
    return encoding.has(Layout::InputColumn);
}

}  // namespace

CpuWeights::CpuWeights() = default;
CpuWeights::CpuWeights(CpuWeights&&) noexcept = default;
CpuWeights& CpuWeights::operator=(CpuWeights&& other) noexcept {
    streams_.reset();  // it reads into the arena
    arena_ = std::move(other.arena_);
    streams_ = std::move(other.streams_);
    placement_ = std::move(other.placement_);
    held_ = std::move(other.held_);
    shapes_ = std::move(other.shapes_);
    batch_ = std::move(other.batch_);
    batch_pass_ = other.batch_pass_;
    return *this;
}
CpuWeights::~CpuWeights() = default;

Result<void> CpuWeights::can_lie_by_input(const ModelTensors& tensors) {
    const auto check = [](const Weight& weight) -> Result<void> {
        if (!weight.present() || weight.in_records() || weight.by_neuron) {
            return Error{ErrorCode::Unsupported,
                         "thresholds need gate, up and down as three matrices by output; this file "
                         "stores neurons one by one, or has no gate",
                         {},
                         "mode"};
        }
        if (!by_input(encoding_of(weight.type))) {
            return Error{ErrorCode::Unsupported,
                         weight.tensor->name + ": is of type " +
                             std::string(dtype_info(weight.type).name) + "; thresholds work on " +
                             encoding_names(by_input) + " (hearth-cli quantize makes such a file)",
                         {},
                         weight.tensor->name};
        }
        return {};
    };
    for (const LayerTensors& layer : tensors.layers) {
        for (const Role role : {Role::Gate, Role::Up, Role::Down}) {
            if (auto fine = check(layer[role]); !fine) {
                return fine;
            }
        }
    }
    return {};
}

std::uint64_t CpuWeights::bytes_for(const ModelSpec& spec, const ModelTensors& tensors,
                                    FeedForwardMode mode, const Placement& placement) {
    HEARTH_ASSERT(mode != FeedForwardMode::Thresholded || !placement.uses_vram());
    return bytes_of(lay_out(spec, tensors, mode, placement), placement.reads_flash()).total();
}

PassBytes CpuWeights::bytes_read(const ModelSpec& spec, const ModelTensors& tensors,
                                 FeedForwardMode mode, const Placement& placement) {
    const auto sum = [](const std::vector<StreamedPart>& parts) {
        std::uint64_t bytes = 0;
        for (const StreamedPart& part : parts) {
            for (const WeightJob& job : part.jobs) {
                bytes += job.file_bytes();
            }
        }
        return bytes;
    };
    const StreamedParts parts = streamed_parts(lay_out(spec, tensors, mode, placement));
    return {sum(parts.of_token), sum(parts.of_batch.empty() ? parts.of_token : parts.of_batch)};
}

Result<CpuWeights> CpuWeights::load(const PlanSlice& slice, ThreadPool& pool,
                                    LoadMonitor& monitor) {
    CpuWeights weights;
    check_placement(slice.plan.placement, slice.spec.neurons());
    weights.placement_ = slice.plan.placement;
    const bool reads_flash = weights.placement_.reads_flash();
    const CpuLayout layout =
        lay_out(slice.spec, slice.tensors, slice.plan.mode, weights.placement_);
    const LayoutBytes bytes = bytes_of(layout, reads_flash);
    auto arena = slice.ledger.allocate(Purpose::Weights, bytes.arena(), "weights");
    if (!arena) {
        return std::move(arena).error();
    }
    if (auto counted = slice.ledger.count(Purpose::Weights, bytes.tables, "tables of neurons");
        !counted) {
        return std::move(counted).error();
    }
    weights.arena_ = std::move(*arena);
    std::byte* const ram = weights.arena_.data();
    std::byte* slot = nullptr;
    std::byte* batch_slot = nullptr;
    if (reads_flash) {
        auto streams = WeightStreams::open(
            slice.file.file(), streamed_parts(layout), bytes.streamed,
            {ram + bytes.resident, static_cast<std::size_t>(bytes.streamed.total())}, pool,
            slice.plan.flash_without, slice.plan.disk_reads);
        if (!streams) {
            return std::move(streams).error();
        }
        weights.streams_ = std::move(*streams);
        slot = weights.streams_->slot(false);
        batch_slot = weights.streams_->slot(true);
    }
    if (auto read = weights.read_resident(slice, layout, pool, monitor); !read) {
        return std::move(read).error();
    }
    LayoutViews views = views_of(layout, slice.tensors, ram, slot, batch_slot);
    weights.held_ = std::move(views.layers);
    weights.batch_ = std::move(views.batch);
    if (reads_flash) {
        const std::vector<ColdLayer> cold = cold_layers(layout);
        if (auto started = weights.streams_->start(slice.spec.n_layer(), cold); !started) {
            return std::move(started).error();
        }
        for (const ColdLayer& layer : cold) {
            weights.show_slots(layer);
        }
    }
    weights.shapes_.reserve(weights.held_.size());
    for (const CpuLayer& layer : weights.held_) {
        weights.shapes_.push_back(without_bytes(layer));
    }
    return weights;
}

// Fills the arena's resident part, each weight once, in the layout's order.
Result<void> CpuWeights::read_resident(const PlanSlice& slice, const CpuLayout& layout,
                                       ThreadPool& pool, LoadMonitor& monitor) {
    const InputFile& file = slice.file.file();
    const std::vector<ResidentJob> jobs = resident_jobs(layout);
    const bool own_predictors = slice.tensors.predictor_file == &slice.file;
    const auto from_other_file = [&](const ResidentJob& resident) {
        return resident.of_predictor && !own_predictors;
    };
    // Of a model that is larger than RAM the page cache shall hold nothing.
    std::optional<ReadAhead> ahead;
    if (streams_ != nullptr) {
        std::vector<FilePiece> pieces;
        for (const ResidentJob& resident : jobs) {
            for (std::size_t task = 0; task < resident.job.n_tasks() && !from_other_file(resident);
                 ++task) {
                pieces.push_back(resident.job.piece(task));
            }
        }
        if (!pieces.empty()) {
            ahead.emplace(streams_->queue(), std::move(pieces), streams_->ring());
            ahead->seek(0);
        }
    }
    std::vector<std::vector<std::byte>> staging(static_cast<std::size_t>(pool.n_threads()));
    FileRows file_rows(file);
    std::size_t piece = 0;
    const auto run = [&](const ResidentJob& resident) -> Result<void> {
        if (from_other_file(resident)) {
            FileRows predictors(slice.tensors.predictor_file->file());
            return resident.job.run(predictors, pool, staging, true, arena_.data());
        }
        if (!ahead) {
            return resident.job.run(file_rows, pool, staging, true, arena_.data());
        }
        AheadRows rows(*ahead, piece);
        piece += resident.job.n_tasks();
        return resident.job.run(rows, pool, {}, true, arena_.data());
    };
    auto next = jobs.begin();
    std::uint64_t done = 0;
    for (std::size_t i = 0; i < layout.weights.size(); ++i) {
        const HeldWeight& held = layout.weights[i];
        Result<void> status = check_gates(slice.file, slice.tensors, held);
        if (status && held.form == CpuForm::Floats) {
            std::byte* const place = arena_.data() + held.at;
            status = held.role == Role::UpBias
                         ? read_up_bias(file, held.source,
                                        layout.blocks[static_cast<std::size_t>(held.layer)].neurons,
                                        place)
                         : read_vector(file, held.source, place);
        } else if (status && next != jobs.end() && next->first == i) {
            status = run(*next++);
        }
        if (!status) {
            return status;
        }
        if (held.home != Home::Ram) {
            continue;
        }
        done += held.bytes;
        if (!monitor.loaded(static_cast<double>(done) / static_cast<double>(layout.ram_bytes))) {
            return Error{ErrorCode::Cancelled, "loading was cancelled", slice.file.path(), {}};
        }
    }
    HEARTH_ASSERT(done == layout.ram_bytes && next == jobs.end());
    return {};
}

CpuLayer CpuWeights::without_bytes(const CpuLayer& layer) {
    CpuLayer shapes = layer;
    shapes.vectors = {};
    for (std::size_t role = 0; role < kRoles; ++role) {
        shapes.tiles.all[role].data = nullptr;
        shapes.rows.all[role].data = nullptr;
        shapes.columns.all[role].data = nullptr;
    }
    shapes.up_place = nullptr;
    shapes.cold = nullptr;
    return shapes;
}

// Lets a layer's views point to the slots of its neurons.
void CpuWeights::show_slots(const ColdLayer& cold) {
    CpuLayer& layer = held_[static_cast<std::size_t>(cold.layer)];
    layer.cold = streams_->cold();
    for (const HeldWeight& matrix : cold.matrices) {
        layer.rows[matrix.role] = layer.cold->rows(layer.cold->index_of(cold.layer), matrix);
    }
}

Result<void> CpuWeights::begin_pass(bool batch) {
    batch_pass_ = batch;
    return streams_ == nullptr ? Result<void>{} : streams_->begin_pass(batch);
}

Result<WeightLease> CpuWeights::lease(Part part, int layer, std::span<const Cluster> places) const {
    const CpuLayer& held = held_[place_of(layer)];
    HEARTH_ASSERT(part != Part::Attention || held.has_attention());
    HEARTH_ASSERT(part != Part::Output || held.tiles[Role::Output].present());
    for (const Cluster& cluster : places) {
        HEARTH_ASSERT(cluster.layer == layer);
        [[maybe_unused]] const Cluster own = held.own(cluster);  // asserts that they are here
    }
    if (streams_ != nullptr) {
        if (auto here = streams_->bring(layer, part); !here) {
            return std::move(here).error();
        }
    }
    return WeightLease(held.cold != nullptr && batch_pass_ ? batch_[place_of(layer)] : held);
}

}  // namespace hearth
