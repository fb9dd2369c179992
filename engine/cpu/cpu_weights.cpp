#include "cpu/cpu_weights.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/assert.h"
#include "cpu/block_layout.h"
#include "cpu/weight_job.h"
#include "cpu/weight_streams.h"
#include "gguf/encoding.h"
#include "gguf/finite.h"
#include "gguf/rows.h"
#include "model/gate_matrix.h"

namespace hearth {
namespace {

// A layer's neurons that stay with the processor.
RowChoice own_neurons(const ModelSpec& spec, const GpuPart& on_gpu, std::size_t layer) {
    const auto n_ff = static_cast<std::uint64_t>(spec.layers[layer].n_ff);
    const auto hot = static_cast<std::uint64_t>(on_gpu.hot(static_cast<int>(layer)));
    const std::span<const int> order = on_gpu.order(static_cast<int>(layer));
    HEARTH_ASSERT(hot <= n_ff && (order.empty() || order.size() == n_ff));
    return {n_ff - hot, hot, order};
}

bool is_empty(const GpuPart& on_gpu, const ModelSpec& spec) {
    bool empty = !on_gpu.output_in_vram;
    for (int layer = 0; layer < spec.n_layer(); ++layer) {
        empty = empty && on_gpu.hot(layer) == 0 && on_gpu.order(layer).empty() &&
                !on_gpu.has_attention(layer);
    }
    return empty;
}

// Calls visit(layer, role, weight) for every weight that the processor holds whole, each once
// (layer: kNoLayer for the model's own), and after a layer's weights visit_block(its index) for its
// neurons and predictor, if any of them are the processor's. In the order of the arena, which is
// about that of files: read-ahead only looks forward.
template <class Visit, class VisitBlock>
void for_each_weight(const ModelSpec& spec, const ModelTensors& tensors, const GpuPart& on_gpu,
                     Visit&& visit, VisitBlock&& visit_block) {
    const auto visit_part = [&](Part part, int layer, const ByRole<Weight>& weights) {
        for (const RoleRow& row : layer == kNoLayer ? model_roles() : layer_roles()) {
            const Weight& weight = weights[row.role];
            if (row.part == part && weight.present()) {
                visit(layer, row.role, weight);
            }
        }
    };
    visit_part(Part::Embedding, kNoLayer, tensors.weights);
    bool any_attention = false;
    for (std::size_t i = 0; i < tensors.layers.size(); ++i) {
        const LayerTensors& layer = tensors.layers[i];
        const auto index = static_cast<int>(i);
        const bool attention = !on_gpu.has_attention(index);
        any_attention = any_attention || attention;
        if (attention) {
            visit_part(Part::Attention, index, layer.weights);
        }
        const RowChoice neurons = own_neurons(spec, on_gpu, i);
        if (neurons.count == 0) {
            continue;
        }
        if (!attention || !layer[Role::FfnNorm].same_as(layer[Role::AttnNorm])) {
            visit_part(Part::BlockInput, index, layer.weights);
        }
        if (neurons.first == 0) {
            visit_part(Part::FirstNeuron, index, layer.weights);
        }
        visit_block(i);
    }
    if (!on_gpu.output_in_vram) {
        ByRole<Weight> output = tensors.weights;
        if (output[Role::Output].same_as(output[Role::TokenEmbd])) {
            output[Role::Output] = {};
        }
        visit_part(Part::Output, kNoLayer, output);
    }
    if (any_attention) {
        visit_part(Part::Rope, kNoLayer, tensors.weights);
    }
}

bool is_streamed(const FlashPart& flash, int layer, Role role) {
    return layer == kNoLayer ? role == Role::Output && flash.output : flash.has(layer, role);
}

BlockLayout block_of(const ModelSpec& spec, const ModelTensors& tensors, FeedForwardMode mode,
                     const GpuPart& on_gpu, const FlashPart& flash, std::size_t i) {
    return lay_out(spec.layers[i], tensors.layers[i], mode, own_neurons(spec, on_gpu, i),
                   on_gpu.has_predictor(static_cast<int>(i)),
                   flash.layers.empty() ? FlashPart::Roles{} : flash.layers[i],
                   flash.n_cached(static_cast<int>(i)) > 0);
}

// Checks gates that come from a matrix of their own: they must equal those of the records.
Result<void> check_gates(const GgufFile& file, const LayerTensors& layer,
                         const BlockLayout& block) {
    for (const BlockLayout::Matrix& matrix : block.matrices) {
        if (layer.gate_matrix.present() && matrix.source.same_as(layer.gate_matrix)) {
            return check_gate_samples(file, layer);
        }
    }
    return {};
}

// The parts that each pass of a kind reads, in the order of a pass. Places are from the beginning
// of the memory that all parts share.
std::vector<StreamedPart> parts_of_pass(const ModelSpec& spec, const ModelTensors& tensors,
                                        FeedForwardMode mode, const GpuPart& on_gpu,
                                        const FlashPart& flash, bool batch) {
    std::vector<StreamedPart> parts;
    const auto add = [&](int layer, Part part, WeightJob job, std::uint64_t bytes) {
        if (parts.empty() || parts.back().layer != layer || parts.back().part != part) {
            parts.push_back({layer, part, {}, 0});
        }
        parts.back().jobs.push_back(std::move(job));
        parts.back().bytes += bytes;
    };
    for_each_weight(
        spec, tensors, on_gpu,
        [&](int layer, Role role, const Weight& weight) {
            if (is_streamed(flash, layer, role)) {
                const bool first = parts.empty() || parts.back().layer != layer;
                add(layer, row_of(role).part,
                    WeightJob::tiles(weight, {weight.rows}, 0, weight.cols,
                                     first ? 0 : parts.back().bytes),
                    held_bytes(role, weight));
            }
        },
        [&](std::size_t i) {
            BlockLayout block = block_of(spec, tensors, mode, on_gpu, flash, i);
            const bool shares = batch && block.slot_bytes > 0;
            if (shares) {
                block = lay_out_for_batch(block, tensors.layers[i]);
            }
            for (WeightJob& job : jobs_of(block, false, BlockLayout::Where::Streamed)) {
                add(static_cast<int>(i), Part::Neurons, std::move(job), 0);
            }
            if (block.streamed_bytes > 0) {
                parts.back().bytes = block.streamed_bytes;
                parts.back().shares = shares;
            }
        });
    return parts;
}

StreamedParts streamed_parts(const ModelSpec& spec, const ModelTensors& tensors,
                             FeedForwardMode mode, const GpuPart& on_gpu, const FlashPart& flash) {
    return {parts_of_pass(spec, tensors, mode, on_gpu, flash, false),
            flash.cached.empty() ? std::vector<StreamedPart>{}
                                 : parts_of_pass(spec, tensors, mode, on_gpu, flash, true)};
}

// The layers whose neurons are cached. Their orders are on_gpu's.
std::vector<ColdLayer> cold_layers(const ModelSpec& spec, const ModelTensors& tensors,
                                   FeedForwardMode mode, const GpuPart& on_gpu,
                                   const FlashPart& flash) {
    std::vector<ColdLayer> layers;
    for (std::size_t i = 0; i < tensors.layers.size() && !flash.cached.empty(); ++i) {
        BlockLayout block = block_of(spec, tensors, mode, on_gpu, flash, i);
        if (block.slot_bytes > 0 && block.neurons.count > 0) {
            const auto is_cached = [](const BlockLayout::Matrix& matrix) {
                return matrix.where == BlockLayout::Where::Cached;
            };
            ColdLayer& layer = layers.emplace_back();
            layer.layer = static_cast<int>(i);
            layer.neurons = block.neurons;
            std::copy_if(block.matrices.begin(), block.matrices.end(),
                         std::back_inserter(layer.matrices), is_cached);
            layer.slot_bytes = block.slot_bytes;
            layer.n_slots = std::min(flash.cached[i], static_cast<int>(block.neurons.count));
        }
    }
    return layers;
}

// The jobs that load matrices for good, in the order of loading: visit(job, whether the rows are a
// predictor's).
template <class Visit>
void for_each_resident_job(const ModelSpec& spec, const ModelTensors& tensors, FeedForwardMode mode,
                           const GpuPart& on_gpu, const FlashPart& flash, Visit&& visit) {
    for_each_weight(
        spec, tensors, on_gpu,
        [&](int layer, Role role, const Weight& weight) {
            if (!row_of(role).is_vector() && !is_streamed(flash, layer, role)) {
                visit(WeightJob::tiles(weight, {weight.rows}, 0, weight.cols, 0), false);
            }
        },
        [&](std::size_t i) {
            const BlockLayout block = block_of(spec, tensors, mode, on_gpu, flash, i);
            for (const bool predictors : {false, true}) {
                for (const WeightJob& job :
                     jobs_of(block, predictors, BlockLayout::Where::Resident)) {
                    visit(job, predictors);
                }
            }
        });
}

struct HeldBytes {
    std::uint64_t resident = 0;
    StreamMemory streamed;
    std::uint64_t tables = 0;  // of cached neurons
    std::uint64_t arena() const { return resident + streamed.total(); }
    std::uint64_t total() const { return arena() + tables; }
};

HeldBytes bytes_of(const ModelSpec& spec, const ModelTensors& tensors, FeedForwardMode mode,
                   const GpuPart& on_gpu, const FlashPart& flash) {
    HeldBytes bytes;
    for_each_weight(
        spec, tensors, on_gpu,
        [&](int layer, Role role, const Weight& weight) {
            bytes.resident += is_streamed(flash, layer, role) ? 0 : held_bytes(role, weight);
        },
        [&](std::size_t i) {
            bytes.resident += block_of(spec, tensors, mode, on_gpu, flash, i).bytes;
        });
    if (flash.any()) {
        std::uint64_t cached = 0;
        const std::vector<ColdLayer> cold = cold_layers(spec, tensors, mode, on_gpu, flash);
        bytes.tables = ColdNeurons::table_bytes(cold);
        for (const ColdLayer& layer : cold) {
            cached += static_cast<std::uint64_t>(layer.n_slots) * layer.slot_bytes;
        }
        std::uint64_t largest = 0;  // that loading reads, through the same memory
        for_each_resident_job(spec, tensors, mode, on_gpu, flash, [&](const WeightJob& job, bool) {
            largest = std::max(largest, job.task_bytes());
        });
        bytes.streamed =
            StreamMemory::of(streamed_parts(spec, tensors, mode, on_gpu, flash), cached, largest);
    }
    return bytes;
}

PackedMatrix view(const Weight& weight, const std::byte* place) {
    return {weight.type, static_cast<int>(weight.rows), static_cast<int>(weight.cols), place};
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

Result<void> load_up_bias(const InputFile& file, const Weight& bias, const RowChoice& neurons,
                          std::byte* place, std::span<const float>& view) {
    std::vector<float> all(bias.values());
    if (auto read = read_vector(file, bias, reinterpret_cast<std::byte*>(all.data())); !read) {
        return read;
    }
    auto* held = reinterpret_cast<float*>(place);
    for (std::uint64_t i = 0; i < neurons.count; ++i) {
        held[i] = all[neurons.in_file(i)];
    }
    view = {held, static_cast<std::size_t>(neurons.count)};
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
    on_gpu_ = std::move(other.on_gpu_);
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
                                    FeedForwardMode mode, const GpuPart& on_gpu,
                                    const FlashPart& flash) {
    HEARTH_ASSERT(mode != FeedForwardMode::Thresholded || is_empty(on_gpu, spec));
    return bytes_of(spec, tensors, mode, on_gpu, flash).total();
}

PassBytes CpuWeights::bytes_read(const ModelSpec& spec, const ModelTensors& tensors,
                                 FeedForwardMode mode, const GpuPart& on_gpu,
                                 const FlashPart& flash) {
    const auto sum = [](const std::vector<StreamedPart>& parts) {
        std::uint64_t bytes = 0;
        for (const StreamedPart& part : parts) {
            for (const WeightJob& job : part.jobs) {
                bytes += job.file_bytes();
            }
        }
        return bytes;
    };
    const StreamedParts parts = streamed_parts(spec, tensors, mode, on_gpu, flash);
    return {sum(parts.of_token), sum(flash.cached.empty() ? parts.of_token : parts.of_batch)};
}

Result<CpuWeights> CpuWeights::load(const PlanSlice& slice, ThreadPool& pool,
                                    LoadMonitor& monitor) {
    CpuWeights weights;
    weights.on_gpu_ = slice.plan.on_gpu();
    const GpuPart& on_gpu = weights.on_gpu_;
    const ModelTensors& tensors = slice.tensors;
    const FlashPart& flash = slice.plan.placement.flash;
    const FeedForwardMode mode = slice.plan.mode;
    const HeldBytes bytes = bytes_of(slice.spec, tensors, mode, on_gpu, flash);
    auto arena = slice.ledger.allocate(Purpose::Weights, bytes.arena(), "weights");
    if (!arena) {
        return std::move(arena).error();
    }
    if (auto counted = slice.ledger.count(Purpose::Weights, bytes.tables, "tables of neurons");
        !counted) {
        return std::move(counted).error();
    }
    weights.arena_ = std::move(*arena);
    std::vector<std::vector<std::byte>> staging(static_cast<std::size_t>(pool.n_threads()));
    FileRows file_rows(slice.file.file());
    std::uint64_t offset = 0;
    Result<void> status;
    // Of a model that is larger than RAM the page cache shall hold nothing.
    std::byte* slot = nullptr;
    const bool own_predictors = tensors.predictor_file == &slice.file;
    std::optional<ReadAhead> ahead;
    std::size_t piece = 0;
    if (flash.any()) {
        auto streams = WeightStreams::open(slice.file.file(),
                                           streamed_parts(slice.spec, tensors, mode, on_gpu, flash),
                                           bytes.streamed,
                                           {weights.arena_.data() + bytes.resident,
                                            static_cast<std::size_t>(bytes.streamed.total())},
                                           pool, slice.plan.flash_without, slice.plan.disk_reads);
        if (!streams) {
            return std::move(streams).error();
        }
        weights.streams_ = std::move(*streams);
        slot = weights.streams_->slot(false);
        std::vector<FilePiece> pieces;
        for_each_resident_job(
            slice.spec, tensors, mode, on_gpu, flash, [&](const WeightJob& job, bool of_predictor) {
                for (std::size_t task = 0;
                     task < job.n_tasks() && (own_predictors || !of_predictor); ++task) {
                    pieces.push_back(job.piece(task));
                }
            });
        if (!pieces.empty()) {
            ahead.emplace(weights.streams_->queue(), std::move(pieces), weights.streams_->ring());
            ahead->seek(0);
        }
    }
    const auto run = [&](const WeightJob& job, std::byte* base) {
        if (ahead && status) {
            AheadRows rows(*ahead, piece);
            status = job.run(rows, pool, {}, true, base);
            piece += job.n_tasks();
        } else if (status) {
            status = job.run(file_rows, pool, staging, true, base);
        }
    };
    const auto loaded_to = [&](std::uint64_t end) {
        offset = end;
        if (status &&
            !monitor.loaded(static_cast<double>(offset) / static_cast<double>(bytes.resident))) {
            status = Error{ErrorCode::Cancelled, "loading was cancelled", slice.file.path(), {}};
        }
    };
    weights.held_.resize(tensors.layers.size() + 1);
    std::uint64_t slot_offset = 0;
    int slot_layer = kNoLayer;
    for_each_weight(
        slice.spec, tensors, on_gpu,
        [&](int index, Role role, const Weight& weight) {
            CpuLayer& layer = weights.held_[weights.place_of(index)];
            if (is_streamed(flash, index, role)) {
                slot_offset = index == slot_layer ? slot_offset : 0;
                slot_layer = index;
                layer.tiles[role] = view(weight, slot + slot_offset);
                slot_offset += held_bytes(role, weight);
                return;
            }
            if (!status) {
                return;
            }
            std::byte* place = weights.arena_.data() + offset;
            if (row_of(role).is_vector()) {
                layer.vectors[role] = {reinterpret_cast<const float*>(place),
                                       static_cast<std::size_t>(weight.values())};
                status = read_vector(slice.file.file(), weight, place);
            } else {
                layer.tiles[role] = view(weight, place);
                run(WeightJob::tiles(weight, {weight.rows}, 0, weight.cols, 0), place);
            }
            loaded_to(offset + held_bytes(role, weight));
        },
        [&](std::size_t i) {
            if (!status) {
                return;
            }
            const RowChoice own = own_neurons(slice.spec, on_gpu, i);
            const BlockLayout block = block_of(slice.spec, tensors, mode, on_gpu, flash, i);
            CpuLayer& layer = weights.held_[i];
            layer.n_neurons = static_cast<int>(own.count);
            layer.first = static_cast<int>(own.first);
            if (!own.order.empty()) {
                layer.numbers = own.order.subspan(own.first);
            }
            status = check_gates(slice.file, tensors.layers[i], block);
            std::byte* base = weights.arena_.data() + offset;
            set_views(block, tensors.layers[i], base, slot, layer);
            if (block.slot_bytes > 0) {
                weights.batch_.resize(tensors.layers.size());
                set_views(lay_out_for_batch(block, tensors.layers[i]), tensors.layers[i], base,
                          weights.streams_->slot(true), weights.batch_[i]);
            }
            const Weight& bias = tensors.layers[i][Role::UpBias];
            if (status && bias.present() && mode != FeedForwardMode::Thresholded) {
                status =
                    load_up_bias(slice.file.file(), bias, own, base, layer.vectors[Role::UpBias]);
            }
            for (const WeightJob& job : jobs_of(block, false, BlockLayout::Where::Resident)) {
                run(job, base);
            }
            for (const WeightJob& job : jobs_of(block, true, BlockLayout::Where::Resident)) {
                if (own_predictors) {
                    run(job, base);
                } else if (status) {
                    FileRows predictors(tensors.predictor_file->file());
                    status = job.run(predictors, pool, staging, true, base);
                }
            }
            loaded_to(offset + block.bytes);
        });
    if (!status) {
        return std::move(status).error();
    }
    HEARTH_ASSERT(offset == bytes.resident);
    if (flash.any()) {
        ahead.reset();  // the ring is the streams' from here on
        std::vector<ColdLayer> cold = cold_layers(slice.spec, tensors, mode, on_gpu, flash);
        const std::vector<ColdLayer> layers = cold;
        if (auto started = weights.streams_->start(slice.spec.n_layer(), std::move(cold));
            !started) {
            return std::move(started).error();
        }
        for (const ColdLayer& layer : layers) {
            weights.show_slots(layer);
        }
    }

    if (!on_gpu.output_in_vram && tensors[Role::Output].same_as(tensors[Role::TokenEmbd])) {
        ByRole<PackedMatrix>& model = weights.held_.back().tiles;
        model[Role::Output] = model[Role::TokenEmbd];
    }
    for (std::size_t i = 0; i < tensors.layers.size(); ++i) {
        const LayerTensors& from = tensors.layers[i];
        CpuLayer& layer = weights.held_[i];
        if (layer.has_attention() && from[Role::FfnNorm].same_as(from[Role::AttnNorm])) {
            layer.vectors[Role::FfnNorm] = layer.vectors[Role::AttnNorm];
            layer.vectors[Role::FfnNormBias] = layer.vectors[Role::AttnNormBias];
        }
    }
    // A batch sees the matrices of cached layers at other places, and all the rest as a token does.
    for (std::size_t i = 0; i < weights.batch_.size(); ++i) {
        const CpuLayer all = std::exchange(weights.batch_[i], weights.held_[i]);
        CpuLayer& layer = weights.batch_[i];
        for (const Role role : {Role::Gate, Role::Up, Role::Down}) {
            if (layer.cold != nullptr) {
                layer.tiles[role] = all.tiles[role];
                layer.rows[role] = all.rows[role];
            }
        }
        layer.cold = nullptr;
    }
    weights.shapes_.reserve(weights.held_.size());
    for (const CpuLayer& layer : weights.held_) {
        weights.shapes_.push_back(without_bytes(layer));
    }
    return weights;
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
    for (const BlockLayout::Matrix& matrix : cold.matrices) {
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
