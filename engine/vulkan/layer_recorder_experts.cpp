// Mixtures: the choice of each token's experts, and what those add that the GPU has.
#include <algorithm>
#include <bit>
#include <utility>

#include "base/assert.h"
#include "interfaces/activate.h"
#include "interfaces/add_experts.h"
#include "interfaces/expert_down.h"
#include "interfaces/joined_route.h"
#include "interfaces/neurons.h"
#include "interfaces/norm_apart.h"
#include "interfaces/norm_join.h"
#include "interfaces/route.h"
#include "interfaces/sort_experts.h"
#include "vulkan/gemm_kernel.h"
#include "vulkan/layer_recorder.h"
#include "vulkan/shader_words.h"

namespace hearth::vulkan {
namespace {

constexpr std::uint32_t kNeuronThreads = 1024;  // at most: a team for each of 32 neurons
constexpr std::uint32_t kRouteThreads = 128;
constexpr std::uint32_t kSortThreads = 256;
constexpr std::uint32_t kThreads = 256;

std::uint32_t in_gl(RouterScores scores) {
    switch (scores) {
        case RouterScores::Softmax:
            return ROUTER_SOFTMAX;
        case RouterScores::Sigmoid:
            return ROUTER_SIGMOID;
        case RouterScores::SoftmaxOfChosen:
            break;
    }
    return ROUTER_SOFTMAX_OF_CHOSEN;
}

}  // namespace

// Rows and tokens of a tile of the layer's products.
std::uint32_t LayerRecorder::expert_tile(const GpuLayer& layer) const {
    const auto tile_of = [&](Role role) {
        const DType type = layer[role].type;
        return gemm_kernel(features_, type, gemm_form(features_, type, false), false).tile;
    };
    HEARTH_ASSERT(tile_of(Role::Up) == tile_of(Role::Down));
    return tile_of(Role::Up);
}

// The stream has what attention added as its only sum: the layer's norms are around its blocks.
void LayerRecorder::norm_apart(const Parts& parts, bool publish) {
    HEARTH_ASSERT(outstanding_.size() == 1 && !from_input_ &&
                  stream_scale_.buffer == VK_NULL_HANDLE && norms_output(parts.spec.norms) &&
                  parts.spec.norm.kind == NormKind::Rms);
    const Buffers& b = model_.buffers;
    const GpuLayer& attention = parts.attention();
    const GpuLayer& experts = *parts.experts();
    const Form floats = &LayerRecorder::wants_floats;
    const Form packed = &LayerRecorder::wants_packed;
    recorder_->dispatch(shader_of<interfaces::NormApart>(),
                        {.WORKGROUP = norm_threads(features_, model_.spec.n_embd),
                         .PUBLISH = publish,
                         .BESIDE_FLOATS = wants(floats, parts, Role::SharedGate, Role::SharedUp),
                         .BESIDE_BYTES = wants(packed, parts, Role::SharedGate, Role::SharedUp),
                         .EXPERTS_FLOATS = wants(floats, parts, Role::Gate, Role::Up),
                         .EXPERTS_BYTES = wants(packed, parts, Role::Gate, Role::Up),
                         .SUBGROUPS = teams_.subgroups,
                         .HALVES = packs_halves(n_tokens_)},
                        {.x = stream_,
                         .a = outstanding_.front(),
                         .published = b.published,
                         .router_weight = experts.vectors[Role::RouterNorm],
                         .beside_weight = attention.vectors[Role::FfnNorm],
                         .experts_weight = attention.vectors[Role::ExpertsNorm],
                         .router_in = b.router_in.floats,
                         .beside_in = b.normed.floats,
                         .beside_bytes = b.normed.packed,
                         .beside_scales = b.normed.scales,
                         .experts_in = b.experts_in.floats,
                         .experts_bytes = b.experts_in.packed,
                         .experts_scales = b.experts_in.scales},
                        {.columns = word(model_.spec.n_embd),
                         .epsilon = parts.spec.norm.eps,
                         .add_scale = add_scale_,
                         .router_scale = parts.spec.experts.router_scale},
                        {.groups = {word(n_tokens_), 1, 1}, .label = "norm"});
    outstanding_.clear();
    if (each_alone(n_tokens_) && wants_packed(experts[Role::Router], n_tokens_)) {
        recorder_->barrier();
        pack(b.router_in, static_cast<std::uint64_t>(model_.spec.n_embd),
             static_cast<std::uint64_t>(n_tokens_));
    }
}

// The experts' sums are outstanding: of those that the GPU holds, or of those that are uploaded,
// and what others add to it.
void LayerRecorder::norm_join(const Parts& parts) {
    HEARTH_ASSERT(outstanding_.size() == 1 || outstanding_.size() == 2);
    const bool more = outstanding_.size() == 2;
    const GpuLayer& experts = *parts.experts();
    recorder_->barrier();
    recorder_->dispatch(shader_of<interfaces::NormJoin>(),
                        {.WORKGROUP = norm_threads(features_, model_.spec.n_embd),
                         .PARTIAL = more,
                         .SUBGROUPS = teams_.subgroups},
                        {.y = outstanding_.front(),
                         .partial = more ? outstanding_.back() : BufferView{},
                         .beside = model_.buffers.shared_out,
                         .experts_weight = experts.vectors[Role::ExpertsPostNorm],
                         .beside_weight = experts.vectors[Role::SharedPostNorm],
                         .weight = parts.attention().vectors[Role::FfnPostNorm]},
                        {.columns = word(model_.spec.n_embd), .epsilon = parts.spec.norm.eps},
                        {.groups = {word(n_tokens_), 1, 1}, .label = "norm"});
    outstanding_.resize(1);
}

void LayerRecorder::route_early(int index, bool publish) {
    const Buffers& b = model_.buffers;
    const GpuLayer* with_router = parts_of(index).experts();
    const auto n_embd = static_cast<std::uint64_t>(model_.spec.n_embd);
    const auto n_tokens = static_cast<std::uint64_t>(n_tokens_);
    if (with_router == nullptr) {
        if (publish) {
            recorder_->copy(stream_.part(0, n_tokens * n_embd * sizeof(float)), b.routed);
        }
        return;
    }
    if (each_alone(n_tokens_) && wants_packed((*with_router)[Role::Router], n_tokens_)) {
        GpuActivations stream = b.router_in;
        stream.floats = stream_;
        pack(stream, n_embd, n_tokens);
    }
    route(index, publish);
}

// Products of tokens alone and their choice are one dispatch where the router is in floats, as in
// all files but those whose owner asked for something else.
bool LayerRecorder::routes_at_once(const GpuMatrix& router) {
    return router.slices.size() == 1 && !is_quantized(router.type);
}

void LayerRecorder::route(int index, bool tell) {
    const GpuLayer* with_router = parts_of(index).experts();
    if (with_router == nullptr) {
        return;
    }
    if (joined_) {
        joined_route(index);
        return;
    }
    const GpuLayer& layer = *with_router;
    const ExpertsSpec& spec = model_.spec.layer(index).experts;
    const GpuMatrix& router = layer[Role::Router];
    const Buffers& b = model_.buffers;
    GpuActivations in = spec.norms_apart || spec.routed_early ? b.router_in : b.normed;
    if (spec.routed_early) {
        in.floats = stream_;
    }
    const bool one = n_tokens_ == 1;
    const bool counts = one && !b.fired.empty();
    const bool at_once = each_alone(n_tokens_) && routes_at_once(router);
    recorder_->barrier();
    if (!at_once) {
        Product product{router, in,    b.router_products, static_cast<std::uint64_t>(spec.n),
                        {},     false, "router"};
        product.exact = true;
        multiply(product, n_tokens_);
        recorder_->barrier();
    }
    const std::uint32_t threads =
        std::min(kRouteThreads, std::bit_floor(features_.invocations_max));
    const BufferView weights = at_once ? router.slices.front().view : BufferView{};
    recorder_->dispatch(
        at_once ? router_shader(router.type) : shader_of<interfaces::Route>(),
        {.WORKGROUP = threads,
         .N = word(spec.n),
         .USED = word(spec.n_used),
         .SCORES = in_gl(spec.scores),
         .BIASED = layer.vectors[Role::RouterBias].buffer != VK_NULL_HANDLE,
         .NORMED = spec.normed,
         .GROUPS = word(spec.n_groups),
         .USED_GROUPS = word(spec.n_used_groups),
         .SHARED = spec.n_ff_shared > 0,
         .SHARED_GATE = spec.shared_gate,
         .TELL = tell,
         .NOTE = one,
         .COUNT = counts,
         .TEAM = teams_.size,
         .SUBGROUPS = at_once && teams_.subgroups,
         .BLOCKS = static_cast<std::uint32_t>(router.cols / kBlockColumns),
         .FACTORS = layer.vectors[Role::ExpertScale].buffer != VK_NULL_HANDLE,
         .PRODUCT_BIAS = spec.biases},
        {.products = b.router_products,
         .bias = layer.vectors[Role::RouterBias],
         .chosen = b.chosen,
         .told = b.told,
         .shared_chosen = b.shared_chosen,
         .x = in.floats,
         .shared_router = layer.vectors[Role::SharedRouter],
         .places = layer.places,
         .fired = counts ? b.fired[static_cast<std::size_t>(index)] : BufferView{},
         .step = b.step,
         .noted = b.noted[static_cast<std::size_t>(index)],
         .quads = weights,
         .words = weights,
         .done = b.router_done,
         .factors = layer.vectors[Role::ExpertScale],
         .product_bias = layer.vectors[Role::RouterProductBias]},
        {.matrix = at_once ? router.slices.front().layout.params() : params::MatrixParams{},
         .n_embd = word(model_.spec.n_embd),
         .scale = spec.scale},
        {.groups = {at_once ? groups_of(word(spec.n), threads / teams_.size) : word(n_tokens_),
                    at_once ? word(n_tokens_) : 1, 1},
         .label = "route",
         .bytes = at_once
                      ? router.slices.front().layout.bytes * static_cast<std::uint64_t>(n_tokens_)
                      : 0,
         .subgroup_size = at_once ? teams_.required_size : 0});
}

void LayerRecorder::joined_route(int index) {
    const GpuLayer& layer = *parts_of(index).experts();
    const ExpertsSpec& spec = model_.spec.layer(index).experts;
    const GpuMatrix& router = layer[Role::Router];
    const Buffers& b = model_.buffers;
    const bool counts = !b.fired.empty();
    const GpuMatrix::Slice& slice = router.slices.front();
    const std::uint32_t threads =
        std::min(kRouteThreads, std::bit_floor(features_.invocations_max));
    recorder_->dispatch(joined_router_shader(router.type),
                        {.WORKGROUP = threads,
                         .N = word(spec.n),
                         .USED = word(spec.n_used),
                         .SCORES = in_gl(spec.scores),
                         .BIASED = layer.vectors[Role::RouterBias].buffer != VK_NULL_HANDLE,
                         .NORMED = spec.normed,
                         .GROUPS = word(spec.n_groups),
                         .USED_GROUPS = word(spec.n_used_groups),
                         .SHARED = spec.n_ff_shared > 0,
                         .SHARED_GATE = spec.shared_gate,
                         .COUNT = counts,
                         .TEAM = teams_.size,
                         .BLOCKS = static_cast<std::uint32_t>(router.cols / kBlockColumns),
                         .FACTORS = layer.vectors[Role::ExpertScale].buffer != VK_NULL_HANDLE,
                         .PRODUCT_BIAS = spec.biases,
                         .ADDS = joined_->n_adds,
                         .NORM_THREADS = norm_threads(features_, model_.spec.n_embd)},
                        {.products = b.router_products,
                         .bias = layer.vectors[Role::RouterBias],
                         .chosen = b.chosen,
                         .shared_chosen = b.shared_chosen,
                         .shared_router = layer.vectors[Role::SharedRouter],
                         .places = layer.places,
                         .fired = counts ? b.fired[static_cast<std::size_t>(index)] : BufferView{},
                         .step = b.step,
                         .noted = b.noted[static_cast<std::size_t>(index)],
                         .quads = slice.view,
                         .words = slice.view,
                         .done = b.router_done,
                         .factors = layer.vectors[Role::ExpertScale],
                         .product_bias = layer.vectors[Role::RouterProductBias],
                         .stream = joined_->from,
                         .a = joined_->adds[0],
                         .b = joined_->adds[1],
                         .c = joined_->adds[2],
                         .weight = joined_->weight,
                         .stream_next = joined_->to,
                         .normed = b.normed.floats,
                         .normed_bytes = b.normed.packed,
                         .normed_scales = b.normed.scales},
                        {.matrix = slice.layout.params(),
                         .scale = spec.scale,
                         .epsilon = joined_->eps,
                         .add_scale = joined_->add_scale,
                         .stores = word(std::exchange(joined_->stores, false))},
                        {.groups = {groups_of(word(spec.n), threads / teams_.size), 1, 1},
                         .label = "route",
                         .bytes = slice.layout.bytes,
                         .subgroup_size = teams_.required_size});
    end_joined();
}

// Beside the routing: both read the block's input.
void LayerRecorder::make_latent(int index) {
    const Parts parts = parts_of(index);
    const Buffers& b = model_.buffers;
    const auto width = static_cast<std::uint64_t>(parts.spec.experts.n_latent);
    if (parts.experts() == nullptr || width == 0) {
        return;
    }
    const GpuMatrix& matrix = (*parts.experts())[Role::ExpertLatentDown];
    multiply({matrix, b.normed, b.experts_in.floats, width, {}, false, "latent"}, n_tokens_);
    if (wants(&LayerRecorder::wants_packed, parts, Role::Gate, Role::Up)) {
        recorder_->barrier();
        pack(b.experts_in, width, static_cast<std::uint64_t>(n_tokens_));
    }
}

void LayerRecorder::end_latent(const LayerSpec& spec, const GpuMatrix& matrix,
                               const BufferView& out) {
    const Buffers& b = model_.buffers;
    if (!matrix.present()) {
        return;
    }
    recorder_->barrier();
    if (wants_packed(matrix, n_tokens_)) {
        pack(b.latent_sum, static_cast<std::uint64_t>(spec.experts.n_latent),
             static_cast<std::uint64_t>(n_tokens_));
        recorder_->barrier();
    }
    multiply({matrix,
              b.latent_sum,
              out,
              static_cast<std::uint64_t>(model_.spec.n_embd),
              {},
              false,
              "latent"},
             n_tokens_);
}

// Takes a token alone, or several, each as if it were. Gates that lie apart come first, where the
// hidden values will be.
void LayerRecorder::token_hidden(const LayerSpec& spec, const ExpertNeurons& neurons) {
    const Buffers& b = model_.buffers;
    const std::uint32_t threads = std::min(
        {kNeuronThreads, kBlockColumns * teams_.size, std::bit_floor(features_.invocations_max)});
    const auto add = [&](const GpuMatrix& matrix, std::uint32_t gates, std::uint32_t activation,
                         bool in_bytes) {
        const bool bytes = wants_packed(matrix, n_tokens_);
        // Gates that come first get theirs where they meet the ups.
        const bool biased =
            neurons.up_bias.buffer != VK_NULL_HANDLE && activation != ACTIVATION_NONE;
        const std::uint64_t per_neuron = gates == GATES_BESIDE ? 2 : 1;
        const auto n_ff = static_cast<std::uint64_t>(neurons.n_ff);
        for (const GpuMatrix::Slice& slice : matrix.slices) {
            recorder_->dispatch(
                neurons_shader(matrix.type, bytes ? InputForm::Bytes : InputForm::Floats),
                {.WORKGROUP = threads,
                 .TEAM = teams_.size,
                 .SUBGROUPS = teams_.subgroups,
                 .GATES = gates,
                 .SPARSE = gates != GATES_NONE && is_sparse(spec.activation),
                 .WRITE_FLOATS = !in_bytes,
                 .WRITE_BYTES = in_bytes,
                 .BLOCKS = static_cast<std::uint32_t>(matrix.cols / kBlockColumns),
                 .COUNT = false,
                 .EXPERT_NEURONS = word(neurons.n_ff),
                 .EXPERT_BIASES = biased,
                 .AHEAD = 1,
                 .SEVERAL = n_tokens_ > 1},
                {.quads = slice.view,
                 .words = slice.view,
                 .x = bytes ? neurons.in.packed : neurons.in.floats,
                 .xd = neurons.in.scales,
                 .h = b.hidden.floats,
                 .hq = b.hidden.packed,
                 .hd = b.hidden.scales,
                 .bias = biased ? neurons.up_bias : BufferView{},
                 .mask = BufferView{},
                 .fired = BufferView{},
                 .step = b.step,
                 .noted = BufferView{},
                 .chosen = neurons.chosen,
                 .places = neurons.places,
                 .gate_bias = biased ? neurons.gate_bias : BufferView{}},
                {.matrix = slice.layout.params(),
                 .first = 0,
                 .n_neurons = word(neurons.n_ff),
                 .activation = activation,
                 .gate_threshold = spec.relu_threshold,
                 .has_bias = 0,
                 .has_mask = 0,
                 .mask_threshold = 0,
                 .first_place = static_cast<std::uint32_t>(slice.first_row / per_neuron / n_ff),
                 .n_places = static_cast<std::uint32_t>(slice.layout.rows / per_neuron / n_ff)},
                {.groups = {groups_of(n_ff, kBlockColumns), word(neurons.n_used), word(n_tokens_)},
                 .label = "gate_up",
                 .bytes = slice.layout.bytes *
                          static_cast<std::uint64_t>(neurons.n_used * n_tokens_) /
                          std::max<std::uint64_t>(1, slice.layout.rows / per_neuron / n_ff),
                 .subgroup_size = teams_.required_size});
        }
    };
    if (neurons.gates == GATES_APART) {
        add(neurons.gate, GATES_NONE, ACTIVATION_NONE, false);
        recorder_->barrier();
    }
    add(neurons.up, neurons.gates, static_cast<std::uint32_t>(spec.activation),
        neurons.hidden_bytes);
    recorder_->barrier();
}

void LayerRecorder::token_experts(int index) {
    const GpuLayer& layer = model_.weights.layers[static_cast<std::size_t>(index)];
    const LayerSpec& spec = model_.spec.layer(index);
    const Buffers& b = model_.buffers;
    const auto n_embd = static_cast<std::uint64_t>(model_.spec.n_embd);
    const bool shared = spec.experts.n_ff_shared > 0;
    if (shared) {
        const GpuMatrix& down = layer[Role::SharedDown];
        token_hidden(spec, {b.normed, layer[Role::SharedGate], layer[Role::SharedUp],
                            layer.shared_gates(), b.shared_chosen, b.shared_place,
                            spec.experts.n_ff_shared, 1, wants_packed(down, n_tokens_)});
        multiply({down, b.hidden, shared_output(spec, b.down_out), n_embd, {}, false, "down"},
                 n_tokens_);
        recorder_->barrier();
    }
    const GpuMatrix& down = layer[Role::Down];
    const bool bytes = wants_packed(down, n_tokens_);
    token_hidden(spec, {experts_input(spec), layer[Role::Gate], layer[Role::Up], layer.gates(),
                        b.chosen, layer.places, spec.experts.n_ff, spec.experts.n_used, bytes,
                        layer.vectors[Role::ExpertGateBias], layer.vectors[Role::ExpertUpBias]});
    const bool adds = shared && !spec.experts.has_own_input();
    const bool latent = spec.experts.n_latent > 0;
    const std::uint64_t width = latent ? static_cast<std::uint64_t>(spec.experts.n_latent) : n_embd;
    constexpr std::uint32_t kDownThreads = 128;
    for (std::size_t i = 0; i < down.slices.size(); ++i) {
        const GpuMatrix::Slice& slice = down.slices[i];
        if (i > 0) {
            recorder_->barrier();
        }
        recorder_->dispatch(
            expert_down_shader(down.type, bytes ? InputForm::Bytes : InputForm::Floats),
            {.WORKGROUP = kDownThreads,
             .TEAM = teams_.size,
             .SUBGROUPS = teams_.subgroups,
             .BLOCKS = static_cast<std::uint32_t>(down.cols / kBlockColumns),
             .USED = word(spec.experts.n_used),
             .BIASED = spec.experts.biases,
             .SEVERAL = n_tokens_ > 1},
            {.quads = slice.view,
             .words = slice.view,
             .x = bytes ? b.hidden.packed : b.hidden.floats,
             .xd = b.hidden.scales,
             .y = latent ? b.latent_sum.floats : b.down_out,
             .chosen = b.chosen,
             .places = layer.places,
             .bias = layer.vectors[Role::ExpertDownBias]},
            {.matrix = slice.layout.params(),
             .n_rows = static_cast<std::uint32_t>(width),
             .first_place = static_cast<std::uint32_t>(slice.first_row / width),
             .n_places = static_cast<std::uint32_t>(slice.layout.rows / width),
             .add = word(adds || i > 0)},
            {.groups = {groups_of(width, kDownThreads / teams_.size), word(n_tokens_), 1},
             .label = "down",
             .bytes = slice.layout.bytes *
                      static_cast<std::uint64_t>(spec.experts.n_used * n_tokens_) /
                      std::max<std::uint64_t>(1, slice.layout.rows / width),
             .subgroup_size = teams_.required_size});
    }
    end_latent(spec, layer[Role::ExpertLatentUp], b.down_out);
}

// Hidden values of a batch from the products with gates and ups, weighed.
void LayerRecorder::activate(const LayerSpec& spec, const Activated& block) {
    const Buffers& b = model_.buffers;
    recorder_->barrier();
    recorder_->dispatch(
        shader_of<interfaces::Activate>(),
        {.WORKGROUP = kThreads, .EXPERT_BIASES = block.up_bias.buffer != VK_NULL_HANDLE},
        {.products = b.products,
         .h = b.hidden.floats,
         .chosen = block.chosen,
         .pairs = b.pairs,
         .tiles = b.tiles,
         .gate_bias = block.gate_bias,
         .up_bias = block.up_bias},
        {.n_neurons = word(block.n_neurons),
         .n_tokens = word(block.n_rows),
         .activation = static_cast<std::uint32_t>(spec.activation),
         .gate_threshold = spec.relu_threshold,
         .gates = block.gates,
         .weighed = block.weighed},
        {.groups = {groups_of(static_cast<std::uint64_t>(block.n_neurons) *
                                  static_cast<std::uint64_t>(block.n_rows),
                              kThreads),
                    1, 1},
         .label = "activate"});
    recorder_->barrier();
}

// The shared expert is a dense block that is weighed.
void LayerRecorder::batch_shared(const LayerSpec& spec, const GpuLayer& layer,
                                 const BufferView& out) {
    const Buffers& b = model_.buffers;
    const int n_ff = spec.experts.n_ff_shared;
    const std::uint64_t products = layer[Role::SharedGate].rows + layer[Role::SharedUp].rows;
    if (layer[Role::SharedGate].present()) {
        multiply({layer[Role::SharedGate], b.normed, b.products, products, {}, false, "gate_up"},
                 n_tokens_);
    }
    multiply({layer[Role::SharedUp],
              b.normed,
              b.products,
              products,
              {},
              false,
              "gate_up",
              layer[Role::SharedGate].rows},
             n_tokens_);
    activate(spec, {n_ff, n_tokens_, layer.shared_gates(), b.shared_chosen, WEIGHED_BY_TOKEN});
    const GpuMatrix& down = layer[Role::SharedDown];
    if (wants_packed(down, n_tokens_)) {
        pack(b.hidden, static_cast<std::uint64_t>(n_ff), static_cast<std::uint64_t>(n_tokens_));
        recorder_->barrier();
    }
    multiply(
        {down, b.hidden, out, static_cast<std::uint64_t>(model_.spec.n_embd), {}, false, "down"},
        n_tokens_);
    recorder_->barrier();
}

// Computes the experts that are in `layer`, and the shared one if it is there.
void LayerRecorder::batch_experts(const Parts& parts, const GpuLayer& layer,
                                  const BufferView& out) {
    const LayerSpec& spec = parts.spec;
    const Buffers& b = model_.buffers;
    const bool shared = layer[Role::SharedUp].present();
    const auto n_ff = static_cast<std::uint64_t>(spec.experts.n_ff);
    const bool latent = spec.experts.n_latent > 0;
    const auto width =
        static_cast<std::uint64_t>(latent ? spec.experts.n_latent : model_.spec.n_embd);
    const int n_pairs = n_tokens_ * spec.experts.n_used;
    recorder_->dispatch(
        shader_of<interfaces::SortExperts>(),
        {.WORKGROUP = std::min(kSortThreads, std::bit_floor(features_.invocations_max)),
         .TILE = expert_tile(layer)},
        {.chosen = b.chosen,
         .places = layer.places,
         .pairs = b.pairs,
         .rows = b.rows,
         .tiles = b.tiles},
        {.n_pairs = word(n_pairs), .n_places = word(layer.n_experts())}, {.label = "sort"});
    if (shared) {
        batch_shared(spec, layer, shared_output(spec, out));
    } else {
        recorder_->barrier();
    }
    const auto grouped = [&](const GpuMatrix& matrix, const GpuActivations& in,
                             const BufferView& to, std::uint64_t stride, std::string_view label,
                             std::uint32_t kind, std::uint64_t rows, std::uint64_t out_at) {
        Product product{matrix, in, to, stride, {}, false, label, out_at};
        product.grouped = kind;
        product.experts = &spec.experts;
        product.expert_rows = rows;
        multiply(product, n_tokens_);
    };
    const GpuActivations& in = experts_input(spec);
    const std::uint64_t up_rows = layer.gates() == GATES_BESIDE ? 2 * n_ff : n_ff;
    const std::uint64_t gate_rows = layer.gates() == GATES_APART ? n_ff : 0;
    if (gate_rows > 0) {
        grouped(layer[Role::Gate], in, b.products, gate_rows + up_rows, "gate_up", GROUPED_GATHER,
                gate_rows, 0);
    }
    grouped(layer[Role::Up], in, b.products, gate_rows + up_rows, "gate_up", GROUPED_GATHER,
            up_rows, gate_rows);
    activate(spec, {spec.experts.n_ff, n_pairs, layer.gates(), b.chosen, WEIGHED_BY_PAIR,
                    layer.vectors[Role::ExpertGateBias], layer.vectors[Role::ExpertUpBias]});
    if (wants_packed(layer[Role::Down], n_tokens_)) {
        pack(b.hidden, n_ff, static_cast<std::uint64_t>(n_pairs));
        recorder_->barrier();
    }
    grouped(layer[Role::Down], b.hidden, b.expert_out, width, "down", GROUPED_SORTED, width, 0);
    recorder_->barrier();
    const std::uint64_t n_quads = width / 4 * static_cast<std::uint64_t>(n_tokens_);
    recorder_->dispatch(shader_of<interfaces::AddExperts>(),
                        {.WORKGROUP = kThreads, .BIASED = spec.experts.biases},
                        {.outputs = b.expert_out,
                         .rows = b.rows,
                         .y = latent ? b.latent_sum.floats : out,
                         .chosen = b.chosen,
                         .bias = layer.vectors[Role::ExpertDownBias]},
                        {.columns = static_cast<std::uint32_t>(width),
                         .n_tokens = word(n_tokens_),
                         .used = word(spec.experts.n_used),
                         .add = word(shared && !spec.experts.has_own_input())},
                        {.groups = {groups_of(n_quads, kThreads), 1, 1}, .label = "reduce"});
    end_latent(spec, (*parts.experts())[Role::ExpertLatentUp], out);
}

}  // namespace hearth::vulkan
