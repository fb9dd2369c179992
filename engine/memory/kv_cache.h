// The processor's part of a past: the layers whose attention or recurrence it computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "base/aligned_buffer.h"
#include "memory/ledger.h"
#include "model/past_shape.h"
#include "plan/placement.h"

namespace hearth {

// Per layer and key/value head, keys and then values of n_ctx positions, rounded up to a whole tile
// of 16, as cpu/kernels/kernels.h says: keys in tiles, so that scores need no sum across lanes.
// A layer whose past moves up (model/past_shape.h) has room for some positions from
// first_position() on, and behind its room a copy's. Which positions hold something is the
// session's business. Layers whose attention is in VRAM have
// theirs there, and nothing here. A layer that reads another one's past finds it under its own
// number. Behind a layer's values are the keys by which it chooses blocks, if it does. Behind all
// of that lies what recurrent layers keep of tokens ahead of their states, and then these states,
// those of now in one run and those of each snapshot in another.
class KvCache {
public:
    static constexpr int kTilePositions = 16;

    // The bytes of the layers whose attention the placement leaves to the processor.
    static std::uint64_t bytes_for(const ModelSpec& spec, int n_ctx,
                                   const Placement& placement = {});
    static Result<KvCache> create(const ModelSpec& spec, int n_ctx, Ledger& ledger,
                                  const Placement& placement = {});

    int n_ctx() const { return n_ctx_; }
    // True if create() would make such a cache.
    bool is_for(const ModelSpec& spec, int n_ctx, const Placement& placement = {}) const;
    std::uint64_t bytes() const { return bytes_; }
    // Bytes of the states of now; 0: no recurrent layer is held.
    std::uint64_t state_bytes() const { return state_bytes_; }

    // False where the layer's past lies in VRAM.
    bool holds(int layer) const {
        const PastShape& shape = layers_[static_cast<std::size_t>(layer)].shape;
        return shape.n_positions > 0 || shape.kind == PastKind::State;
    }

    // These and the following functions take layers that the cache holds.

    // The position whose row is the first of keys() and values().
    int first_position(int layer) const;
    std::byte* keys(int layer, int head_kv) { return at(layer, head_kv, 0); }
    std::byte* values(int layer, int head_kv) { return at(layer, head_kv, 1); }

    // For the pasts that move. Positions are multiples of kPastStep, but `end`, and no further
    // apart than what is kept; what lies between them is held.

    // True if some past does.
    bool moves() const;
    // Moves [first, end) to the beginning of its room. Nothing before it is held any more.
    void move_up(int first, int end);
    // Forgets all positions: the first one's room is again that of 0.
    void move_back();
    // Copies [first, end) to the copy's place, and back to where move_up() would put it.
    void save_kept(int first, int end);
    void restore_kept(int first, int end);

    // The pieces of memory in which the first n positions are, with all states and copies, in a
    // fixed order; and the first position of pasts that move, for whoever fills them. first: of
    // layers that hold all positions, only those from there on, and a few before.
    std::vector<std::span<std::byte>> pieces(int n_positions, int first = 0);
    void set_first(int position) { first_ = position; }
    // The shape of each layer that is held.
    std::string layout_text() const;

    // Disjoint positions may be written from several threads at once.

    // F16 only: writes the key of one position of one head, [head_dim].
    void store_key(int layer, int head_kv, int position, const std::uint16_t* key);
    // F16 only: the place where the value of one position of one head belongs, [value_dim].
    std::uint16_t* value(int layer, int head_kv, int position);
    // F16 only: writes keys of n positions of one head from `position` on; tile: [head_dim][16], of
    // which the first n columns count.
    void store_keys(int layer, int head_kv, int position, int n, const std::uint16_t* tile);

    // Q8_0 only: rounds key and value of one position of one head, [head_dim] and [value_dim], to
    // bytes, writes them, and puts what they stand for in their places. A number that is none, or
    // is infinite, makes NaN of the 32 columns it is among.
    void store_rounded(int layer, int head_kv, int position, float* key, float* value);

    // Of a layer that chooses blocks: keys of the choice, [n_ctx, choice_dim], and those of whole
    // blocks, [n_ctx / choice_block, choice_dim].
    float* choice_keys(int layer);
    float* choice_blocks(int layer);

    // A recurrent layer's [state_floats] of its shape, as they are now.
    float* state(int layer);
    // The layer keeps this of tokens that its state has not taken yet, as AheadPlaces says. It is
    // no part of pieces().
    float* ahead(int layer);
    // All states as before the first token.
    void clear_states();
    // Copies all states to a snapshot's place, and back. slot < kSnapshots.
    void save_states(int slot);
    void restore_states(int slot);

private:
    struct Layer {
        PastShape shape;             // of no positions and no state: not held
        std::size_t first = 0;       // byte, from the beginning; of a state from that of the states
        bool reads_another = false;  // the past is another layer's
        std::size_t ahead = 0;       // byte, from the beginning, of a layer with a state
        bool operator==(const Layer&) const = default;
    };
    static std::vector<Layer> lay_out(const ModelSpec& spec, int n_ctx, const Placement& placement,
                                      std::uint64_t& bytes, std::uint64_t& state_bytes);
    void store_column(int layer, int head_kv, int position, const std::uint16_t* key,
                      std::size_t stride);
    std::byte* at(int layer, int head_kv, int which);
    // For each key head and value head of the pasts that move, each once: move(room, copy,
    // tile_bytes).
    template <class Move>
    void each_head_that_moves(const Move& move);
    std::size_t head_dim(int layer) const;
    std::byte* states(int copy);  // 0: of now, 1 + slot: a snapshot's

    AlignedBuffer buffer_;
    std::uint64_t bytes_ = 0;
    std::uint64_t state_bytes_ = 0;
    int n_ctx_ = 0;
    int first_ = 0;              // position, of the pasts that move
    std::vector<Layer> layers_;  // [n_layer]
};

}  // namespace hearth
