#include "cpu/feed_forward/neuron_chunks.h"

#include <cstdint>

namespace hearth {

NeuronChunks NeuronChunks::of(int n_neurons) {
    // Fewer neurons than this are done before handing them out has paid.
    constexpr int kLeastNeurons = 128;
    const int even = (n_neurons + kMost - 1) / kMost;
    const int step =
        (std::max(even, kLeastNeurons) + kBlockValues - 1) / kBlockValues * kBlockValues;
    return {n_neurons, step, (n_neurons + step - 1) / step};
}

LayerActivity activity_of(const CpuLayer& layer, std::span<const ChunkCounts> chunks) {
    LayerActivity token{.passed = 1, .tokens = 1};
    token.neurons = static_cast<std::uint64_t>(layer.n_neurons);
    for (const ChunkCounts& count : chunks) {
        token.examined += static_cast<std::uint64_t>(count.examined);
        token.opened += static_cast<std::uint64_t>(count.opened);
        token.fired += static_cast<std::uint64_t>(count.fired);
    }
    const bool all_of_up = layer.two_layouts && layer.tiles[Role::Up].present();
    token.computed = all_of_up ? token.neurons : token.opened;
    token.down_rows = !layer.tiles[Role::Down].present() ? token.fired : 0;
    return token;
}

}  // namespace hearth
