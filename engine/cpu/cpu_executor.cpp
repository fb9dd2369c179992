#include "cpu/cpu_executor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/assert.h"
#include "cpu/pack_rows.h"
#include "gguf/finite.h"
#include "model/finish_logits.h"

namespace hearth {
namespace {

// True if a matrix of any of the roles is multiplied with its quantised input.
bool take_quantized(const CpuLayer& layer, std::initializer_list<Role> roles) {
    return std::any_of(roles.begin(), roles.end(), [&](Role role) {
        const PackedMatrix& tiles = layer.tiles[role];
        const CpuRows& rows = layer.rows[role];
        return layer.columns[role].present() || (tiles.present() && takes_quantized(tiles.type)) ||
               (rows.present() && takes_quantized(rows.type));
    });
}

void subtract_mean(const float* x, float* y, int n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += static_cast<double>(x[i]);
    }
    const auto mean = static_cast<float>(sum / n);
    for (int i = 0; i < n; ++i) {
        y[i] = x[i] - mean;
    }
}

std::uint64_t matrix_bytes(const PackedMatrix& matrix) {
    return packed_bytes(matrix.type, static_cast<std::uint64_t>(matrix.rows),
                        static_cast<std::uint64_t>(matrix.cols));
}

}  // namespace

CpuExecutor::CpuExecutor(const kernels::KernelTable& table, ThreadPool& pool)
    : table_(table),
      pool_(pool),
      name_(std::string("cpu/") + table.name),
      attention_(table, pool),
      short_conv_(table),
      delta_net_(table, short_conv_, pool),
      gated_conv_(short_conv_, pool),
      state_space_(table, short_conv_, pool),
      latent_(table, pool),
      block_choice_(table, pool),
      streams_(table, pool),
      ngrams_(table, pool),
      feed_forward_(table, pool) {}

std::uint64_t CpuExecutor::lay_out(const ModelSpec& spec, int predictor_width, int n_batch,
                                   int n_threads, FeedForwardMode mode, std::byte* base,
                                   Scratch& scratch) {
    const auto batch = static_cast<std::uint64_t>(n_batch);
    std::uint64_t offset = 0;
    const auto take = [&](auto*& pointer, std::uint64_t bytes) {
        using Pointer = std::remove_reference_t<decltype(pointer)>;
        pointer = base == nullptr ? nullptr : reinterpret_cast<Pointer>(base + offset);
        offset += (bytes + AlignedBuffer::kAlignment - 1) / AlignedBuffer::kAlignment *
                  AlignedBuffer::kAlignment;
    };
    const auto floats = [&](int width) {
        return batch * static_cast<std::uint64_t>(width) * sizeof(float);
    };
    take(scratch.x, floats(spec.n_residual()));
    take(scratch.block, floats(spec.n_embd));
    scratch.attention_block = scratch.block;
    if (spec.any([](const LayerSpec& layer) { return is_parallel(layer.norms); })) {
        take(scratch.attention_block, floats(spec.n_embd));
    }
    take(scratch.logits, kLogitRows * static_cast<std::uint64_t>(spec.n_vocab) * sizeof(float));
    take(scratch.normed, floats(spec.n_embd));
    CpuAttention::lay_out(spec, n_batch, scratch.heads, take);
    if (const int n_gate = spec.n_gate_max(); n_gate > 0) {
        take(scratch.gates, floats(n_gate));
    }
    if (spec.any([](const LayerSpec& layer) { return layer.attention.gated; })) {
        take(scratch.wide_q, floats(spec.most(&LayerSpec::n_rows_q)));
    }
    if (spec.any([](const LayerSpec& layer) { return layer.experts.routed_early; })) {
        take(scratch.routed, floats(spec.n_embd));
    }
    CpuShortConv::lay_out(spec, scratch.short_conv, take);
    CpuDeltaNet::lay_out(spec, n_batch, n_threads, scratch.delta_net, take);
    CpuStateSpace::lay_out(spec, n_batch, n_threads, scratch.state_space, take);
    CpuLatent::lay_out(spec, n_batch, scratch.latent, take);
    CpuBlockChoice::lay_out(spec, n_batch, n_threads, scratch.block_choice, take);
    CpuStreams::lay_out(spec, n_batch, scratch.streams, take);
    CpuNgrams::lay_out(spec, n_batch, n_threads, scratch.ngrams, take);
    CpuFeedForward::lay_out(spec, predictor_width, n_batch, n_threads, mode, scratch.feed_forward,
                            take);
    const int widest =
        std::max({spec.n_embd, spec.n_embd_q_max(), spec.n_attended_max(), spec.n_embd_layer});
    take(scratch.quantized_input, quantized_bytes(widest, n_batch));
    if (spec.n_embd_layer > 0) {
        take(scratch.layer_inputs, floats(spec.n_layer_inputs()));
        take(scratch.layer_gates, floats(spec.n_embd_layer));
        take(scratch.table_rows, static_cast<std::uint64_t>(n_threads) * 2 *
                                     static_cast<std::uint64_t>(spec.n_layer_inputs()) *
                                     sizeof(float));
    }
    return offset;
}

std::uint64_t CpuExecutor::scratch_bytes(const ModelSpec& spec, int predictor_width, int n_batch,
                                         int n_threads, FeedForwardMode mode) {
    Scratch unused;
    return lay_out(spec, predictor_width, n_batch, n_threads, mode, nullptr, unused);
}

Result<void> CpuExecutor::load(const PlanSlice& slice, LoadMonitor& monitor) {
    for (std::size_t i = 0; i < weights_.layers().size(); ++i) {  // loaded before: see CpuWeights
        if (weights_.layers()[i].two_layouts && weights_.layers()[i].tiles[Role::Up].present()) {
            set_path(static_cast<int>(i), FeedForwardMode::Exact);
        }
    }
    scratch_buffer_ = {};
    spec_ = slice.spec;
    const int width = slice.tensors.predictor_width();
    auto scratch = slice.ledger.allocate(
        Purpose::Scratch,
        scratch_bytes(spec_, width, slice.plan.n_batch, slice.plan.threads, slice.plan.mode),
        "scratch of the processor");
    if (!scratch) {
        return std::move(scratch).error();
    }
    scratch_buffer_ = std::move(*scratch);
    HEARTH_ASSERT(pool_.n_threads() <= slice.plan.threads);
    lay_out(spec_, width, slice.plan.n_batch, slice.plan.threads, slice.plan.mode,
            scratch_buffer_.data(), scratch_);
    auto weights = CpuWeights::load(slice, pool_, monitor, std::move(weights_));
    if (!weights) {
        return std::move(weights).error();
    }
    weights_ = std::move(*weights);
    const std::span<const CpuLayer> layers = weights_.layers();
    // A recurrent layer has no angles.
    const auto first = std::find_if(layers.begin(), layers.end(), [&](const CpuLayer& layer) {
        return layer.has_attention() &&
               !spec_.layer(static_cast<int>(&layer - layers.data())).is_recurrent();
    });
    auto rope = weights_.lease(Part::Rope);
    if (!rope) {
        return std::move(rope).error();
    }
    const std::span<const float> factors =
        (*rope)->vectors[rope_factors_role(spec_, slice.plan.n_ctx)];
    attention_.set_up(spec_, factors, scratch_.heads, slice.plan.n_batch,
                      static_cast<int>(first - layers.begin()));
    block_choice_.set_up(spec_, factors, scratch_.block_choice, scratch_.heads);
    short_conv_.set_up(spec_, weights_, scratch_.short_conv);
    delta_net_.set_up(spec_, scratch_.delta_net, scratch_.heads);
    state_space_.set_up(spec_, scratch_.state_space, scratch_.heads);
    latent_.set_up(spec_, scratch_.latent, scratch_.heads);
    feed_forward_.set_up(spec_, slice.tensors, weights_, scratch_.feed_forward);
    file_ = &slice.file.file();
    layer_table_ = slice.tensors[Role::LayerTokenEmbd];
    streams_.set_up(spec_, scratch_.streams);
    ngrams_.set_up(spec_, weights_, *file_, layer_table_, scratch_.ngrams, scratch_.streams);
    ones_.assign(static_cast<std::size_t>(spec_.most([](const LayerSpec& layer) {
                     const AttentionSpec& attention = layer.attention;
                     return attention.v_norm || attention.head_norm == HeadNorm::Plain
                                ? attention.head_dim
                                : 0;
                 })),
                 1.0F);
    return {};
}

// Models that choose blocks of the past, read a table by n-grams or mix streams are left out whole;
// so are those whose blocks have a way of their own for a token alone.
bool CpuExecutor::can_pass_each_alone() const {
    for (int i = 0; i < spec_.n_layer(); ++i) {
        const LayerSpec& layer = spec_.layer(i);
        const CpuLayer& weights = weights_.layer(i);
        const bool dense = weights.n_neurons == 0 ||
                           (weights.cold == nullptr && !weights.sparse && !weights.by_input());
        if (layer.attention.choice.present() || layer.ngram.present() || layer.is_routed() ||
            (!layer.is_mixture() && !dense)) {
            return false;
        }
    }
    return !spec_.mixes_streams();
}

Result<void> CpuExecutor::begin(const PassTask& task) {
    HEARTH_ASSERT(!task.each_alone || can_pass_each_alone());
    task_ = task;
    feed_forward_.begin_pass(task.n_tokens());
    const bool all_neurons = task.n_tokens() > 1 || observer_ != nullptr;
    if (auto begun = weights_.begin_pass(all_neurons); !begun) {
        return begun;
    }
    // Threads do not sleep while steps alternate between the units: they come in short intervals.
    pool_.stay_alert(n_signals(task.steps) > 0);
    return {};
}

Result<void> CpuExecutor::end() {
    pool_.stay_alert(false);
    feed_forward_.end_pass();
    if (WeightStreams* const streams = weights_.streams();
        streams != nullptr && streams->cold() != nullptr && task_.n_tokens() == 1) {
        streams->cold()->refill();
    }
    return {};
}

Result<void> CpuExecutor::take_ahead(Past& past, const Snapshots::Taking& tokens) {
    for (int i = 0; i < spec_.n_layer(); ++i) {
        const LayerSpec& layer = spec_.layer(i);
        if (!layer.is_recurrent() || !past.cpu.holds(i)) {
            continue;
        }
        if (layer.is_gated_conv()) {
            gated_conv_.take_ahead(past, i, layer.gated_conv, tokens);
        } else if (layer.is_state_space()) {
            state_space_.take_ahead(past, i, tokens);
        } else {
            delta_net_.take_ahead(past, i, tokens);
        }
    }
    return {};
}

Result<void> CpuExecutor::run(const Step& step) {
    if (step.wait > 0) {
        receive(step);
    }
    auto done = compute(step);
    if (done && step.signal > 0) {
        leave(step);
    }
    return done;
}

Result<void> CpuExecutor::compute(const Step& step) {
    switch (step.op) {
        case Op::Embed:
            return embed();
        case Op::AttentionIn:
            if (spec_.layer(step.layer).experts.routed_early) {
                copy(scratch_.x, scratch_.routed, spec_.n_embd);
                feed_forward_.foresee(step.layer, scratch_.routed);
            }
            if (auto added = add_ngrams(step.layer); !added) {
                return added;
            }
            return queries(step.layer, scratch_.x, task_.n_tokens());
        case Op::Attend:
            return attend({.layer = step.layer,
                           .n_tokens = task_.n_tokens(),
                           .position = task_.position,
                           .past = *task_.past,
                           .each_alone = task_.each_alone});
        case Op::AttentionOut: {
            auto done = attention_output(step.layer, scratch_.attention_block, task_.n_tokens());
            if (done && !is_parallel(spec_.layer(step.layer).norms)) {
                add_block(step.layer, Role::AttnPostNorm, scratch_.attention_block);
            }
            return done;
        }
        case Op::FeedForward:
            return neurons(step);
        case Op::Sum:
            if (is_parallel(spec_.layer(step.layer).norms)) {
                add_block(step.layer, Role::AttnPostNorm, scratch_.attention_block);
            }
            if (spec_.layer(step.layer).has_feed_forward()) {
                add_block(step.layer, Role::FfnPostNorm, scratch_.block);
            }
            return finish_layer(step.layer);
        case Op::Head:
            if (task_.last_logits) {
                const auto row = logits(task_.n_tokens() - 1, 1);
                if (!row) {
                    return row.error();
                }
                if (!all_finite(*row)) {
                    return not_finite("logits", "token", *row);
                }
            }
            return {};
    }
    return {};
}

void CpuExecutor::receive(const Step& step) {
    const SharedMemory& shared = task_.shared;
    if (step.op == Op::Attend) {
        const LayerSpec& layer = spec_.layer(step.layer);
        copy(shared.q, scratch_.heads.q, layer.n_embd_q());
        if (layer.attention.has_own_past()) {
            copy(shared.k, scratch_.heads.k, layer.n_embd_kv());
            const int n_values = layer.is_latent() ? layer.n_embd_v() : layer.n_embd_kv();
            copy(shared.v, scratch_.heads.v, n_values);
        }
    } else {
        copy(shared.stream_to_cpu, scratch_.x, spec_.n_residual());
        if (step.op == Op::FeedForward && step.first_neuron == 0 &&
            spec_.layer(step.layer).experts.routed_early) {
            copy(shared.routed, scratch_.routed, spec_.n_embd);
        }
    }
}

void CpuExecutor::leave(const Step& step) {
    const SharedMemory& shared = task_.shared;
    if (step.op == Op::Attend) {
        copy(scratch_.heads.attended, shared.attended, spec_.layer(step.layer).n_left_by_heads());
    } else if (step.op == Op::FeedForward) {
        copy(scratch_.block, shared.partial, spec_.n_embd);
    } else {
        copy(scratch_.x, shared.stream_to_gpu, spec_.n_residual());
    }
}

void CpuExecutor::copy(const float* from, float* to, int width) {
    for_each_token(task_.n_tokens(), [&](int t) {
        const std::size_t at = static_cast<std::size_t>(t) * static_cast<std::size_t>(width);
        std::memcpy(to + at, from + at, static_cast<std::size_t>(width) * sizeof(float));
    });
}

Result<void> CpuExecutor::embed() {
    const auto weights = weights_.lease(Part::Embedding);
    if (!weights) {
        return weights.error();
    }
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    const PackedMatrix& tokens = (*weights)->tiles[Role::TokenEmbd];
    pool_.run(task_.n_tokens(), [&](int i, int) {
        const auto index = static_cast<std::size_t>(i);
        const std::span<float> row(residual(i), n_embd);
        unpack_row(tokens.type, tokens.data, static_cast<std::uint64_t>(task_.tokens[index]), row);
        if (spec_.embedding_scale != 1.0F) {
            for (float& value : row) {
                value *= spec_.embedding_scale;
            }
        }
    });
    const PackedMatrix& positions = (*weights)->tiles[Role::PositionEmbd];
    if (!positions.present()) {
        if (spec_.mixes_streams()) {
            streams_.spread(scratch_.x, task_.n_tokens());
        }
        ngrams_.choose({task_.tokens, scratch_.x, *task_.past});
        return spec_.n_embd_layer > 0 ? embed_for_layers() : Result<void>{};
    }
    pool_.run(task_.n_tokens(), [&](int i, int) {
        const auto index = static_cast<std::size_t>(i);
        float* learned = scratch_.normed + index * n_embd;
        unpack_row(positions.type, positions.data,
                   static_cast<std::uint64_t>(spec_.first_learned_position + task_.position + i),
                   {learned, n_embd});
        table_.add_vector(learned, residual(i), spec_.n_embd);
    });
    return {};
}

ActivationRows CpuExecutor::normed_input(const NormSpec& norm, const float* x,
                                         std::span<const float> weight, std::span<const float> bias,
                                         int n_tokens, bool quantize) {
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    const ActivationRows rows{scratch_.normed, n_embd, scratch_.quantized_input, spec_.n_embd,
                              n_tokens};
    for_each_token(n_tokens, [&](int t) {
        float* normed = scratch_.normed + static_cast<std::size_t>(t) * n_embd;
        const float* from = x + static_cast<std::size_t>(t) * n_embd;
        if (weight.empty()) {
            std::copy_n(from, n_embd, normed);
            if (quantize) {
                quantize_into(table_, rows, t, 0, spec_.n_embd / kBlockValues, normed);
            }
            return;
        }
        if (norm.kind == NormKind::Layer) {  // the root mean square of the rest is the deviation
            subtract_mean(from, normed, spec_.n_embd);
            from = normed;
        }
        table_.rms_norm(from, weight.data(), norm.eps, normed, spec_.n_embd);
        if (!bias.empty()) {
            table_.add_vector(bias.data(), normed, spec_.n_embd);
        }
        if (quantize) {
            quantize_into(table_, rows, t, 0, spec_.n_embd / kBlockValues, normed);
        }
    });
    return rows;
}

void CpuExecutor::add_bias(std::span<const float> bias, float* y, int n_tokens) {
    for (int t = 0; t < n_tokens && !bias.empty(); ++t) {
        table_.add_vector(bias.data(), y + static_cast<std::size_t>(t) * bias.size(),
                          static_cast<int>(bias.size()));
    }
}

void CpuExecutor::norm_heads(std::span<const float> weight, const LayerSpec& spec, float* x,
                             int n_heads, int n_tokens) {
    if (weight.empty()) {
        return;
    }
    const auto width = static_cast<int>(weight.size());  // of a head, or of all
    const int n_norms = n_heads * spec.attention.head_dim / width;
    for_each_token(n_tokens, [&](int t) {
        for (int i = 0; i < n_norms; ++i) {
            float* values = x + static_cast<std::size_t>(t * n_norms + i) * weight.size();
            table_.rms_norm(values, weight.data(), spec.norm.eps, values, width);
        }
    });
}

// The first thing that a layer does, if it reads the table.
Result<void> CpuExecutor::add_ngrams(int index) {
    if (!spec_.layer(index).ngram.present()) {
        return {};
    }
    const auto weights = weights_.lease(Part::Attention, index);
    return weights ? ngrams_.add({task_.tokens, scratch_.x, *task_.past}, **weights)
                   : Result<void>(weights.error());
}

const float* CpuExecutor::attention_input(const LayerSpec& spec, const CpuLayer& layer,
                                          const float* x, int n_tokens) {
    if (!spec_.mixes_streams()) {
        return x;
    }
    return streams_.mix(layer, CpuStreams::kAttention, x, spec.norm.eps, n_tokens);
}

Result<void> CpuExecutor::queries(int index, const float* x, int n_tokens) {
    const auto weights = weights_.lease(Part::Attention, index);
    if (!weights) {
        return weights.error();
    }
    const CpuLayer& layer = **weights;
    const LayerSpec& spec = spec_.layer(index);
    const Role first = spec.latent.q_rank > 0 ? Role::QDown : Role::Q;
    const ActivationRows input = normed_input(
        spec.norm, attention_input(spec, layer, x, n_tokens), layer.vectors[Role::AttnNorm],
        layer.vectors[Role::AttnNormBias], n_tokens,
        take_quantized(layer,
                       {first, Role::K, Role::V, Role::DeltaGate, Role::ChoiceQ, Role::ChoiceK}));
    if (spec.is_latent()) {
        latent_.queries(index, layer, input);
        return {};
    }
    const bool parted = spec.n_rows_q() != spec.n_embd_q();
    const auto n_q = static_cast<std::size_t>(spec.n_rows_q());
    const auto n_kv = static_cast<std::size_t>(spec.n_embd_kv());
    const bool keeps = spec.attention.has_own_past();
    const bool v_is_k = spec.attention.v_is_k;
    const auto n_gate = static_cast<std::size_t>(spec.n_gate());
    std::array<Product, 5> products{};
    std::size_t n_products = 0;
    const auto add_product = [&](Role role, float* y, std::size_t stride) {
        if (layer.tiles[role].present()) {
            products[n_products++] = Product{&layer.tiles[role], y, stride};
        }
    };
    add_product(Role::Q, parted ? scratch_.wide_q : scratch_.heads.q, n_q);
    add_product(Role::K, scratch_.heads.k, n_kv);
    add_product(Role::V, scratch_.heads.v, n_kv);
    add_product(Role::DeltaGate, scratch_.gates, n_gate);
    add_product(Role::ChoiceQ, scratch_.block_choice.q,
                static_cast<std::size_t>(spec.attention.choice.queries_width()));
    add_product(Role::ChoiceK, scratch_.block_choice.k,
                static_cast<std::size_t>(spec.attention.choice.dim));
    multiply(pool_, table_, std::span(products).first(n_products), input);
    if (spec.is_recurrent()) {
        return {};
    }
    if (parted) {
        part_gates(spec, n_tokens);
    }
    if (keeps && v_is_k) {
        std::copy_n(scratch_.heads.k, static_cast<std::size_t>(n_tokens) * n_kv, scratch_.heads.v);
    }
    add_bias(layer.vectors[Role::QBias], scratch_.heads.q, n_tokens);
    add_bias(layer.vectors[Role::KBias], scratch_.heads.k, n_tokens);
    add_bias(layer.vectors[Role::VBias], scratch_.heads.v, n_tokens);
    norm_heads(layer.vectors[Role::QNorm], spec, scratch_.heads.q, spec.attention.n_head, n_tokens);
    norm_heads(layer.vectors[Role::KNorm], spec, scratch_.heads.k, spec.attention.n_head_kv,
               n_tokens);
    const auto norm_by_ones = [&](float* heads, int n_heads) {
        norm_heads(std::span(ones_).first(static_cast<std::size_t>(spec.attention.head_dim)), spec,
                   heads, n_heads, n_tokens);
    };
    if (spec.attention.head_norm == HeadNorm::Plain) {
        norm_by_ones(scratch_.heads.q, spec.attention.n_head);
        norm_by_ones(scratch_.heads.k, spec.attention.n_head_kv);
    }
    if (spec.attention.v_norm && spec.attention.has_own_past()) {
        norm_by_ones(scratch_.heads.v, spec.attention.n_head_kv);
    }
    return {};
}

// Each head's gate stands behind its query.
void CpuExecutor::part_gates(const LayerSpec& spec, int n_tokens) {
    const auto dim = static_cast<std::size_t>(spec.attention.head_dim);
    const auto n_head = static_cast<std::size_t>(spec.attention.n_head);
    for_each_token(n_tokens, [&](int t) {
        for (std::size_t i = static_cast<std::size_t>(t) * n_head;
             i < (static_cast<std::size_t>(t) + 1) * n_head; ++i) {
            const float* both = scratch_.wide_q + 2 * i * dim;
            std::copy_n(both, dim, scratch_.heads.q + i * dim);
            std::copy_n(both + dim, dim, scratch_.gates + i * dim);
        }
    });
}

Result<void> CpuExecutor::attend(const HeadsTask& task) {
    const LayerSpec& spec = spec_.layer(task.layer);
    if (spec.is_gated_conv()) {
        gated_conv_.run(task, spec.gated_conv, scratch_.heads);
        return {};
    }
    if (spec.attention.choice.present()) {
        const auto weights = weights_.lease(Part::Attention, task.layer);
        if (!weights) {
            return weights.error();
        }
        const int n = block_choice_.n_seeing_all(task);
        block_choice_.keep_keys(task, **weights);
        attention_.run(task, n);
        block_choice_.attend(task, **weights, n);
        return {};
    }
    if (!spec.has_state_heads()) {
        HeadsTask heads = task;
        heads.sinks =
            spec.attention.sinks ? weights_.vector(task.layer, Role::Sinks).data() : nullptr;
        attention_.run(heads);
        return {};
    }
    const auto weights = weights_.lease(Part::Attention, task.layer);
    if (!weights) {
        return weights.error();
    }
    if (spec.is_state_space()) {
        state_space_.run(task, **weights);
    } else {
        delta_net_.run(task, **weights);
    }
    return {};
}

void CpuExecutor::gate_attended(int index, const CpuLayer& weights, int n_tokens) {
    const LayerSpec& spec = spec_.layer(index);
    if (spec.is_delta_net()) {
        delta_net_.finish(index, weights, scratch_.gates, n_tokens);
    } else if (spec.is_state_space()) {
        state_space_.finish(index, weights, scratch_.gates, n_tokens);
    } else if (spec.attention.gated) {
        const auto width = static_cast<std::size_t>(spec.n_gate());
        for_each_token(n_tokens, [&](int t) {
            float* values = scratch_.heads.attended + static_cast<std::size_t>(t) * width;
            table_.sigmoid_mul(scratch_.gates + static_cast<std::size_t>(t) * width, values, values,
                               spec.n_gate());
        });
    }
}

Result<void> CpuExecutor::attention_output(int index, float* y, int n_tokens) {
    const auto weights = weights_.lease(Part::Attention, index);
    if (!weights) {
        return weights.error();
    }
    const CpuLayer& layer = **weights;
    const int width = spec_.layer(index).n_attended();
    const auto n_attended = static_cast<std::size_t>(width);
    gate_attended(index, layer, n_tokens);
    const float* values = spec_.layer(index).is_latent() ? latent_.values(index, layer, n_tokens)
                                                         : scratch_.heads.attended;
    const ActivationRows attended{values, n_attended, scratch_.quantized_input, width, n_tokens};
    if (takes_quantized(layer.tiles[Role::AttnOutput].type)) {
        for_each_token(n_tokens, [&](int t) {
            quantize_into(table_, attended, t, 0, width / kBlockValues,
                          values + static_cast<std::size_t>(t) * n_attended);
        });
    }
    const std::array output{
        Product{&layer.tiles[Role::AttnOutput], y, static_cast<std::size_t>(spec_.n_embd)}};
    multiply(pool_, table_, output, attended);
    add_bias(layer.vectors[Role::AttnOutputBias], y, n_tokens);
    return {};
}

Result<void> CpuExecutor::attention(const AttentionTask& task) {
    if (auto done = queries(task.heads.layer, task.x, task.heads.n_tokens); !done) {
        return done;
    }
    if (auto done = attend(task.heads); !done) {
        return done;
    }
    return attention_output(task.heads.layer, task.y, task.heads.n_tokens);
}

// A step that waits had the block's input, and its scores, from the GPU.
Result<void> CpuExecutor::neurons(const Step& step) {
    const Cluster cluster{step.layer, step.first_neuron, step.n_neurons};
    const bool scored = step.wait > 0 && task_.n_tokens() == 1;
    return feed_forward({step.layer,
                         scratch_.x,
                         scratch_.block,
                         task_.n_tokens(),
                         {&cluster, 1},
                         scored ? task_.shared.scores : nullptr,
                         step.first_neuron > 0 ? task_.shared.chosen : nullptr,
                         task_.counts,
                         scratch_.routed});
}

Result<void> CpuExecutor::feed_forward(const FeedForwardTask& task) {
    const auto weights = weights_.lease(Part::Neurons, task.layer, task.clusters);
    if (!weights) {
        return weights.error();
    }
    const CpuLayer& layer = **weights;
    if (layer.n_neurons == 0) {
        HEARTH_ASSERT(task.clusters.empty());
        std::fill_n(
            task.y,
            static_cast<std::size_t>(task.n_tokens) * static_cast<std::size_t>(spec_.n_embd), 0.0F);
        return {};
    }
    const LayerSpec& spec = spec_.layer(task.layer);
    const bool shared_takes = take_quantized(layer, {Role::SharedGate, Role::SharedUp});
    const bool others_take = take_quantized(
        layer, {Role::Gate, Role::Up, Role::PredictorFc1, Role::Router, Role::ExpertLatentDown});
    const float* x = task.x;
    if (spec_.mixes_streams()) {
        x = streams_.mix(layer, CpuStreams::kFeedForward, x, spec.norm.eps, task.n_tokens);
    }
    const ActivationRows input =
        normed_input(spec.norm, x, layer.vectors[Role::FfnNorm], layer.vectors[Role::FfnNormBias],
                     task.n_tokens, shared_takes || (others_take && !spec.experts.norms_apart));
    if (auto done = feed_forward_.run(task, layer, input, observer_); !done) {
        return done;
    }
    if (!task.clusters.empty() && task.clusters.front().first == 0) {
        add_bias(layer.vectors[Role::DownBias], task.y, task.n_tokens);
    }
    return {};
}

Result<std::span<float>> CpuExecutor::logits(int first, int count) {
    HEARTH_ASSERT(count <= kLogitRows);
    const auto weights = weights_.lease(Part::Output);
    if (!weights) {
        return weights.error();
    }
    const PackedMatrix& matrix = (*weights)->tiles[Role::Output];
    const float* x = residual(first);
    if (spec_.mixes_streams()) {
        x = streams_.mix(**weights, CpuStreams::kHead, x, spec_.output_norm.eps, count);
    }
    const ActivationRows input = normed_input(
        spec_.output_norm, x, (*weights)->vectors[Role::OutputNorm],
        (*weights)->vectors[Role::OutputNormBias], count, takes_quantized(matrix.type));
    const auto n_vocab = static_cast<std::size_t>(spec_.n_vocab);
    const std::array output{Product{&matrix, scratch_.logits, n_vocab}};
    multiply(pool_, table_, output, input);
    const std::span logits(scratch_.logits, static_cast<std::size_t>(count) * n_vocab);
    finish_logits(spec_, logits);
    return logits;
}

Result<std::span<float>> CpuExecutor::last_logits() {
    return std::span(scratch_.logits, static_cast<std::size_t>(spec_.n_vocab));
}

// Adds what a block computed to the stream. `block` is overwritten.
void CpuExecutor::add_block(int index, Role post_norm, float* block) {
    const LayerSpec& layer = spec_.layer(index);
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    const std::span<const float> weight =
        norms_output(layer.norms) ? weights_.vector(index, post_norm) : std::span<const float>();
    if (!weight.empty() || layer.residual_scale != 1.0F) {
        for_each_token(task_.n_tokens(), [&](int t) {
            float* row = block + static_cast<std::size_t>(t) * n_embd;
            if (!weight.empty()) {
                table_.rms_norm(row, weight.data(), layer.norm.eps, row, spec_.n_embd);
            }
            for (std::size_t i = 0; layer.residual_scale != 1.0F && i < n_embd; ++i) {
                row[i] *= layer.residual_scale;
            }
        });
    }
    add(block, scratch_.x);
}

void CpuExecutor::add(const float* x, float* y) {
    if (spec_.mixes_streams()) {
        streams_.add(x, y, task_.n_tokens());
        return;
    }
    constexpr int kStep = 16 * 1024;
    const int n_values = task_.n_tokens() * spec_.n_embd;
    pool_.run((n_values + kStep - 1) / kStep, [&](int task, int) {
        const int first = task * kStep;
        table_.add_vector(x + first, y + first, std::min(kStep, n_values - first));
    });
}

bool CpuExecutor::count_token() {
    if (observer_ != nullptr) {
        return false;
    }
    feed_forward_.count_token(weights_.layers());
    return true;
}

FlashReads CpuExecutor::flash() const {
    if (weights_.streams() == nullptr) {
        return {};
    }
    FlashReads reads = weights_.streams()->reads();
    if (const ExpertGuess* guess = feed_forward_.guess()) {
        reads.experts_guessed = guess->counters().named;
        reads.guessed_right = guess->counters().right;
        reads.second_guessed = guess->counters().second_named;
        reads.second_right = guess->counters().second_right;
        reads.guess_trials = guess->trial().n_trials();
        reads.guesses_pay = guess->trial().pays();
        reads.guess_gain = guess->trial().gain();
    }
    return reads;
}

std::uint64_t CpuExecutor::decode_weight_bytes() const {
    std::uint64_t bytes = matrix_bytes(weights_.layer(kNoLayer).tiles[Role::Output]);
    double blocks = 0;
    for (std::size_t i = 0; i < weights_.layers().size(); ++i) {
        const CpuLayer& layer = weights_.layers()[i];
        for (const RoleRow& row : layer_roles()) {
            bytes += row.part == Part::Attention ? matrix_bytes(layer.tiles[row.role]) : 0;
        }
        blocks += feed_forward_.decode_bytes(static_cast<int>(i), layer);
    }
    return bytes + static_cast<std::uint64_t>(std::llround(blocks));
}

}  // namespace hearth
