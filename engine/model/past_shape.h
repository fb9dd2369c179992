// What a layer's attention keeps of the tokens that it has seen.
#pragma once

#include <cstdint>

#include "model/model_spec.h"

namespace hearth {

enum class PastKind {
    KeysAndValues,  // of all positions, F16
};

struct PastShape {
    PastKind kind = PastKind::KeysAndValues;
    int n_head_kv = 0;
    int head_dim = 0;
    int n_positions = 0;  // room
    bool operator==(const PastShape&) const = default;

    // Values of one position, of the keys or of the values.
    std::uint64_t width() const {
        return static_cast<std::uint64_t>(n_head_kv) * static_cast<std::uint64_t>(head_dim);
    }
    // Keys and values of so many positions, wherever they lie.
    std::uint64_t bytes_of(int positions) const {
        return 2 * sizeof(std::uint16_t) * width() * static_cast<std::uint64_t>(positions);
    }
};

// As the layer reads it. One that reads another layer's past (AttentionSpec::past_of) keeps none.
inline PastShape past_shape(const LayerSpec& layer, int n_ctx) {
    return {PastKind::KeysAndValues, layer.attention.n_head_kv, layer.attention.head_dim, n_ctx};
}

// What attention reads of all layers' pasts for one token that has so many positions before it.
inline std::uint64_t past_read_bytes(const ModelSpec& spec, int positions) {
    std::uint64_t bytes = 0;
    for (const LayerSpec& layer : spec.layers) {
        bytes += past_shape(layer, positions).bytes_of(positions);
    }
    return bytes;
}

}  // namespace hearth
