#include "cpu/flash_choice.h"

#include <algorithm>
#include <array>
#include <vector>

#include "cpu/cpu_weights.h"

namespace hearth {
namespace {

// In the order in which they leave RAM: the largest first, and the gate after what only open gates
// need.
constexpr std::array kStreamed{Role::Down, Role::Up, Role::Gate, Role::AttnOutput,
                               Role::Q,    Role::V,  Role::K};

using Roles = std::vector<Role>;

// Roles that leave together: the rows of records come in one read.
std::vector<Roles> levels_of(const LayerTensors& layer) {
    std::vector<Roles> levels;
    for (const Role role : kStreamed) {
        const Weight& weight = layer[role];
        if (!weight.present()) {
            continue;
        }
        const auto with = std::find_if(levels.begin(), levels.end(), [&](const Roles& level) {
            const Weight& other = layer[level.front()];
            return other.tensor == weight.tensor && !weight.is_matrix_alone() &&
                   weight.stride != weight.row_size();
        });
        if (with == levels.end()) {
            levels.push_back({role});
        } else {
            with->push_back(role);
        }
    }
    return levels;
}

}  // namespace

std::optional<FlashChoice> stream_to_fit(const ModelSpec& spec, const ModelTensors& tensors,
                                         FeedForwardMode mode, std::uint64_t budget) {
    const std::size_t n_layer = tensors.layers.size();
    FlashChoice choice;
    choice.part.layers.resize(n_layer);
    const auto fits = [&] {
        choice.weights_bytes = CpuWeights::bytes_for(spec, tensors, mode, {}, choice.part);
        return choice.weights_bytes <= budget;
    };
    const auto found = [&] {
        for (std::size_t i = 0; i < n_layer; ++i) {
            for (const RoleRow& row : layer_roles()) {
                if (choice.part.has(static_cast<int>(i), row.role)) {
                    choice.streamed_bytes += tensors.layers[i][row.role].bytes();
                }
            }
        }
        choice.streamed_bytes += choice.part.output ? tensors[Role::Output].bytes() : 0;
        return choice;
    };
    // Layers may differ in what they have: of each, its own level.
    std::vector<std::vector<Roles>> levels;
    std::size_t n_levels = 0;
    for (const LayerTensors& layer : tensors.layers) {
        levels.push_back(levels_of(layer));
        n_levels = std::max(n_levels, levels.back().size());
    }
    const auto leave = [&](std::size_t level, std::size_t layer) {
        for (const Role role : level < levels[layer].size() ? levels[layer][level] : Roles{}) {
            choice.part.layers[layer].set(static_cast<std::size_t>(role));
        }
    };
    for (std::size_t level = 0; level < n_levels; ++level) {
        const std::vector<FlashPart::Roles> before = choice.part.layers;
        const auto fits_with = [&](std::size_t n) {
            choice.part.layers = before;
            for (std::size_t k = 0; k < n; ++k) {
                leave(level, (2 * k + 1) * n_layer / (2 * n));
            }
            return fits();
        };
        if (!fits_with(n_layer)) {
            continue;
        }
        std::size_t least = 1;
        for (std::size_t most = n_layer; least < most;) {
            const std::size_t middle = (least + most) / 2;
            if (fits_with(middle)) {
                most = middle;
            } else {
                least = middle + 1;
            }
        }
        fits_with(least);
        return found();
    }
    choice.part.output = !tensors[Role::Output].same_as(tensors[Role::TokenEmbd]);
    return fits() ? std::optional(found()) : std::nullopt;
}

}  // namespace hearth
