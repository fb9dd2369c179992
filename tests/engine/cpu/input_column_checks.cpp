#include "engine/cpu/input_column_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <string>

#include "base/aligned_buffer.h"
#include "cpu/convert_input_columns.h"
#include "cpu/matrix.h"
#include "cpu/pack_rows.h"
#include "engine/cpu/as_bytes.h"
#include "engine/cpu/random_rows.h"
#include "gguf/rows.h"

namespace hearth::test {
namespace {

using kernels::kBlockQuads;
using kernels::KernelTable;

// A matrix as a file has it, as input columns, and as plain numbers.
struct Matrix : RandomRows {
    Matrix(DType file_type, int n_rows, int n_cols, bool rewrite = false)
        : RandomRows(file_type, n_rows, n_cols, rewrite), rows(n_rows), cols(n_cols) {
        auto made = AlignedBuffer::create(input_column_bytes(type, rows, cols), "columns");
        data = std::move(*made);
        std::memset(data.data(), 0x7F, data.bytes());  // would show in a result
        for (int first = 0; first < rows; first += kernels::kColumnGroup) {
            to_input_columns(type, &file[static_cast<std::size_t>(first) * row_size], first,
                             std::min(kernels::kColumnGroup, rows - first), rows, cols,
                             data.data());
        }
    }
    ColumnMatrix view() const { return {type, rows, cols, data.data()}; }

    int rows, cols;
    AlignedBuffer data;
};

// Block b keeps every input whose number times 7 plus b, modulo 32, is below keep(b): 0, some, all.
int kept_inputs(int block) {
    constexpr std::array kKeep{16, 0, 32, 5, 17, 1, 30};
    return kKeep[static_cast<std::size_t>(block) % kKeep.size()];
}

// Outputs, over 0.25, and the activations that they are of.
struct Sums {
    std::vector<float> y;
    std::vector<double> x;
};
Sums product(const KernelTable& table, const Matrix& matrix) {
    const int cols = matrix.cols;
    const auto n_blocks = static_cast<std::size_t>(cols / kBlockValues);
    std::mt19937 random(7);
    std::vector<kernels::InputQuad> quads(n_blocks * kBlockQuads);
    std::vector<std::uint8_t> counts(n_blocks, 0);
    std::vector<float> d(n_blocks);
    std::vector<std::int32_t> offset(n_blocks, 0);
    std::vector<double> x(static_cast<std::size_t>(cols), 0.0);
    for (std::size_t b = 0; b < n_blocks; ++b) {
        d[b] = 0.01F + 0.001F * static_cast<float>(b);
        int n = 0;
        for (int i = 0; i < kBlockValues; ++i) {
            if ((7 * i + static_cast<int>(b)) % kBlockValues >= kept_inputs(static_cast<int>(b))) {
                continue;
            }
            // The extremes, too.
            const int q = n == 0 ? -127 : (n == 1 ? 127 : static_cast<int>(random() % 255) - 127);
            kernels::InputQuad& quad = quads[b * kBlockQuads + static_cast<std::size_t>(n / 4)];
            quad.input[n % 4] = static_cast<std::uint8_t>(i);
            quad.q[n % 4] = static_cast<std::int8_t>(q);
            offset[b] -= 8 * q;
            x[b * kBlockValues + static_cast<std::size_t>(i)] = static_cast<double>(d[b]) * q;
            ++n;
        }
        counts[b] = static_cast<std::uint8_t>((n + 3) / 4);
    }
    const int width = kernels::input_column_width(matrix.rows);
    auto y = AlignedBuffer::create(static_cast<std::uint64_t>(width) * sizeof(float), "sums");
    const std::span<float> sums = y->span<float>(0, static_cast<std::size_t>(width));
    std::fill(sums.begin(), sums.end(), 0.25F);  // added to, not overwritten
    // In two ranges of blocks, as threads would.
    const int half = static_cast<int>(n_blocks) / 2;
    for (const auto& [first, last] : {std::pair{0, half}, {half, static_cast<int>(n_blocks)}}) {
        kernels_for(table, matrix.type)
            .columns({matrix.data.data(), width, first, last, quads.data(), counts.data(), d.data(),
                      offset.data(), sums.data()});
    }
    return {{sums.begin(), sums.end()}, std::move(x)};
}

CheckOutcome check_like_bytes(const KernelTable& table, DType type, int rows, int cols) {
    return {product(table, Matrix(type, rows, cols)).y ==
                product(table, Matrix(type, rows, cols, true)).y,
            "the sums of the same numbers in bytes"};
}

CheckOutcome check_product(const KernelTable& table, DType type, int rows, int cols) {
    const Matrix matrix(type, rows, cols);
    const auto [sums, x] = product(table, matrix);
    constexpr double kBound = 2e-6;
    double worst = 0;
    for (std::size_t r = 0; r < sums.size(); ++r) {
        double sum = 0.25;
        double size = 0.25;
        for (std::size_t c = 0; c < x.size() && r < static_cast<std::size_t>(rows); ++c) {
            const double term = static_cast<double>(matrix.w[r * x.size() + c]) * x[c];
            sum += term;
            size += std::fabs(term);
        }
        const double error = std::fabs(static_cast<double>(sums[r]) - sum) / size;
        worst = std::isfinite(error) ? std::max(worst, error) : 1.0;
    }
    return {worst <= kBound, "at most " + std::to_string(worst * 1e6) +
                                 "e-6 of the sum of |terms|, bound " +
                                 std::to_string(kBound * 1e6) + "e-6"};
}

CheckOutcome check_tiles(DType type, int rows, int cols) {
    const Matrix matrix(type, rows, cols);
    const std::uint64_t bytes = packed_bytes(type, 16, static_cast<std::uint64_t>(cols));
    const std::size_t row_size = row_bytes(type, static_cast<std::uint64_t>(cols));
    std::vector<std::byte> wanted(bytes);
    std::vector<std::byte> got(bytes);
    std::vector<float> a(static_cast<std::size_t>(cols));
    std::vector<float> b(a.size());
    for (int first = 0; first < rows; first += kernels::kTileRows) {
        std::fill(got.begin(), got.end(), std::byte{2});
        pack_tile(type, &matrix.file[static_cast<std::size_t>(first) * row_size],
                  std::min(kernels::kTileRows, rows - first), cols, wanted.data());
        input_columns_to_tile(matrix.view(), first, got.data());
        for (std::uint64_t r = 0; r < kernels::kTileRows; ++r) {
            unpack_row(type, wanted.data(), r, a);
            unpack_row(type, got.data(), r, b);
            if (a != b) {
                return {false, "row " + std::to_string(static_cast<std::uint64_t>(first) + r) +
                                   " differs"};
            }
        }
    }
    return {true, "the tiles that pack_tile() makes of the file's rows"};
}

}  // namespace

void add_input_column_checks(const KernelTable& table, std::vector<KernelCheck>& checks) {
    for (const Encoding& encoding : encodings()) {
        if (!encoding.has(Layout::InputColumn)) {
            continue;
        }
        const DType type = encoding.type;
        for (const auto& [rows, cols] :
             {std::pair{128, 32}, {96, 64}, {896, 4864}, {1000, 256}, {4096, 96}}) {
            checks.push_back({std::string(table.name) + "/input columns " +
                                  std::string(dtype_info(type).name) + "/" + std::to_string(rows) +
                                  "x" + std::to_string(cols),
                              [&table, type, rows = rows, cols = cols] {
                                  return check_product(table, type, rows, cols);
                              }});
            if (sums_like_bytes(encoding)) {
                checks.push_back({std::string(table.name) + "/columns like bytes " +
                                      std::string(dtype_info(type).name) + "/" +
                                      std::to_string(rows) + "x" + std::to_string(cols),
                                  [&table, type, rows = rows, cols = cols] {
                                      return check_like_bytes(table, type, rows, cols);
                                  }});
            }
        }
    }
}

void add_input_column_layout_checks(std::vector<KernelCheck>& checks) {
    for (const Encoding& encoding : encodings()) {
        if (!encoding.has(Layout::InputColumn)) {
            continue;
        }
        const DType type = encoding.type;
        for (const auto& [rows, cols] : {std::pair{128, 32}, {328, 96}, {5, 64}}) {
            checks.push_back(
                {"input columns to tile " + std::string(dtype_info(type).name) + "/" +
                     std::to_string(rows) + "x" + std::to_string(cols),
                 [type, rows = rows, cols = cols] { return check_tiles(type, rows, cols); }});
        }
    }
}

}  // namespace hearth::test
