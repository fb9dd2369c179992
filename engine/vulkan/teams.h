// How the threads of a workgroup are grouped on a device.
#pragma once

#include <cstdint>

#include "vulkan/physical_device.h"
#include "vulkan/shader_catalog.h"

namespace hearth::vulkan {

// Threads of a workgroup of gemv.comp and of the kernels of decoding's attention: whole teams.
std::uint32_t gemv_threads(const ShaderFeatures& features);
inline constexpr std::uint32_t kAttentionThreads = 128;
// A thread adds one word of two values.
constexpr std::uint32_t attention_threads(int head_dim) {
    return head_dim <= 256 ? kAttentionThreads : 2 * kAttentionThreads;
}
// The longest heads, and queries of a key together, that fit 32 KB of shared memory.
inline constexpr int kHeadDimMost = 512;
inline constexpr int kGroupMost = 16;
inline constexpr int kGroupValuesMost = 4096;
// Keys of latent attention, and heads: a batch's are shared out over 65,535 workgroups at most.
inline constexpr int kLatentDimMost = 1024;
inline constexpr int kLatentHeadsMost = 128;

// Of norm.comp: a thread for each four values of a row, up to 1,024 of them.
std::uint32_t norm_threads(const ShaderFeatures& features, int columns);

// TOKENS of gemv.comp and several_neurons.comp: few numbers of tokens have a shader of their own.
constexpr std::uint32_t tokens_at_once(int n_tokens) {
    return n_tokens == 1 ? 1 : n_tokens <= 4 ? 4 : 8;
}

// Threads of down_rows.comp: kDownQuads a share, and as many shares as have room to be added.
inline constexpr std::uint32_t kDownQuads = 64;
std::uint32_t down_rows_threads(const ShaderFeatures& features);

// Threads that share a row: a subgroup, where the device can add within one.
struct Teams {
    explicit Teams(const ShaderFeatures& features);

    std::uint32_t size = 32;  // threads that share a row
    bool subgroups = false;   // a team is a subgroup
    int required_size = 0;    // the subgroup size that pipelines demand; 0: any
};

// TILE, the number of positions that attention_decode.comp takes at a time: the largest of 32, 16,
// 8 and 4 whose keys, values and scores fit the shared memory of a workgroup, beside `group`
// queries of head_dim.
std::uint32_t attention_tile(int head_dim, int group, std::uint32_t shared_bytes_max);

// How the query heads that read one key head are shared out in a token's attention. Few a
// workgroup: on an H100 eight heads over 100 positions take 35 us in one, 10 us in eight, and after
// 16,000 positions 80 us less too, since the cache holds the keys. Bytes are unpacked once for two.
struct DecodeHeads {
    int group = 1;    // heads of a workgroup
    int sharers = 1;  // workgroups
    DecodeForm form = DecodeForm::Alone;
};
DecodeHeads decode_heads(const ShaderFeatures& features, const Teams& teams, int heads_per_kv,
                         int head_dim, bool past_in_bytes);

// Says if attention_decode_teams.comp computes such heads, or attention_decode_bytes.comp over a
// past of bytes; the TILE of either; and if rows of halves can be loaded several at a time.
bool attention_by_teams(const Teams& teams, int head_dim, int group);
bool attention_by_rows(const ShaderFeatures& features, const Teams& teams, int head_dim);
std::uint32_t attention_team_tile(const Teams& teams, int head_dim, bool bytes);

// QUERIES and TILE of attention_batch.comp: keys and values of a tile and the queries fit 32 KB
// together.
struct AttentionTile {
    std::uint32_t queries, positions;
};
AttentionTile attention_batch_tile(int head_dim);

// QUERIES, TILE and ROWS of latent_attention.comp, whose workgroups have kAttentionThreads: what
// fits the shared memory of one.
struct LatentTile {
    std::uint32_t queries, positions, rows;
};
LatentTile latent_tile(int head_dim, std::uint32_t shared_bytes_max);

}  // namespace hearth::vulkan
