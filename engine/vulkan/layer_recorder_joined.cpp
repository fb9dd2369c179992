// Norms that the products of a token make for themselves.
#include <algorithm>
#include <bit>
#include <utility>

#include "base/assert.h"
#include "interfaces/joined_gemv.h"
#include "interfaces/joined_neurons.h"
#include "vulkan/layer_recorder.h"
#include "vulkan/shader_words.h"

namespace hearth::vulkan {
namespace {

// Every workgroup makes the input anew, so they are larger than those of gemv.comp, and of a large
// matrix have twice the rows: all run at once then.
constexpr std::uint32_t kJoinedThreads = 512;
constexpr std::uint64_t kLargeMatrixRows = 4096;

}  // namespace

bool LayerRecorder::can_join(const Norm& norm, bool publish) const {
    return n_tokens_ == 1 && teams_.subgroups && features_.subgroup_shuffle && !publish &&
           norm.packed && norm.spec.kind != NormKind::Layer &&
           norm.weight.buffer != VK_NULL_HANDLE && norm.bias.buffer == VK_NULL_HANDLE &&
           stream_scale_.buffer == VK_NULL_HANDLE && outstanding_.size() <= 3 &&
           norm_threads(features_, model_.spec.n_embd) >= teams_.size;
}

// Says if queries, keys and values alone read the layer's norm.
bool LayerRecorder::joins_heads(const LayerSpec& spec) const {
    return !is_parallel(spec.norms) && !spec.is_latent() && !spec.is_recurrent() &&
           !spec.has_state_heads() && !spec.experts.routed_early;
}

// Says if the dispatch of the neurons here alone reads the block's norm.
bool LayerRecorder::joins_neurons(const Parts& parts) const {
    return n_tokens_ == 1 && parts.uploaded == nullptr && parts.own.n_neurons > 0 &&
           parts.experts() == nullptr && !parts.spec.is_mixture() && !predicted(parts.own) &&
           !parts.own[Role::Gate].present();
}

// Says if the router's dispatch can leave the block's norm for all that read it.
bool LayerRecorder::joins_router(const Parts& parts) const {
    const ExpertsSpec& spec = parts.spec.experts;
    return n_tokens_ == 1 && parts.uploaded == nullptr && parts.experts() != nullptr &&
           !spec.routed_early && !spec.norms_apart && spec.n_latent == 0 &&
           routes_at_once((*parts.experts())[Role::Router]);
}

void LayerRecorder::begin_joined(const Norm& norm) {
    const Buffers& b = model_.buffers;
    const bool in_x = stream_.buffer == b.x.buffer && stream_.offset == b.x.offset;
    JoinedNorm joined{.eps = norm.spec.eps,
                      .weight = norm.weight,
                      .adds = {},
                      .n_adds = static_cast<std::uint32_t>(outstanding_.size()),
                      .add_scale = add_scale_,
                      .from = from_input_ ? b.input : stream_,
                      .to = in_x && !from_input_ ? b.x_of_token : b.x,
                      .stores = from_input_ || !outstanding_.empty()};
    std::copy(outstanding_.begin(), outstanding_.end(), joined.adds.begin());
    if (joined.stores) {
        stream_ = joined.to;
    }
    joined_ = joined;
    outstanding_.clear();
    from_input_ = false;
}

void LayerRecorder::end_joined() {
    HEARTH_ASSERT(!joined_->stores);
    joined_.reset();
}

// Only the dispatch that leaves the stream names its place: the others run beside it, and what is
// named as written counts as written. They name what they write anyway.
void LayerRecorder::joined_gemv(const Product& product) {
    HEARTH_ASSERT(product.in.packed.buffer == model_.buffers.normed.packed.buffer &&
                  product.in.packed.offset == model_.buffers.normed.packed.offset);
    const GpuMatrix& matrix = product.matrix;
    const std::uint32_t threads =
        std::min({kJoinedThreads, 16 * teams_.size, std::bit_floor(features_.invocations_max)});
    const std::uint32_t rows = matrix.rows >= kLargeMatrixRows ? 2 : 1;
    for (const GpuMatrix::Slice& slice : matrix.slices) {
        const std::uint64_t per_group = threads / teams_.size * rows;
        const bool stores = std::exchange(joined_->stores, false);
        recorder_->dispatch(joined_gemv_shader(matrix.type),
                            {.WORKGROUP = threads,
                             .TEAM = teams_.size,
                             .ROWS = rows,
                             .BLOCKS = static_cast<std::uint32_t>(matrix.cols / kBlockColumns),
                             .ADDS = joined_->n_adds,
                             .NORM_THREADS = norm_threads(features_, model_.spec.n_embd),
                             .AHEAD = 1},
                            {.quads = slice.view,
                             .words = slice.view,
                             .y = product.out,
                             .bias = product.bias,
                             .stream = joined_->from,
                             .a = joined_->adds[0],
                             .b = joined_->adds[1],
                             .c = joined_->adds[2],
                             .weight = joined_->weight,
                             .stream_next = stores ? joined_->to : product.out},
                            {.matrix = slice.layout.params(),
                             .y_at = static_cast<std::uint32_t>(product.out_at + slice.first_row),
                             .has_bias = word(product.bias.buffer != VK_NULL_HANDLE),
                             .relu = word(product.relu),
                             .epsilon = joined_->eps,
                             .add_scale = joined_->add_scale,
                             .stores = word(stores)},
                            {.groups = {groups_of(slice.layout.rows, per_group), 1, 1},
                             .label = product.label,
                             .bytes = slice.layout.bytes,
                             .subgroup_size = teams_.required_size});
    }
}

void LayerRecorder::joined_neurons(const JoinedNeurons& neurons, const GpuMatrix::Slice& slice) {
    const auto at = static_cast<std::size_t>(neurons.layer);
    const LayerSpec& spec = model_.spec.layer(neurons.layer);
    const GpuLayer& layer = model_.weights.layers[at];
    const GpuMatrix& matrix = layer[Role::Up];
    const Buffers& b = model_.buffers;
    const std::uint64_t per_neuron = layer.gates() == GATES_BESIDE ? 2 : 1;
    const std::uint64_t n = slice.layout.rows / per_neuron;
    const bool stores = std::exchange(joined_->stores, false);
    recorder_->dispatch(joined_neurons_shader(matrix.type),
                        {.WORKGROUP = neurons.threads,
                         .TEAM = teams_.size,
                         .GATES = layer.gates(),
                         .SPARSE = neurons.sparse,
                         .WRITE_FLOATS = !neurons.hidden_bytes,
                         .WRITE_BYTES = neurons.hidden_bytes,
                         .BLOCKS = static_cast<std::uint32_t>(matrix.cols / kBlockColumns),
                         .COUNT = neurons.counts,
                         .ADDS = joined_->n_adds,
                         .NORM_THREADS = norm_threads(features_, model_.spec.n_embd),
                         .AHEAD = 1},
                        {.quads = slice.view,
                         .words = slice.view,
                         .h = b.hidden.floats,
                         .hq = b.hidden.packed,
                         .hd = b.hidden.scales,
                         .bias = layer.vectors[Role::UpBias],
                         .mask = b.mask,
                         .fired = neurons.fired,
                         .step = b.step,
                         .noted = b.noted[at],
                         .stream = joined_->from,
                         .a = joined_->adds[0],
                         .b = joined_->adds[1],
                         .c = joined_->adds[2],
                         .weight = joined_->weight,
                         .stream_next = stores ? joined_->to : b.hidden.floats},
                        {.matrix = slice.layout.params(),
                         .first = static_cast<std::uint32_t>(slice.first_row / per_neuron),
                         .n_neurons = static_cast<std::uint32_t>(n),
                         .activation = static_cast<std::uint32_t>(spec.activation),
                         .gate_threshold = spec.relu_threshold,
                         .has_bias = word(layer.vectors[Role::UpBias].buffer != VK_NULL_HANDLE),
                         .has_mask = 0,
                         .mask_threshold = 0,
                         .epsilon = joined_->eps,
                         .add_scale = joined_->add_scale,
                         .stores = word(stores)},
                        {.groups = {groups_of(n, 32), 1, 1},
                         .label = "gate_up",
                         .bytes = slice.layout.bytes,
                         .subgroup_size = teams_.required_size});
}

}  // namespace hearth::vulkan
