#include "vulkan/cooperative_tiles.h"

#include <algorithm>
#include <bit>

#include "vulkan/physical_device.h"

namespace hearth::vulkan {
namespace {

// Numbers of the shader: rows and tokens of a workgroup, threads that fill panels, columns of a
// panel, bytes of a panel of weights or of inputs, and of the table that some codes pick from.
constexpr std::uint32_t kSide = 128;
constexpr std::uint32_t kFillers = 128;
constexpr std::uint32_t kDepth = 32;
constexpr std::uint64_t kPanelBytes = std::uint64_t{kSide} * (kDepth / 8 + 1) * 16;
constexpr std::uint64_t kTableBytes = std::uint64_t{256} * 4;

std::uint32_t multipliers(const CooperativeTiles& tiles) {  // subgroups
    return kSide / tiles.rows * (kSide / tiles.tokens);
}

// Fragments of the subgroups take the place of the weights' panels in the end.
std::uint64_t shared_bytes(const CooperativeTiles& tiles, std::uint64_t panels) {
    const std::uint64_t fragments =
        std::uint64_t{multipliers(tiles)} * tiles.shape.m * tiles.shape.n * sizeof(float);
    return panels * kPanelBytes + std::max(panels * kPanelBytes, fragments) + kTableBytes;
}

// The size of a subgroup. 0: the driver decides, shader by shader. Where there is a choice it is
// 32, which the GPUs of AMD and Intel both have.
std::uint32_t subgroup_size(const ShaderFeatures& features) {
    const int min = features.subgroup_size_min;
    const int max = features.subgroup_size_max;
    if (min == max) {
        return static_cast<std::uint32_t>(min);
    }
    return features.subgroup_size_control ? static_cast<std::uint32_t>(std::clamp(32, min, max))
                                          : 0;
}

bool divides(std::uint32_t part, std::uint32_t whole) {
    return part > 0 && whole % part == 0;
}

}  // namespace

std::uint32_t CooperativeTiles::threads() const {
    return multipliers(*this) * static_cast<std::uint32_t>(subgroup_size) + kFillers;
}

std::vector<CooperativeTiles> cooperative_tiles(std::span<const CooperativeShape> shapes,
                                                const ShaderFeatures& features) {
    const std::uint32_t size = subgroup_size(features);
    if (!std::has_single_bit(size) || size < 4 || size > 128) {
        return {};
    }
    // A thread holds 128 sums where subgroups are of 32 alone, as NVIDIA's are: up to a tenth
    // faster than 64 on an H200. Nobody has measured others: they hold 64.
    const bool always_32 = features.subgroup_size_min == 32 && features.subgroup_size_max == 32;
    const std::uint32_t sums = always_32 ? 128 : 64;
    const std::uint32_t rows = size >= 32 ? 64 : 32;
    const std::uint32_t tokens = sums * size / rows;
    std::vector<CooperativeTiles> found;
    for (const CooperativeShape& shape : shapes) {
        // The shader addresses panels in units of eight halves.
        const bool cuts = divides(shape.m, rows) && shape.m % 8 == 0 && divides(shape.n, tokens) &&
                          divides(shape.k, kDepth) && shape.k % 8 == 0;
        const bool seen = std::any_of(found.begin(), found.end(),
                                      [&](const auto& tiles) { return tiles.shape == shape; });
        if (!cuts || seen) {
            continue;
        }
        const CooperativeTiles tiles{shape, rows, tokens, static_cast<int>(size)};
        if (shared_bytes(tiles, 1) <= features.shared_bytes_max &&
            tiles.threads() <= features.invocations_max) {
            found.push_back(tiles);
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& one, const auto& other) {
        const auto size_of = [](const CooperativeShape& shape) {
            return shape.m * shape.n * shape.k;
        };
        return size_of(one.shape) > size_of(other.shape);
    });
    return found;
}

std::uint32_t cooperative_panels(const ShaderFeatures& features, const CooperativeTiles& tiles) {
    return shared_bytes(tiles, 2) <= features.shared_bytes_max ? 2 : 1;
}

}  // namespace hearth::vulkan
