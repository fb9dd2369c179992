// How the threads of a workgroup are grouped on a device.
#pragma once

#include <cstdint>

#include "vulkan/physical_device.h"

namespace hearth::vulkan {

// Of a workgroup of gemv.comp and of the kernels of decoding's attention: whole teams.
inline constexpr std::uint32_t kGemvThreads = 128;
inline constexpr std::uint32_t kAttentionThreads = 128;
// A thread adds one word of two values.
constexpr std::uint32_t attention_threads(int head_dim) {
    return head_dim <= 256 ? kAttentionThreads : 2 * kAttentionThreads;
}
// The longest heads, and queries of a key together, that fit 32 KB of shared memory.
inline constexpr int kHeadDimMost = 512;
inline constexpr int kGroupMost = 16;
inline constexpr int kGroupValuesMost = 4096;

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

// Whether attention_decode_teams.comp computes such heads, or attention_decode_bytes.comp over a
// past of bytes, and the TILE of either.
bool attention_by_teams(const Teams& teams, int head_dim, int group);
std::uint32_t attention_team_tile(const Teams& teams, int head_dim, bool bytes);

// QUERIES and TILE of attention_batch.comp: keys and values of a tile and the queries fit 32 KB
// together.
struct AttentionTile {
    std::uint32_t queries, positions;
};
AttentionTile attention_batch_tile(int head_dim);

}  // namespace hearth::vulkan
