// Weights that a unit holds, for uploading them to the other one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <hearth/result.h>

#include "gguf/dtype.h"
#include "model/roles.h"

namespace hearth {

struct SourceShape {
    DType type{};            // the file's
    std::uint64_t rows = 0;  // 0: the unit holds no part of this matrix
    std::uint64_t cols = 0;
    bool by_neuron = false;  // Down: rows are neurons, not outputs
    bool in_tiles = false;   // always, so that WeightSource::tiles() gives them

    bool present() const { return rows > 0; }
};

// A layer's roles. Gate, Up and Down hold the neurons that the unit has, in the order of its
// places, and UpBias belongs to those. DownBias goes with place 0: it is there if the unit has that
// place. What reading fails with is the unit's. From the time the unit's part is loaded until it is
// destroyed.
class WeightSource {
public:
    virtual ~WeightSource() = default;
    virtual SourceShape shape(int layer, Role matrix) const = 0;
    // Reads what of this part of a layer is not in memory. From the thread that runs the unit's
    // steps, in a pass of several tokens, in the order of a pass. Until the next call, or the next
    // step of the unit that needs weights, rows() may be called for the part's matrices.
    virtual Result<void> hold(int layer, Part part) const = 0;
    // Any thread. Writes rows [first, first + count) as blocks of the shape's type, one row after
    // the other. first: a multiple of 16. out: count * row_bytes(type, cols).
    virtual Result<void> rows(int layer, Role matrix, std::uint64_t first, std::uint64_t count,
                              std::byte* out) const = 0;
    // Any thread. The same rows as they lie in tiles of 16, each row_bytes(type, cols) * 16 bytes;
    // the last tile may have fewer. Until the next call of hold(). Preconditions and errors as for
    // rows(), and the shape says in_tiles.
    virtual Result<std::span<const std::byte>> tiles(int layer, Role matrix, std::uint64_t first,
                                                     std::uint64_t count) const = 0;
    // Any thread. Writes the 16 rows of a tile, as rows() does.
    virtual void rows_of_tile(DType type, const std::byte* tile, int cols,
                              std::byte* out) const = 0;
    // Empty: there is none. Valid until the next call. Any thread.
    virtual Result<std::span<const float>> vector(int layer, Role vector) const = 0;
};

}  // namespace hearth
