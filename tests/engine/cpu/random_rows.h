// Random numbers as the rows of a matrix in a file, and as the plain numbers that their type keeps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "engine/cpu/as_bytes.h"
#include "gguf/rows.h"

namespace hearth::test {

struct RandomRows {
    // rewrite: the rows are held as_bytes().
    RandomRows(DType row_type, int n_rows, int n_cols, bool rewrite)
        : type(row_type), random(static_cast<unsigned>(n_rows * 1000 + n_cols)) {
        const auto width = static_cast<std::size_t>(n_cols);
        const auto count = static_cast<std::size_t>(n_rows);
        std::vector<float> values(count * width);
        std::generate(values.begin(), values.end(), [&] { return normal(random); });
        w.resize(values.size());
        row_size = row_bytes(type, width);
        file.resize(count * row_size);
        for (std::size_t r = 0; r < count; ++r) {
            quantize_row(type, std::span(values).subspan(r * width, width), &file[r * row_size]);
            dequantize_row(type, &file[r * row_size], std::span(w).subspan(r * width, width));
        }
        if (rewrite) {
            file = as_bytes(encoding_of(type), file);
            type = DType::Q8_0;
            row_size = file.size() / count;
        }
    }

    DType type;
    std::mt19937 random;  // goes on for what a test needs beside
    std::normal_distribution<float> normal;
    std::size_t row_size = 0;
    std::vector<std::byte> file;
    std::vector<float> w;  // [rows, cols]
};

}  // namespace hearth::test
