#include "vulkan/gpu_weights.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "base/assert.h"
#include "gguf/float_rows.h"
#include "include/params.h"
#include "vulkan/exchange_neurons.h"
#include "vulkan/teams.h"
#include "vulkan/weight_loader.h"

namespace hearth::vulkan {
namespace {

// What will be held, in the order of the arena.
struct Jobs {
    std::vector<VectorJob> vectors;
    std::vector<MatrixJob> matrices;
    std::vector<TableJob> tables;

    void vector(BufferView& view, const GgufFile* file, const Weight& weight, std::uint64_t count,
                std::span<const int> order = {}) {
        if (weight.present()) {
            vectors.push_back({&view, file, weight, order, count});
        }
    }
    Arena::Pieces pieces() const {
        Arena::Pieces sizes;
        for (const VectorJob& job : vectors) {
            sizes.push_back(job.count * sizeof(float));
        }
        for (const MatrixJob& job : matrices) {
            for (const GpuMatrix::Slice& slice : job.matrix->slices) {
                sizes.push_back(slice.layout.bytes);
            }
        }
        for (const TableJob& job : tables) {
            sizes.push_back(job.words.size() * sizeof(std::uint32_t));
        }
        return sizes;
    }
};

// All of a part's weights, as they are in the file. file: null where only their bytes are asked
// for.
void add_part(Jobs& jobs, Part part, const GgufFile* file, const ByRole<Weight>& weights,
              ByRole<BufferView>& vectors, ByRole<GpuMatrix>& matrices, const GpuLimits& limits) {
    for (std::size_t i = 0; i < kRoles; ++i) {
        const RoleRow& row = row_of(static_cast<Role>(i));
        const Weight& weight = weights[row.role];
        if (row.part != part || !weight.present()) {
            continue;
        }
        if (row.is_vector()) {
            jobs.vector(vectors[row.role], file, weight, weight.values());
            continue;
        }
        GpuMatrix& matrix = matrices[row.role];
        matrix = plan_matrix(weight.type, weight.rows, weight.cols, 1, limits.range_bytes_max);
        jobs.matrices.push_back({&matrix, {{file, weight}}, {}});
    }
}

// A matrix for each head. Slices end where a head's does. One that is turned becomes floats.
void add_heads(Jobs& jobs, GpuMatrix& matrix, const GgufFile* file, const Weight& weight,
               std::uint64_t n_head, const GpuLimits& limits) {
    const std::uint64_t rows = weight.turned ? weight.cols : weight.rows / n_head;
    const std::uint64_t cols = weight.turned ? weight.rows / n_head : weight.cols;
    matrix = plan_matrix(weight.turned ? kFloatRows : weight.type, n_head * rows, cols, rows,
                         limits.range_bytes_max);
    jobs.matrices.push_back({&matrix, {{file, weight}}, {}});
}

void add_attention(Jobs& jobs, GpuLayer& layer, const GgufFile* file, const LayerSpec& spec,
                   const LayerTensors& tensors, const GpuLimits& limits) {
    layer.attention = true;
    ByRole<Weight> whole = tensors.weights;
    for (const Role role : {Role::KeyUp, Role::ValueUp}) {
        if (whole[role].present()) {
            add_heads(jobs, layer.matrices[role], file, whole[role],
                      static_cast<std::uint64_t>(spec.attention.n_head), limits);
            whole[role] = {};
        }
    }
    for (const Part part : {Part::Attention, Part::BlockInput}) {
        add_part(jobs, part, file, whole, layer.vectors, layer.matrices, limits);
    }
}

// The places of a layer's experts among the first `count` of the order; empty: the file's own.
std::vector<std::uint32_t> places_of(const ExpertsSpec& spec, std::uint64_t count,
                                     std::span<const int> order) {
    std::vector<std::uint32_t> places(static_cast<std::size_t>(spec.n), NOWHERE);
    for (std::uint32_t place = 0; place < count; ++place) {
        places[order.empty() ? place : static_cast<std::size_t>(order[place])] = place;
    }
    return places;
}

// Some rows of a matrix, which lie in one slice, as a matrix in the same memory.
GpuMatrix rows_of(const GpuMatrix& matrix, std::uint64_t first, std::uint64_t count) {
    GpuMatrix::Slice slice = slice_of(matrix, first);
    const std::uint64_t skipped = first - slice.first_row;
    HEARTH_ASSERT(skipped + count <= slice.layout.rows);
    for (MatrixLayout::Run* run :
         {&slice.layout.quads, &slice.layout.high, &slice.layout.scales, &slice.layout.supers}) {
        run->at += skipped * run->row_bytes;
    }
    if (keeps_patterns(slice.layout)) {
        slice.layout.high.row_bytes = 0;  // as they are
    }
    slice.layout.rows = count;
    slice.first_row = 0;
    return {matrix.type, count, matrix.cols, {slice}};
}

// The neurons of a layer as jobs.
class NeuronJobs {
public:
    NeuronJobs(Jobs& jobs, GpuLayer& layer, const GgufFile* file, const LayerTensors& tensors,
               const GpuLimits& limits)
        : jobs_(jobs), layer_(layer), file_(file), tensors_(tensors), limits_(limits) {}

    // A matrix of the rows of each of `count` neurons, side by side, in runs of `run` neurons.
    // Slices end where a run and a block of 32 neurons does.
    void by_neuron(Role role, std::initializer_list<Role> from, std::uint64_t count,
                   std::span<const int> order, std::uint64_t run) {
        GpuMatrix& matrix = layer_.matrices[role];
        const std::uint64_t unit = std::max<std::uint64_t>(run, kBlockColumns);
        matrix = plan_matrix(tensors_[role].type, from.size() * count, tensors_[role].cols,
                             from.size() * unit, limits_.range_bytes_max);
        MatrixJob job{&matrix, {}, order, run};
        for (const Role one : from) {
            job.sources.push_back({file_, tensors_[one]});
        }
        jobs_.matrices.push_back(std::move(job));
    }
    // Gates lie beside ups where they are of one type.
    void gates_and_ups(Role gate, Role up, std::uint64_t count, std::span<const int> order,
                       std::uint64_t run) {
        if (tensors_[gate].present() && tensors_[gate].type == tensors_[up].type) {
            by_neuron(up, {gate, up}, count, order, run);
            return;
        }
        if (tensors_[gate].present()) {
            by_neuron(gate, {gate}, count, order, run);
        }
        by_neuron(up, {up}, count, order, run);
    }
    // order: of experts, the first `count` of which are here; empty: the file's own.
    void experts(const ExpertsSpec& spec, std::uint64_t count, std::span<const int> order) {
        layer_.expert_neurons = spec.n_ff;
        const auto n_ff = static_cast<std::uint64_t>(spec.n_ff);
        const std::span<const int> mine = order.first(order.empty() ? 0 : count);
        gates_and_ups(Role::Gate, Role::Up, count * n_ff, mine, n_ff);
        const Weight& down = tensors_[Role::Down];
        GpuMatrix& held = layer_.matrices[Role::Down];
        held = plan_matrix(down.type, count * down.expert_rows(), down.cols, down.expert_rows(),
                           limits_.range_bytes_max);
        jobs_.matrices.push_back({&held, {{file_, down}}, mine, down.expert_rows()});
        if (spec.n_ff_shared > 0) {
            gates_and_ups(Role::SharedGate, Role::SharedUp, tensors_[Role::SharedUp].rows, {}, 1);
        }
        jobs_.tables.push_back({&layer_.places, places_of(spec, count, mine)});
    }

private:
    Jobs& jobs_;
    GpuLayer& layer_;
    const GgufFile* file_;
    const LayerTensors& tensors_;
    const GpuLimits& limits_;
};

// order: of all neurons, or experts, of the layer, empty for the file's own; the first n neurons
// are the GPU's.
void add_neurons(Jobs& jobs, GpuLayer& layer, const GgufFile* file, const LayerSpec& spec,
                 const LayerTensors& tensors, int n, std::span<const int> order,
                 const GpuLimits& limits) {
    layer.n_neurons = n;
    if (n == 0) {
        return;
    }
    const auto count = static_cast<std::uint64_t>(n);
    NeuronJobs neurons(jobs, layer, file, tensors, limits);
    if (spec.is_mixture()) {
        ByRole<Weight> whole = tensors.weights;
        whole[Role::SharedGate] = {};  // with the shared expert's ups
        whole[Role::SharedUp] = {};
        for (const Part part : {Part::FirstNeuron, Part::EachNeuron}) {
            add_part(jobs, part, file, whole, layer.vectors, layer.matrices, limits);
        }
        neurons.experts(spec.experts, count / static_cast<std::uint64_t>(spec.experts.n_ff), order);
        return;
    }
    const std::span<const int> mine =
        order.empty() ? order : order.first(static_cast<std::size_t>(n));
    jobs.vector(layer.vectors[Role::UpBias], file, tensors[Role::UpBias], count, mine);
    add_part(jobs, Part::FirstNeuron, file, tensors.weights, layer.vectors, layer.matrices, limits);
    neurons.gates_and_ups(Role::Gate, Role::Up, count, mine, 1);
    const Weight& down = tensors[Role::Down];
    layer.down_by_neuron = down.by_neuron;
    if (down.by_neuron) {
        neurons.by_neuron(Role::Down, {Role::Down}, count, mine, 1);
    } else {
        GpuMatrix& held = layer.matrices[Role::Down];
        held = plan_matrix(down.type, down.rows, count, 1, limits.range_bytes_max);
        const auto first_col = mine.empty() ? 0 : static_cast<std::uint64_t>(mine.front());
        jobs.matrices.push_back({&held, {{file, down, first_col}}, {}});
    }
}

// All of it: it foretells the processor's neurons too.
void add_predictor(Jobs& jobs, GpuLayer& layer, const GgufFile* file, const LayerTensors& tensors,
                   std::span<const int> order, const GpuLimits& limits) {
    if (!tensors.has_predictor()) {
        return;
    }
    layer.predictor_threshold = tensors.predictor_threshold;
    add_part(jobs, Part::Predictor, file, tensors.weights, layer.vectors, layer.matrices, limits);
    jobs.matrices.back().order = order;  // of fc2
}

bool fits(const Weight& weight) {
    return !weight.present() ||
           (has_matrix_layout(weight.type) && weight.cols % kBlockColumns == 0);
}

// True if the shaders of latent attention compute such heads. No file of the family asks for more.
bool takes_latents(const LayerSpec& layer) {
    const AttentionSpec& attention = layer.attention;
    const bool plain = attention.soft_cap == 0 && attention.window == 0 && !attention.sinks &&
                       !attention.gated && attention.temperature == 0 &&
                       attention.head_norm == HeadNorm::None && attention.has_own_past() &&
                       attention.rope.pairing != RopePairing::None && !layer.qkv_bias &&
                       layer.norm.kind == NormKind::Rms && attention.n_head_kv == 1;
    // Heads begin at whole loads of four values.
    return plain && attention.rope.dim % 4 == 0 &&
           attention.head_dim == layer.latent.rank + attention.rope.dim &&
           attention.head_dim <= kLatentDimMost && attention.n_head <= kLatentHeadsMost;
}

// Why no shader computes with one of the roles' matrices, if there is one.
std::string unfit(std::span<const RoleRow> roles, const ByRole<Weight>& weights) {
    for (const RoleRow& row : roles) {
        const Weight& weight = weights[row.role];
        // The processor embeds. Rows of neurons become a type that fits.
        const bool taken_as_it_is = row.part != Part::Embedding && row.part != Part::Table &&
                                    !row.is_vector() && row.role != Role::Gate &&
                                    row.role != Role::Up && row.role != Role::SharedGate &&
                                    row.role != Role::SharedUp && !weight.by_neuron;
        if (taken_as_it_is && !fits(weight)) {
            return weight.tensor->name + " is of a type or shape no shader takes";
        }
    }
    return {};
}

}  // namespace

std::uint64_t GpuLayer::attention_bytes() const {
    std::uint64_t bytes = 0;
    for (const RoleRow& row : layer_roles()) {
        bytes += row.part == Part::Attention ? matrices[row.role].bytes() : 0;
    }
    return bytes;
}

std::uint32_t GpuLayer::gates() const {
    const bool beside = matrices[Role::Up].rows > static_cast<std::uint64_t>(n_neurons);
    return matrices[Role::Gate].present() ? GATES_APART : beside ? GATES_BESIDE : GATES_NONE;
}

std::uint32_t GpuLayer::shared_gates() const {
    const bool beside = matrices[Role::SharedUp].rows > matrices[Role::SharedDown].cols;
    return matrices[Role::SharedGate].present() ? GATES_APART : beside ? GATES_BESIDE : GATES_NONE;
}

std::string why_not_on_gpu(const ModelSpec& spec, const ModelTensors& tensors) {
    if (spec.mixes_streams()) {
        return "no shader mixes several residual streams yet";
    }
    if (spec.ngram.present()) {
        return "no shader reads a table of n-grams yet";
    }
    for (const LayerSpec& layer : spec.layers) {
        const AttentionSpec& attention = layer.attention;
        if ((attention.v_is_k || attention.v_norm) && attention.head_norm != HeadNorm::Each) {
            return "no shader computes this kind of attention layer yet";
        }
        if (layer.is_latent() && !takes_latents(layer)) {
            return "no shader computes this kind of latent attention yet";
        }
        if (attention.choice.present()) {
            return "no shader chooses blocks of the past yet";
        }
        if (layer.delta_net.sigmoid_gate) {
            return "no shader gates a delta net by a sigmoid yet";
        }
        if (attention.chunked) {
            return "no shader computes attention in chunks yet";
        }
        if (attention.head_norm == HeadNorm::Plain || attention.temperature_offset != 0) {
            return "no shader computes this kind of attention layer yet";
        }
        const ExpertsSpec& experts = layer.experts;
        if (experts.by_neuron) {
            return "single neurons of experts are computed on the processor only";
        }
        if (experts.weighs_inputs) {
            return "no shader weighs what experts read yet";
        }
        if (experts.n > MOST_EXPERTS || experts.n_used > MOST_USED_EXPERTS) {
            return "a layer has more experts than the shaders take";
        }
        const auto biases = static_cast<std::uint64_t>(
            std::max<std::int64_t>(layer.n_ff, std::int64_t{experts.n} * spec.n_embd));
        if (experts.biases && biases * sizeof(float) > Upload::kBufferBytes) {
            return "its experts have more biases than a GPU is sent at once";
        }
        if (spec.n_embd % kBlockColumns != 0 || experts.n_ff_shared % kBlockColumns != 0 ||
            layer.n_ff % kBlockColumns != 0 || layer.n_attended() % kBlockColumns != 0 ||
            spec.n_embd_layer % kBlockColumns != 0 || experts.n_latent % kBlockColumns != 0) {
            return "its rows are no whole blocks of 32";
        }
        if (!layer.is_latent() &&
            (attention.head_dim > kHeadDimMost || layer.heads_per_kv() > kGroupMost ||
             attention.head_dim * layer.heads_per_kv() > kGroupValuesMost)) {
            return "its attention heads are larger than the shaders take";
        }
    }
    for (const LayerTensors& layer : tensors.layers) {
        if (layer.input_threshold > 0 || layer.hidden_threshold > 0) {
            return "thresholds are applied on the processor only";
        }
        if (std::string why = unfit(layer_roles(), layer.weights); !why.empty()) {
            return why;
        }
    }
    return unfit(model_roles(), tensors.weights);
}

std::uint64_t attention_bytes(const LayerSpec& spec, const LayerTensors& tensors,
                              const GpuLimits& limits) {
    GpuLayer layer;
    Jobs jobs;
    add_attention(jobs, layer, nullptr, spec, tensors, limits);
    return Arena::bytes_for(jobs.pieces());
}

std::uint64_t neurons_bytes(const LayerSpec& spec, const LayerTensors& tensors, int n_neurons,
                            const GpuLimits& limits) {
    GpuLayer held;
    Jobs jobs;
    add_neurons(jobs, held, nullptr, spec, tensors, n_neurons, {}, limits);
    return Arena::bytes_for(jobs.pieces());
}

std::uint64_t predictor_bytes(const LayerTensors& tensors, const GpuLimits& limits) {
    GpuLayer layer;
    Jobs jobs;
    add_predictor(jobs, layer, nullptr, tensors, {}, limits);
    return Arena::bytes_for(jobs.pieces());
}

std::uint64_t output_bytes(const ModelTensors& tensors, const GpuLimits& limits) {
    GpuWeights unused;
    Jobs jobs;
    add_part(jobs, Part::Output, nullptr, tensors.weights, unused.vectors, unused.matrices, limits);
    return Arena::bytes_for(jobs.pieces());
}

Result<GpuWeights> GpuWeights::load(const PlanSlice& slice, const std::shared_ptr<Device>& device,
                                    ThreadPool& pool, LoadMonitor& monitor) {
    const GpuLimits limits{device->features().storage_range_bytes_max};
    const Placement& placement = slice.plan.placement;
    const GgufFile* file = &slice.file;
    GpuWeights weights;
    weights.layers.resize(slice.tensors.layers.size());
    Jobs jobs;
    for (int i = 0; i < slice.spec.n_layer(); ++i) {
        const auto index = static_cast<std::size_t>(i);
        if (placement.attention_in_vram(i)) {
            add_attention(jobs, weights.layers[index], file, slice.spec.layer(i),
                          slice.tensors.layers[index], limits);
            add_neurons(jobs, weights.layers[index], file, slice.spec.layer(i),
                        slice.tensors.layers[index], placement.hot(i), placement.order(i), limits);
            if (slice.plan.mode == FeedForwardMode::Predicted && placement.predictor_in_vram(i)) {
                add_predictor(jobs, weights.layers[index], slice.tensors.predictor_file,
                              slice.tensors.layers[index], placement.order(i), limits);
            }
        }
    }
    if (placement.output_in_vram()) {
        add_part(jobs, Part::Output, file, slice.tensors.weights, weights.vectors, weights.matrices,
                 limits);
    }
    const Arena::Pieces pieces = jobs.pieces();
    auto arena = Arena::create(device, MemoryKind::Device, pieces, "weights");
    if (!arena) {
        return std::move(arena).error();
    }
    weights.arena_ = std::move(*arena);
    for (const VectorJob& job : jobs.vectors) {
        *job.view = weights.arena_.take(job.count * sizeof(float));
    }
    for (const MatrixJob& job : jobs.matrices) {
        for (GpuMatrix::Slice& part : job.matrix->slices) {
            part.view = weights.arena_.take(part.layout.bytes);
        }
    }

    for (const TableJob& job : jobs.tables) {
        *job.view = weights.arena_.take(job.words.size() * sizeof(std::uint32_t));
    }

    auto upload = Upload::create(device);
    if (!upload) {
        return std::move(upload).error();
    }
    WeightLoader loader(*upload, pool);
    // Of a model that is larger than RAM the page cache shall hold nothing.
    if (auto begun = slice.plan.reads_flash() ? loader.read_ahead(slice.file, jobs.matrices)
                                              : Result<void>{};
        !begun) {
        return std::move(begun).error();
    }
    const auto total = static_cast<double>(std::max<std::uint64_t>(weights.arena_.bytes(), 1));
    std::uint64_t done = 0;
    const auto goes_on = [&](std::uint64_t bytes) {
        done += piece_bytes(bytes);
        return monitor.loaded(static_cast<double>(done) / total);
    };
    const auto cancelled = [&] {
        return Error{ErrorCode::Cancelled, "loading was cancelled", slice.file.path(), {}};
    };
    for (const VectorJob& job : jobs.vectors) {
        if (auto loaded = loader.vector(job); !loaded) {
            return std::move(loaded).error();
        }
        if (!goes_on(job.count * sizeof(float))) {
            return cancelled();
        }
    }
    for (const TableJob& job : jobs.tables) {
        if (auto loaded = loader.table(job); !loaded) {
            return std::move(loaded).error();
        }
        if (!goes_on(job.words.size() * sizeof(std::uint32_t))) {
            return cancelled();
        }
    }
    for (const MatrixJob& job : jobs.matrices) {
        if (auto loaded = loader.matrix(job); !loaded) {
            return std::move(loaded).error();
        }
        if (!goes_on(job.matrix->bytes())) {
            return cancelled();
        }
    }
    if (auto finished = upload->finish(); !finished) {
        return std::move(finished).error();
    }
    return weights;
}

Result<void> GpuWeights::exchange(const PlanSlice& slice, std::span<const PlaceExchange> pairs,
                                  const std::shared_ptr<Device>& device, ThreadPool& pool) {
    const GpuLimits limits{device->features().storage_range_bytes_max};
    auto upload = Upload::create(device);
    if (!upload) {
        return std::move(upload).error();
    }
    WeightLoader loader(*upload, pool);
    for (const PlaceExchange& two : pairs) {
        if (!slice.spec.layer(two.layer).is_mixture()) {
            continue;
        }
        if (auto loaded = exchange_expert(slice, two, limits, loader); !loaded) {
            return loaded;
        }
    }
    for (int layer = 0; layer < slice.spec.n_layer(); ++layer) {
        std::vector<PlaceExchange> of_layer;
        std::copy_if(pairs.begin(), pairs.end(), std::back_inserter(of_layer),
                     [&](const PlaceExchange& two) { return two.layer == layer; });
        if (of_layer.empty() || slice.spec.layer(layer).is_mixture()) {
            continue;
        }
        if (auto loaded =
                read_neurons(slice, of_layer, layers[static_cast<std::size_t>(layer)], loader);
            !loaded) {
            return loaded;
        }
    }
    return upload->finish();
}

Result<void> GpuWeights::exchange_expert(const PlanSlice& slice, const PlaceExchange& two,
                                         const GpuLimits& limits, WeightLoader& loader) {
    const auto index = static_cast<std::size_t>(two.layer);
    GpuLayer& held = layers[index];
    const ExpertsSpec& spec = slice.spec.layer(two.layer).experts;
    const std::span<const int> order = slice.plan.placement.order(two.layer);
    // A mixture of this expert alone, whose matrices lie where those of all do.
    GpuLayer alone;
    Jobs jobs;
    NeuronJobs(jobs, alone, &slice.file, slice.tensors.layers[index], limits)
        .experts(spec, 1, order.subspan(static_cast<std::size_t>(two.vram_place), 1));
    for (const MatrixJob& job : jobs.matrices) {
        const auto role = static_cast<Role>(job.matrix - alone.matrices.all.data());
        if (row_of(role).part != Part::Neurons) {
            continue;  // the shared expert
        }
        const std::uint64_t rows = job.matrix->rows;
        *job.matrix = rows_of(held[role], static_cast<std::uint64_t>(two.vram_place) * rows, rows);
        if (auto loaded = loader.matrix(job); !loaded) {
            return loaded;
        }
    }
    const auto n = static_cast<std::uint64_t>(held.n_experts());
    return loader.table({&held.places, places_of(spec, n, order.first(n))});
}

}  // namespace hearth::vulkan
