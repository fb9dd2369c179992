#include "tools/convert_tensors.h"

#include <algorithm>
#include <string>

#include "gguf/encoding.h"
#include "gguf/finite.h"
#include "gguf/printable.h"
#include "gguf/rows.h"

namespace hearth::tools {
namespace {

// The importance of the values from `first` on, of a tensor whose matrices have rows * cols values.
void repeat_rows(std::span<const float> importance, std::uint64_t cols, std::uint64_t matrix_values,
                 std::uint64_t first, std::span<float> out) {
    for (std::size_t done = 0; done < out.size();) {
        const std::uint64_t value = first + done;
        const std::uint64_t col = value % cols;
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(cols - col, out.size() - done));
        const auto from = static_cast<std::size_t>(value / matrix_values * cols + col);
        std::copy_n(importance.begin() + static_cast<std::ptrdiff_t>(from), count,
                    out.begin() + static_cast<std::ptrdiff_t>(done));
        done += count;
    }
}

}  // namespace

TensorConverter::TensorConverter(const GgufFile& file, GgufWriter& writer, int n_threads,
                                 std::uint64_t total_values,
                                 const std::function<void(double)>& progress,
                                 const Cancellation& cancellation)
    : file_(file),
      writer_(writer),
      total_values_(std::max<std::uint64_t>(total_values, 1)),
      progress_(progress),
      cancellation_(cancellation),
      pool_(n_threads),
      floats_(static_cast<std::size_t>(pool_.n_threads()) * kShareValues) {}

// Rows are whole blocks, so a tensor is one run of blocks and is cut without regard to rows.
Result<void> TensorConverter::convert(const TensorInfo& tensor, DType target,
                                      std::span<const float> importance) {
    const std::uint64_t piece_values = static_cast<std::uint64_t>(pool_.n_threads()) * kShareValues;
    for (std::uint64_t at = 0; at < tensor.values(); at += piece_values) {
        if (cancellation_.requested()) {
            return Error{.code = ErrorCode::Cancelled,
                         .message = "stopped; nothing was written",
                         .path = {},
                         .field = {}};
        }
        const std::uint64_t count = std::min(piece_values, tensor.values() - at);
        const std::uint64_t offset = tensor.offset + row_bytes(tensor.type, at);
        input_.resize(static_cast<std::size_t>(row_bytes(tensor.type, count)));
        if (auto read = file_.file().read_at(offset, input_); !read) {
            return read;
        }
        // A value that is no number would become 0 here, and nobody would know.
        if (!rows_are_finite(tensor.type, input_.data(), 1, 0, count)) {
            return not_finite_at(tensor, at, count);
        }
        if (auto written = writer_.write(converted(tensor, target, at, count, importance));
            !written) {
            return written;
        }
        done_values_ += count;
        if (progress_) {
            progress_(static_cast<double>(done_values_) / static_cast<double>(total_values_));
        }
    }
    return {};
}

// Looks at single blocks: at rows, which may begin before the piece, it cannot.
Error TensorConverter::not_finite_at(const TensorInfo& tensor, std::uint64_t at,
                                     std::uint64_t count) const {
    const std::uint64_t block = encoding_of(tensor.type).block_values;
    std::uint64_t first = 0;
    while (
        first + block < count &&
        rows_are_finite(tensor.type, input_.data() + row_bytes(tensor.type, first), 1, 0, block)) {
        first += block;
    }
    return Error{.code = ErrorCode::BadFile,
                 .message = printable(tensor.name) + ": row " +
                            std::to_string((at + first) / tensor.cols()) + " holds Inf or NaN",
                 .path = file_.path(),
                 .field = printable(tensor.name)};
}

std::span<const std::byte> TensorConverter::converted(const TensorInfo& tensor, DType target,
                                                      std::uint64_t at, std::uint64_t count,
                                                      std::span<const float> importance) {
    const DType source = tensor.type;
    if (source == target) {
        return input_;
    }
    if (!importance.empty()) {
        importances_.resize(floats_.size());
    }
    const std::uint64_t n_matrices = importance.size() / tensor.cols();
    const std::uint64_t matrix_values =
        n_matrices == 0 ? tensor.values() : tensor.values() / n_matrices;
    output_.resize(static_cast<std::size_t>(row_bytes(target, count)));
    const auto shares = static_cast<int>((count + kShareValues - 1) / kShareValues);
    pool_.run(shares, [&](int share, int) {
        const std::uint64_t first = static_cast<std::uint64_t>(share) * kShareValues;
        const auto place = static_cast<std::size_t>(first);
        const auto size = static_cast<std::size_t>(std::min(kShareValues, count - first));
        const auto values = std::span(floats_).subspan(place, size);
        std::span<float> counts;
        if (!importance.empty()) {
            counts = std::span(importances_).subspan(place, size);
            repeat_rows(importance, tensor.cols(), matrix_values, at + first, counts);
        }
        dequantize_row(source, input_.data() + row_bytes(source, first), values);
        quantize_row_searched(target, values, counts, output_.data() + row_bytes(target, first));
    });
    return output_;
}

}  // namespace hearth::tools
