#include "cpu/cpu_weights.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/assert.h"
#include "cpu/cpu_layout.h"
#include "cpu/exchange_neurons.h"
#include "cpu/kept_weights.h"
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
    streams_.reset();  // it reads into the segments' tail
    segments_ = std::move(other.segments_);
    streams_ = std::move(other.streams_);
    placement_ = std::move(other.placement_);
    layout_ = std::move(other.layout_);
    kept_ = std::move(other.kept_);
    load_read_bytes_ = other.load_read_bytes_;
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
        if (weight.n_experts > 1) {
            return Error{ErrorCode::Unsupported,
                         "thresholds are for dense blocks; this model is a mixture of experts",
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

Result<CpuWeights> CpuWeights::load(const PlanSlice& slice, ThreadPool& pool, LoadMonitor& monitor,
                                    CpuWeights before) {
    CpuWeights weights;
    check_placement(slice.plan.placement, slice.spec.neurons());
    weights.placement_ = slice.plan.placement;
    const bool reads_flash = weights.placement_.reads_flash();
    weights.layout_ = lay_out(slice.spec, slice.tensors, slice.plan.mode, weights.placement_);
    const CpuLayout& layout = weights.layout_;
    const LayoutBytes bytes = bytes_of(layout, reads_flash);
    if (auto taken = weights.take_memory(slice, bytes, before); !taken) {
        return std::move(taken).error();
    }
    std::byte* slot = nullptr;
    std::byte* batch_slot = nullptr;
    if (reads_flash) {
        auto streams = WeightStreams::open(slice.file.file(), streamed_parts(layout),
                                           bytes.streamed, weights.segments_.tail(), pool,
                                           slice.plan.flash_without, slice.plan.disk_reads);
        if (!streams) {
            return std::move(streams).error();
        }
        weights.streams_ = std::move(*streams);
        slot = weights.streams_->slot(false);
        batch_slot = weights.streams_->slot(true);
    }
    if (auto read = weights.read_resident(slice, pool, monitor); !read) {
        return std::move(read).error();
    }
    LayoutViews views = views_of(layout, slice.tensors, weights.segments_, slot, batch_slot);
    weights.held_ = std::move(views.layers);
    weights.batch_ = std::move(views.batch);
    if (reads_flash) {
        const std::vector<ColdLayer> cold = cold_layers(layout);
        if (auto started = weights.streams_->start(slice.spec.n_layer(), cold); !started) {
            return std::move(started).error();
        }
        weights.load_read_bytes_ += weights.streams_->filled_bytes();
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

// All of the ledger's bytes, with what is kept of the weights before.
Result<void> CpuWeights::take_memory(const PlanSlice& slice, const LayoutBytes& bytes,
                                     CpuWeights& before) {
    kept_.assign(layout_.weights.size(), false);
    if (auto counted = slice.ledger.count(Purpose::Weights, bytes.total(), "weights"); !counted) {
        return counted;
    }
    if (before.segments_.count() == 0) {
        auto made = Segments::create(layout_.segment_bytes, bytes.streamed.total(), "weights");
        if (!made) {
            return std::move(made).error();
        }
        segments_ = std::move(*made);
        return {};
    }
    before.streams_.reset();
    segments_ = std::move(before.segments_);
    segments_.drop_tail();
    const std::vector<const HeldWeight*> kept = kept_weights(layout_, before.layout_);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        kept_[i] = kept[i] != nullptr;
    }
    if (auto moved = move_kept(layout_, kept, segments_); !moved) {
        return moved;
    }
    return segments_.make_tail(bytes.streamed.total(), "weights");
}

// Reads what is not kept into the segments, each weight once, in the layout's order.
Result<void> CpuWeights::read_resident(const PlanSlice& slice, ThreadPool& pool,
                                       LoadMonitor& monitor) {
    const InputFile& file = slice.file.file();
    std::vector<ResidentJob> jobs = resident_jobs(layout_);
    std::erase_if(jobs, [&](const ResidentJob& resident) {
        return std::all_of(resident.weights.begin(), resident.weights.end(),
                           [&](std::size_t weight) { return kept_[weight]; });
    });
    const bool own_predictors = slice.tensors.predictor_file == &slice.file;
    const auto from_other_file = [&](const ResidentJob& resident) {
        return resident.of_predictor && !own_predictors;
    };
    // The page cache shall hold nothing of a model that is larger than RAM.
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
        const int layer = layout_.weights[resident.weights.front()].layer;
        std::byte* const base = segments_.data(layout_.segment_of(layer));
        load_read_bytes_ += resident.job.file_bytes();
        if (from_other_file(resident)) {
            FileRows predictors(slice.tensors.predictor_file->file());
            return resident.job.run(predictors, pool, staging, true, base);
        }
        if (!ahead) {
            return resident.job.run(file_rows, pool, staging, true, base);
        }
        AheadRows rows(*ahead, piece);
        piece += resident.job.n_tasks();
        return resident.job.run(rows, pool, {}, true, base);
    };
    const std::uint64_t all = layout_.ram_bytes();
    auto next = jobs.begin();
    std::uint64_t done = 0;
    for (std::size_t i = 0; i < layout_.weights.size(); ++i) {
        const HeldWeight& held = layout_.weights[i];
        Result<void> status =
            kept_[i] ? Result<void>{} : check_gates(slice.file, slice.tensors, held);
        if (status && held.form == CpuForm::Floats && !kept_[i]) {
            const std::size_t segment = layout_.segment_of(held.layer);
            std::byte* const place = segments_.data(segment) + held.at;
            load_read_bytes_ += held.source.bytes();
            status = held.role == Role::UpBias
                         ? read_up_bias(file, held.source, layout_.blocks[segment].neurons, place)
                         : read_vector(file, held.source, place);
        } else if (status && next != jobs.end() && next->weights.front() == i) {
            status = run(*next++);
        }
        if (!status) {
            return status;
        }
        if (held.home != Home::Ram) {
            continue;
        }
        done += held.bytes;
        if (!monitor.loaded(static_cast<double>(done) / static_cast<double>(all))) {
            return Error{ErrorCode::Cancelled, "loading was cancelled", slice.file.path(), {}};
        }
    }
    HEARTH_ASSERT(next == jobs.end());
    return {};
}

Result<void> CpuWeights::exchange(const PlanSlice& slice, std::span<const PlaceExchange> pairs,
                                  ThreadPool& pool) {
    FileRows file(slice.file.file());
    std::vector<std::vector<std::byte>> staging(static_cast<std::size_t>(pool.n_threads()));
    for (const PlaceExchange& two : pairs) {
        hearth::exchange(placement_, two);  // which the layout and the views refer to
    }
    std::map<int, std::vector<int>> neurons;  // of each layer that is no mixture
    for (const PlaceExchange& two : pairs) {
        const CpuLayer& layer = held_[static_cast<std::size_t>(two.layer)];
        const LayerSpec& spec = slice.spec.layer(two.layer);
        const int place = two.other_place - layer.first / spec.n_ff_counted();
        if (layer.cold != nullptr) {
            layer.cold->forget(two.layer, place);
        }
        if (!spec.is_mixture()) {
            neurons[two.layer].push_back(place);
            continue;
        }
        std::byte* const base = segments_.data(layout_.segment_of(two.layer));
        for (const WeightJob& job : expert_jobs(layout_, two.layer, two.other_place)) {
            load_read_bytes_ += job.file_bytes();
            if (auto read = job.run(file, pool, staging, true, base); !read) {
                return read;
            }
        }
    }
    for (auto& [index, places] : neurons) {
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
        std::byte* const base = segments_.data(layout_.segment_of(index));
        auto read = read_neurons(layout_, index, held_[static_cast<std::size_t>(index)], places,
                                 file, pool, staging, base);
        if (!read) {
            return std::move(read).error();
        }
        load_read_bytes_ += *read;
        if (auto biased = read_up_biases(slice.file.file(), index); !biased) {
            return biased;
        }
    }
    if (streams_ != nullptr && !neurons.empty()) {
        streams_->reorder();
    }
    return {};
}

// A block's biases of up, if it has any.
Result<void> CpuWeights::read_up_biases(const InputFile& file, int layer) {
    for (const HeldWeight& held : layout_.weights) {
        if (held.layer == layer && held.role == Role::UpBias) {
            const std::size_t segment = layout_.segment_of(layer);
            return read_up_bias(file, held.source, layout_.blocks[segment].neurons,
                                segments_.data(segment) + held.at);
        }
    }
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
    const int index = layer.cold->index_of(cold.layer);
    for (const HeldWeight& matrix : cold.matrices) {
        if (matrix.form == CpuForm::Tiles) {
            layer.tiles[matrix.role] = layer.cold->tiles(index, matrix);
        } else {
            layer.rows[matrix.role] = layer.cold->rows(index, matrix);
        }
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
    const bool as_batch = held.cold != nullptr && batch_pass_ && !batch_.empty();
    return WeightLease(as_batch ? batch_[place_of(layer)] : held);
}

}  // namespace hearth
