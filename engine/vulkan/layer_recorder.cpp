#include "vulkan/layer_recorder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/assert.h"
#include "compute/executor.h"
#include "gguf/encoding.h"
#include "interfaces/candidate_groups.h"
#include "interfaces/candidates.h"
#include "interfaces/gemv.h"
#include "interfaces/layer_input.h"
#include "interfaces/norm.h"
#include "interfaces/quantize.h"
#include "vulkan/gemm_kernel.h"
#include "vulkan/shader_words.h"

namespace hearth::vulkan {
namespace {

// Of buffers that hold a row per token: rows from `first` on.
BufferView rows_from(const BufferView& view, std::uint64_t first, std::uint64_t row_bytes) {
    return view.buffer == VK_NULL_HANDLE
               ? view
               : view.part(first * row_bytes, view.bytes - first * row_bytes);
}

// Rows of one team. Those of several tokens load inputs once for two rows, where enough teams are
// left: on an H200 gate and up of a 7B take 57 us for 8 tokens instead of 74, but down, of 4,096
// rows, 52 instead of 38.
std::uint32_t gemv_rows(const GpuMatrix& matrix, int n_tokens) {
    constexpr std::uint64_t kLargeMatrixRows = 8192;
    return n_tokens > 1 && matrix.rows >= kLargeMatrixRows ? 2 : 1;
}

// AHEAD of gemv.comp. On an H200 a token of a 7B in Q4_0, whose units are a single load and a plain
// scale, takes 1 to 2 % less time with all steps of a short row at once, and two of a longer one:
// more need too many registers. Codes of another form lose by it, or change nothing.
std::uint32_t gemv_ahead(const GpuMatrix& matrix, const Teams& teams, int n_tokens) {
    constexpr std::uint32_t kShortRowSteps = 4;
    const Encoding* encoding = find_encoding(matrix.type);
    if (n_tokens > 1 || encoding == nullptr || encoding->codes != CodeKind::Bits4 ||
        encoding->scales != ScaleKind::Half) {
        return 1;
    }
    return matrix.cols <= kShortRowSteps * teams.size * kBlockColumns ? kShortRowSteps : 2;
}
// At most; drivers may allow fewer.
constexpr std::uint32_t kCandidateThreads = 1024;
constexpr std::uint32_t kCandidateGroupThreads = 256;

}  // namespace

LayerRecorder::LayerRecorder(const Device& device, const Model& model)
    : features_(device.features()), model_(model), teams_(device.features()) {}

bool LayerRecorder::wants_packed(const GpuMatrix& matrix, int n_tokens) const {
    if (!matrix.present()) {
        return false;
    }
    return each_alone(n_tokens) ? is_quantized(matrix.type) && features_.integer_dot
                                : gemm_form(features_, matrix.type, false) != GemmForm::Floats;
}

bool LayerRecorder::packs_halves(int n_tokens) const {
    return !each_alone(n_tokens) && features_.matrix_units();
}

bool LayerRecorder::wants_floats(const GpuMatrix& matrix, int n_tokens) const {
    return matrix.present() && !wants_packed(matrix, n_tokens);
}

LayerRecorder::Parts LayerRecorder::parts_of(int layer) const {
    return {model_.spec.layer(layer), model_.weights.layers[static_cast<std::size_t>(layer)],
            place_ ? &model_.uploader->layer(layer) : nullptr};
}

void LayerRecorder::begin(Recorder& recorder, Tokens tokens, Place place) {
    recorder_ = &recorder;
    place_ = std::move(place);
    n_tokens_ = tokens.count;
    each_alone_ = tokens.each_alone;
    from_input_ = false;
    stream_ = model_.buffers.x;
    outstanding_.clear();
    add_scale_ = 1.0F;
    stream_scale_ = {};
    joined_.reset();
}

// Predictors have kernels of their own for a token.
bool LayerRecorder::can_pass_each_alone() const {
    for (int i = 0; i < model_.spec.n_layer(); ++i) {
        const LayerSpec& spec = model_.spec.layer(i);
        const GpuLayer& weights = model_.weights.layers[static_cast<std::size_t>(i)];
        if (!weights.attention && weights.n_neurons == 0) {
            continue;
        }
        if (spec.is_latent() || predicted(weights) ||
            (!spec.is_recurrent() && !stores_each_alone(spec))) {
            return false;
        }
        if (spec.is_recurrent() && state_inputs_ahead(i).inputs.bytes == 0) {
            return false;
        }
    }
    return true;
}

void LayerRecorder::read_step() {
    const Buffers& b = model_.buffers;
    recorder_->copy(b.host_step, b.step);
    recorder_->barrier();
}

void LayerRecorder::norm(const Norm& norm, bool publish, int first, int count) {
    const Buffers& b = model_.buffers;
    const auto n_embd = static_cast<std::uint64_t>(model_.spec.n_embd);
    const bool weighed = norm.weight.buffer != VK_NULL_HANDLE;
    const auto from = static_cast<std::uint64_t>(first);
    const auto rows = [&](const BufferView& view) { return rows_from(view, from, n_embd * 4); };
    std::array<BufferView, 3> adds;
    HEARTH_ASSERT(outstanding_.size() <= adds.size());
    std::transform(outstanding_.begin(), outstanding_.end(), adds.begin(), rows);
    recorder_->dispatch(shader_of<interfaces::Norm>(),
                        {.WORKGROUP = norm_threads(features_, model_.spec.n_embd),
                         .ADDS = static_cast<std::uint32_t>(outstanding_.size()),
                         .PUBLISH = publish,
                         .NORM = weighed || norm.floats || norm.packed,
                         .LAYER_NORM = norm.spec.kind == NormKind::Layer,
                         .HAS_BIAS = norm.bias.buffer != VK_NULL_HANDLE,
                         .WRITE_FLOATS = norm.floats,
                         .WRITE_BYTES = norm.packed,
                         .SUBGROUPS = teams_.subgroups,
                         .WEIGHED = weighed,
                         .SCALED = stream_scale_.buffer != VK_NULL_HANDLE,
                         .HALVES = packs_halves(count)},
                        {.x_in = rows(b.input),
                         .x = rows(stream_),
                         .a = adds[0],
                         .b = adds[1],
                         .c = adds[2],
                         .weight = norm.weight,
                         .bias = norm.bias,
                         .published = rows(b.published),
                         .normed = b.normed.floats,
                         .normed_bytes = b.normed.packed,
                         .normed_scales = b.normed.scales,
                         .stream_scale = stream_scale_},
                        {.columns = word(model_.spec.n_embd),
                         .epsilon = norm.spec.eps,
                         .x_from = word(from_input_),
                         .add_scale = add_scale_},
                        {.groups = {word(count), 1, 1}, .label = "norm"});
    outstanding_.clear();
    from_input_ = false;
    stream_scale_ = {};
}

void LayerRecorder::norm_in_place(const Sums& sums, const NormSpec& spec,
                                  const BufferView& weight) {
    std::array<BufferView, 3> adds;
    HEARTH_ASSERT(sums.parts.size() - 1 <= adds.size());
    std::copy(sums.parts.begin() + 1, sums.parts.end(), adds.begin());
    const BufferView& x = sums.parts.front();
    recorder_->dispatch(
        shader_of<interfaces::Norm>(),
        {.WORKGROUP = norm_threads(features_, sums.columns),
         .ADDS = static_cast<std::uint32_t>(sums.parts.size() - 1),
         .PUBLISH = false,
         .NORM = true,
         .LAYER_NORM = false,
         .HAS_BIAS = false,
         .WRITE_FLOATS = true,
         .WRITE_BYTES = false,
         .SUBGROUPS = teams_.subgroups,
         .WEIGHED = true,
         .SCALED = false,
         .HALVES = false},
        {.x_in = BufferView{},
         .x = x,
         .a = adds[0],
         .b = adds[1],
         .c = adds[2],
         .weight = weight,
         .bias = BufferView{},
         .published = BufferView{},
         .normed = x,
         .normed_bytes = BufferView{},
         .normed_scales = BufferView{},
         .stream_scale = BufferView{}},
        {.columns = word(sums.columns), .epsilon = spec.eps, .x_from = 0, .add_scale = 1.0F},
        {.groups = {word(n_tokens_), 1, 1}, .label = "norm"});
}

void LayerRecorder::norm_output(const LayerSpec& spec, const BufferView& weight) {
    recorder_->barrier();
    norm_in_place({outstanding_, model_.spec.n_embd}, spec.norm, weight);
    outstanding_.resize(1);
}

void LayerRecorder::sum(int layer, bool from_cpu) {
    if (from_cpu) {
        outstanding_.push_back(model_.buffers.partial);
    }
    const Parts parts = parts_of(layer);
    if (joins(parts)) {
        norm_join(parts);
    } else if (parts.spec.has_feed_forward() && norms_output(parts.spec.norms)) {
        norm_output(parts.spec, parts.attention().vectors[Role::FfnPostNorm]);
    }
    add_scale_ = parts.spec.residual_scale;
    if (model_.spec.n_embd_layer > 0) {
        add_layer_input(layer, parts);
    }
    stream_scale_ = parts.attention().vectors[Role::LayerScale];
}

// Adds to the stream: a small gated block of the inputs that tokens have for the layer.
void LayerRecorder::add_layer_input(int layer, const Parts& parts) {
    const Buffers& b = model_.buffers;
    const ModelSpec& model = model_.spec;
    const GpuLayer& weights = parts.attention();
    const GpuMatrix& gate = weights[Role::LayerGate];
    const GpuMatrix& projection = weights[Role::LayerProj];
    const auto width = static_cast<std::uint64_t>(model.n_embd_layer);
    recorder_->barrier();
    norm({parts.spec.norm, {}, {}, wants_floats(gate, n_tokens_), wants_packed(gate, n_tokens_)},
         false, 0, n_tokens_);
    add_scale_ = 1.0F;
    recorder_->barrier();
    multiply({gate, b.normed, b.layer_gates.floats, width, {}, false, "layer_gate"}, n_tokens_);
    recorder_->barrier();
    constexpr std::uint32_t kThreads = 64;
    const std::uint64_t n_values = width * static_cast<std::uint64_t>(n_tokens_);
    recorder_->dispatch(shader_of<interfaces::LayerInput>(), {.WORKGROUP = kThreads},
                        {.gates = b.layer_gates.floats, .inputs = b.layer_inputs},
                        {.width = word(model.n_embd_layer),
                         .stride = word(model.n_layer_inputs()),
                         .first = word(layer * model.n_embd_layer),
                         .n_tokens = word(n_tokens_)},
                        {.groups = {groups_of(n_values, kThreads), 1, 1}, .label = "layer_input"});
    recorder_->barrier();
    if (wants_packed(projection, n_tokens_)) {
        pack(b.layer_gates, width, static_cast<std::uint64_t>(n_tokens_));
        recorder_->barrier();
    }
    multiply({projection,
              b.layer_gates,
              b.down_out,
              static_cast<std::uint64_t>(model.n_embd),
              {},
              false,
              "layer_proj"},
             n_tokens_);
    outstanding_.push_back(b.down_out);
    norm_output(parts.spec, weights.vectors[Role::LayerPostNorm]);
}

void LayerRecorder::gemv(const Product& product, int n_tokens) {
    if (joined_) {
        joined_gemv(product);
        return;
    }
    HEARTH_ASSERT(n_tokens <= kEachAloneMost);
    const GpuMatrix& matrix = product.matrix;
    const bool bytes = product.heads.rows == 0 && wants_packed(matrix, 1);
    const auto shader = gemv_shader(matrix.type, bytes ? InputForm::Bytes : InputForm::Floats);
    for (const GpuMatrix::Slice& slice : matrix.slices) {
        const std::uint32_t threads = gemv_threads(features_);
        const std::uint32_t rows = gemv_rows(matrix, n_tokens);
        const std::uint64_t per_group = threads / teams_.size * rows;
        recorder_->dispatch(shader,
                            {.WORKGROUP = threads,
                             .TEAM = teams_.size,
                             .SUBGROUPS = teams_.subgroups,
                             .ROWS = rows,
                             .BLOCKS = static_cast<std::uint32_t>(matrix.cols / kBlockColumns),
                             .HEAD_ROWS = static_cast<std::uint32_t>(product.heads.rows),
                             .TOKENS = tokens_at_once(n_tokens),
                             .AHEAD = gemv_ahead(matrix, teams_, n_tokens)},
                            {.quads = slice.view,
                             .words = slice.view,
                             .x = bytes ? product.in.packed : product.in.floats,
                             .xd = product.in.scales,
                             .y = product.out,
                             .bias = product.bias},
                            {.matrix = slice.layout.params(),
                             .y_at = static_cast<std::uint32_t>(product.out_at + slice.first_row),
                             .has_bias = word(product.bias.buffer != VK_NULL_HANDLE),
                             .relu = word(product.relu),
                             .first_row = static_cast<std::uint32_t>(slice.first_row),
                             .x_at = static_cast<std::uint32_t>(product.heads.at),
                             .x_apart = static_cast<std::uint32_t>(product.heads.apart),
                             .n_tokens = word(n_tokens),
                             .y_stride = static_cast<std::uint32_t>(product.out_stride)},
                            {.groups = {groups_of(slice.layout.rows, per_group), 1, 1},
                             .label = product.label,
                             .bytes = slice.layout.bytes,
                             .subgroup_size = teams_.required_size});
    }
}

void LayerRecorder::gemm(const Product& product, int n_tokens, bool transposed) {
    const GpuMatrix& matrix = product.matrix;
    const bool heads = product.heads.rows > 0;
    GemmForm form =
        product.exact ? GemmForm::Floats : gemm_form(features_, matrix.type, transposed);
    if (heads && form == GemmForm::Bytes) {
        form = GemmForm::Floats;
    }
    GemmKernel kernel = gemm_kernel(features_, matrix.type, form, transposed);
    kernel.constants.GROUPED = heads ? GROUPED_HEADS : product.grouped;
    // Heads' inputs, and hidden values whose neurons lie in rows, are left in floats.
    const bool halves = is_cooperative(form) && !heads && !transposed;
    kernel.constants.HALVES = halves;
    // Experts' down matrices take a row for each choice of a token.
    const std::uint64_t packed_rows =
        static_cast<std::uint64_t>(n_tokens) *
        static_cast<std::uint64_t>(product.grouped == GROUPED_SORTED ? product.experts->n_used : 1);
    const std::uint64_t place_rows =
        heads ? product.heads.rows : std::max<std::uint64_t>(product.expert_rows, 1);
    for (std::size_t i = 0; i < matrix.slices.size(); ++i) {
        const GpuMatrix::Slice& slice = matrix.slices[i];
        const BufferView view =
            slice.view.buffer == VK_NULL_HANDLE ? place_(matrix, i) : slice.view;
        // The slices of a transposed matrix are parts of one sum.
        const bool adds = transposed && slice.first_row > 0;
        if (adds) {
            recorder_->barrier();
        }
        const bool grouped = product.grouped != GROUPED_NOT;
        const std::uint64_t rows = transposed         ? matrix.cols
                                   : grouped || heads ? place_rows
                                                      : slice.layout.rows;
        const std::uint64_t n_places = slice.layout.rows / place_rows;
        const std::uint32_t token_tiles =
            grouped ? static_cast<std::uint32_t>(expert_tiles(
                          *product.experts, static_cast<std::uint64_t>(n_tokens), kernel.tile))
                    : groups_of(word(n_tokens), kernel.tile);
        recorder_->dispatch(
            kernel.shader, kernel.constants,
            {.quads = view,
             .words = view,
             .x = form == GemmForm::Bytes ? product.in.packed : product.in.floats,
             .xd = product.in.scales,
             .y = product.out,
             .bias = product.bias,
             .pairs = grouped ? model_.buffers.pairs : BufferView{},
             .tiles = grouped ? model_.buffers.tiles : BufferView{},
             .x_halves = halves ? product.in.packed : BufferView{}},
            {.matrix = slice.layout.params(),
             .n_tokens = word(n_tokens),
             .x_stride = static_cast<std::uint32_t>(halves       ? packed_rows
                                                    : heads      ? product.heads.stride
                                                    : transposed ? matrix.rows
                                                                 : matrix.cols),
             .x_at = static_cast<std::uint32_t>(transposed ? slice.first_row : product.heads.at),
             .y_stride = static_cast<std::uint32_t>(product.out_stride),
             .y_at = static_cast<std::uint32_t>(
                 product.out_at + (transposed || grouped || heads ? 0 : slice.first_row)),
             .has_bias = word(product.bias.buffer != VK_NULL_HANDLE && !adds),
             .relu = word(product.relu),
             .add = word(adds),
             .first_place = static_cast<std::uint32_t>(slice.first_row / place_rows),
             .n_places = static_cast<std::uint32_t>(n_places),
             .place_rows = static_cast<std::uint32_t>(place_rows),
             .used = grouped ? word(product.experts->n_used) : 0,
             .x_apart = static_cast<std::uint32_t>(product.heads.apart)},
            {.groups = {groups_of(rows, kernel.tile), token_tiles,
                        heads ? static_cast<std::uint32_t>(n_places) : 1},
             .label = product.label,
             .bytes = slice.layout.bytes,
             .subgroup_size = kernel.subgroup_size});
    }
}

void LayerRecorder::multiply(const Product& product, int n_tokens) {
    if (each_alone(n_tokens)) {
        gemv(product, n_tokens);
    } else {
        gemm(product, n_tokens, false);
    }
}

void LayerRecorder::transposed(const Product& product, int n_tokens) {
    gemm(product, n_tokens, true);
}

void LayerRecorder::pack(const GpuActivations& a, std::uint64_t columns, std::uint64_t rows) {
    constexpr std::uint32_t kThreads = 64;
    const bool halves = packs_halves(n_tokens_);
    const std::uint64_t of_a_thread = halves ? QUANTIZE_HALVES : kBlockColumns;
    recorder_->dispatch(
        shader_of<interfaces::Quantize>(), {.WORKGROUP = kThreads, .HALVES = halves},
        {.x = a.floats, .bytes = a.packed, .scales = a.scales},
        {.columns = static_cast<std::uint32_t>(columns),
         .n_rows = static_cast<std::uint32_t>(rows)},
        {.groups = {groups_of(rows * columns / of_a_thread, kThreads), 1, 1}, .label = "quantize"});
}

void LayerRecorder::update(bool publish) {
    recorder_->barrier();
    norm({}, publish, 0, n_tokens_);
}

void LayerRecorder::output_head(int first, int count, const BufferView& out, int stride) {
    const GpuWeights& weights = model_.weights;
    recorder_->barrier();
    norm(
        {model_.spec.output_norm, weights.vectors[Role::OutputNorm],
         weights.vectors[Role::OutputNormBias], wants_floats(weights.matrices[Role::Output], count),
         wants_packed(weights.matrices[Role::Output], count)},
        false, first, count);
    recorder_->barrier();
    multiply({weights.matrices[Role::Output],
              model_.buffers.normed,
              out,
              static_cast<std::uint64_t>(stride),
              {},
              false,
              "output"},
             count);
}

void LayerRecorder::output(int first, int count) {
    output_head(first, count, model_.buffers.logits, model_.spec.n_vocab);
}

void LayerRecorder::picked_output(int first, int count) {
    HEARTH_ASSERT(count == 1 || each_alone_);
    const Buffers& b = model_.buffers;
    output_head(first, count, b.last_logits, logits_stride(model_.spec));
    recorder_->barrier();
    const std::uint32_t threads_max = std::bit_floor(features_.invocations_max);
    const std::uint32_t parts = features_.on_processor ? 1 : CANDIDATE_PARTS_MAX;
    recorder_->dispatch(shader_of<interfaces::CandidateGroups>(),
                        {.WORKGROUP = std::min(kCandidateGroupThreads, threads_max)},
                        {.logits = b.last_logits, .best = b.candidate_groups},
                        {.n_values = word(model_.spec.n_vocab)},
                        {.groups = {parts, word(count), 1}, .label = "candidates"});
    recorder_->barrier();
    recorder_->dispatch(
        shader_of<interfaces::Candidates>(),
        {.WORKGROUP = std::min(kCandidateThreads, threads_max),
         .TAKE = Executor::kCandidates,
         .PARTS = parts},
        {.logits = b.last_logits, .best = b.candidates, .of_groups = b.candidate_groups},
        {.n_values = word(model_.spec.n_vocab)},
        {.groups = {word(count), 1, 1}, .label = "candidates"});
}

}  // namespace hearth::vulkan
