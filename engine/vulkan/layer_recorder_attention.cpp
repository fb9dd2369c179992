// Attention of a layer: its input, the heads, and what it adds.
#include <algorithm>
#include <array>

#include "interfaces/attention_batch.h"
#include "interfaces/attention_cooperative.h"
#include "interfaces/attention_decode.h"
#include "interfaces/head_norm.h"
#include "interfaces/rope_store.h"
#include "model/past_shape.h"
#include "vulkan/attention_kernel.h"
#include "vulkan/layer_recorder.h"
#include "vulkan/shader_words.h"

namespace hearth::vulkan {
namespace {

// Workgroups that share out the past of a token's head where the GPU is the processor.
constexpr int kProcessorParts = 8;

}  // namespace

params::AttentionParams LayerRecorder::attention_params(int layer) const {
    const AttentionSpec& spec = model_.spec.layer(layer).attention;
    const LayerSpec& source = model_.spec.layer(spec.has_own_past() ? layer : spec.past_of);
    return {.n_head = word(spec.n_head),
            .n_head_kv = word(spec.n_head_kv),
            .n_rows = word(past_shape(source, model_.n_ctx).n_positions),
            .n_tokens = word(n_tokens_),
            .scale = spec.scale,
            .soft_cap = spec.soft_cap,
            .window = word(spec.window),
            .rope_pairs = word(spec.rope.dim / 2),
            .rope_neighbours = word(spec.rope.pairing == RopePairing::Neighbours),
            .layer = word(layer),
            .temperature = spec.temperature,
            .temperature_length = word(std::max(spec.temperature_length, 1)),
            .epsilon = model_.spec.layer(layer).norm.eps};
}

bool LayerRecorder::attention_norms_heads(const LayerSpec& spec) const {
    const AttentionSpec& attention = spec.attention;
    return each_alone(n_tokens_) && attention.head_norm == HeadNorm::Each && !attention.v_norm &&
           !attention.v_is_k && !spec.is_recurrent() &&
           decode_heads(features_, teams_, spec.heads_per_kv(), attention.head_dim,
                        attention.kv == KvType::Q8_0)
                   .form != DecodeForm::Alone;
}

void LayerRecorder::decode_attention(int layer) {
    const LayerSpec& spec = model_.spec.layer(layer);
    const AttentionSpec& attention = spec.attention;
    const Buffers& b = model_.buffers;
    const GpuLayer& weights = model_.weights.layers[static_cast<std::size_t>(layer)];
    // Blocks of 32 values lie within a head, or the quantising is a step of its own.
    // Gated values are quantised behind their gates.
    const bool bytes = wants_packed(weights[Role::AttnOutput], 1) && spec.n_gate() == 0;
    const bool fused = bytes && attention.head_dim % kBlockColumns == 0;
    const bool past_in_bytes = attention.kv == KvType::Q8_0;
    const int all_parts = attention_parts(attention.n_head_kv, past_in_bytes);
    const int parts = features_.on_processor ? std::min(all_parts, kProcessorParts) : all_parts;
    const DecodeHeads heads =
        decode_heads(features_, teams_, spec.heads_per_kv(), attention.head_dim, past_in_bytes);
    const bool by_teams = heads.form != DecodeForm::Alone;
    const auto at = static_cast<std::size_t>(layer);
    // Each of several tokens attends to those before it: all keys and values must be there.
    const bool several = n_tokens_ > 1;
    if (several && attention.has_own_past()) {
        store_heads(layer, false);
        recorder_->barrier();
    }
    recorder_->dispatch(
        attention_decode_shader(heads.form),
        {.WORKGROUP = attention_threads(attention.head_dim),
         .HEAD_DIM = attention.head_dim,
         .GROUP = heads.group,
         .PARTS = parts,
         .WRITE_FLOATS = !fused,
         .WRITE_BYTES = fused,
         .TILE = by_teams
                     ? attention_team_tile(teams_, attention.head_dim, past_in_bytes)
                     : attention_tile(attention.head_dim, heads.group, features_.shared_bytes_max),
         .TEAM = teams_.size,
         .CAPPED = attention.soft_cap > 0,
         .WINDOWED = attention.window > 0,
         .BYTES = past_in_bytes,
         .TEMPERED = attention.temperature > 0,
         .STORES = attention.has_own_past() && !several,
         .SHARERS = heads.sharers,
         .NORMS = attention_norms_heads(spec),
         .SINKS = attention.sinks,
         .SEVERAL = several},
        {.step = b.step,
         .angles = b.angles[at],
         .q = b.q,
         .k = b.k,
         .v = b.v,
         .keys = model_.pasts.keys[at],
         .values = model_.pasts.values[at],
         .parts = b.attention_parts,
         .done = b.attention_done,
         .attended = b.attended.floats,
         .attended_bytes = b.attended.packed,
         .attended_scales = b.attended.scales,
         .q_norm = weights.vectors[Role::QNorm],
         .k_norm = weights.vectors[Role::KNorm],
         .sinks = weights.vectors[Role::Sinks],
         .key_quads = model_.pasts.keys[at],
         .value_quads = model_.pasts.values[at]},
        attention_params(layer),
        {.groups = {word(parts * heads.sharers), word(attention.n_head_kv), word(n_tokens_)},
         .label = "attention",
         .subgroup_size = by_teams ? teams_.required_size : 0});
    if (bytes && !fused) {
        recorder_->barrier();
        pack(b.attended, static_cast<std::uint64_t>(spec.n_embd_q()),
             static_cast<std::uint64_t>(n_tokens_));
    }
}

// Leaves keys and values of all tokens in the past, and rotates queries if asked.
void LayerRecorder::store_heads(int layer, bool rotates) {
    const LayerSpec& spec = model_.spec.layer(layer);
    const AttentionSpec& attention = spec.attention;
    const Buffers& b = model_.buffers;
    const auto at = static_cast<std::size_t>(layer);
    constexpr std::uint32_t kStoreThreads = 64;
    const bool stores = attention.has_own_past();
    const bool norms = attention_norms_heads(spec);
    const auto pairs = static_cast<std::uint64_t>((rotates ? spec.n_embd_q() / 2 : 0) +
                                                  (stores ? spec.n_embd_kv() : 0));
    recorder_->dispatch(shader_of<interfaces::RopeStore>(),
                        {.WORKGROUP = kStoreThreads,
                         .HEAD_DIM = attention.head_dim,
                         .BYTES = attention.kv == KvType::Q8_0,
                         .STORES = stores,
                         .ROTATES = rotates,
                         .NORMS = norms,
                         .TEAM = teams_.size},
                        {.step = b.step,
                         .angles = b.angles[at],
                         .q = b.q,
                         .k = b.k,
                         .v = b.v,
                         .keys = model_.pasts.keys[at],
                         .values = model_.pasts.values[at],
                         .k_norm = model_.weights.layers[at].vectors[Role::KNorm]},
                        attention_params(layer),
                        {.groups = {groups_of(pairs, kStoreThreads), word(n_tokens_), 1},
                         .label = "rope",
                         .subgroup_size = norms ? teams_.required_size : 0});
}

// Heads that attention norms itself must be whole numbers of subgroups for store_heads().
bool LayerRecorder::stores_each_alone(const LayerSpec& spec) const {
    const AttentionSpec& attention = spec.attention;
    const bool by_teams = decode_heads(features_, teams_, spec.heads_per_kv(), attention.head_dim,
                                       attention.kv == KvType::Q8_0)
                              .form != DecodeForm::Alone;
    return attention.head_norm != HeadNorm::Each || !by_teams ||
           word(attention.head_dim / 2) % teams_.size == 0;
}

void LayerRecorder::batch_attention(int layer) {
    const LayerSpec& spec = model_.spec.layer(layer);
    const AttentionSpec& attention = spec.attention;
    const Buffers& b = model_.buffers;
    const GpuLayer& weights = model_.weights.layers[static_cast<std::size_t>(layer)];
    const auto at = static_cast<std::size_t>(layer);
    const params::AttentionParams params = attention_params(layer);
    store_heads(layer, true);
    recorder_->barrier();
    const auto groups = [&](std::uint32_t queries) -> std::array<std::uint32_t, 3> {
        return {groups_of(static_cast<std::uint64_t>(n_tokens_), queries), word(attention.n_head),
                1};
    };
    if (const auto kernel = attention_kernel(features_, attention.head_dim)) {
        recorder_->dispatch(kernel->shader,
                            {.WORKGROUP = kernel->workgroup,
                             .M = kernel->shape.m,
                             .N = kernel->shape.n,
                             .K = kernel->shape.k,
                             .HEAD_DIM = attention.head_dim,
                             .QUERIES = kernel->queries,
                             .TILE = kernel->positions,
                             .SPLIT = kernel->split,
                             .CAPPED = attention.soft_cap > 0,
                             .WINDOWED = attention.window > 0,
                             .BYTES = attention.kv == KvType::Q8_0,
                             .TEMPERED = attention.temperature > 0,
                             .SINKS = attention.sinks},
                            {.step = b.step,
                             .q = b.q,
                             .keys = model_.pasts.keys[at],
                             .values = model_.pasts.values[at],
                             .key_quads = model_.pasts.keys[at],
                             .value_quads = model_.pasts.values[at],
                             .attended = b.attended.floats,
                             .sinks = weights.vectors[Role::Sinks]},
                            params,
                            {.groups = groups(kernel->queries),
                             .label = "attention",
                             .subgroup_size = kernel->subgroup_size});
    } else {
        const AttentionTile tile = attention_batch_tile(attention.head_dim);
        recorder_->dispatch(shader_of<interfaces::AttentionBatch>(),
                            {.WORKGROUP = kAttentionThreads,
                             .HEAD_DIM = attention.head_dim,
                             .QUERIES = tile.queries,
                             .TILE = tile.positions,
                             .CAPPED = attention.soft_cap > 0,
                             .WINDOWED = attention.window > 0,
                             .BYTES = attention.kv == KvType::Q8_0,
                             .TEMPERED = attention.temperature > 0,
                             .SINKS = attention.sinks},
                            {.step = b.step,
                             .q = b.q,
                             .keys = model_.pasts.keys[at],
                             .values = model_.pasts.values[at],
                             .attended = b.attended.floats,
                             .sinks = weights.vectors[Role::Sinks]},
                            params, {.groups = groups(tile.queries), .label = "attention"});
    }
    if (wants_packed(weights[Role::AttnOutput], n_tokens_) && spec.n_gate() == 0) {
        recorder_->barrier();
        pack(b.attended, static_cast<std::uint64_t>(spec.n_embd_q()),
             static_cast<std::uint64_t>(n_tokens_));
    }
}

void LayerRecorder::attention_in(int layer, bool leave, bool publish) {
    const Parts parts = parts_of(layer);
    const LayerSpec& spec = parts.spec;
    const Buffers& b = model_.buffers;
    const GpuLayer& weights = parts.attention();
    Norm input{spec.norm, weights.vectors[Role::AttnNorm], weights.vectors[Role::AttnNormBias]};
    const Role first = spec.latent.q_rank > 0 ? Role::QDown : Role::Q;
    for (const Role role : {first, Role::K, Role::V, Role::DeltaGate}) {
        input.floats |= wants_floats(weights[role], n_tokens_);
        input.packed |= wants_packed(weights[role], n_tokens_);
    }
    const bool parallel = is_parallel(spec.norms);
    const Norm second = parallel ? feed_forward_norm(parts) : Norm{};
    const bool shared = spec.norms == Norms::ParallelOne;
    if (shared) {
        input.floats |= second.floats;
        input.packed |= second.packed;
    }
    recorder_->barrier();
    if (joins_heads(spec) && !input.floats && can_join(input, publish && parallel)) {
        begin_joined(input);
    } else {
        norm(input, publish && parallel, 0, n_tokens_);
        recorder_->barrier();
    }
    if (spec.experts.routed_early) {
        route_early(layer, publish);
    }
    if (spec.is_latent()) {
        latent_queries(layer, leave);
        return;
    }
    const auto n_q = static_cast<std::uint64_t>(spec.n_rows_q());
    const auto n_kv = static_cast<std::uint64_t>(spec.n_embd_kv());
    const bool gated = !spec.is_recurrent() && spec.attention.gated;
    const WeightUploader* up = leave ? model_.uploader : nullptr;
    const StateInputs state = spec.is_recurrent() ? state_inputs(layer) : StateInputs{};
    const Heads to = leave                 ? Heads{up->q(), up->k(), up->v()}
                     : spec.is_recurrent() ? Heads{state.inputs, state.beta, state.decay}
                                           : Heads{b.q, b.k, b.v};
    multiply({weights[Role::Q], b.normed, gated ? b.queries_gates : to.q, n_q,
              weights.vectors[Role::QBias], false, "q"},
             n_tokens_);
    if (weights[Role::K].present()) {
        multiply({weights[Role::K], b.normed, to.k, n_kv, weights.vectors[Role::KBias], false, "k"},
                 n_tokens_);
    }
    if (weights[Role::V].present()) {
        multiply({weights[Role::V], b.normed, to.v, n_kv, weights.vectors[Role::VBias], false, "v"},
                 n_tokens_);
    }
    if (joined_) {
        end_joined();
    }
    if (spec.has_state_heads()) {
        multiply({weights[Role::DeltaGate],
                  b.normed,
                  b.gates,
                  static_cast<std::uint64_t>(spec.n_gate()),
                  {},
                  false,
                  "gate"},
                 n_tokens_);
    } else if (gated) {
        recorder_->barrier();
        part_gates(spec, to.q);
    }
    // Heads that the processor attends are normed before they leave.
    if (spec.attention.head_norm == HeadNorm::Each && (leave || !attention_norms_heads(spec))) {
        recorder_->barrier();
        norm_heads(spec, weights, to);
    } else if (spec.attention.head_norm == HeadNorm::Whole) {
        recorder_->barrier();
        norm_in_place({{to.q}, spec.n_embd_q()}, spec.norm, weights.vectors[Role::QNorm]);
        norm_in_place({{to.k}, spec.n_embd_kv()}, spec.norm, weights.vectors[Role::KNorm]);
    }
    // x is the layer's input until attention's output is added to it: the neurons' norm comes now.
    if (parallel && !shared && (second.floats || second.packed)) {
        recorder_->barrier();
        norm(second, false, 0, n_tokens_);
    }
}

// Each head of q, of k and, where the layer wants it, of v by itself, in place.
void LayerRecorder::norm_heads(const LayerSpec& spec, const GpuLayer& weights, const Heads& heads) {
    constexpr std::uint32_t kThreads = 64;
    const AttentionSpec& attention = spec.attention;
    const int n_key_heads = attention.has_own_past() ? attention.n_head_kv : 0;
    const int n_value_heads = attention.v_norm && !attention.v_is_k ? n_key_heads : 0;
    recorder_->dispatch(
        shader_of<interfaces::HeadNorm>(),
        {.WORKGROUP = kThreads,
         .HEAD_DIM = attention.head_dim,
         .NORM_V = attention.v_norm,
         .V_FROM_K = attention.v_is_k},
        {.q = heads.q,
         .k = heads.k,
         .q_norm = weights.vectors[Role::QNorm],
         .k_norm = weights.vectors[Role::KNorm],
         .v = heads.v},
        {.n_head = word(attention.n_head),
         .n_head_kv = word(attention.n_head_kv),
         .epsilon = spec.norm.eps},
        {.groups = {word(attention.n_head + n_key_heads + n_value_heads), word(n_tokens_), 1},
         .label = "head_norm"});
}

void LayerRecorder::attend(int layer) {
    recorder_->barrier();
    if (model_.spec.layer(layer).is_delta_net()) {
        delta_net(layer);
    } else if (model_.spec.layer(layer).is_state_space()) {
        state_space(layer);
    } else if (model_.spec.layer(layer).is_gated_conv()) {
        gated_conv(layer);
    } else if (model_.spec.layer(layer).is_latent()) {
        latent_attention(layer);
    } else if (each_alone(n_tokens_)) {
        decode_attention(layer);
    } else {
        batch_attention(layer);
    }
}

// The heads' output, which the processor computed.
void LayerRecorder::fetch_attended(const LayerSpec& spec, const GpuMatrix& output) {
    const Buffers& b = model_.buffers;
    const auto width = static_cast<std::uint64_t>(spec.n_left_by_heads());
    const auto n_tokens = static_cast<std::uint64_t>(n_tokens_);
    if (spec.is_latent()) {
        recorder_->copy(model_.uploader->attended().part(0, n_tokens * width * sizeof(float)),
                        b.latents.floats);
        return;
    }
    recorder_->copy(model_.uploader->attended().part(0, n_tokens * width * sizeof(float)),
                    b.attended.floats);
    if (wants_packed(output, n_tokens_) && spec.n_gate() == 0) {
        recorder_->barrier();
        pack(b.attended, width, n_tokens);
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
    if (parts.spec.n_gate() > 0) {
        gate_heads(parts.spec, weights);
    } else if (parts.spec.is_latent()) {
        latent_values(parts.spec, weights);
    }
    multiply({weights[Role::AttnOutput], b.attended, b.attention_out,
              static_cast<std::uint64_t>(model_.spec.n_embd), weights.vectors[Role::AttnOutputBias],
              false, "attn_output"},
             n_tokens_);
    outstanding_.push_back(b.attention_out);
    if (norms_output(parts.spec.norms)) {
        norm_output(parts.spec, weights.vectors[Role::AttnPostNorm]);
    }
    add_scale_ = parts.spec.residual_scale;
    begin_feed_forward(layer, publish);
    predict(layer);
    if (!parts.spec.experts.routed_early) {
        route(layer, publish);
    }
    make_latent(layer);
}

}  // namespace hearth::vulkan
