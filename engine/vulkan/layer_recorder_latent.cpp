// Latent attention: what its heads read, the heads, and what becomes of what these give. A token's
// key is its latent with what is rotated behind it.
#include "interfaces/latent_attention.h"
#include "interfaces/latent_join.h"
#include "interfaces/latent_leave.h"
#include "interfaces/latent_store.h"
#include "interfaces/norm.h"
#include "vulkan/layer_recorder.h"
#include "vulkan/shader_words.h"

namespace hearth::vulkan {
namespace {

constexpr std::uint32_t kStoreThreads = 64;
constexpr std::uint32_t kJoinThreads = 64;
// Parts of a past where the GPU is the processor.
constexpr int kProcessorParts = 8;

}  // namespace

// Norms what queries are made of, in the form that their matrix takes.
void LayerRecorder::norm_low_queries(const LayerSpec& spec, const GpuLayer& weights) {
    const Buffers& b = model_.buffers;
    const GpuMatrix& matrix = weights[Role::Q];
    const int columns = spec.latent.q_rank;
    recorder_->dispatch(
        shader_of<interfaces::Norm>(),
        {.WORKGROUP = norm_threads(features_, columns),
         .ADDS = 0,
         .PUBLISH = false,
         .NORM = true,
         .LAYER_NORM = false,
         .HAS_BIAS = false,
         .WRITE_FLOATS = wants_floats(matrix, n_tokens_),
         .WRITE_BYTES = wants_packed(matrix, n_tokens_),
         .SUBGROUPS = teams_.subgroups,
         .WEIGHED = true,
         .SCALED = false,
         .HALVES = packs_halves(n_tokens_)},
        {.x_in = BufferView{},
         .x = b.low_queries.floats,
         .a = BufferView{},
         .b = BufferView{},
         .c = BufferView{},
         .weight = weights.vectors[Role::QDownNorm],
         .bias = BufferView{},
         .published = BufferView{},
         .normed = b.low_queries.floats,
         .normed_bytes = b.low_queries.packed,
         .normed_scales = b.low_queries.scales,
         .stream_scale = BufferView{}},
        {.columns = word(columns), .epsilon = spec.norm.eps, .x_from = 0, .add_scale = 1.0F},
        {.groups = {word(n_tokens_), 1, 1}, .label = "norm"});
}

// From Buffers::k to the past.
void LayerRecorder::store_latents(int layer, const GpuLayer& weights) {
    const LayerSpec& spec = model_.spec.layer(layer);
    const Buffers& b = model_.buffers;
    const auto at = static_cast<std::size_t>(layer);
    recorder_->dispatch(shader_of<interfaces::LatentStore>(),
                        {.WORKGROUP = kStoreThreads,
                         .RANK = word(spec.latent.rank),
                         .ROTATED = word(spec.attention.rope.dim),
                         .BYTES = spec.attention.kv == KvType::Q8_0},
                        {.step = b.step,
                         .angles = b.angles[at],
                         .k = b.k,
                         .norm = weights.vectors[Role::LatentNorm],
                         .keys = model_.pasts.keys[at]},
                        attention_params(layer),
                        {.groups = {word(n_tokens_), 1, 1}, .label = "latent_store"});
}

// From Buffers::queries, q and k.
void LayerRecorder::leave_latents(int layer, const GpuLayer& weights) {
    const LayerSpec& spec = model_.spec.layer(layer);
    const Buffers& b = model_.buffers;
    recorder_->dispatch(
        shader_of<interfaces::LatentLeave>(),
        {.WORKGROUP = kStoreThreads,
         .RANK = word(spec.latent.rank),
         .ROTATED = word(spec.attention.rope.dim),
         .PLAIN = word(spec.latent.plain_dim)},
        {.queries = b.queries.floats,
         .absorbed = b.q,
         .latents = b.k,
         .norm = weights.vectors[Role::LatentNorm],
         .q = model_.uploader->q(),
         .k = model_.uploader->k(),
         .v = model_.uploader->v()},
        {.n_head = word(spec.attention.n_head), .n_head_kv = 1, .epsilon = spec.norm.eps},
        {.groups = {word(spec.attention.n_head) + 1, word(n_tokens_), 1}, .label = "latent_leave"});
}

// Makes the heads' queries and stores the tokens' keys.
void LayerRecorder::latent_queries(int layer, bool leave) {
    const Parts parts = parts_of(layer);
    const LayerSpec& spec = parts.spec;
    const GpuLayer& weights = parts.attention();
    const Buffers& b = model_.buffers;
    const auto n_rows = static_cast<std::uint64_t>(spec.n_rows_q());
    const auto rank = static_cast<std::uint64_t>(spec.latent.rank);
    const bool low = spec.latent.q_rank > 0;
    multiply({weights[low ? Role::QDown : Role::Q],
              b.normed,
              low ? b.low_queries.floats : b.queries.floats,
              low ? static_cast<std::uint64_t>(spec.latent.q_rank) : n_rows,
              {},
              false,
              "q"},
             n_tokens_);
    multiply({weights[Role::K],
              b.normed,
              b.k,
              static_cast<std::uint64_t>(spec.n_embd_kv()),
              {},
              false,
              "k"},
             n_tokens_);
    recorder_->barrier();
    if (!leave) {
        store_latents(layer, weights);
    }
    if (low) {
        norm_low_queries(spec, weights);
        recorder_->barrier();
        multiply({weights[Role::Q], b.low_queries, b.queries.floats, n_rows, {}, false, "q"},
                 n_tokens_);
        recorder_->barrier();
    }
    const std::uint64_t of_head = n_rows / static_cast<std::uint64_t>(spec.attention.n_head);
    Product absorbed{weights[Role::KeyUp],
                     b.queries,
                     b.q,
                     rank * static_cast<std::uint64_t>(spec.attention.n_head),
                     {},
                     false,
                     "absorb"};
    absorbed.heads = {rank, 0, of_head, n_rows};
    multiply(absorbed, n_tokens_);
    if (leave) {
        recorder_->barrier();
        leave_latents(layer, weights);
    }
}

void LayerRecorder::latent_attention(int layer) {
    const LayerSpec& spec = model_.spec.layer(layer);
    const AttentionSpec& attention = spec.attention;
    const Buffers& b = model_.buffers;
    const auto at = static_cast<std::size_t>(layer);
    const int all_parts = latent_parts(n_tokens_);
    const int parts = features_.on_processor ? std::min(all_parts, kProcessorParts) : all_parts;
    const LatentTile tile = latent_tile(attention.head_dim, features_.shared_bytes_max);
    const std::uint32_t n_queries = word(n_tokens_) * word(attention.n_head);
    const params::AttentionParams params = attention_params(layer);
    recorder_->dispatch(
        shader_of<interfaces::LatentAttention>(),
        {.WORKGROUP = kAttentionThreads,
         .RANK = word(spec.latent.rank),
         .ROTATED = word(attention.rope.dim),
         .PLAIN = word(spec.latent.plain_dim),
         .QUERIES = tile.queries,
         .TILE = tile.positions,
         .ROWS = tile.rows,
         .PARTS = word(parts),
         .BYTES = attention.kv == KvType::Q8_0},
        {.step = b.step,
         .angles = b.angles[at],
         .queries = b.queries.floats,
         .absorbed = b.q,
         .keys = model_.pasts.keys[at],
         .parts = b.attention_parts,
         .attended = b.q},
        params,
        {.groups = {groups_of(n_queries, tile.queries), word(parts), 1}, .label = "attention"});
    if (parts == 1) {
        return;
    }
    recorder_->barrier();
    recorder_->dispatch(
        shader_of<interfaces::LatentJoin>(),
        {.WORKGROUP = kJoinThreads,
         .RANK = word(spec.latent.rank),
         .TILE = tile.positions,
         .PARTS = word(parts)},
        {.step = b.step, .parts = b.attention_parts, .attended = b.q}, params,
        {.groups = {n_queries,
                    groups_of(static_cast<std::uint64_t>(spec.latent.rank / 2), kJoinThreads), 1},
         .label = "attention_join"});
}

// Then quantises the result where the matrix behind it takes bytes.
void LayerRecorder::latent_values(const LayerSpec& spec, const GpuLayer& weights) {
    const Buffers& b = model_.buffers;
    const auto rank = static_cast<std::uint64_t>(spec.latent.rank);
    const auto n_attended = static_cast<std::uint64_t>(spec.n_attended());
    Product values{
        weights[Role::ValueUp], b.latents, b.attended.floats, n_attended, {}, false, "values"};
    values.heads = {static_cast<std::uint64_t>(spec.latent.value_dim), 0, rank,
                    rank * static_cast<std::uint64_t>(spec.attention.n_head)};
    multiply(values, n_tokens_);
    recorder_->barrier();
    if (wants_packed(weights[Role::AttnOutput], n_tokens_)) {
        pack(b.attended, n_attended, static_cast<std::uint64_t>(n_tokens_));
        recorder_->barrier();
    }
}

}  // namespace hearth::vulkan
