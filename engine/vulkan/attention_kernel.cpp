#include "vulkan/attention_kernel.h"

#include <algorithm>

#include "vulkan/shader_words.h"

namespace hearth::vulkan {
namespace {

// Numbers of the shader.
constexpr std::uint32_t kRows = 16;
constexpr std::uint32_t kSubgroups = 4;

std::uint32_t shared_bytes(std::uint32_t head_dim, std::uint32_t queries, std::uint32_t tile) {
    const std::uint32_t rows = tile * (head_dim / 8 + 1);
    const std::uint32_t scores = queries * (tile / 4 + 2);
    const std::uint32_t weights = queries * (tile / 8 + 1);
    return (rows + scores + weights) * 16 + (queries + 1) * 4;
}

}  // namespace

std::optional<AttentionKernel> attention_kernel(const ShaderFeatures& features, int head_dim) {
    const bool khr = !features.khr_cooperative_matrix.empty() &&
                     !attention_cooperative_shader(true).words.empty();
    if ((!khr && !features.nv_cooperative_matrix) || !features.subgroup_shuffle || head_dim > 256) {
        return std::nullopt;
    }
    const CooperativeTiles tiles = khr ? features.khr_cooperative_matrix.front() : kNvTiles;
    const auto [m, n, k] = tiles.shape;
    const std::uint32_t dim = word(head_dim);
    const std::uint32_t workgroup = kSubgroups * word(tiles.subgroup_size);
    // Of longer heads a subgroup would hold too many sums: two share the queries, and tiles are
    // half as long. A query has a thread of its own at least.
    const bool is_long = head_dim > 128;
    const std::uint32_t queries = std::min(is_long ? 32U : 64U, workgroup);
    const std::uint32_t tile = is_long ? 32 : 64;
    const std::uint32_t split = kSubgroups * kRows / queries;
    const std::uint32_t threads = workgroup / queries;
    const bool cuts = m % 8 == 0 && n % 8 == 0 && k % 8 == 0 && kRows % m == 0 && dim % k == 0 &&
                      tile % k == 0 && dim % split == 0 && dim / split % n == 0 &&
                      tile / split % n == 0;
    if (!cuts || queries < kRows || tile / 4 % threads != 0 ||
        workgroup > features.invocations_max ||
        shared_bytes(dim, queries, tile) > features.shared_bytes_max) {
        return std::nullopt;
    }
    return AttentionKernel{attention_cooperative_shader(khr),
                           workgroup,
                           tiles.shape,
                           queries,
                           tile,
                           split,
                           tiles.subgroup_size};
}

}  // namespace hearth::vulkan
