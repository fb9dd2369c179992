// Reads rows of a model file while several threads lay out the rows they got.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hearth/result.h>

#include "base/input_file.h"

namespace hearth {

// A choice of rows of a stored matrix, in an order: rows [first, first + count) of the file, or of
// a permutation of its rows.
struct RowChoice {
    std::uint64_t count = 0;
    std::uint64_t first = 0;
    std::span<const int> order = {};  // place i is row order[i] of the file; empty: row i

    std::uint64_t in_file(std::uint64_t i) const {
        return order.empty() ? first + i : static_cast<std::uint64_t>(order[first + i]);
    }
};

// Asks the disk for bytes ahead of the threads. A thread reads 256 KiB at a time and packs in
// between; without asking ahead the disk would be idle meanwhile. Any thread may call it.
class WeightReader {
public:
    explicit WeightReader(const InputFile& file) : file_(file) {}

    // Reads out.size() bytes. ReadFailed.
    Result<void> read(std::uint64_t offset, std::span<std::byte> out);

private:
    void ask_ahead(std::uint64_t end);

    const InputFile& file_;
    std::atomic<std::uint64_t> asked_{0};
    std::atomic<std::uint64_t> ask_until_{0};
};

}  // namespace hearth
