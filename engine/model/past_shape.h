// The past of a layer: what it keeps of the tokens that it has seen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "model/model_spec.h"

namespace hearth {

enum class PastKind {
    KeysAndValues,  // of all positions
    State,          // floats, the same number after any number of positions
};

// States of earlier positions that are kept besides the present one. A state cannot be cut back, so
// going back begins at one of them (memory/snapshots.h).
inline constexpr int kSnapshots = 4;

// Drafted tokens may be wrong. A recurrent layer keeps what its state takes of them, of so many
// tokens with the one before them, until it is known which are right (docs/decisions/0103).
inline constexpr int kMostAhead = 8;

// The past of a layer that sees a window has room for some of the latest positions. The positions
// that are still seen move to the room's beginning when a pass would not fit. The first one is
// always a multiple of kPastStep: kernels cut positions at these, so that sums are added up in the
// same order wherever they lie.
inline constexpr int kPastStep = 128;
inline constexpr int kMostPassTokens = 512;

// The positions that stay when the pasts of a model with windows up to this size move up.
constexpr int kept_of_window(int window) {
    return (window - 1 + 2 * (kPastStep - 1)) / kPastStep * kPastStep;
}
// The positions that stay move to a place free of them: a GPU cannot copy a range onto itself.
constexpr int room_of_kept(int kept) {
    return kMostPassTokens + 2 * kept;
}

// The positions that a past has room for, with the copy of what is kept.
constexpr int positions_held(int kept, int n_ctx) {
    return kept > 0 ? std::min(n_ctx, room_of_kept(kept) + kept) : n_ctx;
}

struct PastShape {
    PastKind kind = PastKind::KeysAndValues;
    int n_head_kv = 0;
    int head_dim = 0;     // of keys
    int value_dim = 0;    // of values
    int n_positions = 0;  // room
    int n_kept = 0;       // a copy has room for so many; 0: the past does not move
    KvType type = KvType::F16;
    std::uint64_t state_floats = 0;  // of a State
    std::uint64_t ahead_floats = 0;  // likewise, of kMostAhead tokens: see AheadPlaces
    // Keys by which blocks of positions are chosen, in floats: of each position, and of each block.
    int choice_dim = 0;  // 0: there are none
    int choice_block = 1;
    bool operator==(const PastShape&) const = default;

    std::uint64_t state_bytes() const { return sizeof(float) * state_floats; }
    std::uint64_t ahead_bytes() const { return sizeof(float) * ahead_floats; }
    // Halves of one head's key, or value, that multiply 32 of its numbers each; none of F16.
    std::uint64_t scales_of(int dim) const {
        constexpr int kOfOne = 32;
        return type == KvType::F16 ? 0 : static_cast<std::uint64_t>((dim + kOfOne - 1) / kOfOne);
    }
    std::uint64_t scales() const { return scales_of(head_dim); }
    // All bytes of keys and values, with the copy of what is kept.
    std::uint64_t room_bytes() const { return bytes_of(n_positions) + copy_bytes(); }
    std::uint64_t copy_bytes() const { return n_kept > 0 ? bytes_of(n_kept) : 0; }
    // One head's of so many positions.
    std::uint64_t key_bytes(int positions) const { return rows_bytes(head_dim, positions); }
    std::uint64_t value_bytes(int positions) const { return rows_bytes(value_dim, positions); }
    // All that lies somewhere of so many positions, wherever it lies.
    std::uint64_t bytes_of(int positions) const {
        return state_bytes() + heads_bytes(positions) + choice_bytes(positions) +
               choice_bytes(positions / choice_block);
    }
    // Keys and values of all heads.
    std::uint64_t heads_bytes(int positions) const {
        return static_cast<std::uint64_t>(n_head_kv) *
               (key_bytes(positions) + value_bytes(positions));
    }
    // So many keys by which blocks are chosen.
    std::uint64_t choice_bytes(int keys) const {
        return sizeof(float) * static_cast<std::uint64_t>(choice_dim) *
               static_cast<std::uint64_t>(keys);
    }

private:
    std::uint64_t rows_bytes(int dim, int positions) const {
        const auto width = static_cast<std::uint64_t>(dim);
        const std::uint64_t of_one = type == KvType::F16 ? 2 * width : width + 2 * scales_of(dim);
        return of_one * static_cast<std::uint64_t>(positions);
    }
};

// A recurrent layer keeps the latest inputs of its convolution, [conv_kernel - 1, conv_width].
// Behind them a delta net has the states of its heads, [n_value_heads, key_dim * value_dim], and
// Mamba-2 likewise, [n_heads, state_dim * head_dim]. Last comes what NgramConvSpec says.
inline std::uint64_t conv_state_floats(const LayerSpec& layer) {
    return static_cast<std::uint64_t>(layer.conv_kernel() - 1) *
           static_cast<std::uint64_t>(layer.conv_width());
}

// A recurrent layer keeps of tokens that its state has not taken yet, in floats from the beginning:
// the inputs of its convolution, [kMostAhead, conv_width]. A layer whose heads have states keeps
// then what the convolution makes of them, likewise, and each head's decay and beta, or Mamba's
// step, [kMostAhead, n_state_heads].
struct AheadPlaces {
    std::size_t mixed = 0, decay = 0, beta = 0;
    std::size_t floats = 0;  // of all
};
inline AheadPlaces ahead_places(const LayerSpec& layer) {
    const auto of = [](int width) { return static_cast<std::size_t>(kMostAhead * width); };
    const std::size_t inputs = of(layer.conv_width());
    if (!layer.has_state_heads()) {
        return {.floats = inputs};
    }
    const std::size_t decay = inputs + inputs;
    const std::size_t beta = decay + of(layer.n_state_heads());
    return {inputs, decay, beta, beta + of(layer.n_state_heads())};
}

// As the layer reads it. One that reads another layer's past (AttentionSpec::past_of) keeps none.
inline PastShape past_shape(const LayerSpec& layer, int n_ctx) {
    if (layer.is_recurrent()) {
        const DeltaNetSpec& net = layer.delta_net;
        const StateSpaceSpec& state_space = layer.state_space;
        return {.kind = PastKind::State,
                .state_floats = conv_state_floats(layer) +
                                static_cast<std::uint64_t>(net.value_width()) *
                                    static_cast<std::uint64_t>(net.key_dim) +
                                static_cast<std::uint64_t>(state_space.width()) *
                                    static_cast<std::uint64_t>(state_space.state_dim) +
                                layer.ngram.state_floats(),
                .ahead_floats = ahead_places(layer).floats};
    }
    const AttentionSpec& attention = layer.attention;
    PastShape shape{.n_head_kv = attention.n_head_kv,
                    .head_dim = attention.head_dim,
                    .value_dim = attention.values_dim(),
                    .n_positions = n_ctx,
                    .type = attention.kv,
                    .choice_dim = attention.choice.dim,
                    .choice_block = std::max(1, attention.choice.block)};
    const int room = room_of_kept(attention.kept);
    if (attention.kept > 0 && room + attention.kept < n_ctx) {
        shape.n_positions = room;
        shape.n_kept = attention.kept;
    }
    return shape;
}

// Bytes that one token with so many positions before it reads of the layer's past. A state is read
// whole, however many these are.
inline std::uint64_t past_read_bytes(const LayerSpec& layer, int positions) {
    const int last = std::max(positions - 1, 0);
    if (const BlockChoiceSpec& choice = layer.attention.choice; choice.present()) {
        const PastShape shape = past_shape(layer, positions);
        const int n_blocks = positions / choice.block;
        const int n_seen = n_blocks <= choice.n_chosen
                               ? positions
                               : choice.n_chosen * choice.block + positions % choice.block;
        return shape.heads_bytes(n_seen) + shape.choice_bytes(n_blocks);
    }
    return past_shape(layer, positions).bytes_of(positions - first_seen(layer.attention, last));
}

}  // namespace hearth
