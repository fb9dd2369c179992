#include "plan/memory_costs.h"

#include <cstddef>

#include "model/past_shape.h"

namespace hearth {

std::optional<FlashChoice> MemoryCosts::stream_near(const Placement& placement,
                                                    std::uint64_t bytes) const {
    if (loaded == nullptr) {
        return stream_to_fit(placement, bytes);
    }
    Placement near = placement;
    for (std::size_t l = near.layers.size(); l < loaded->layers.size(); ++l) {
        near.layers.emplace_back();
        place_neurons(near, static_cast<int>(l), loaded->layers[l].n_neurons(), 0);
    }
    for (std::size_t l = 0; l < near.layers.size(); ++l) {
        near.layers[l].streamed = loaded->layers[l].streamed;
    }
    return stream_to_fit(near, bytes);
}

GpuMemoryCosts assumed_gpu_costs(const TokenCosts& costs) {
    const ModelBytes& bytes = costs.bytes;
    const bool predicted = costs.mode == FeedForwardMode::Predicted;
    return {
        .attention_bytes =
            [bytes](int layer) { return bytes.layers[static_cast<std::size_t>(layer)].attention; },
        .neurons_bytes =
            [bytes, predicted, heat = costs.heat](int layer, int count) {
                const auto l = static_cast<std::size_t>(layer);
                const LayerBytes& of = bytes.layers[l];
                const auto n = static_cast<std::uint64_t>(count);
                const std::uint64_t n_ff = heat.layers[l].rates.size();
                const std::uint64_t predictor =
                    predicted && n > 0 ? of.predictor - (n_ff - n) * of.predictor_row : 0;
                return n * of.neuron.total() + predictor;
            },
        .output_bytes = bytes.output,
        .kv_bytes =
            [bytes](int n_ctx, int layer) {
                const LayerBytes& of = bytes.layers[static_cast<std::size_t>(layer)];
                if (of.past_of != AttentionSpec::kOwnPast) {
                    return std::uint64_t{0};
                }
                return of.kv_position * static_cast<std::uint64_t>(positions_held(of.kept, n_ctx)) +
                       (1 + kSnapshots) * of.state;
            },
        .scratch_bytes = [](int, int) { return std::uint64_t{0}; },
    };
}

}  // namespace hearth
