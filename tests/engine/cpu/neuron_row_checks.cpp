#include "engine/cpu/neuron_row_checks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <string>

#include "base/aligned_buffer.h"
#include "cpu/matrix.h"
#include "cpu/neuron_rows_to_tile.h"
#include "cpu/pack_rows.h"
#include "engine/cpu/as_bytes.h"
#include "engine/cpu/random_rows.h"
#include "gguf/rows.h"

namespace hearth::test {
namespace {

using kernels::KernelTable;

// Neuron rows, some bytes between them, and the same as plain numbers.
struct Rows : RandomRows {
    Rows(DType row_type, int n_rows, int row_cols, bool rewrite = false)
        : RandomRows(row_type, n_rows, row_cols, rewrite), n(n_rows), cols(row_cols) {
        const auto width = static_cast<std::size_t>(cols);
        const auto count = static_cast<std::size_t>(n);
        stride = neuron_row_bytes(type, cols) + 192;
        auto made = AlignedBuffer::create(count * stride, "rows");
        data = std::move(*made);
        std::memset(data.data(), 0x7F, data.bytes());  // would show in a result
        for (std::size_t r = 0; r < count; ++r) {
            to_neuron_row(type, &file[r * row_size], cols, data.data() + r * stride);
        }
        // The activations: zeros beyond the last column, as the kernels ask.
        const auto padded = static_cast<std::size_t>(kernels::neuron_row_cols(cols));
        // Behind them lies what would show in a result.
        const std::size_t behind = 4 * kernels::kRowGroup;
        x_f32.assign(padded + behind, 1e6F);
        q.assign(padded + behind, 101);
        d.assign((padded + behind) / kBlockValues, 1e6F);
        offset.assign(d.size(), 1e6F);
        std::fill_n(x_f32.begin(), padded, 0.0F);
        std::fill_n(q.begin(), padded, std::int8_t{0});
        std::fill_n(d.begin(), padded / kBlockValues, 0.0F);
        std::fill_n(offset.begin(), padded / kBlockValues, 0.0F);
        x.assign(width, 0.0);
        for (std::size_t c = 0; c < width; ++c) {
            x_f32[c] = normal(random);
            x[c] = static_cast<double>(x_f32[c]);
        }
        for (std::size_t b = 0; takes_quantized(type) && b < width / kBlockValues; ++b) {
            int sum = 0;
            d[b] = 0.01F + 0.001F * static_cast<float>(b);
            for (std::size_t c = b * kBlockValues; c < (b + 1) * kBlockValues; ++c) {
                q[c] = static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
                sum += q[c];
                x[c] = static_cast<double>(d[b]) * q[c];
            }
            offset[b] = -8.0F * d[b] * static_cast<float>(sum);
        }
        for (int r = n - 1; r >= 0; r -= 1 + r % 3) {  // backwards, with gaps
            index.push_back(static_cast<std::uint16_t>(r));
        }
    }

    int n, cols;
    std::size_t stride = 0;
    AlignedBuffer data;
    std::vector<float> x_f32, d, offset;
    std::vector<std::int8_t> q;
    std::vector<double> x;  // what the activations stand for
    std::vector<std::uint16_t> index;
};

std::string percent_of_terms(double worst, double bound) {
    return "at most " + std::to_string(worst * 1e6) + "e-6 of the sum of |terms|, bound " +
           std::to_string(bound * 1e6) + "e-6";
}

std::vector<float> dots(const KernelTable& table, const Rows& rows) {
    std::vector<float> y(rows.index.size(), -1.0F);
    kernels_for(table, rows.type)
        .row_dot({rows.data.data(), rows.stride, kernels::neuron_row_cols(rows.cols),
                  rows.index.data(), static_cast<int>(rows.index.size()), rows.x_f32.data(),
                  rows.q.data(), rows.d.data(), rows.offset.data(), y.data()});
    return y;
}

CheckOutcome check_dot(const KernelTable& table, DType type, int cols) {
    const Rows rows(type, 37, cols);
    const std::vector<float> y = dots(table, rows);
    constexpr double kBound = 4e-6;
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        double sum = 0;
        double size = 1e-30;
        for (int c = 0; c < cols; ++c) {
            const double term =
                static_cast<double>(rows.w[static_cast<std::size_t>(rows.index[i] * cols + c)]) *
                rows.x[static_cast<std::size_t>(c)];
            sum += term;
            size += std::fabs(term);
        }
        const double error = std::fabs(static_cast<double>(y[i]) - sum) / size;
        worst = std::isfinite(error) ? std::max(worst, error) : 1.0;
    }
    return {worst <= kBound, percent_of_terms(worst, kBound)};
}

// The sums of the rows in the order of their places, over 0.25.
std::vector<float> added(const KernelTable& table, const Rows& rows) {
    const int padded = kernels::neuron_row_cols(rows.cols);
    const int n_groups = padded / kernels::kRowGroup;
    auto y = AlignedBuffer::create(static_cast<std::uint64_t>(padded) * sizeof(float), "sums");
    const std::span<float> sums = y->span<float>(0, static_cast<std::size_t>(padded));
    std::fill(sums.begin(), sums.end(), 0.25F);  // added to, not overwritten
    const std::vector<float> a(rows.x_f32.begin(),
                               rows.x_f32.begin() + static_cast<long>(rows.index.size()));
    // In two ranges of groups, as threads would; the last row alone.
    const auto n = static_cast<int>(rows.index.size());
    for (const auto& [first, last] : {std::pair{0, n_groups / 2}, {n_groups / 2, n_groups}}) {
        for (const auto& [from, count] : {std::pair{0, n - 1}, {n - 1, 1}}) {
            kernels_for(table, rows.type)
                .row_add({rows.data.data(), rows.stride, padded, rows.index.data() + from, count,
                          a.data() + from, first, last, sums.data() + first * kernels::kRowGroup});
        }
    }
    return {sums.begin(), sums.end()};
}

CheckOutcome check_add(const KernelTable& table, DType type, int cols) {
    const Rows rows(type, 29, cols);
    const std::vector<float> sums = added(table, rows);
    const std::vector<float> a(rows.x_f32.begin(),
                               rows.x_f32.begin() + static_cast<long>(rows.index.size()));
    const auto n = static_cast<int>(rows.index.size());
    const CodeKind codes = encoding_of(type).codes;
    constexpr double kBound = 2e-6;
    double worst = 0;
    for (int p = 0; p < kernels::neuron_row_cols(cols); ++p) {
        const int c = kernels::accumulator_column(codes, p);
        double sum = 0.25;
        double size = 0.25;
        for (int i = 0; i < n && c < cols; ++i) {
            const double term = static_cast<double>(a[static_cast<std::size_t>(i)]) *
                                static_cast<double>(rows.w[static_cast<std::size_t>(
                                    rows.index[static_cast<std::size_t>(i)] * cols + c)]);
            sum += term;
            size += std::fabs(term);
        }
        const double error =
            std::fabs(static_cast<double>(sums[static_cast<std::size_t>(p)]) - sum) / size;
        worst = std::isfinite(error) ? std::max(worst, error) : 1.0;
    }
    return {worst <= kBound, percent_of_terms(worst, kBound)};
}

CheckOutcome check_like_bytes(const KernelTable& table, DType type, int cols) {
    const Rows rows(type, 33, cols);
    const Rows wide(type, 33, cols, true);
    if (dots(table, rows) != dots(table, wide)) {
        return {false, "a dot product differs from that of the same numbers in bytes"};
    }
    const std::vector<float> sums = added(table, rows);
    const std::vector<float> wanted = added(table, wide);
    const CodeKind codes = encoding_of(type).codes;
    for (int p = 0; p < kernels::neuron_row_cols(cols); ++p) {
        const auto at = static_cast<std::size_t>(kernels::accumulator_column(codes, p));
        if (sums[static_cast<std::size_t>(p)] != wanted[at]) {
            return {false, "column " + std::to_string(at) + " differs from the same in bytes"};
        }
    }
    return {true, "the sums of the same numbers in bytes"};
}

// Every place of a group once.
CheckOutcome check_places(DType type) {
    const CodeKind codes = encoding_of(type).codes;
    std::vector<int> seen(2 * kernels::kRowGroup, 0);
    for (int p = 0; p < 2 * kernels::kRowGroup; ++p) {
        const int c = kernels::accumulator_column(codes, p);
        if (c / kernels::kRowGroup != p / kernels::kRowGroup) {
            return {false, "place " + std::to_string(p) + " leaves its group"};
        }
        ++seen[static_cast<std::size_t>(c)];
    }
    return {std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }),
            "each column has one place"};
}

CheckOutcome check_tiles(DType type, int n_rows, int cols) {
    const Rows rows(type, n_rows, cols);
    const std::uint64_t bytes = packed_bytes(type, 16, static_cast<std::uint64_t>(cols));
    std::vector<std::byte> wanted(bytes, std::byte{1});
    std::vector<std::byte> got(bytes, std::byte{2});
    pack_tile(type, rows.file.data(), n_rows, cols, wanted.data());
    neuron_rows_to_tile(type, rows.data.data(), rows.stride, n_rows, cols, got.data());
    // What a missing row holds is its own affair, as long as it is finite: compare as numbers.
    std::vector<float> a(static_cast<std::size_t>(cols));
    std::vector<float> b(a.size());
    for (std::uint64_t r = 0; r < 16; ++r) {
        unpack_row(type, wanted.data(), r, a);
        unpack_row(type, got.data(), r, b);
        if (a != b) {
            return {false, "row " + std::to_string(r) + " differs"};
        }
    }
    std::vector<std::byte> row(row_bytes(type, static_cast<std::uint64_t>(cols)));
    for (std::size_t r = 0; r < static_cast<std::size_t>(n_rows); ++r) {
        from_neuron_row(type, rows.data.data() + r * rows.stride, cols, row.data());
        if (std::memcmp(row.data(), &rows.file[r * row.size()], row.size()) != 0) {
            return {false, "row " + std::to_string(r) + " comes back changed"};
        }
    }
    return {true, "the tile that pack_tile() makes of the file's rows"};
}

}  // namespace

void add_neuron_row_checks(const KernelTable& table, std::vector<KernelCheck>& checks) {
    const std::string prefix = std::string(table.name) + "/";
    for (const Encoding& encoding : encodings()) {
        if (!encoding.has(Layout::NeuronRow)) {
            continue;
        }
        const DType type = encoding.type;
        const std::string name(dtype_info(type).name);
        for (const int cols : {32, 128, 512, 4096, 2592, 2816}) {
            if (cols % encoding.block_values != 0) {
                continue;
            }
            const std::string row = name + "/" + std::to_string(cols);
            checks.push_back({prefix + "row dot " + row,
                              [&table, type, cols] { return check_dot(table, type, cols); }});
            checks.push_back({prefix + "row add " + row,
                              [&table, type, cols] { return check_add(table, type, cols); }});
            if (sums_like_bytes(encoding)) {
                checks.push_back({prefix + "rows like bytes " + row, [&table, type, cols] {
                                      return check_like_bytes(table, type, cols);
                                  }});
            }
        }
    }
}

void add_neuron_row_layout_checks(std::vector<KernelCheck>& checks) {
    for (const Encoding& encoding : encodings()) {
        if (!encoding.has(Layout::NeuronRow)) {
            continue;
        }
        const DType type = encoding.type;
        const std::string name(dtype_info(type).name);
        checks.push_back({"neuron row places " + name, [type] { return check_places(type); }});
        const int block = std::max<int>(encoding.block_values, kBlockValues);
        for (const auto& [n_rows, cols] :
             {std::pair{16, 2 * kSuperBlockValues}, {5, 3 * block}, {16, block}, {7, 9 * block}}) {
            checks.push_back(
                {"neuron rows to tile " + name + "/" + std::to_string(n_rows) + "x" +
                     std::to_string(cols),
                 [type, n_rows = n_rows, cols = cols] { return check_tiles(type, n_rows, cols); }});
        }
    }
}

}  // namespace hearth::test
