// How a unit holds the numbers of a matrix. Units hand their forms in; who reads files knows none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/weights.h"

namespace hearth {

// Some rows of a weight on their way to a form.
struct FormRows {
    const Weight& weight;
    const std::byte* rows = nullptr;  // as the file stores them
    std::uint64_t stride = 0;         // bytes from one to the next
    std::uint64_t first = 0;          // which row of the job's the first one is
    std::uint64_t count = 0;
    std::uint64_t first_col = 0, n_cols = 0;  // that are held of each row
    std::span<std::byte> room{};              // WeightForm::room_bytes()
};

class WeightForm {
public:
    virtual ~WeightForm() = default;
    // The room that put() needs beside the rows.
    virtual std::uint64_t room_bytes(const Weight&) const { return 0; }
    // Writes the rows to their places in the matrix that begins at `base`. Any thread; different
    // rows by several at once.
    virtual void put(const FormRows& rows, std::byte* base) const = 0;
};

}  // namespace hearth
