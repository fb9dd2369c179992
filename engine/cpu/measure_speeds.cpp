#include "cpu/measure_speeds.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "cpu/matrix.h"
#include "cpu/pack_rows.h"
#include "gguf/convert_neuron_row.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kLeastBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kMostMatrixBytes = std::uint64_t{32} << 20;
constexpr double kReadSeconds = 0.25;
constexpr int kLeastRounds = 3;
constexpr int kMostRounds = 200;
constexpr double kMultiplySeconds = 0.1;
constexpr double kAttendSeconds = 0.03;
constexpr int kTokens = 256;
constexpr double kMostOperations = 8e9;  // of one product
constexpr int kPartRows = 512;           // of which rows are picked
constexpr int kPickedOf = 8;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Attention of a batch without a past: so many heads of the usual width, without groups.
class HeadsMeasurement {
public:
    HeadsMeasurement(const kernels::KernelTable& table, ThreadPool& pool)
        : table_(table),
          pool_(pool),
          rows_(std::size_t{kTokens} * kHeads * kHeadDim, 0.25F),
          keys_(rows_),
          outputs_(rows_) {}

    // Once. Returns GFLOP/s: scores and the weighted sum of what each token sees.
    double attend() {
        constexpr int kGroups = kTokens / kernels::kAttentionQueries;
        const auto start = Clock::now();
        pool_.run(kHeads * kGroups, [&](int index, int) {
            attend_group(index % kHeads, index / kHeads * kernels::kAttentionQueries);
        });
        constexpr double kSeen = kTokens * (kTokens + 1) / 2.0;
        return 4e-9 * kSeen * kHeads * kHeadDim / seconds_since(start);
    }

private:
    static constexpr int kHeads = 32;
    static constexpr int kHeadDim = 128;

    void attend_group(int head, int first) {
        constexpr std::size_t kRow = std::size_t{kHeads} * kHeadDim;
        const std::size_t of_head = static_cast<std::size_t>(head) * kHeadDim;
        std::array<const float*, kernels::kAttentionQueries> queries{};
        std::array<float*, kernels::kAttentionQueries> outputs{};
        std::array<int, kernels::kAttentionQueries> seen{};
        for (int i = 0; i < kernels::kAttentionQueries; ++i) {
            const std::size_t at = static_cast<std::size_t>(first + i) * kRow + of_head;
            const auto slot = static_cast<std::size_t>(i);
            queries[slot] = &rows_[at];
            outputs[slot] = &outputs_[at];
            seen[slot] = first + i + 1;
        }
        const AttentionSpec spec{.head_dim = kHeadDim,
                                 .scale = 1 / std::sqrt(static_cast<float>(kHeadDim))};
        table_.attention({.spec = spec,
                          .q = queries.data(),
                          .out = outputs.data(),
                          .largest = nullptr,
                          .total = nullptr,
                          .n_queries = kernels::kAttentionQueries,
                          .n_cached = 0,
                          .k = nullptr,
                          .v = nullptr,
                          .n_batch = seen.data(),
                          .k_batch = &keys_[of_head * kTokens],
                          .v_batch = &rows_[of_head],
                          .v_batch_stride = kRow});
    }

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    std::vector<float> rows_, keys_, outputs_;
};

double median(std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// The weights and what they are multiplied with. All bytes are 0x11, which is a number in every
// type.
struct Operands {
    AlignedBuffer weights, inputs, outputs;

    static Result<Operands> create(std::uint64_t weight_bytes, const UsualMatrix& usual) {
        constexpr std::string_view kWhat = "a measurement";
        const auto cols = static_cast<std::uint64_t>(usual.cols);
        auto weights = AlignedBuffer::create(weight_bytes, kWhat);
        auto inputs =
            AlignedBuffer::create(std::max<std::uint64_t>(quantized_bytes(usual.cols, kTokens),
                                                          cols * kTokens * sizeof(float)),
                                  kWhat);
        auto outputs = AlignedBuffer::create(
            static_cast<std::uint64_t>(usual.rows) * kTokens * sizeof(float), kWhat);
        if (!weights || !inputs || !outputs) {
            return Error{ErrorCode::OutOfMemory, "no memory to measure with"};
        }
        return Operands{std::move(*weights), std::move(*inputs), std::move(*outputs)};
    }
};

class Measurement {
public:
    Measurement(const kernels::KernelTable& table, ThreadPool& pool, const UsualMatrix& usual,
                Operands& operands)
        : table_(table), pool_(pool), usual_(usual), operands_(operands) {
        matrix_bytes_ = packed_bytes(usual.type, static_cast<std::uint64_t>(usual.rows),
                                     static_cast<std::uint64_t>(usual.cols));
        constexpr int kStrides = 64;
        const auto fill = [](AlignedBuffer& buffer, int part) {
            const std::uint64_t step = buffer.bytes() / kStrides;
            const std::uint64_t first = step * static_cast<std::uint64_t>(part);
            std::memset(buffer.data() + first, 0x11,
                        part == kStrides - 1 ? buffer.bytes() - first : step);
        };
        pool.run(kStrides, [&](int part, int) {
            fill(operands_.weights, part);
            fill(operands_.inputs, part);
            fill(operands_.outputs, part);
        });
        // By chance, as neurons fire: the processor's prefetcher would learn a pattern.
        std::minstd_rand random(1);
        for (int row = 0; row < kPartRows; ++row) {
            if (random() % kPickedOf == 0) {
                index_.push_back(static_cast<std::uint16_t>(row));
            }
        }
    }

    // Of all matrices with one token, once. Returns GB/s.
    double read_in_order() {
        const std::uint64_t n = operands_.weights.bytes() / matrix_bytes_;
        const auto start = Clock::now();
        for (std::uint64_t i = 0; i < n; ++i) {
            multiply_matrix(i, 1);
        }
        return static_cast<double>(n * matrix_bytes_) / seconds_since(start) / 1e9;
    }

    // Of about one row in eight of the same bytes as neuron rows, once. Returns GB/s.
    double read_rows() {
        const std::size_t stride = neuron_row_bytes(usual_.type, usual_.cols);
        const auto n_parts = static_cast<int>(operands_.weights.bytes() / stride / kPartRows);
        const kernels::RowDotFunction dot = kernels_for(table_, usual_.type).row_dot;
        const auto* floats = reinterpret_cast<const float*>(operands_.inputs.data());
        const auto start = Clock::now();
        pool_.run(n_parts, [&](int part, int) {
            std::array<float, kPartRows> y;
            dot({operands_.weights.data() + stride * kPartRows * static_cast<std::size_t>(part),
                 stride, kernels::neuron_row_cols(usual_.cols), index_.data(),
                 static_cast<int>(index_.size()), floats,
                 reinterpret_cast<const std::int8_t*>(operands_.inputs.data()), floats, floats,
                 y.data()});
        });
        const double bytes =
            static_cast<double>(n_parts) * static_cast<double>(index_.size()) *
            static_cast<double>(row_bytes(usual_.type, static_cast<std::uint64_t>(usual_.cols)));
        return bytes / seconds_since(start) / 1e9;
    }

    // With kTokens. Returns GFLOP/s.
    double multiply() {
        const auto start = Clock::now();
        const int rows = multiply_matrix(0, kTokens);
        return 2e-9 * rows * usual_.cols * kTokens / seconds_since(start);
    }

private:
    int multiply_matrix(std::uint64_t number, int n_tokens) {
        const double wanted = kMostOperations / (2.0 * usual_.cols * n_tokens);
        const int rows = wanted < usual_.rows ? std::max(1, static_cast<int>(wanted)) : usual_.rows;
        const PackedMatrix matrix{usual_.type, rows, usual_.cols,
                                  operands_.weights.data() + number * matrix_bytes_};
        const ActivationRows rows_in{reinterpret_cast<const float*>(operands_.inputs.data()),
                                     static_cast<std::size_t>(usual_.cols), operands_.inputs.data(),
                                     usual_.cols, n_tokens};
        const std::array products{Product{&matrix,
                                          reinterpret_cast<float*>(operands_.outputs.data()),
                                          static_cast<std::size_t>(usual_.rows)}};
        hearth::multiply(pool_, table_, products, rows_in);
        return rows;
    }

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    const UsualMatrix& usual_;
    Operands& operands_;
    std::uint64_t matrix_bytes_ = 0;
    std::vector<std::uint16_t> index_;
};

}  // namespace

KernelSpeeds measure_kernel_speeds(const kernels::KernelTable& table, ThreadPool& pool,
                                   const UsualMatrix& of_model, std::uint64_t most_bytes) {
    UsualMatrix usual = of_model;
    if (usual.rows <= 0 || usual.cols <= 0) {
        return {};
    }
    const std::uint64_t row =
        packed_bytes(usual.type, kernels::kTileRows, static_cast<std::uint64_t>(usual.cols)) /
        kernels::kTileRows;
    usual.rows = std::min(usual.rows, static_cast<int>(kMostMatrixBytes / row) + 1);
    const std::uint64_t matrix = packed_bytes(usual.type, static_cast<std::uint64_t>(usual.rows),
                                              static_cast<std::uint64_t>(usual.cols));
    const std::uint64_t wanted =
        std::clamp(usual.read_bytes, kLeastBytes, std::max(kLeastBytes, most_bytes));
    auto operands = Operands::create(std::max<std::uint64_t>(1, wanted / matrix) * matrix, usual);
    if (!operands) {
        return {};
    }
    Measurement measurement(table, pool, usual, *operands);
    const bool has_rows = kernels_for(table, usual.type).row_dot != nullptr;
    std::vector<double> in_order, rows, products;
    // In turns: the memory of a shared machine is fast at one moment and slow at the next.
    const auto begin = Clock::now();
    for (int round = 0;
         round < kLeastRounds || (round < kMostRounds && seconds_since(begin) < kReadSeconds);
         ++round) {
        in_order.push_back(measurement.read_in_order());
        rows.push_back(has_rows ? measurement.read_rows() : in_order.back());
    }
    const auto second = Clock::now();
    do {
        products.push_back(measurement.multiply());
    } while (seconds_since(second) < kMultiplySeconds);
    HeadsMeasurement attention(table, pool);
    std::vector<double> heads;
    const auto third = Clock::now();
    do {
        heads.push_back(attention.attend());
    } while (seconds_since(third) < kAttendSeconds);
    return {median(in_order), median(rows), median(products), median(heads)};
}

}  // namespace hearth
