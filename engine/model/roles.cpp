#include "model/roles.h"

namespace hearth {
namespace {

Need always(const ModelSpec&, const LayerSpec&) {
    return Need::Required;
}

Need if_there(const ModelSpec&, const LayerSpec&) {
    return Need::Optional;
}

Need where(bool needed) {
    return needed ? Need::Required : Need::Absent;
}

// All layers whose rotation has factors rotate as many.
int factored_pairs(const ModelSpec& spec) {
    return spec.most([](const LayerSpec& layer) {
        return layer.attention.rope.factored ? layer.attention.rope.dim / 2 : 0;
    });
}

// Files may have factors where every layer sees a window, and none of these has them.
Need rope_factors(const ModelSpec& spec, const LayerSpec&) {
    return factored_pairs(spec) > 0 ? Need::Optional : Need::Unused;
}

Need learned_positions(const ModelSpec& spec, const LayerSpec&) {
    return where(spec.n_positions > 0);
}

// The mix of several streams has the norm's place.
Need output_norm(const ModelSpec& spec, const LayerSpec&) {
    return where(!spec.mixes_streams());
}

Need mixed_streams(const ModelSpec& spec, const LayerSpec&) {
    return where(spec.mixes_streams());
}

Need output_norm_bias(const ModelSpec& spec, const LayerSpec&) {
    return where(spec.output_norm_bias);
}

Need input_norm(const ModelSpec& spec, const LayerSpec& layer) {
    return where(norms_input(layer.norms) && !spec.mixes_streams());
}

Need input_norm_bias(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.norm_bias);
}

Need post_norm(const ModelSpec&, const LayerSpec& layer) {
    return where(norms_output(layer.norms));
}

Need feed_forward(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.has_feed_forward());
}

Need table(const ModelSpec& spec, const LayerSpec&) {
    return where(spec.n_embd_layer > 0 || spec.ngram.present());
}

Need ngrams(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.ngram.present());
}

Need block_choice(const ModelSpec&, const LayerSpec& layer) {
    return layer.choice_unused ? Need::Unused : where(layer.attention.choice.present());
}

// Absent where the layer has no feed-forward block.
Need of_block(const LayerSpec& layer, Need need) {
    return layer.has_feed_forward() ? need : Need::Absent;
}

Need block_norm(const ModelSpec& spec, const LayerSpec& layer) {
    return of_block(layer, input_norm(spec, layer));
}

Need block_mix(const ModelSpec& spec, const LayerSpec& layer) {
    return of_block(layer, mixed_streams(spec, layer));
}

Need block_norm_bias(const ModelSpec& spec, const LayerSpec& layer) {
    return of_block(layer, input_norm_bias(spec, layer));
}

Need block_post_norm(const ModelSpec& spec, const LayerSpec& layer) {
    return of_block(layer, post_norm(spec, layer));
}

Need longrope(const ModelSpec& spec, const LayerSpec&) {
    return where(spec.longrope_context > 0);
}

Need qkv_bias(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.qkv_bias);
}

// A layer that reads another's past needs none of its own, and files may still have it.
Need of_own_past(const LayerSpec& layer, Need need) {
    return layer.attention.has_own_past() || need == Need::Absent ? need : Need::Unused;
}

Need keys(const ModelSpec&, const LayerSpec& layer) {
    return of_own_past(layer, where(!layer.is_gated_conv()));
}

Need values(const ModelSpec&, const LayerSpec& layer) {
    return of_own_past(layer, where(!layer.attention.v_is_k && !layer.is_gated_conv() &&
                                    !layer.is_state_space() && !layer.is_latent()));
}

Need kv_bias(const ModelSpec&, const LayerSpec& layer) {
    return of_own_past(layer, where(layer.qkv_bias));
}

Need head_norm(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.attention.head_norm == HeadNorm::Each ||
                 layer.attention.head_norm == HeadNorm::Whole);
}

Need state_heads(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.has_state_heads());
}

Need state_space(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.is_state_space());
}

Need conv_bias(const ModelSpec&, const LayerSpec& layer) {
    return layer.is_state_space() ? Need::Optional : Need::Absent;
}

Need recurrent(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.is_recurrent());
}

Need key_norm(const ModelSpec& spec, const LayerSpec& layer) {
    return of_own_past(layer, head_norm(spec, layer));
}

Need layer_inputs(const ModelSpec& spec, const LayerSpec&) {
    return where(spec.n_embd_layer > 0);
}

Need layer_scale(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.output_scale);
}

Need block_bias(const ModelSpec&, const LayerSpec& layer) {
    return layer.block_biases ? Need::Required : Need::Optional;
}

Need mixture(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.experts.present());
}

Need router_bias(const ModelSpec&, const LayerSpec& layer) {
    return layer.experts.may_be_biased ? Need::Optional : Need::Absent;
}

Need expert_biases(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.experts.biases);
}

Need expert_gate_bias(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.experts.biases && is_gated(layer.activation));
}

Need sinks(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.attention.sinks);
}

Need latent(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.is_latent());
}

Need expert_latent(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.experts.n_latent > 0);
}

Need query_rank(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.latent.q_rank > 0);
}

Need shared_expert(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.experts.n_ff_shared > 0);
}

Need shared_gate(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.experts.n_ff_shared > 0 && is_gated(layer.activation));
}

Need shared_router(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.experts.n_ff_shared > 0 && layer.experts.shared_gate);
}

Need norms_apart(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.experts.norms_apart);
}

Need expert_scale(const ModelSpec&, const LayerSpec& layer) {
    return where(layer.experts.scaled);
}

Need gate(const ModelSpec&, const LayerSpec& layer) {
    return of_block(layer, where(is_gated(layer.activation)));
}

// No gated block is known that has them, nor a mixture.
Need ungated_bias(const ModelSpec& spec, const LayerSpec& layer) {
    return of_block(layer, is_gated(layer.activation) || layer.experts.present()
                               ? Need::Absent
                               : block_bias(spec, layer));
}

constexpr std::array kRows{
    RoleRow{Role::TokenEmbd, "token_embd.weight", Dim::Vocab, Dim::Embd, Part::Embedding, always},
    RoleRow{Role::PositionEmbd, "position_embd.weight", Dim::Positions, Dim::Embd, Part::Embedding,
            learned_positions},
    RoleRow{Role::OutputNorm, "output_norm.weight", Dim::One, Dim::Embd, Part::Output, output_norm},
    RoleRow{Role::OutputNormBias, "output_norm.bias", Dim::One, Dim::Embd, Part::Output,
            output_norm_bias},
    RoleRow{Role::Output, "output.weight", Dim::Vocab, Dim::Embd, Part::Output, always},
    RoleRow{Role::RopeFreqs, "rope_freqs.weight", Dim::One, Dim::RopePairs, Part::Rope,
            rope_factors},
    RoleRow{Role::RopeLong, "rope_factors_long.weight", Dim::One, Dim::RopePairs, Part::Rope,
            longrope},
    RoleRow{Role::RopeShort, "rope_factors_short.weight", Dim::One, Dim::RopePairs, Part::Rope,
            longrope},
    RoleRow{Role::LayerTokenEmbd, "per_layer_token_embd.weight", Dim::TableRows, Dim::TableCols,
            Part::Table, table},
    RoleRow{Role::LayerInputProj, "per_layer_model_proj.weight", Dim::LayerInputs, Dim::Embd,
            Part::Embedding, layer_inputs},
    RoleRow{Role::LayerInputNorm, "per_layer_proj_norm.weight", Dim::One, Dim::LayerInput,
            Part::Embedding, layer_inputs},
    RoleRow{Role::HeadMixNorm, "output_hc_norm.weight", Dim::One, Dim::Residual, Part::Output,
            mixed_streams},
    RoleRow{Role::HeadMixDown, "output_hc_down.weight", Dim::StreamRank, Dim::Residual,
            Part::Output, mixed_streams},
    RoleRow{Role::HeadMixUp, "output_hc_up.weight", Dim::Residual, Dim::StreamRank, Part::Output,
            mixed_streams},

    RoleRow{Role::AttnNorm, "attn_norm.weight", Dim::One, Dim::Embd, Part::Attention, input_norm},
    RoleRow{Role::AttnNormBias, "attn_norm.bias", Dim::One, Dim::Embd, Part::Attention,
            input_norm_bias},
    RoleRow{Role::AttnMixNorm, "hc_attn_norm.weight", Dim::One, Dim::Residual, Part::Attention,
            mixed_streams},
    RoleRow{Role::AttnMixDown, "hc_attn_down.weight", Dim::StreamRank, Dim::Residual,
            Part::Attention, mixed_streams},
    RoleRow{Role::AttnMixUp, "hc_attn_up.weight", Dim::Residual, Dim::StreamRank, Part::Attention,
            mixed_streams},
    RoleRow{Role::AttnMixInject, "hc_attn_inject.weight", Dim::Streams, Dim::Residual,
            Part::Attention, mixed_streams},
    RoleRow{Role::NgramKey, "ple_key.weight", Dim::Residual, Dim::NgramValues, Part::Attention,
            ngrams},
    RoleRow{Role::NgramValue, "ple_value.weight", Dim::Embd, Dim::NgramValues, Part::Attention,
            ngrams},
    RoleRow{Role::NgramKeyNorm, "ple_norm_key.weight", Dim::One, Dim::Residual, Part::Attention,
            ngrams},
    RoleRow{Role::NgramQueryNorm, "ple_norm_query.weight", Dim::One, Dim::Residual, Part::Attention,
            ngrams},
    RoleRow{Role::NgramConvNorm, "ple_norm_conv.weight", Dim::One, Dim::Residual, Part::Attention,
            ngrams},
    RoleRow{Role::NgramTaps, "ple_conv1d.weight", Dim::One, Dim::NgramTaps, Part::Attention,
            ngrams},
    RoleRow{Role::Q, "attn_q.weight", Dim::Query, Dim::QueryInput, Part::Attention, always},
    RoleRow{Role::K, "attn_k.weight", Dim::KeyValue, Dim::Embd, Part::Attention, keys},
    RoleRow{Role::V, "attn_v.weight", Dim::KeyValue, Dim::Embd, Part::Attention, values},
    RoleRow{Role::QBias, "attn_q.bias", Dim::One, Dim::Query, Part::Attention, qkv_bias},
    RoleRow{Role::KBias, "attn_k.bias", Dim::One, Dim::KeyValue, Part::Attention, kv_bias},
    RoleRow{Role::VBias, "attn_v.bias", Dim::One, Dim::KeyValue, Part::Attention, kv_bias},
    RoleRow{Role::QNorm, "attn_q_norm.weight", Dim::One, Dim::QueryNorm, Part::Attention,
            head_norm},
    RoleRow{Role::KNorm, "attn_k_norm.weight", Dim::One, Dim::KeyNorm, Part::Attention, key_norm},
    RoleRow{Role::Sinks, "attn_sinks.weight", Dim::One, Dim::Heads, Part::Attention, sinks},
    RoleRow{Role::ChoiceQ, "indexer.q_proj.weight", Dim::ChoiceQueries, Dim::Embd, Part::Attention,
            block_choice},
    RoleRow{Role::ChoiceK, "indexer.k_proj.weight", Dim::ChoiceDim, Dim::Embd, Part::Attention,
            block_choice},
    RoleRow{Role::ChoiceQNorm, "indexer.q_norm.weight", Dim::One, Dim::ChoiceDim, Part::Attention,
            block_choice},
    RoleRow{Role::ChoiceKNorm, "indexer.k_norm.weight", Dim::One, Dim::ChoiceDim, Part::Attention,
            block_choice},
    // Latent attention's; it has Q, K (a token's latent and, behind it, the rotated part of the
    // key) and AttnOutput besides.
    RoleRow{Role::QDown, "attn_q_a.weight", Dim::QueryRank, Dim::Embd, Part::Attention, query_rank},
    RoleRow{Role::QDownNorm, "attn_q_a_norm.weight", Dim::One, Dim::QueryRank, Part::Attention,
            query_rank},
    RoleRow{Role::LatentNorm, "attn_kv_a_norm.weight", Dim::One, Dim::Latent, Part::Attention,
            latent},
    RoleRow{Role::KeyUp, "attn_k_b.weight", Dim::Latents, Dim::PlainQuery, Part::Attention, latent},
    RoleRow{Role::ValueUp, "attn_v_b.weight", Dim::Attended, Dim::Latent, Part::Attention, latent},
    RoleRow{Role::AttnOutput, "attn_output.weight", Dim::Embd, Dim::Attended, Part::Attention,
            always},
    RoleRow{Role::AttnOutputBias, "attn_output.bias", Dim::One, Dim::Embd, Part::Attention,
            block_bias},
    // A delta net's; it has Q (its channels), K (beta), V (alpha) and AttnOutput besides. A gated
    // convolution has Q (b, c and x), its taps and AttnOutput. Mamba-2 has Q (its channels), K (the
    // steps), and these.
    RoleRow{Role::DeltaGate, "attn_gate.weight", Dim::Attended, Dim::Embd, Part::Attention,
            state_heads},
    RoleRow{Role::ConvTaps, "ssm_conv1d.weight", Dim::One, Dim::ConvTaps, Part::Attention,
            recurrent},
    RoleRow{Role::ConvBias, "ssm_conv1d.bias", Dim::One, Dim::ConvChannels, Part::Attention,
            conv_bias},
    RoleRow{Role::DeltaDt, "ssm_dt.bias", Dim::One, Dim::DeltaHeads, Part::Attention, state_heads},
    RoleRow{Role::DeltaA, "ssm_a", Dim::One, Dim::DeltaHeads, Part::Attention, state_heads},
    RoleRow{Role::DeltaNorm, "ssm_norm.weight", Dim::One, Dim::DeltaNormed, Part::Attention,
            state_heads},
    RoleRow{Role::StateSkip, "ssm_d", Dim::One, Dim::DeltaHeads, Part::Attention, state_space},
    RoleRow{Role::AttnPostNorm, "post_attention_norm.weight", Dim::One, Dim::Embd, Part::Attention,
            post_norm},
    RoleRow{Role::FfnNorm, "ffn_norm.weight", Dim::One, Dim::Embd, Part::BlockInput, block_norm},
    RoleRow{Role::FfnNormBias, "ffn_norm.bias", Dim::One, Dim::Embd, Part::BlockInput,
            block_norm_bias},
    RoleRow{Role::FfnMixNorm, "hc_ffn_norm.weight", Dim::One, Dim::Residual, Part::FirstNeuron,
            block_mix},
    RoleRow{Role::FfnMixDown, "hc_ffn_down.weight", Dim::StreamRank, Dim::Residual,
            Part::FirstNeuron, block_mix},
    RoleRow{Role::FfnMixUp, "hc_ffn_up.weight", Dim::Residual, Dim::StreamRank, Part::FirstNeuron,
            block_mix},
    RoleRow{Role::FfnMixInject, "hc_ffn_inject.weight", Dim::Streams, Dim::Residual,
            Part::FirstNeuron, block_mix},
    RoleRow{Role::Gate, "ffn_gate.weight", Dim::Ff, Dim::Embd, Part::Neurons, gate},
    RoleRow{Role::Up, "ffn_up.weight", Dim::Ff, Dim::Embd, Part::Neurons, feed_forward},
    RoleRow{Role::Down, "ffn_down.weight", Dim::Embd, Dim::Ff, Part::Neurons, feed_forward},
    RoleRow{Role::UpBias, "ffn_up.bias", Dim::One, Dim::Ff, Part::Neurons, ungated_bias},
    RoleRow{Role::DownBias, "ffn_down.bias", Dim::One, Dim::Embd, Part::FirstNeuron, ungated_bias},
    RoleRow{Role::Router, "ffn_gate_inp.weight", Dim::Experts, Dim::Embd, Part::FirstNeuron,
            mixture},
    RoleRow{Role::RouterBias, "exp_probs_b.bias", Dim::One, Dim::Experts, Part::FirstNeuron,
            router_bias},
    RoleRow{Role::RouterProductBias, "ffn_gate_inp.bias", Dim::One, Dim::Experts, Part::FirstNeuron,
            expert_biases},
    RoleRow{Role::ExpertGateBias, "ffn_gate_exps.bias", Dim::One, Dim::Ff, Part::EachNeuron,
            expert_gate_bias},
    RoleRow{Role::ExpertUpBias, "ffn_up_exps.bias", Dim::One, Dim::Ff, Part::EachNeuron,
            expert_biases},
    RoleRow{Role::ExpertDownBias, "ffn_down_exps.bias", Dim::One, Dim::ExpertsEmbd,
            Part::EachNeuron, expert_biases},
    RoleRow{Role::ExpertLatentDown, "ffn_latent_down.weight", Dim::ExpertLatent, Dim::Embd,
            Part::EachNeuron, expert_latent},
    RoleRow{Role::ExpertLatentUp, "ffn_latent_up.weight", Dim::Embd, Dim::ExpertLatent,
            Part::EachNeuron, expert_latent},
    RoleRow{Role::SharedRouter, "ffn_gate_inp_shexp.weight", Dim::One, Dim::Embd, Part::FirstNeuron,
            shared_router},
    RoleRow{Role::SharedGate, "ffn_gate_shexp.weight", Dim::SharedFf, Dim::Embd, Part::FirstNeuron,
            shared_gate},
    RoleRow{Role::SharedUp, "ffn_up_shexp.weight", Dim::SharedFf, Dim::Embd, Part::FirstNeuron,
            shared_expert},
    RoleRow{Role::SharedDown, "ffn_down_shexp.weight", Dim::Embd, Dim::SharedFf, Part::FirstNeuron,
            shared_expert},
    RoleRow{Role::RouterNorm, "ffn_gate_inp.scale", Dim::One, Dim::Embd, Part::FirstNeuron,
            norms_apart},
    RoleRow{Role::ExpertsNorm, "pre_ffw_norm_2.weight", Dim::One, Dim::Embd, Part::BlockInput,
            norms_apart},
    RoleRow{Role::ExpertScale, "ffn_down_exps.scale", Dim::One, Dim::Experts, Part::FirstNeuron,
            expert_scale},
    RoleRow{Role::SharedPostNorm, "post_ffw_norm_1.weight", Dim::One, Dim::Embd, Part::FirstNeuron,
            norms_apart},
    RoleRow{Role::ExpertsPostNorm, "post_ffw_norm_2.weight", Dim::One, Dim::Embd, Part::FirstNeuron,
            norms_apart},
    // The unit of the layer's attention adds the block's sum to the stream.
    RoleRow{Role::FfnPostNorm, "post_ffw_norm.weight", Dim::One, Dim::Embd, Part::Attention,
            block_post_norm},
    RoleRow{Role::LayerGate, "inp_gate.weight", Dim::LayerInput, Dim::Embd, Part::Attention,
            layer_inputs},
    RoleRow{Role::LayerProj, "proj.weight", Dim::Embd, Dim::LayerInput, Part::Attention,
            layer_inputs},
    RoleRow{Role::LayerPostNorm, "post_norm.weight", Dim::One, Dim::Embd, Part::Attention,
            layer_inputs},
    RoleRow{Role::LayerScale, "layer_output_scale.weight", Dim::One, Dim::One, Part::Attention,
            layer_scale},
    // Bound by use_predictors(), often from another file.
    RoleRow{Role::PredictorFc1, "fc1.weight", Dim::PredictorWidth, Dim::Embd, Part::Predictor,
            if_there},
    RoleRow{Role::PredictorFc2, "fc2.weight", Dim::Ff, Dim::PredictorWidth, Part::Predictor,
            if_there},
};
static_assert(kRows.size() == kRoles);

constexpr std::size_t kFirstOfLayer = static_cast<std::size_t>(Role::AttnNorm);

constexpr bool in_order() {
    for (std::size_t i = 0; i < kRows.size(); ++i) {
        if (static_cast<std::size_t>(kRows[i].role) != i) {
            return false;
        }
    }
    return true;
}
static_assert(in_order());

}  // namespace

std::uint64_t size_of(Dim dim, const ModelSpec& spec, const LayerSpec& layer) {
    const auto size = [&] {
        switch (dim) {
            case Dim::One:
                return 1;
            case Dim::Embd:
                return spec.n_embd;
            case Dim::Query:
                return layer.n_rows_q();
            case Dim::KeyValue:
                return layer.n_embd_kv();
            case Dim::Attended:
                return layer.n_attended();
            case Dim::QueryInput:
                return layer.latent.q_rank > 0 ? layer.latent.q_rank : spec.n_embd;
            case Dim::QueryRank:
                return layer.latent.q_rank;
            case Dim::Latent:
                return layer.latent.rank;
            case Dim::Latents:
                return layer.attention.n_head * layer.latent.rank;
            case Dim::PlainQuery:
                return layer.latent.plain_dim;
            case Dim::ConvTaps:
                return layer.conv_width() * layer.conv_kernel();
            case Dim::ConvChannels:
                return layer.conv_width();
            case Dim::DeltaHeads:
                return layer.n_state_heads();
            case Dim::DeltaNormed:
                return layer.is_state_space() ? layer.state_space.width()
                                              : layer.delta_net.value_dim;
            case Dim::Heads:
                return layer.attention.n_head;
            case Dim::ExpertsEmbd:
                return layer.experts.n * spec.n_embd;
            case Dim::HeadDim:
                return layer.attention.head_dim;
            case Dim::QueryNorm:
                return layer.attention.head_norm == HeadNorm::Whole ? layer.n_embd_q()
                                                                    : layer.attention.head_dim;
            case Dim::KeyNorm:
                return layer.attention.head_norm == HeadNorm::Whole ? layer.n_embd_kv()
                                                                    : layer.attention.head_dim;
            case Dim::Ff:
                return layer.n_ff;
            case Dim::Experts:
                return layer.experts.n;
            case Dim::SharedFf:
                return layer.experts.n_ff_shared;
            case Dim::ExpertLatent:
                return layer.experts.n_latent;
            case Dim::Vocab:
                return spec.n_vocab;
            case Dim::Streams:
                return spec.n_streams;
            case Dim::Residual:
                return spec.n_residual();
            case Dim::StreamRank:
                return spec.stream_rank;
            case Dim::TableRows:
                return spec.ngram.present() ? static_cast<int>(spec.ngram.n_rows) : spec.n_vocab;
            case Dim::TableCols:
                return spec.ngram.present() ? spec.ngram.width : spec.n_layer_inputs();
            case Dim::NgramValues:
                return spec.ngram.n_values();
            case Dim::NgramTaps:
                return layer.ngram.width * layer.ngram.kernel;
            case Dim::ChoiceQueries:
                return layer.attention.choice.queries_width();
            case Dim::ChoiceDim:
                return layer.attention.choice.dim;
            case Dim::Positions:
                return spec.n_positions;
            case Dim::RopePairs:
                return factored_pairs(spec);
            case Dim::LayerInput:
                return spec.n_embd_layer;
            case Dim::LayerInputs:
                return spec.n_layer_inputs();
            case Dim::PredictorWidth:
                break;
        }
        return 0;
    };
    return static_cast<std::uint64_t>(size());
}

std::span<const RoleRow> model_roles() {
    return std::span(kRows).first(kFirstOfLayer);
}

std::span<const RoleRow> layer_roles() {
    return std::span(kRows).subspan(kFirstOfLayer);
}

const RoleRow& row_of(Role role) {
    return kRows[static_cast<std::size_t>(role)];
}

int block_of(Role role, const LayerSpec& layer) {
    switch (row_of(role).part) {
        case Part::BlockInput:
        case Part::Neurons:
        case Part::FirstNeuron:
        case Part::EachNeuron:
        case Part::Predictor:
            return layer.feed_forward_block;
        case Part::Embedding:
        case Part::Table:
        case Part::Rope:
        case Part::Attention:
        case Part::Output:
            break;
    }
    return role == Role::FfnPostNorm ? layer.feed_forward_block : layer.attention_block;
}

bool is_of_layer(Role role) {
    return static_cast<std::size_t>(role) >= kFirstOfLayer;
}

}  // namespace hearth
