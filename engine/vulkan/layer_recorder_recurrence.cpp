// Delta nets, gated convolutions, Mamba-2, and the gates of what heads give.
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

}  // namespace

void LayerRecorder::part_gates(const LayerSpec& spec, const BufferView& q) {
    const Buffers& b = model_.buffers;
    const std::uint32_t n_values = word(n_tokens_ * spec.n_embd_q());
    recorder_->dispatch(shader_of<interfaces::PartGates>(),
                        {.WORKGROUP = kThreads, .HEAD_DIM = spec.attention.head_dim},
                        {.both = b.queries_gates, .q = q, .gates = b.gates}, {.n_values = n_values},
                        {.groups = {groups_of(n_values, kThreads), 1, 1}, .label = "part_gates"});
}

void LayerRecorder::delta_net(int layer) {
    const DeltaNetSpec& net = model_.spec.layer(layer).delta_net;
    const Buffers& b = model_.buffers;
    const auto at = static_cast<std::size_t>(layer);
    const GpuLayer& weights = model_.weights.layers[at];
    const params::DeltaNetParams params{.n_key_heads = word(net.n_key_heads),
                                        .n_value_heads = word(net.n_value_heads),
                                        .n_tokens = word(n_tokens_),
                                        .epsilon = model_.spec.layer(layer).norm.eps,
                                        .layer = word(layer),
                                        .width = word(net.conv_width()),
                                        .q_at = 0,
                                        .k_at = word(net.key_width()),
                                        .v_at = word(2 * net.key_width()),
                                        .group = net.neighbours_share ? word(net.group()) : 0};
    recorder_->dispatch(
        shader_of<interfaces::ShortConv>(),
        {.WORKGROUP = kThreads,
         .KEY_DIM = net.key_dim,
         .VALUE_DIM = net.value_dim,
         .KERNEL = net.conv_kernel},
        {.step = b.step,
         .inputs = b.q,
         .states = model_.pasts.keys[at],
         .taps = weights.vectors[Role::ConvTaps],
         .dt = weights.vectors[Role::DeltaDt],
         .a = weights.vectors[Role::DeltaA],
         .beta = b.k,
         .decay = b.v,
         .mixed = b.mixed},
        params,
        {.groups = {word(2 * net.n_key_heads + net.n_value_heads), word(n_tokens_), 1},
         .label = "short_conv"});
    recorder_->barrier();
    recorder_->dispatch(shader_of<interfaces::DeltaNet>(),
                        {.WORKGROUP = kNetThreads,
                         .KEY_DIM = net.key_dim,
                         .VALUE_DIM = net.value_dim,
                         .KERNEL = net.conv_kernel,
                         .CORRECTS = true},
                        {.step = b.step,
                         .inputs = b.q,
                         .mixed = b.mixed,
                         .beta = b.k,
                         .decay = b.v,
                         .states = model_.pasts.keys[at],
                         .attended = b.attended.floats,
                         .skip = BufferView{}},
                        params,
                        {.groups = {word(net.n_value_heads * (net.value_dim / kPanel)), 1, 1},
                         .label = "delta_net"});
}

void LayerRecorder::state_space(int layer) {
    const StateSpaceSpec& of = model_.spec.layer(layer).state_space;
    const Buffers& b = model_.buffers;
    const auto at = static_cast<std::size_t>(layer);
    const GpuLayer& weights = model_.weights.layers[at];
    const bool biased = weights.vectors[Role::ConvBias].bytes > 0;
    const auto width = static_cast<std::uint64_t>(of.conv_width());
    recorder_->dispatch(
        shader_of<interfaces::StateSpaceConv>(),
        {.WORKGROUP = kThreads, .KERNEL = of.conv_kernel, .BIASED = biased},
        {.step = b.step,
         .inputs = b.q,
         .states = model_.pasts.keys[at],
         .taps = weights.vectors[Role::ConvTaps],
         .bias = weights.vectors[Role::ConvBias],
         .dt = weights.vectors[Role::DeltaDt],
         .a = weights.vectors[Role::DeltaA],
         .steps = b.k,
         .decay = b.v,
         .mixed = b.mixed},
        {.width = word(of.conv_width()), .n_heads = word(of.n_heads), .layer = word(layer)},
        {.groups = {groups_of(width + static_cast<std::uint64_t>(of.n_heads), kThreads),
                    word(n_tokens_), 1},
         .label = "state_space_conv"});
    recorder_->barrier();
    recorder_->dispatch(shader_of<interfaces::DeltaNet>(),
                        {.WORKGROUP = kNetThreads,
                         .KEY_DIM = of.state_dim,
                         .VALUE_DIM = of.head_dim,
                         .KERNEL = of.conv_kernel,
                         .CORRECTS = false},
                        {.step = b.step,
                         .inputs = b.q,
                         .mixed = b.mixed,
                         .beta = b.k,
                         .decay = b.v,
                         .states = model_.pasts.keys[at],
                         .attended = b.attended.floats,
                         .skip = weights.vectors[Role::StateSkip]},
                        {.n_key_heads = word(of.n_groups),
                         .n_value_heads = word(of.n_heads),
                         .n_tokens = word(n_tokens_),
                         .epsilon = 0,
                         .layer = word(layer),
                         .width = word(of.conv_width()),
                         .q_at = word(of.width() + of.n_groups * of.state_dim),
                         .k_at = word(of.width()),
                         .v_at = 0,
                         .group = word(of.n_heads / of.n_groups)},
                        {.groups = {word(of.n_heads * ((of.head_dim + kPanel - 1) / kPanel)), 1, 1},
                         .label = "state_space"});
}

// Then quantises the result where the matrix behind it takes bytes.
void LayerRecorder::gated_conv(int layer) {
    constexpr int kTokens = 16;  // those that read the state are in one workgroup
    const GatedConvSpec& conv = model_.spec.layer(layer).gated_conv;
    const Buffers& b = model_.buffers;
    const auto at = static_cast<std::size_t>(layer);
    const GpuLayer& weights = model_.weights.layers[at];
    const auto width = static_cast<std::uint64_t>(conv.width);
    const auto n_tokens = static_cast<std::uint64_t>(n_tokens_);
    recorder_->dispatch(
        shader_of<interfaces::GatedConv>(),
        {.WORKGROUP = kThreads, .KERNEL = conv.kernel, .TOKENS = kTokens},
        {.step = b.step,
         .inputs = b.q,
         .states = model_.pasts.keys[at],
         .taps = weights.vectors[Role::ConvTaps],
         .attended = b.attended.floats},
        {.width = word(conv.width), .n_tokens = word(n_tokens_), .layer = word(layer)},
        {.groups = {groups_of(width, kThreads), groups_of(n_tokens, kTokens), 1},
         .label = "gated_conv"});
    if (wants_packed(weights[Role::AttnOutput], n_tokens_)) {
        recorder_->barrier();
        pack(b.attended, width, n_tokens);
    }
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
