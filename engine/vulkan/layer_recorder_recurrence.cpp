// Delta nets, gated convolutions, Mamba-2, and the gates of what heads give.
#include "compute/executor.h"
#include "interfaces/delta_net.h"
#include "interfaces/gate_heads.h"
#include "interfaces/gated_conv.h"
#include "interfaces/part_gates.h"
#include "interfaces/short_conv.h"
#include "interfaces/state_space_conv.h"
#include "vulkan/layer_recorder.h"
#include "vulkan/shader_words.h"

namespace hearth::vulkan {
namespace {

constexpr std::uint32_t kThreads = 64;
constexpr std::uint32_t kNetThreads = 128;  // 32 columns, four parts of the keys
constexpr int kPanel = 32;

params::DeltaNetParams delta_net_params(const LayerSpec& spec, int layer, int n_tokens) {
    const DeltaNetSpec& net = spec.delta_net;
    return {.n_key_heads = word(net.n_key_heads),
            .n_value_heads = word(net.n_value_heads),
            .n_tokens = word(n_tokens),
            .epsilon = spec.norm.eps,
            .layer = word(layer),
            .width = word(net.conv_width()),
            .q_at = 0,
            .k_at = word(net.key_width()),
            .v_at = word(2 * net.key_width()),
            .group = net.neighbours_share ? word(net.group()) : 0};
}

params::DeltaNetParams state_space_params(const LayerSpec& spec, int layer, int n_tokens) {
    const StateSpaceSpec& of = spec.state_space;
    return {.n_key_heads = word(of.n_groups),
            .n_value_heads = word(of.n_heads),
            .n_tokens = word(n_tokens),
            .epsilon = 0,
            .layer = word(layer),
            .width = word(of.conv_width()),
            .q_at = word(of.width() + of.n_groups * of.state_dim),
            .k_at = word(of.width()),
            .v_at = 0,
            .group = word(of.n_heads / of.n_groups)};
}

}  // namespace

void LayerRecorder::part_gates(const LayerSpec& spec, const BufferView& q) {
    const Buffers& b = model_.buffers;
    const std::uint32_t n_values = word(n_tokens_ * spec.n_embd_q());
    recorder_->dispatch(shader_of<interfaces::PartGates>(),
                        {.WORKGROUP = kThreads, .HEAD_DIM = spec.attention.head_dim},
                        {.both = b.queries_gates, .q = q, .gates = b.gates}, {.n_values = n_values},
                        {.groups = {groups_of(n_values, kThreads), 1, 1}, .label = "part_gates"});
}

StateInputs LayerRecorder::state_inputs(int layer) const {
    const Buffers& b = model_.buffers;
    return each_alone_ ? state_inputs_ahead(layer) : StateInputs{b.q, b.mixed, b.k, b.v};
}

// A binding begins at certain bytes only, so tokens behind the first one are copied.
void LayerRecorder::take_ahead(int layer, int first, int count) {
    const Buffers& b = model_.buffers;
    StateInputs from = state_inputs_ahead(layer);
    if (first > 0) {
        const auto copy = [&](BufferView& view, const BufferView& to) {
            const std::uint64_t row_bytes = view.bytes / kEachAloneMost;
            const std::uint64_t bytes = static_cast<std::uint64_t>(count) * row_bytes;
            if (bytes > 0) {
                recorder_->copy(view.part(static_cast<std::uint64_t>(first) * row_bytes, bytes),
                                to.part(0, bytes));
                view = to;
            }
        };
        copy(from.inputs, b.q);
        copy(from.mixed, b.mixed);
        copy(from.beta, b.k);
        copy(from.decay, b.v);
        recorder_->barrier();
    }
    if (model_.spec.layer(layer).is_gated_conv()) {
        pass_gated_conv(layer, from.inputs, count, true);
    } else {
        pass_states(layer, from, count, true);
    }
    recorder_->barrier();  // all layers leave what nobody reads in one place
}

void LayerRecorder::delta_net(int layer) {
    const DeltaNetSpec& net = model_.spec.layer(layer).delta_net;
    const Buffers& b = model_.buffers;
    const auto at = static_cast<std::size_t>(layer);
    const GpuLayer& weights = model_.weights.layers[at];
    const StateInputs to = state_inputs(layer);
    recorder_->dispatch(
        shader_of<interfaces::ShortConv>(),
        {.WORKGROUP = kThreads,
         .KEY_DIM = net.key_dim,
         .VALUE_DIM = net.value_dim,
         .KERNEL = net.conv_kernel},
        {.step = b.step,
         .inputs = to.inputs,
         .states = model_.pasts.keys[at],
         .taps = weights.vectors[Role::ConvTaps],
         .dt = weights.vectors[Role::DeltaDt],
         .a = weights.vectors[Role::DeltaA],
         .beta = to.beta,
         .decay = to.decay,
         .mixed = to.mixed},
        delta_net_params(model_.spec.layer(layer), layer, n_tokens_),
        {.groups = {word(2 * net.n_key_heads + net.n_value_heads), word(n_tokens_), 1},
         .label = "short_conv"});
    recorder_->barrier();
    pass_states(layer, to, n_tokens_, !each_alone_);
}

void LayerRecorder::state_space(int layer) {
    const StateSpaceSpec& of = model_.spec.layer(layer).state_space;
    const Buffers& b = model_.buffers;
    const auto at = static_cast<std::size_t>(layer);
    const GpuLayer& weights = model_.weights.layers[at];
    const bool biased = weights.vectors[Role::ConvBias].bytes > 0;
    const auto width = static_cast<std::uint64_t>(of.conv_width());
    const StateInputs to = state_inputs(layer);
    recorder_->dispatch(
        shader_of<interfaces::StateSpaceConv>(),
        {.WORKGROUP = kThreads, .KERNEL = of.conv_kernel, .BIASED = biased},
        {.step = b.step,
         .inputs = to.inputs,
         .states = model_.pasts.keys[at],
         .taps = weights.vectors[Role::ConvTaps],
         .bias = weights.vectors[Role::ConvBias],
         .dt = weights.vectors[Role::DeltaDt],
         .a = weights.vectors[Role::DeltaA],
         .steps = to.beta,
         .decay = to.decay,
         .mixed = to.mixed},
        {.width = word(of.conv_width()), .n_heads = word(of.n_heads), .layer = word(layer)},
        {.groups = {groups_of(width + static_cast<std::uint64_t>(of.n_heads), kThreads),
                    word(n_tokens_), 1},
         .label = "state_space_conv"});
    recorder_->barrier();
    pass_states(layer, to, n_tokens_, !each_alone_);
}

void LayerRecorder::pass_states(int layer, const StateInputs& from, int n_tokens, bool takes) {
    const LayerSpec& spec = model_.spec.layer(layer);
    const Buffers& b = model_.buffers;
    const auto at = static_cast<std::size_t>(layer);
    const bool corrects = spec.is_delta_net();
    const int key_dim = corrects ? spec.delta_net.key_dim : spec.state_space.state_dim;
    const int value_dim = corrects ? spec.delta_net.value_dim : spec.state_space.head_dim;
    const int n_panels = (value_dim + kPanel - 1) / kPanel;
    recorder_->dispatch(
        shader_of<interfaces::DeltaNet>(),
        {.WORKGROUP = kNetThreads,
         .KEY_DIM = key_dim,
         .VALUE_DIM = value_dim,
         .KERNEL = spec.conv_kernel(),
         .CORRECTS = corrects,
         .TAKES = takes},
        {.step = b.step,
         .inputs = from.inputs,
         .mixed = from.mixed,
         .beta = from.beta,
         .decay = from.decay,
         .states = model_.pasts.keys[at],
         .attended = b.attended.floats,
         .skip = corrects ? BufferView{} : model_.weights.layers[at].vectors[Role::StateSkip]},
        corrects ? delta_net_params(spec, layer, n_tokens)
                 : state_space_params(spec, layer, n_tokens),
        {.groups = {word(spec.n_state_heads() * n_panels), 1, 1},
         .label = corrects ? "delta_net" : "state_space"});
}

// Then quantises the result where the matrix behind it takes bytes.
void LayerRecorder::gated_conv(int layer) {
    const GatedConvSpec& conv = model_.spec.layer(layer).gated_conv;
    const GpuLayer& weights = model_.weights.layers[static_cast<std::size_t>(layer)];
    pass_gated_conv(layer, state_inputs(layer).inputs, n_tokens_, !each_alone_);
    if (wants_packed(weights[Role::AttnOutput], n_tokens_)) {
        recorder_->barrier();
        pack(model_.buffers.attended, static_cast<std::uint64_t>(conv.width),
             static_cast<std::uint64_t>(n_tokens_));
    }
}

void LayerRecorder::pass_gated_conv(int layer, const BufferView& inputs, int n_tokens, bool takes) {
    constexpr int kTokens = 16;  // those that read the state are in one workgroup
    const GatedConvSpec& conv = model_.spec.layer(layer).gated_conv;
    const Buffers& b = model_.buffers;
    const auto at = static_cast<std::size_t>(layer);
    recorder_->dispatch(
        shader_of<interfaces::GatedConv>(),
        {.WORKGROUP = kThreads, .KERNEL = conv.kernel, .TOKENS = kTokens, .TAKES = takes},
        {.step = b.step,
         .inputs = inputs,
         .states = model_.pasts.keys[at],
         .taps = model_.weights.layers[at].vectors[Role::ConvTaps],
         .attended = b.attended.floats},
        {.width = word(conv.width), .n_tokens = word(n_tokens), .layer = word(layer)},
        {.groups = {groups_of(static_cast<std::uint64_t>(conv.width), kThreads),
                    groups_of(static_cast<std::uint64_t>(n_tokens), kTokens), 1},
         .label = "gated_conv"});
}

// Then quantises the result where the matrix behind it takes bytes.
void LayerRecorder::gate_heads(const LayerSpec& spec, const GpuLayer& weights) {
    const Buffers& b = model_.buffers;
    const bool norm = spec.has_state_heads();
    const int head_dim = spec.is_state_space()
                             ? spec.state_space.width() / spec.state_space.n_groups
                         : spec.is_delta_net() ? spec.delta_net.value_dim
                                               : spec.attention.head_dim;
    const int n_head = spec.n_gate() / head_dim;
    recorder_->dispatch(shader_of<interfaces::GateHeads>(),
                        {.WORKGROUP = kThreads,
                         .HEAD_DIM = head_dim,
                         .NORM = norm,
                         .GATE_FIRST = spec.is_state_space()},
                        {.attended = b.attended.floats,
                         .gates = b.gates,
                         .weight = norm ? weights.vectors[Role::DeltaNorm] : BufferView{}},
                        {.n_head = word(n_head), .epsilon = spec.norm.eps},
                        {.groups = {word(n_head), word(n_tokens_), 1}, .label = "gate_heads"});
    recorder_->barrier();
    if (wants_packed(weights[Role::AttnOutput], n_tokens_)) {
        pack(b.attended, static_cast<std::uint64_t>(spec.n_gate()),
             static_cast<std::uint64_t>(n_tokens_));
        recorder_->barrier();
    }
}

}  // namespace hearth::vulkan
