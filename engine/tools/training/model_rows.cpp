#include "tools/training/model_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "model/stored_rows.h"

namespace hearth::tools {
namespace {

constexpr std::uint64_t kReadBytes = 1 << 20;  // at a time, as whole rows

// body(row, its values): all rows in order.
template <class Body>
Result<void> for_rows(const GgufFile& file, const Weight& rows, const Body& body) {
    const auto cols = static_cast<std::size_t>(rows.cols);
    const std::uint64_t count = rows.rows;
    const std::uint64_t each = std::max<std::uint64_t>(1, kReadBytes / rows.stride);
    std::vector<std::byte> bytes;
    std::vector<std::byte> room(rows.row_size());
    std::vector<float> values(cols);
    for (std::uint64_t first = 0; first < count; first += each) {
        const std::uint64_t some = std::min(each, count - first);
        bytes.resize(static_cast<std::size_t>((some - 1) * rows.stride + stored_row_bytes(rows)));
        if (auto read = file.file().read_at(rows.in_file() + first * rows.stride, bytes); !read) {
            return read;
        }
        for (std::uint64_t r = 0; r < some; ++r) {
            dequantize_row(rows.type, file_row(rows, bytes.data() + r * rows.stride, room.data()),
                           values);
            body(static_cast<std::size_t>(first + r), std::span<const float>(values));
        }
    }
    return {};
}

}  // namespace

const Weight& deciding_rows(const LayerTensors& layer) {
    return layer[layer[Role::Gate].present() ? Role::Gate : Role::Up];
}

Result<std::vector<float>> read_rows(const GgufFile& file, const Weight& rows) {
    std::vector<float> all(static_cast<std::size_t>(rows.values()));
    auto read = for_rows(file, rows, [&](std::size_t row, std::span<const float> values) {
        std::copy(values.begin(), values.end(),
                  all.begin() + static_cast<std::ptrdiff_t>(row * values.size()));
    });
    if (!read) {
        return std::move(read).error();
    }
    return all;
}

Result<std::vector<float>> read_down_norms(const GgufFile& file, const Weight& down) {
    std::vector<double> squares(static_cast<std::size_t>(down.by_neuron ? down.rows : down.cols));
    auto read = for_rows(file, down, [&](std::size_t row, std::span<const float> values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto value = static_cast<double>(values[i]);
            squares[down.by_neuron ? row : i] += value * value;
        }
    });
    if (!read) {
        return std::move(read).error();
    }
    std::vector<float> norms;
    for (const double square : squares) {
        norms.push_back(static_cast<float>(std::sqrt(square)));
    }
    return norms;
}

}  // namespace hearth::tools
