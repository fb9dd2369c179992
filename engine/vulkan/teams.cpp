#include "vulkan/teams.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "vulkan/shader_words.h"

namespace hearth::vulkan {

Teams::Teams(const ShaderFeatures& features) {
    if (!features.subgroup_add) {
        return;
    }
    if (features.subgroup_size_control) {
        size = static_cast<std::uint32_t>(
            std::clamp(32, features.subgroup_size_min, features.subgroup_size_max));
        required_size = static_cast<int>(size);
        subgroups = true;
    } else if (features.subgroup_size_min == features.subgroup_size_max) {
        size = static_cast<std::uint32_t>(features.subgroup_size);
        subgroups = true;
    }
    // A workgroup of whole teams, and 32 neurons shared out evenly among them.
    if (size < 8 || size > 128) {
        subgroups = false;
        required_size = 0;
        size = 32;
    }
}

std::uint32_t norm_threads(const ShaderFeatures& features, int columns) {
    const std::uint32_t most = std::bit_floor(std::min(features.invocations_max, 1024U));
    return std::clamp(std::bit_ceil(word(columns) / 4), std::min(64U, most), most);
}

std::uint32_t gemv_threads(const ShaderFeatures& features) {
    return std::min(256U, std::bit_floor(features.invocations_max));
}

std::uint32_t down_rows_threads(const ShaderFeatures& features) {
    const bool room = features.shared_bytes_max >= 32768 && features.invocations_max >= 256;
    return room ? 4 * kDownQuads : kDownQuads;
}

std::uint32_t attention_tile(int head_dim, int group, std::uint32_t shared_bytes_max) {
    // Sums and weights of the threads and of 64 parts, and a joined head.
    const std::uint32_t rest = 256 + 24 * attention_threads(head_dim);
    const std::uint32_t queries = word(group) * word(head_dim) * 4;
    const std::uint32_t of_position = (word(head_dim) + 1) * 4 + word(group) * 5 * 4;
    std::uint32_t tile = 32;
    while (tile > 4 && rest + queries + tile * of_position > shared_bytes_max) {
        tile /= 2;
    }
    return tile;
}

AttentionTile attention_batch_tile(int head_dim) {
    return head_dim <= 128   ? AttentionTile{16, 32}
           : head_dim <= 256 ? AttentionTile{8, 16}
                             : AttentionTile{4, 8};
}

LatentTile latent_tile(int head_dim, std::uint32_t shared_bytes_max) {
    const auto bytes = [&](const LatentTile& tile) {
        const std::uint32_t queries = tile.queries * word(head_dim);
        const std::uint32_t keys = tile.positions * (word(head_dim) / 2 + 1);
        const std::uint32_t scores = tile.queries * tile.positions;
        const std::uint32_t products = tile.queries * tile.rows * kAttentionThreads;
        return (queries + keys + products + 2 * scores + 2 * tile.queries) * 4;
    };
    constexpr LatentTile kTiles[] = {{8, 16, 2}, {8, 16, 1}, {8, 8, 1}, {4, 8, 1},
                                     {4, 4, 1},  {2, 4, 1},  {2, 2, 1}};
    for (const LatentTile& tile : kTiles) {
        if (bytes(tile) <= shared_bytes_max) {
            return tile;
        }
    }
    return {1, 1, 1};
}

bool attention_by_teams(const Teams& teams, int head_dim, int group) {
    constexpr std::uint32_t kWordsMost = 16;  // of queries in a lane's registers
    const std::uint32_t words = (word(head_dim) / 2 + teams.size - 1) / teams.size;
    return teams.subgroups && attention_threads(head_dim) == kAttentionThreads &&
           words * word(group) <= kWordsMost;
}

bool attention_by_rows(const ShaderFeatures& features, const Teams& teams, int head_dim) {
    const std::uint32_t lanes = word(head_dim) / 8;  // 16 bytes each
    return features.subgroup_shuffle && head_dim % 8 == 0 && std::has_single_bit(lanes) &&
           lanes <= teams.size &&
           attention_team_tile(teams, head_dim, false) % (kAttentionThreads / lanes) == 0;
}

DecodeHeads decode_heads(const ShaderFeatures& features, const Teams& teams, int heads_per_kv,
                         int head_dim, bool past_in_bytes) {
    const DecodeForm form = past_in_bytes                                  ? DecodeForm::Bytes
                            : attention_by_rows(features, teams, head_dim) ? DecodeForm::Rows
                                                                           : DecodeForm::Teams;
    if (!features.on_processor) {
        const int group = past_in_bytes ? std::gcd(heads_per_kv, 2) : 1;
        if (attention_by_teams(teams, head_dim, group)) {
            return {group, heads_per_kv / group, form};
        }
    }
    return {heads_per_kv, 1,
            attention_by_teams(teams, head_dim, heads_per_kv) ? form : DecodeForm::Alone};
}

std::uint32_t attention_team_tile(const Teams& teams, int head_dim, bool bytes) {
    constexpr std::uint32_t kRowsOfATeam = 8;
    const std::uint32_t rows = std::min(kAttentionThreads / teams.size * kRowsOfATeam, 32U);
    // A subgroup takes several short rows of bytes at a time.
    const std::uint32_t quads = word(head_dim) / 4;
    const bool several = bytes && quads < teams.size && teams.size % quads == 0;
    return several ? rows * (teams.size / quads) : rows;
}

}  // namespace hearth::vulkan
