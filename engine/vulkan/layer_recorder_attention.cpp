// Attention of a layer: its input, the heads, and what it adds.
#include <array>
#include <span>

#include "include/params.h"
#include "vulkan/layer_recorder.h"
#include "vulkan/shader_words.h"

namespace hearth::vulkan {

params::AttentionParams LayerRecorder::attention_params(int layer) const {
    const AttentionSpec& spec = model_.spec.layer(layer).attention;
    return {word(spec.n_head),
            word(spec.n_head_kv),
            word(model_.n_ctx),
            word(n_tokens_),
            spec.scale,
            word(spec.rope.dim / 2),
            word(spec.rope.pairing == RopePairing::Neighbours),
            word(layer)};
}

void LayerRecorder::decode_attention(int layer) {
    const LayerSpec& spec = model_.spec.layer(layer);
    const AttentionSpec& attention = spec.attention;
    const Buffers& b = model_.buffers;
    const GpuLayer& weights = model_.weights.layers[static_cast<std::size_t>(layer)];
    // Blocks of 32 values lie within a head, or the quantising is a step of its own.
    const bool bytes = wants_bytes(weights[Role::AttnOutput], 1);
    const bool fused = bytes && attention.head_dim % kBlockColumns == 0;
    const int parts = attention_parts(attention.n_head_kv);
    const int group = spec.heads_per_kv();
    const bool teams = attention_by_teams(teams_, attention.head_dim, group);
    const std::array constants{
        kAttentionThreads,
        word(attention.head_dim),
        word(group),
        word(parts),
        word(!fused),
        word(fused),
        teams ? attention_team_tile(teams_)
              : attention_tile(attention.head_dim, group, features_.shared_bytes_max),
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
             {word(parts), word(attention.n_head_kv), 1}, "attention", 0, teams);
    if (bytes && !fused) {
        recorder_->barrier();
        quantize(b.attended, static_cast<std::uint64_t>(spec.n_embd_q()), 1);
    }
}

void LayerRecorder::batch_attention(int layer) {
    const LayerSpec& spec = model_.spec.layer(layer);
    const AttentionSpec& attention = spec.attention;
    const Buffers& b = model_.buffers;
    const GpuLayer& weights = model_.weights.layers[static_cast<std::size_t>(layer)];
    const auto at = static_cast<std::size_t>(layer);
    const params::AttentionParams params = attention_params(layer);
    {
        const std::array constants{std::uint32_t{64}, word(attention.head_dim)};
        const std::array buffers{
            b.step, b.angles, b.q, b.k, b.v, model_.pasts.keys[at], model_.pasts.values[at]};
        const auto pairs = static_cast<std::uint64_t>(spec.n_embd_q() / 2 + spec.n_embd_kv());
        dispatch(rope_store_shader(), constants, buffers, params,
                 {groups_of(pairs, 64), word(n_tokens_), 1}, "rope");
    }
    recorder_->barrier();
    constexpr std::uint32_t kQueries = 16;
    // Keys and values of a tile and the queries fit 32 KB together.
    const std::uint32_t tile = attention.head_dim <= 128 ? 32 : 16;
    const std::array constants{std::uint32_t{128}, word(attention.head_dim),
                               attention.head_dim <= 128 ? kQueries : kQueries / 2, tile};
    const std::array buffers{b.step, b.q, model_.pasts.keys[at], model_.pasts.values[at],
                             b.attended.floats};
    dispatch(
        attention_batch_shader(), constants, buffers, params,
        {groups_of(static_cast<std::uint64_t>(n_tokens_), constants[2]), word(attention.n_head), 1},
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
    if (spec.attention.head_norm) {
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
    const AttentionSpec& attention = spec.attention;
    const std::array constants{std::uint32_t{64}, word(attention.head_dim)};
    const std::array buffers{heads.q, heads.k, weights.vectors[Role::QNorm],
                             weights.vectors[Role::KNorm]};
    const params::HeadNormParams params{word(attention.n_head), word(attention.n_head_kv),
                                        spec.norm.eps};
    dispatch(head_norm_shader(), constants, buffers, params,
             {word(attention.n_head + attention.n_head_kv), word(n_tokens_), 1}, "head_norm");
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

}  // namespace hearth::vulkan
