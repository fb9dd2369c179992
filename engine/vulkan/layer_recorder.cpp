#include "vulkan/layer_recorder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/assert.h"
#include "compute/executor.h"
#include "include/params.h"
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

constexpr std::uint32_t kGemvRows = 1;  // of one team
// At most; drivers may allow fewer.
constexpr std::uint32_t kNormThreads = 1024;
constexpr std::uint32_t kCandidateThreads = 1024;

}  // namespace

LayerRecorder::LayerRecorder(const Device& device, const Model& model)
    : features_(device.features()), model_(model), teams_(device.features()) {}

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

void LayerRecorder::quantize(const GpuActivations& a, std::uint64_t columns, std::uint64_t rows) {
    const std::array constants{std::uint32_t{64}};
    const std::array buffers{a.floats, a.bytes, a.scales};
    const params::QuantizeParams params{static_cast<std::uint32_t>(columns),
                                        static_cast<std::uint32_t>(rows)};
    dispatch(quantize_shader(), constants, buffers, params,
             {groups_of(rows * columns / kBlockColumns, 64), 1, 1}, "quantize");
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
