#include "vulkan/layer_recorder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/assert.h"
#include "compute/executor.h"
#include "include/params.h"
#include "vulkan/gemm_kernel.h"

namespace hearth::vulkan {
namespace {

constexpr std::uint32_t groups_of(std::uint64_t n, std::uint64_t per_group) {
    return static_cast<std::uint32_t>((n + per_group - 1) / per_group);
}

std::uint32_t word(bool value) {
    return value ? 1 : 0;
}

std::uint32_t word(int value) {
    return static_cast<std::uint32_t>(value);
}

// Of buffers that hold a row per token: rows from `first` on.
BufferView rows_from(const BufferView& view, std::uint64_t first, std::uint64_t row_bytes) {
    return view.buffer == VK_NULL_HANDLE
               ? view
               : view.part(first * row_bytes, view.bytes - first * row_bytes);
}

constexpr std::uint32_t kGemvThreads = 128;
constexpr std::uint32_t kGemvRows = 1;  // of one team
// At most; teams and drivers may allow fewer.
constexpr std::uint32_t kNeuronThreads = 512;
constexpr std::uint32_t kNormThreads = 1024;
constexpr std::uint32_t kCandidateThreads = 1024;

constexpr std::uint32_t kAttentionThreads = 128;

}  // namespace

Teams::Teams(const ShaderFeatures& features) {
    if (!features.subgroup_add) {
        return;
    }
    if (features.subgroup_size_control) {
        size = static_cast<std::uint32_t>(
            std::clamp(32, features.subgroup_size_min, features.subgroup_size_max));
        required_size = static_cast<int>(size);
        subgroups = true;
    } else if (features.subgroup_size_min == features.subgroup_size_max) {
        size = static_cast<std::uint32_t>(features.subgroup_size);
        subgroups = true;
    }
    // A workgroup of whole teams, and 32 neurons shared out evenly among them.
    if (size < 8 || size > kGemvThreads) {
        subgroups = false;
        required_size = 0;
        size = 32;
    }
}

std::uint32_t attention_tile(int head_dim, int group, std::uint32_t shared_bytes_max) {
    // Sums and weights of 128 threads and 64 parts, and a joined head.
    constexpr std::uint32_t kRest = 3328;
    const std::uint32_t queries = word(group) * word(head_dim) * 4;
    const std::uint32_t of_position = (word(head_dim) + 1) * 4 + word(group) * 5 * 4;
    std::uint32_t tile = 32;
    while (tile > 8 && kRest + queries + tile * of_position > shared_bytes_max) {
        tile /= 2;
    }
    return tile;
}

bool attention_by_teams(const Teams& teams, int head_dim, int group) {
    constexpr std::uint32_t kWordsMost = 16;  // of queries in a lane's registers
    const std::uint32_t words = (word(head_dim) / 2 + teams.size - 1) / teams.size;
    return teams.subgroups && words * word(group) <= kWordsMost;
}

std::uint32_t attention_team_tile(const Teams& teams) {
    constexpr std::uint32_t kRowsOfATeam = 8;
    return std::min(kAttentionThreads / teams.size * kRowsOfATeam, std::uint32_t{32});
}

LayerRecorder::LayerRecorder(const Device& device, const Model& model)
    : features_(device.features()), model_(model), teams_(device.features()) {}

template <class Params>
void LayerRecorder::dispatch(const Shader& shader, std::span<const std::uint32_t> constants,
                             std::span<const BufferView> buffers, const Params& params,
                             std::array<std::uint32_t, 3> groups, std::string_view label,
                             std::uint64_t bytes, bool teams) {
    recorder_->dispatch({.shader = shader,
                         .constants = constants,
                         .subgroup_size = teams ? teams_.required_size : 0,
                         .buffers = buffers,
                         .push = std::as_bytes(std::span(&params, 1)),
                         .groups = groups,
                         .label = label,
                         .bytes = bytes});
}

bool LayerRecorder::wants_bytes(const GpuMatrix& matrix, int n_tokens) const {
    if (!matrix.present() || !is_quantized(matrix.type) || !features_.integer_dot) {
        return false;
    }
    return n_tokens == 1 || gemm_form(features_, matrix.type, false) == GemmForm::Bytes;
}

bool LayerRecorder::wants_floats(const GpuMatrix& matrix, int n_tokens) const {
    return matrix.present() && !wants_bytes(matrix, n_tokens);
}

LayerRecorder::Parts LayerRecorder::parts_of(int layer) const {
    return {model_.spec.layer(layer), model_.weights.layers[static_cast<std::size_t>(layer)],
            place_ ? &model_.uploader->layer(layer) : nullptr};
}

// Whether the neurons of any part want their input in that form.
bool LayerRecorder::wants(bool (LayerRecorder::*form)(const GpuMatrix&, int) const,
                          const Parts& parts) const {
    const auto of = [&](const GpuLayer& layer) {
        return (this->*form)(layer[Role::Up], n_tokens_) ||
               (this->*form)(layer[Role::Gate], n_tokens_);
    };
    return of(parts.own) || (parts.uploaded != nullptr && of(*parts.uploaded));
}

bool LayerRecorder::predicted(const GpuLayer& layer) const {
    return layer[Role::PredictorFc1].present();
}

void LayerRecorder::begin(Recorder& recorder, int n_tokens, Place place) {
    recorder_ = &recorder;
    place_ = std::move(place);
    n_tokens_ = n_tokens;
    from_input_ = false;
    outstanding_.clear();
}

void LayerRecorder::read_step() {
    const Buffers& b = model_.buffers;
    recorder_->copy(b.host_step, b.step);
    recorder_->barrier();
}

void LayerRecorder::norm(const Norm& norm, bool publish, int first, int count) {
    const Buffers& b = model_.buffers;
    const auto n_embd = static_cast<std::uint64_t>(model_.spec.n_embd);
    const bool normed = norm.weight.buffer != VK_NULL_HANDLE;
    const std::array constants{std::min(kNormThreads, features_.invocations_max),
                               static_cast<std::uint32_t>(outstanding_.size()),
                               word(publish),
                               word(normed),
                               word(norm.spec.kind == NormKind::Layer),
                               word(norm.bias.buffer != VK_NULL_HANDLE),
                               word(norm.floats),
                               word(norm.bytes),
                               word(teams_.subgroups)};
    const auto from = static_cast<std::uint64_t>(first);
    const auto rows = [&](const BufferView& view) { return rows_from(view, from, n_embd * 4); };
    std::array<BufferView, 3> adds;
    HEARTH_ASSERT(outstanding_.size() <= adds.size());
    std::transform(outstanding_.begin(), outstanding_.end(), adds.begin(), rows);
    const std::array buffers{rows(b.input),   rows(b.x),      adds[0],        adds[1],
                             adds[2],         norm.weight,    norm.bias,      rows(b.published),
                             b.normed.floats, b.normed.bytes, b.normed.scales};
    const params::NormParams params{word(model_.spec.n_embd), norm.spec.eps, word(from_input_)};
    dispatch(norm_shader(), constants, buffers, params, {word(count), 1, 1}, "norm");
    outstanding_.clear();
    from_input_ = false;
}

void LayerRecorder::gemv(const Product& product) {
    const GpuMatrix& matrix = product.matrix;
    const bool bytes = wants_bytes(matrix, 1);
    const Shader& shader = gemv_shader(matrix.type, bytes ? InputForm::Bytes : InputForm::Floats);
    const std::array constants{kGemvThreads, teams_.size, word(teams_.subgroups), kGemvRows,
                               static_cast<std::uint32_t>(matrix.cols / kBlockColumns)};
    for (const GpuMatrix::Slice& slice : matrix.slices) {
        const std::array buffers{
            slice.view,        slice.view,  bytes ? product.in.bytes : product.in.floats,
            product.in.scales, product.out, product.bias};
        const params::GemvParams params{
            slice.layout.params(), static_cast<std::uint32_t>(product.out_at + slice.first_row),
            word(product.bias.buffer != VK_NULL_HANDLE), word(product.relu)};
        const std::uint64_t per_group = kGemvThreads / teams_.size * kGemvRows;
        dispatch(shader, constants, buffers, params,
                 {groups_of(slice.layout.rows, per_group), 1, 1}, product.label, slice.layout.bytes,
                 true);
    }
}

void LayerRecorder::gemm(const Product& product, int n_tokens, bool transposed) {
    const GpuMatrix& matrix = product.matrix;
    const GemmForm form = gemm_form(features_, matrix.type, transposed);
    const GemmKernel kernel = gemm_kernel(features_, matrix.type, form, transposed);
    for (std::size_t i = 0; i < matrix.slices.size(); ++i) {
        const GpuMatrix::Slice& slice = matrix.slices[i];
        const BufferView view =
            slice.view.buffer == VK_NULL_HANDLE ? place_(matrix, i) : slice.view;
        // The slices of a transposed matrix are parts of one sum.
        const bool adds = transposed && slice.first_row > 0;
        if (adds) {
            recorder_->barrier();
        }
        const std::array buffers{view,
                                 view,
                                 form == GemmForm::Bytes ? product.in.bytes : product.in.floats,
                                 product.in.scales,
                                 product.out,
                                 product.bias};
        const params::GemmParams params{
            slice.layout.params(),
            word(n_tokens),
            static_cast<std::uint32_t>(transposed ? matrix.rows : matrix.cols),
            static_cast<std::uint32_t>(transposed ? slice.first_row : 0),
            static_cast<std::uint32_t>(product.out_stride),
            static_cast<std::uint32_t>(product.out_at + (transposed ? 0 : slice.first_row)),
            word(product.bias.buffer != VK_NULL_HANDLE && !adds),
            word(product.relu),
            word(adds)};
        const std::uint64_t rows = transposed ? matrix.cols : slice.layout.rows;
        recorder_->dispatch(
            {.shader = kernel.shader,
             .constants = kernel.constants,
             .subgroup_size = kernel.subgroup_size,
             .buffers = buffers,
             .push = std::as_bytes(std::span(&params, 1)),
             .groups = {groups_of(rows, kernel.tile), groups_of(word(n_tokens), kernel.tile), 1},
             .label = product.label,
             .bytes = slice.layout.bytes});
    }
}

void LayerRecorder::multiply(const Product& product, int n_tokens) {
    if (n_tokens == 1) {
        gemv(product);
    } else {
        gemm(product, n_tokens, false);
    }
}

void LayerRecorder::transposed(const Product& product, int n_tokens) {
    gemm(product, n_tokens, true);
}

void LayerRecorder::quantize(const Activations& a, std::uint64_t columns, std::uint64_t rows) {
    const std::array constants{std::uint32_t{64}};
    const std::array buffers{a.floats, a.bytes, a.scales};
    const params::QuantizeParams params{static_cast<std::uint32_t>(columns),
                                        static_cast<std::uint32_t>(rows)};
    dispatch(quantize_shader(), constants, buffers, params,
             {groups_of(rows * columns / kBlockColumns, 64), 1, 1}, "quantize");
}

params::AttentionParams LayerRecorder::attention_params(int layer) const {
    const LayerSpec& spec = model_.spec.layer(layer);
    return {word(spec.n_head),
            word(spec.n_head_kv),
            word(model_.n_ctx),
            word(n_tokens_),
            1.0F / std::sqrt(static_cast<float>(spec.head_dim)),
            word(spec.rope.dim / 2),
            word(spec.rope.pairing == RopePairing::Neighbours),
            word(layer)};
}

void LayerRecorder::decode_attention(int layer) {
    const LayerSpec& spec = model_.spec.layer(layer);
    const Buffers& b = model_.buffers;
    const GpuLayer& weights = model_.weights.layers[static_cast<std::size_t>(layer)];
    // Blocks of 32 values lie within a head, or the quantising is a step of its own.
    const bool bytes = wants_bytes(weights[Role::AttnOutput], 1);
    const bool fused = bytes && spec.head_dim % kBlockColumns == 0;
    const int parts = attention_parts(spec.n_head_kv);
    const int group = spec.heads_per_kv();
    const bool teams = attention_by_teams(teams_, spec.head_dim, group);
    const std::array constants{
        kAttentionThreads,
        word(spec.head_dim),
        word(group),
        word(parts),
        word(!fused),
        word(fused),
        teams ? attention_team_tile(teams_)
              : attention_tile(spec.head_dim, group, features_.shared_bytes_max),
        teams_.size};
    const auto at = static_cast<std::size_t>(layer);
    const std::array buffers{b.step,
                             b.angles,
                             b.q,
                             b.k,
                             b.v,
                             model_.pasts.keys[at],
                             model_.pasts.values[at],
                             b.attention_parts,
                             b.attention_done,
                             b.attended.floats,
                             b.attended.bytes,
                             b.attended.scales};
    const std::span<const std::uint32_t> all(constants);
    dispatch(teams ? attention_decode_teams_shader() : attention_decode_shader(),
             teams ? all : all.first(all.size() - 1), buffers, attention_params(layer),
             {word(parts), word(spec.n_head_kv), 1}, "attention", 0, teams);
    if (bytes && !fused) {
        recorder_->barrier();
        quantize(b.attended, static_cast<std::uint64_t>(spec.n_embd_q()), 1);
    }
}

void LayerRecorder::batch_attention(int layer) {
    const LayerSpec& spec = model_.spec.layer(layer);
    const Buffers& b = model_.buffers;
    const GpuLayer& weights = model_.weights.layers[static_cast<std::size_t>(layer)];
    const auto at = static_cast<std::size_t>(layer);
    const params::AttentionParams params = attention_params(layer);
    {
        const std::array constants{std::uint32_t{64}, word(spec.head_dim)};
        const std::array buffers{
            b.step, b.angles, b.q, b.k, b.v, model_.pasts.keys[at], model_.pasts.values[at]};
        const auto pairs = static_cast<std::uint64_t>(spec.n_embd_q() / 2 + spec.n_embd_kv());
        dispatch(rope_store_shader(), constants, buffers, params,
                 {groups_of(pairs, 64), word(n_tokens_), 1}, "rope");
    }
    recorder_->barrier();
    constexpr std::uint32_t kQueries = 16;
    // Keys and values of a tile and the queries fit 32 KB together.
    const std::uint32_t tile = spec.head_dim <= 128 ? 32 : 16;
    const std::array constants{std::uint32_t{128}, word(spec.head_dim),
                               spec.head_dim <= 128 ? kQueries : kQueries / 2, tile};
    const std::array buffers{b.step, b.q, model_.pasts.keys[at], model_.pasts.values[at],
                             b.attended.floats};
    dispatch(attention_batch_shader(), constants, buffers, params,
             {groups_of(static_cast<std::uint64_t>(n_tokens_), constants[2]), word(spec.n_head), 1},
             "attention");
    if (wants_bytes(weights[Role::AttnOutput], n_tokens_)) {
        recorder_->barrier();
        quantize(b.attended, static_cast<std::uint64_t>(spec.n_embd_q()),
                 static_cast<std::uint64_t>(n_tokens_));
    }
}

void LayerRecorder::attention_in(int layer, bool leave, bool publish) {
    const Parts parts = parts_of(layer);
    const LayerSpec& spec = parts.spec;
    const Buffers& b = model_.buffers;
    const GpuLayer& weights = parts.attention();
    Norm input{spec.norm, weights.vectors[Role::AttnNorm], weights.vectors[Role::AttnNormBias]};
    for (const Role role : {Role::Q, Role::K, Role::V}) {
        input.floats |= wants_floats(weights[role], n_tokens_);
        input.bytes |= wants_bytes(weights[role], n_tokens_);
    }
    const bool parallel = is_parallel(spec.norms);
    const Norm second = parallel ? feed_forward_norm(parts) : Norm{};
    const bool shared = spec.norms == Norms::ParallelOne;
    if (shared) {
        input.floats |= second.floats;
        input.bytes |= second.bytes;
    }
    recorder_->barrier();
    norm(input, publish && parallel, 0, n_tokens_);
    recorder_->barrier();
    const auto n_q = static_cast<std::uint64_t>(spec.n_embd_q());
    const auto n_kv = static_cast<std::uint64_t>(spec.n_embd_kv());
    const WeightUploader* up = leave ? model_.uploader : nullptr;
    const Heads to{leave ? up->q() : b.q, leave ? up->k() : b.k, leave ? up->v() : b.v};
    multiply({weights[Role::Q], b.normed, to.q, n_q, weights.vectors[Role::QBias], false, "q"},
             n_tokens_);
    multiply({weights[Role::K], b.normed, to.k, n_kv, weights.vectors[Role::KBias], false, "k"},
             n_tokens_);
    multiply({weights[Role::V], b.normed, to.v, n_kv, weights.vectors[Role::VBias], false, "v"},
             n_tokens_);
    if (spec.head_norm) {
        recorder_->barrier();
        norm_heads(spec, weights, to);
    }
    // x is the layer's input until attention's output is added to it: the neurons' norm comes now.
    if (parallel && !shared && (second.floats || second.bytes)) {
        recorder_->barrier();
        norm(second, false, 0, n_tokens_);
    }
}

// Each head of q and of k by itself, in place.
void LayerRecorder::norm_heads(const LayerSpec& spec, const GpuLayer& weights, const Heads& heads) {
    const std::array constants{std::uint32_t{64}, word(spec.head_dim)};
    const std::array buffers{heads.q, heads.k, weights.vectors[Role::QNorm],
                             weights.vectors[Role::KNorm]};
    const params::HeadNormParams params{word(spec.n_head), word(spec.n_head_kv), spec.norm.eps};
    dispatch(head_norm_shader(), constants, buffers, params,
             {word(spec.n_head + spec.n_head_kv), word(n_tokens_), 1}, "head_norm");
}

// Of what reads it: the neurons of any part and a predictor. Wanted in no form where nothing does.
LayerRecorder::Norm LayerRecorder::feed_forward_norm(const Parts& parts) const {
    const GpuLayer& weights = parts.attention();
    const GpuMatrix& fc1 = parts.own[Role::PredictorFc1];
    const bool guess = predicted(parts.own) && n_tokens_ == 1;
    return {parts.spec.norm, weights.vectors[Role::FfnNorm], weights.vectors[Role::FfnNormBias],
            wants(&LayerRecorder::wants_floats, parts) || (guess && wants_floats(fc1, 1)),
            wants(&LayerRecorder::wants_bytes, parts) || (guess && wants_bytes(fc1, 1))};
}

void LayerRecorder::attend(int layer) {
    recorder_->barrier();
    if (n_tokens_ == 1) {
        decode_attention(layer);
    } else {
        batch_attention(layer);
    }
}

// The heads' output, which the processor computed.
void LayerRecorder::fetch_attended(const LayerSpec& spec, const GpuMatrix& output) {
    const Buffers& b = model_.buffers;
    const auto n_q = static_cast<std::uint64_t>(spec.n_embd_q());
    const auto n_tokens = static_cast<std::uint64_t>(n_tokens_);
    recorder_->copy(model_.uploader->attended().part(0, n_tokens * n_q * sizeof(float)),
                    b.attended.floats);
    if (wants_bytes(output, n_tokens_)) {
        recorder_->barrier();
        quantize(b.attended, n_q, n_tokens);
    }
}

void LayerRecorder::attention_out(int layer, bool from_cpu, bool publish) {
    const Buffers& b = model_.buffers;
    const Parts parts = parts_of(layer);
    const GpuLayer& weights = parts.attention();
    if (from_cpu) {
        fetch_attended(parts.spec, weights[Role::AttnOutput]);
    }
    recorder_->barrier();
    multiply({weights[Role::AttnOutput], b.attended, b.attention_out,
              static_cast<std::uint64_t>(model_.spec.n_embd), weights.vectors[Role::AttnOutputBias],
              false, "attn_output"},
             n_tokens_);
    outstanding_.push_back(b.attention_out);
    begin_feed_forward(layer, publish);
    predict(layer);
}

void LayerRecorder::begin_feed_forward(int layer, bool publish) {
    const Parts parts = parts_of(layer);
    const GpuLayer& own = parts.own;
    if (is_parallel(parts.spec.norms)) {
        return;  // normed and published with attention's input
    }
    recorder_->barrier();
    const bool guess = predicted(own) && n_tokens_ == 1;
    if (own.n_neurons == 0 && parts.uploaded == nullptr && !guess) {
        update(publish);
        return;
    }
    norm(feed_forward_norm(parts), publish, 0, n_tokens_);
}

void LayerRecorder::predict(int index) {
    const GpuLayer& layer = model_.weights.layers[static_cast<std::size_t>(index)];
    if (!predicted(layer) || n_tokens_ > 1) {
        return;
    }
    const Buffers& b = model_.buffers;
    const auto n_embd = static_cast<std::uint64_t>(model_.spec.n_embd);
    recorder_->barrier();
    Activations input = b.normed;
    if (model_.predictor_input == PredictorInput::Residual) {
        input = b.predictor_input;
        input.floats = b.x;
        if (wants_bytes(layer[Role::PredictorFc1], 1)) {
            quantize(input, n_embd, 1);
            recorder_->barrier();
        }
    }
    multiply({layer[Role::PredictorFc1],
              input,
              b.predictor_hidden.floats,
              layer[Role::PredictorFc1].rows,
              {},
              !model_.predictor_linear,
              "predictor"},
             1);
    recorder_->barrier();
    if (wants_bytes(layer[Role::PredictorFc2], 1)) {
        quantize(b.predictor_hidden, layer[Role::PredictorFc1].rows, 1);
        recorder_->barrier();
    }
    const std::uint64_t n_ff = layer[Role::PredictorFc2].rows;
    multiply({layer[Role::PredictorFc2], b.predictor_hidden, b.mask, n_ff, {}, false, "predictor"},
             1);
    const auto hot = static_cast<std::uint64_t>(layer.n_neurons);
    if (hot < n_ff) {
        recorder_->barrier();
        recorder_->copy(b.mask.part(hot * sizeof(float), (n_ff - hot) * sizeof(float)), b.scores);
    }
}

void LayerRecorder::token_neurons(int index) {
    const GpuLayer& layer = model_.weights.layers[static_cast<std::size_t>(index)];
    const LayerSpec& spec = model_.spec.layer(index);
    const Buffers& b = model_.buffers;
    const bool counts = !b.fired.empty();
    const BufferView fired = counts ? b.fired[static_cast<std::size_t>(index)] : BufferView{};
    const bool bytes = wants_bytes(layer[Role::Up], 1);
    const bool gated = is_gated(spec.activation);
    const bool sparse = gated ? is_sparse(spec.activation) && model_.mode != FeedForwardMode::Dense
                              : predicted(layer);
    const bool hidden_bytes = !layer.down_by_neuron && wants_bytes(layer[Role::Down], 1);
    // 16 teams or a divisor of that: they share out 32 neurons.
    const std::uint32_t threads =
        std::min({kNeuronThreads, 16 * teams_.size, std::bit_floor(features_.invocations_max)});
    const std::array constants{threads,
                               teams_.size,
                               word(teams_.subgroups),
                               layer.gates(),
                               word(sparse),
                               word(!hidden_bytes),
                               word(hidden_bytes),
                               static_cast<std::uint32_t>(layer[Role::Up].cols / kBlockColumns),
                               word(counts)};
    const Shader& shader =
        neurons_shader(layer[Role::Up].type, bytes ? InputForm::Bytes : InputForm::Floats);
    const std::uint64_t per_neuron = layer.gates() == GATES_BESIDE ? 2 : 1;
    if (layer[Role::Gate].present()) {
        // Gates go where the hidden values will be.
        gemv({layer[Role::Gate],
              b.normed,
              b.hidden.floats,
              layer[Role::Gate].rows,
              {},
              false,
              "gate_up"});
        recorder_->barrier();
    }
    for (const GpuMatrix::Slice& slice : layer[Role::Up].slices) {
        const std::array buffers{slice.view,
                                 slice.view,
                                 bytes ? b.normed.bytes : b.normed.floats,
                                 b.normed.scales,
                                 b.hidden.floats,
                                 b.hidden.bytes,
                                 b.hidden.scales,
                                 layer.vectors[Role::UpBias],
                                 b.mask,
                                 fired,
                                 b.step,
                                 b.noted[static_cast<std::size_t>(index)]};
        const std::uint64_t n = slice.layout.rows / per_neuron;
        const params::NeuronParams params{
            slice.layout.params(),
            static_cast<std::uint32_t>(slice.first_row / per_neuron),
            static_cast<std::uint32_t>(n),
            static_cast<std::uint32_t>(spec.activation),
            spec.relu_threshold,
            word(layer.vectors[Role::UpBias].buffer != VK_NULL_HANDLE),
            word(predicted(layer)),
            layer.predictor_threshold};
        dispatch(shader, constants, buffers, params, {groups_of(n, 32), 1, 1}, "gate_up",
                 slice.layout.bytes, true);
    }
    recorder_->barrier();
    if (layer.down_by_neuron) {
        add_down_rows(layer);
    } else {
        multiply({layer[Role::Down], b.hidden, b.down_out,
                  static_cast<std::uint64_t>(model_.spec.n_embd), layer.vectors[Role::DownBias],
                  false, "down"},
                 1);
    }
}

void LayerRecorder::add_down_rows(const GpuLayer& layer) {
    const Buffers& b = model_.buffers;
    const GpuMatrix& matrix = layer[Role::Down];
    const auto n_embd = static_cast<std::uint32_t>(model_.spec.n_embd);
    const int chunk = down_chunk(layer.n_neurons);
    constexpr std::uint32_t kThreads = 64;
    const std::array constants{kThreads};
    const std::uint64_t quads_of_row =
        matrix.slices.front().layout.quads.row_bytes / sizeof(std::uint32_t) / 4;
    std::uint32_t parts = 0;
    for (const GpuMatrix::Slice& slice : matrix.slices) {
        const std::array buffers{slice.view, slice.view, b.hidden.floats, b.down_parts};
        const params::DownRowsParams params{slice.layout.params(),
                                            static_cast<std::uint32_t>(slice.first_row),
                                            word(chunk), parts * n_embd};
        const std::uint32_t chunks =
            groups_of(slice.layout.rows, static_cast<std::uint64_t>(chunk));
        dispatch(down_rows_shader(matrix.type), constants, buffers, params,
                 {groups_of(quads_of_row, kThreads), chunks, 1}, "down", slice.layout.bytes);
        parts += chunks;
    }
    recorder_->barrier();
    const std::array buffers{b.down_parts, layer.vectors[Role::DownBias], b.down_out};
    const params::ReduceParams params{n_embd, parts,
                                      word(layer.vectors[Role::DownBias].buffer != VK_NULL_HANDLE)};
    dispatch(reduce_shader(), constants, buffers, params, {groups_of(n_embd, kThreads), 1, 1},
             "reduce");
}

void LayerRecorder::batch_neurons(const LayerSpec& spec, const GpuLayer& layer,
                                  const BufferView& out) {
    const Buffers& b = model_.buffers;
    const bool gated = is_gated(spec.activation);
    // Of a token: its products with gates that lie apart, then those with `neurons`.
    const std::uint64_t products = layer[Role::Gate].rows + layer[Role::Up].rows;
    if (layer[Role::Gate].present()) {
        multiply({layer[Role::Gate], b.normed, b.products, products, {}, false, "gate_up"},
                 n_tokens_);
    }
    multiply({layer[Role::Up], b.normed, b.products, products,
              gated ? BufferView{} : layer.vectors[Role::UpBias], false, "gate_up",
              layer[Role::Gate].rows},
             n_tokens_);
    recorder_->barrier();
    const auto n = static_cast<std::uint64_t>(layer.n_neurons);
    const std::array constants{std::uint32_t{256}};
    const std::array buffers{b.products, b.hidden.floats};
    const params::ActivateParams params{word(layer.n_neurons), word(n_tokens_),
                                        static_cast<std::uint32_t>(spec.activation),
                                        spec.relu_threshold, layer.gates()};
    dispatch(activate_shader(), constants, buffers, params,
             {groups_of(n * static_cast<std::uint64_t>(n_tokens_), 256), 1, 1}, "activate");
    recorder_->barrier();
    const auto n_embd = static_cast<std::uint64_t>(model_.spec.n_embd);
    if (layer.down_by_neuron) {
        transposed({layer[Role::Down], b.hidden, out, n_embd, layer.vectors[Role::DownBias], false,
                    "down"},
                   n_tokens_);
        return;
    }
    if (wants_bytes(layer[Role::Down], n_tokens_)) {
        quantize(b.hidden, n, static_cast<std::uint64_t>(n_tokens_));
        recorder_->barrier();
    }
    multiply(
        {layer[Role::Down], b.hidden, out, n_embd, layer.vectors[Role::DownBias], false, "down"},
        n_tokens_);
}

void LayerRecorder::neurons(int layer) {
    const Parts parts = parts_of(layer);
    const BufferView& out = model_.buffers.down_out;
    if (parts.own.n_neurons > 0) {
        recorder_->barrier();
        if (n_tokens_ == 1) {
            token_neurons(layer);
        } else {
            batch_neurons(parts.spec, parts.own, out);
        }
        outstanding_.push_back(out);
    }
    if (parts.uploaded != nullptr && parts.uploaded->n_neurons > 0) {
        recorder_->barrier();
        batch_neurons(parts.spec, *parts.uploaded, model_.uploader->out());
        outstanding_.push_back(model_.uploader->out());
    }
}

void LayerRecorder::update(bool publish) {
    recorder_->barrier();
    norm({}, publish, 0, n_tokens_);
}

void LayerRecorder::output_head(int first, int count, const BufferView& out) {
    const GpuWeights& weights = model_.weights;
    recorder_->barrier();
    norm(
        {model_.spec.output_norm, weights.vectors[Role::OutputNorm],
         weights.vectors[Role::OutputNormBias], wants_floats(weights.matrices[Role::Output], count),
         wants_bytes(weights.matrices[Role::Output], count)},
        false, first, count);
    recorder_->barrier();
    multiply({weights.matrices[Role::Output],
              model_.buffers.normed,
              out,
              static_cast<std::uint64_t>(model_.spec.n_vocab),
              {},
              false,
              "output"},
             count);
}

void LayerRecorder::output(int first, int count) {
    output_head(first, count, model_.buffers.logits);
}

void LayerRecorder::last_output(int token, bool fused) {
    HEARTH_ASSERT(!fused || n_tokens_ == 1);
    const Buffers& b = model_.buffers;
    output_head(token, 1, b.last_logits);
    recorder_->barrier();
    const std::array constants{
        std::min(kCandidateThreads, std::bit_floor(features_.invocations_max)),
        word(Executor::kCandidates)};
    const std::array buffers{b.last_logits, b.candidates};
    const params::CandidatesParams params{word(model_.spec.n_vocab)};
    dispatch(candidates_shader(), constants, buffers, params, {1, 1, 1}, "candidates");
}

}  // namespace hearth::vulkan
