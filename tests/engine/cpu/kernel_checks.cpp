#include "engine/cpu/kernel_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <span>

#include "base/half.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "cpu/pack_rows.h"
#include "cpu/rows_to_tile.h"
#include "engine/cpu/as_bytes.h"
#include "engine/cpu/input_column_checks.h"
#include "engine/cpu/neuron_row_checks.h"
#include "engine/cpu/recurrence_checks.h"
#include "gguf/row_piece.h"
#include "gguf/rows.h"
#include "hardware/cpu_features.h"

namespace hearth::test {
namespace {

using kernels::KernelTable;

std::vector<float> normal_values(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    std::generate(values.begin(), values.end(), [&] { return normal(random); });
    return values;
}

// Errors in units of the size of what was summed; the bound is for the 99.9th percentile, ten times
// it for the worst.
class Errors {
public:
    explicit Errors(double bound) : bound_(bound) {}
    void add(double got, double wanted, double scale) {
        const double error = std::fabs(got - wanted) / std::max(scale, 1e-30);
        values_.push_back(std::isfinite(error) ? error : std::numeric_limits<double>::infinity());
    }
    CheckOutcome outcome() {
        std::sort(values_.begin(), values_.end());
        const auto index =
            static_cast<std::size_t>(0.999 * static_cast<double>(values_.size() - 1));
        const double p999 = values_[index];
        const double most = values_.back();
        std::array<char, 128> text{};
        std::snprintf(text.data(), text.size(),
                      "p99.9 %.2e, max %.2e, bound %.0e of the sum of |terms|", p999, most, bound_);
        return {p999 <= bound_ && most <= 10 * bound_, text.data()};
    }

private:
    double bound_;
    std::vector<double> values_;
};

struct Shape {
    int rows, cols, n_tokens;
};

// What a matmul kernel gets, and the same as plain numbers.
struct Problem {
    // rewrite: the weights are held as_bytes().
    Problem(const KernelTable& table, DType weight_type, Shape problem_shape, bool rewrite = false)
        : type(weight_type), shape(problem_shape) {
        const auto rows = static_cast<std::size_t>(shape.rows);
        const auto cols = static_cast<std::size_t>(shape.cols);
        const auto n_tokens = static_cast<std::size_t>(shape.n_tokens);
        const std::vector<float> values = normal_values(rows * cols, 1);
        const std::size_t row_size = row_bytes(type, cols);
        std::vector<std::byte> file(rows * row_size);
        w.resize(rows * cols);
        for (std::size_t r = 0; r < rows; ++r) {
            quantize_row(type, std::span(values).subspan(r * cols, cols), &file[r * row_size]);
            dequantize_row(type, &file[r * row_size], std::span(w).subspan(r * cols, cols));
        }
        if (rewrite) {
            file = as_bytes(encoding_of(type), file);
            type = DType::Q8_0;
        }
        pack(file);
        x_f32 = normal_values(n_tokens * cols, 2);
        x = x_f32;
        if (takes_quantized(type)) {
            read_back(quantize(table, 0, shape.n_tokens));
        }
    }

    void pack(const std::vector<std::byte>& file) {
        const auto rows = static_cast<std::size_t>(shape.rows);
        const std::size_t row_size = file.size() / rows;
        packed.resize(packed_bytes(type, rows, static_cast<std::uint64_t>(shape.cols)));
        for (std::size_t r = 0; r < rows; r += kernels::kTileRows) {
            pack_tile(type, &file[r * row_size],
                      static_cast<int>(std::min<std::size_t>(kernels::kTileRows, rows - r)),
                      shape.cols, &packed[r * row_size]);
        }
    }

    // The activations of some of the tokens as multiply_rows() takes them.
    struct Activations {
        std::vector<std::byte> quantized;
        ActivationRows rows;
    };
    Activations quantize(const KernelTable& table, int first_token, int n_tokens) const {
        const auto cols = static_cast<std::size_t>(shape.cols);
        const float* first = &x_f32[static_cast<std::size_t>(first_token) * cols];
        Activations a;
        // Missing tokens of the last group: bytes that would show in a result.
        a.quantized.resize(quantized_bytes(shape.cols, n_tokens), std::byte{0x7F});
        a.rows = {first, cols, a.quantized.data(), shape.cols, n_tokens};
        for (int t = 0; t < n_tokens; ++t) {
            quantize_into(table, a.rows, t, 0, shape.cols / kBlockValues,
                          first + static_cast<std::size_t>(t) * cols);
        }
        return a;
    }

    std::vector<float> multiply(const KernelTable& table, int first_token, int n_tokens) const {
        std::vector<float> y(static_cast<std::size_t>(n_tokens * shape.rows), -1.0F);
        Activations some;
        if (takes_quantized(type)) {
            some = quantize(table, first_token, n_tokens);
        } else {
            const auto cols = static_cast<std::size_t>(shape.cols);
            some.rows = {&x_f32[static_cast<std::size_t>(first_token) * cols], cols, nullptr,
                         shape.cols, n_tokens};
        }
        multiply_rows(table, {type, shape.rows, shape.cols, packed.data()}, some.rows, 0,
                      shape.rows, y.data(), static_cast<std::size_t>(shape.rows));
        return y;
    }

    // x becomes what the quantised values stand for, read as kernels.h states their layout.
    void read_back(const Activations& a) {
        const int width = kernels::group_width(shape.n_tokens);
        for (int t = 0; t < shape.n_tokens; ++t) {
            const std::byte* group =
                a.quantized.data() + static_cast<std::size_t>(t / width) *
                                         quantized_group_stride(shape.cols, shape.n_tokens);
            for (int c = 0; c < shape.cols; ++c) {
                const std::byte* block = group + static_cast<std::size_t>(c / kBlockValues) *
                                                     kernels::activation_block_bytes(width);
                const int place = t % width;
                const int i = c % kBlockValues;
                float d;
                std::memcpy(&d, block + kBlockValues * width + 4 * place, sizeof d);
                x[static_cast<std::size_t>(t * shape.cols + c)] =
                    d * static_cast<float>(
                            static_cast<std::int8_t>(block[(i / 4 * width + place) * 4 + i % 4]));
            }
        }
    }

    DType type;
    Shape shape;
    std::vector<std::byte> packed;
    std::vector<float> x_f32;
    std::vector<float> w;  // [rows, cols] what the packed weights stand for
    std::vector<float> x;  // [n_tokens, cols] what the activations stand for
};

CheckOutcome check_matmul(const KernelTable& table, DType type, Shape shape) {
    const Problem problem(table, type, shape);
    const std::vector<float> y = problem.multiply(table, 0, shape.n_tokens);
    // Sums of 10^4 floats in sequence: the rounding errors of 2^-24 each add up like a random walk.
    Errors errors(2e-6);
    for (int t = 0; t < shape.n_tokens; ++t) {
        for (int r = 0; r < shape.rows; ++r) {
            double sum = 0;
            double size = 0;
            for (int c = 0; c < shape.cols; ++c) {
                const double term =
                    static_cast<double>(problem.w[static_cast<std::size_t>(r * shape.cols + c)]) *
                    static_cast<double>(problem.x[static_cast<std::size_t>(t * shape.cols + c)]);
                sum += term;
                size += std::fabs(term);
            }
            errors.add(static_cast<double>(y[static_cast<std::size_t>(t * shape.rows + r)]), sum,
                       size);
        }
    }
    return errors.outcome();
}

CheckOutcome check_like_bytes(const KernelTable& table, DType type, Shape shape) {
    const Problem problem(table, type, shape);
    const Problem wide(table, type, shape, true);
    const auto n = shape.n_tokens;
    return {problem.multiply(table, 0, n) == wide.multiply(table, 0, n),
            "the sums of the same numbers in bytes"};
}

// A token's result must not depend on its neighbours: the same text whatever the batch.
CheckOutcome check_batches(const KernelTable& table, DType type) {
    // Odd numbers of everything; columns in several parts; more tokens than one panel.
    const int cols = std::max<int>(encoding_of(type).block_values, kBlockValues);
    for (const Shape shape : {Shape{70, 5 * cols, 37}, {35, 37 * cols, 6}, {17, 2 * cols, 517}}) {
        const Problem problem(table, type, shape);
        const std::vector<float> together = problem.multiply(table, 0, shape.n_tokens);
        for (int t = 0; t < shape.n_tokens; ++t) {
            const std::vector<float> alone = problem.multiply(table, t, 1);
            if (std::memcmp(alone.data(), &together[static_cast<std::size_t>(t * shape.rows)],
                            alone.size() * sizeof(float)) != 0) {
                return {false, "token " + std::to_string(t) + " of " +
                                   std::to_string(shape.n_tokens) +
                                   " differs from the same token alone"};
            }
        }
    }
    return {true, "bit-identical alone and in batches of 6, 37 and 517"};
}

// The greatest numbers of patterns, codes and scales, all with one sign or with the other; in rows
// that differ.
void fill_with_extremes(const Encoding& encoding, std::size_t row, std::byte* block) {
    for (std::size_t i = 0; i < encoding.block_bytes; ++i) {
        block[i] = row % 4 == 0   ? std::byte{0xFF}
                   : row % 4 == 1 ? std::byte{0}
                   : row % 4 == 2 ? static_cast<std::byte>(i % 2 == 0 ? 0xFF : 0)
                                  : static_cast<std::byte>(37 * i + row);
    }
    const std::uint16_t half = float_to_half(0.5F);
    for (int h = 0; h < encoding.n_halves(); ++h) {
        std::memcpy(block + encoding.shape.halves[h], &half, sizeof half);
    }
    for (std::size_t i = 0; i < 4 && encoding.n_halves() == 0; ++i) {
        std::byte& quarter = block[49 + 2 * i];
        quarter = (quarter & std::byte{0x0F}) | static_cast<std::byte>((half >> 4 * i & 15) << 4);
    }
}

// The extremes of the integer types: nothing may saturate or wrap.
CheckOutcome check_extremes(const KernelTable& table, DType type) {
    const Encoding& encoding = encoding_of(type);
    const std::size_t cols = std::max<std::size_t>(encoding.block_values, 2 * kBlockValues);
    Problem problem(table, type, {16, static_cast<int>(cols), 2});
    const unsigned most =
        encoding.codes == CodeKind::Bits8 ? 255U : (16U << high_bits(encoding.codes)) - 1;
    RowPiece piece;
    for (auto& halves : piece.halves) {
        std::fill(std::begin(halves), std::end(halves), float_to_half(0.5F));
    }
    for (std::size_t i = 0; i < std::size(piece.scales); ++i) {
        piece.scales[i] = i % 3 == 0 ? std::int8_t{-128} : std::int8_t{127};
    }
    std::vector<std::byte> file(16 * row_bytes(type, cols));
    for (std::size_t r = 0; r < 16 && encoding.codes == CodeKind::Packed; ++r) {
        fill_with_extremes(encoding, r, &file[r * row_bytes(type, cols)]);
    }
    for (std::size_t r = 0; r < 16 && encoding.codes != CodeKind::Packed; ++r) {
        for (std::size_t c = 0; c < cols; ++c) {
            piece.codes[c] = (r + c / 4) % 3 == 0 ? 0 : static_cast<std::uint8_t>(most);
        }
        put_together(encoding, piece, static_cast<int>(cols), &file[r * row_bytes(type, cols)]);
    }
    problem.pack(file);
    // All 127 of one sign: d is 1 and every q an extreme.
    for (std::size_t c = 0; c < cols; ++c) {
        problem.x_f32[c] = 127.0F;
        problem.x_f32[cols + c] = -127.0F;
    }
    const std::vector<float> got = problem.multiply(table, 0, 2);
    std::vector<float> row(cols);
    Errors errors(1e-6);
    for (int t = 0; t < 2; ++t) {
        for (int r = 0; r < 16; ++r) {
            unpack_row(type, problem.packed.data(), static_cast<std::uint64_t>(r), row);
            double sum = 0;
            double size = 0;
            for (std::size_t c = 0; c < cols; ++c) {
                const double term = static_cast<double>(row[c]) * (t == 0 ? 127.0 : -127.0);
                sum += term;
                size += std::fabs(term);
            }
            errors.add(static_cast<double>(got[static_cast<std::size_t>(t * 16 + r)]), sum, size);
        }
    }
    return errors.outcome();
}

CheckOutcome check_packing(DType type, std::size_t cols) {
    const std::size_t rows = 35;
    const std::vector<float> values = normal_values(rows * cols, 3);
    const std::size_t row_size = row_bytes(type, cols);
    std::vector<std::byte> file(rows * row_size);
    std::vector<std::byte> packed(packed_bytes(type, rows, cols));
    for (std::size_t r = 0; r < rows; ++r) {
        quantize_row(type, std::span(values).subspan(r * cols, cols), &file[r * row_size]);
    }
    for (std::size_t r = 0; r < rows; r += 16) {
        pack_tile(type, &file[r * row_size], static_cast<int>(std::min<std::size_t>(16, rows - r)),
                  static_cast<int>(cols), &packed[r * row_size]);
    }
    std::vector<float> wanted(cols);
    std::vector<float> got(cols);
    for (std::size_t r = 0; r < rows; ++r) {
        dequantize_row(type, &file[r * row_size], wanted);
        unpack_row(type, packed.data(), r, got);
        if (wanted != got) {
            return {false, "row " + std::to_string(r) + " comes back changed"};
        }
    }
    std::vector<std::byte> again(16 * row_size);
    for (std::size_t r = 0; r < rows; ++r) {
        if (r % 16 == 0) {
            unpack_tile(type, &packed[r * row_size],
                        static_cast<int>(std::min<std::size_t>(16, rows - r)),
                        static_cast<int>(cols), again.data());
        }
        const std::byte* row = &again[r % 16 * row_size];
        if (std::memcmp(row, &file[r * row_size], row_size) != 0) {
            return {false, "row " + std::to_string(r) + " of a tile comes back changed"};
        }
    }
    return {true, "35 rows come back exactly"};
}

// A tile has every bit of the blocks, whatever they are.
CheckOutcome check_packed_bits(DType type) {
    const std::size_t cols = 3 * kSuperBlockValues;
    const std::size_t row_size = row_bytes(type, cols);
    std::mt19937 random(5);
    std::vector<std::byte> file(kernels::kTileRows * row_size);
    std::generate(file.begin(), file.end(), [&] { return static_cast<std::byte>(random()); });
    std::vector<std::byte> tile(packed_bytes(type, kernels::kTileRows, cols));
    bool same = true;
    for (const int n_rows : {kernels::kTileRows, 7}) {  // fours, and rows left of one
        file.resize(static_cast<std::size_t>(n_rows) * row_size);
        std::vector<std::byte> again(file.size());
        pack_tile(type, file.data(), n_rows, static_cast<int>(cols), tile.data());
        unpack_tile(type, tile.data(), n_rows, static_cast<int>(cols), again.data());
        same = same && file == again;
    }
    return {same, "random bits come back exactly"};
}

CheckOutcome check_quantize(const KernelTable& table, int width, int token) {
    const int n_blocks = 40;
    std::vector<float> x = normal_values(n_blocks * kBlockValues, 4);
    std::fill_n(x.begin(), kBlockValues, 0.0F);           // a block of zeros
    x[40] = 1e30F;                                        // one giant
    x[64 + 3] = std::numeric_limits<float>::quiet_NaN();  // not a number
    x[96 + 5] = std::numeric_limits<float>::infinity();
    for (std::size_t i = 128; i < 160; ++i) {
        x[i] = static_cast<float>(i - 128) + 0.5F;
    }
    std::fill_n(&x[160], kBlockValues, 1e-42F);  // 127 / 1e-42 is no float
    x[128] = 127.0F;  // the largest of its block, so the scale is 1 and the others are ties
    std::vector<std::byte> blocks(n_blocks * kernels::activation_block_bytes(width),
                                  std::byte{0x5A});
    table.quantize_blocks(x.data(), blocks.data(), width, token, n_blocks);
    std::vector<std::int8_t> q(x.size());
    std::vector<float> d(n_blocks);
    std::vector<std::int32_t> offset(n_blocks);
    std::size_t untouched = 0;
    for (std::size_t b = 0; b < n_blocks; ++b) {
        const std::byte* block = &blocks[b * kernels::activation_block_bytes(width)];
        const auto place = static_cast<std::size_t>(4 * token);
        const auto line = static_cast<std::size_t>(4 * width);
        for (std::size_t g = 0; g < 8; ++g) {
            std::memcpy(&q[b * kBlockValues + 4 * g], block + g * line + place, 4);
        }
        std::memcpy(&d[b], block + 8 * line + place, 4);
        std::memcpy(&offset[b], block + 9 * line + place, 4);
        for (std::size_t i = 0; i < 10 * line; ++i) {
            untouched += i % line / 4 != place / 4 && block[i] == std::byte{0x5A} ? 1 : 0;
        }
    }
    if (untouched != static_cast<std::size_t>(n_blocks * 40 * (width - 1))) {
        return {false, "places of other tokens were written"};
    }
    for (std::size_t b = 0; b < n_blocks; ++b) {
        int sum = 0;
        for (std::size_t i = 0; i < kBlockValues; ++i) {
            const std::size_t at = b * kBlockValues + i;
            sum += q[at];
            if (static_cast<float>(q[at]) * x[at] < 0) {
                return {false, "value " + std::to_string(at) + " changes its sign"};
            }
            // Beside no number, or too small for a scale: only that it stays in range and adds up.
            if (b == 2 || b == 3 || b == 5) {
                continue;
            }
            const float error = std::fabs(d[b] * static_cast<float>(q[at]) - x[at]);
            if (!(error <= d[b] * 0.5001F) || q[at] == -128) {
                return {false,
                        "value " + std::to_string(at) + " is off by " + std::to_string(error)};
            }
        }
        if (offset[b] != -8 * sum) {
            return {false, "the offset of block " + std::to_string(b) + " is wrong"};
        }
    }
    if (q[128 + 1] != 2 || q[128 + 2] != 2 || q[128 + 3] != 4) {
        return {false, "ties do not go to even"};
    }
    return {true, "within half a step; zeros, ties, giants and NaN as stated"};
}

CheckOutcome check_half(const KernelTable& table) {
    std::vector<float> x = normal_values(1003, 5);
    x[0] = 65519.996F;
    x[1] = 65520.0F;
    x[2] = 6e-8F;
    x[3] = 2.98e-8F;
    x[4] = -0.0F;
    std::vector<std::uint16_t> y(x.size());
    table.to_half(x.data(), y.data(), static_cast<int>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (y[i] != float_to_half(x[i])) {
            return {false, "value " + std::to_string(i) + " rounds differently"};
        }
    }
    return {true, "1003 values equal base/half.h bit for bit"};
}

CheckOutcome check_norm(const KernelTable& table, int n) {
    const std::vector<float> x = normal_values(static_cast<std::size_t>(n), 6);
    const std::vector<float> weight = normal_values(static_cast<std::size_t>(n), 7);
    std::vector<float> y(x.size());
    table.rms_norm(x.data(), weight.data(), 1e-5F, y.data(), n);
    double squares = 0;
    for (const float v : x) {
        squares += static_cast<double>(v) * static_cast<double>(v);
    }
    const double scale = 1.0 / std::sqrt(squares / n + 1e-5);
    Errors errors(2e-6);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double wanted = static_cast<double>(x[i]) * scale * static_cast<double>(weight[i]);
        errors.add(static_cast<double>(y[i]), wanted, std::fabs(wanted));
    }
    return errors.outcome();
}

CheckOutcome check_activation(const KernelTable& table, int which, int n) {
    std::vector<float> gate = normal_values(static_cast<std::size_t>(n), 8);
    const std::vector<float> up = normal_values(static_cast<std::size_t>(n), 9);
    for (std::size_t i = 0; i < gate.size(); ++i) {
        gate[i] *= i % 5 == 0 ? 40.0F : 3.0F;
    }
    gate[0] = 0.0F;
    gate[1] = -200.0F;
    std::vector<float> y(gate.size());
    const auto function = which == 0   ? table.silu_mul
                          : which == 1 ? table.relu_mul
                          : which == 2 ? table.drelu_mul
                                       : table.gelu_mul;
    function(gate.data(), up.data(), y.data(), n);
    Errors errors(1e-6);
    for (std::size_t i = 0; i < gate.size(); ++i) {
        const auto g = static_cast<double>(gate[i]);
        const auto u = static_cast<double>(up[i]);
        const double power =
            2.0 * std::sqrt(2.0 / 3.14159265358979324) * (g + 0.044715 * g * g * g);
        const double wanted = which == 0   ? g / (1.0 + std::exp(-g)) * u
                              : which == 1 ? (g > 0 ? g * u : 0.0)
                              : which == 2 ? (g > 0 && u > 0 ? g * u : 0.0)
                                           : g / (1.0 + std::exp(-power)) * u;
        // A rounded exponent is a factor of the result. Below float's normal range a result may be
        // flushed to zero.
        const double steepness = which == 3 ? 1.0 + std::fabs(power) : 1.0;
        errors.add(static_cast<double>(y[i]), wanted, std::fabs(wanted) * steepness + 1e-30);
    }
    return errors.outcome();
}

struct AttentionCheck {
    int head_dim;
    int n_cached;
    int n_batch;
    int n_queries;
    bool part = false;  // undivided, with what a caller needs to join it to other parts
    float soft_cap = 0;
    int window = 0;  // of positions, ends with the last that a query sees; 0: all
    KvType kv = KvType::F16;
    int value_dim = 0;  // 0: values are as wide as keys

    std::string name() const {
        return (kv == KvType::F16 ? "" : "bytes ") + std::to_string(head_dim) + "x" +
               std::to_string(n_cached) + "+" + std::to_string(n_batch) + "x" +
               std::to_string(n_queries) + (soft_cap > 0 ? ", soft cap" : "") +
               (window > 0 ? ", window of " + std::to_string(window) : "") +
               (value_dim > 0 ? ", values of " + std::to_string(value_dim) : "");
    }
};

// A head's past in tiles of bytes. Beyond the last position there may be anything: large codes and
// scales that are no numbers here.
struct BytePast {
    BytePast(std::size_t positions, std::size_t head_dim)
        : dim(head_dim),
          tile_bytes(kernels::past_tile_bytes(KvType::Q8_0, static_cast<int>(head_dim))),
          bytes((positions / 16 + 3) * tile_bytes, std::byte{0x7E}) {}

    // Rounds a row of position p, and puts it there.
    void put(std::size_t p, float* row, bool is_key) {
        std::byte* tile = bytes.data() + p / 16 * tile_bytes;
        for (std::size_t block = 0; block * 32 < dim; ++block) {
            const std::size_t end = std::min(dim, (block + 1) * 32);
            float most = 0;
            for (std::size_t c = block * 32; c < end; ++c) {
                most = std::max(most, std::fabs(row[c]));
            }
            const std::uint16_t scale = float_to_half(most / 127);
            std::memcpy(tile + dim * 16 + 2 * (block * 16 + p % 16), &scale, sizeof scale);
            for (std::size_t c = block * 32; c < end; ++c) {
                const float code = std::nearbyint(row[c] / half_to_float(scale));
                const std::size_t at = is_key ? c * 16 + p % 16 : p % 16 * dim + c;
                tile[at] = static_cast<std::byte>(static_cast<std::int8_t>(code));
                row[c] = half_to_float(scale) * code;
            }
        }
    }

    std::size_t dim;
    std::size_t tile_bytes;
    std::vector<std::byte> bytes;
};

// n_cached positions in F16 or bytes before n_batch in float; query i sees three positions of the
// batch less than query i + 1.
CheckOutcome check_attention(const KernelTable& table, const AttentionCheck& check) {
    const auto& [head_dim, n_cached, n_batch, n_queries, part, soft_cap, window, kv, value_dim] =
        check;
    const auto dim = static_cast<std::size_t>(head_dim);
    const auto values_dim = static_cast<std::size_t>(value_dim > 0 ? value_dim : head_dim);
    const auto cached = static_cast<std::size_t>(n_cached);
    const std::size_t n = cached + static_cast<std::size_t>(n_batch);
    std::vector<float> keys = normal_values(n * dim, 10);
    std::vector<float> values = normal_values(n * values_dim, 11);
    const std::vector<float> queries = normal_values(static_cast<std::size_t>(n_queries) * dim, 12);
    // Beyond the last position there may be anything: giants, infinities and NaN here.
    const std::size_t room = n + 32;
    std::vector<std::uint16_t> k(room * dim, 0x7C00);
    std::vector<std::uint16_t> v(room * values_dim, 0x7E00);
    BytePast byte_keys(room, dim);
    BytePast byte_values(room, values_dim);
    std::vector<float> k_batch(room * dim, std::numeric_limits<float>::infinity());
    for (std::size_t i = 0; i < k.size(); i += 2) {
        k[i] = 0x7BFF;
        k_batch[i] = 1e30F;
    }
    const std::size_t stride = values_dim + 5;
    std::vector<float> v_batch(room * stride, std::numeric_limits<float>::quiet_NaN());
    const bool in_bytes = kv == KvType::Q8_0;
    for (std::size_t p = 0; p < cached && in_bytes; ++p) {
        byte_keys.put(p, &keys[p * dim], true);
        byte_values.put(p, &values[p * values_dim], false);
    }
    for (std::size_t p = in_bytes ? cached : 0; p < n; ++p) {
        for (std::size_t c = 0; c < dim; ++c) {
            float& key = keys[p * dim + c];
            if (p < cached) {
                k[(p / 16 * dim + c) * 16 + p % 16] = float_to_half(key);
                key = half_to_float(float_to_half(key));
            } else {
                const std::size_t b = p - cached;
                k_batch[(b / 16 * dim + c) * 16 + b % 16] = key;
            }
        }
        for (std::size_t c = 0; c < values_dim; ++c) {
            float& value = values[p * values_dim + c];
            if (p < cached) {
                v[p * values_dim + c] = float_to_half(value);
                value = half_to_float(float_to_half(value));
            } else {
                v_batch[(p - cached) * stride + c] = value;
            }
        }
    }
    std::vector<float> out(static_cast<std::size_t>(n_queries) * values_dim);
    std::vector<const float*> q_rows;
    std::vector<float*> out_rows;
    std::vector<int> sees;
    std::vector<int> from_cached;
    std::vector<int> from_batch;
    for (int i = 0; i < n_queries; ++i) {
        q_rows.push_back(&queries[static_cast<std::size_t>(i) * dim]);
        out_rows.push_back(&out[static_cast<std::size_t>(i) * values_dim]);
        sees.push_back(std::max(n_cached > 0 ? 0 : 1, n_batch - (n_queries - 1 - i) * 3));
        const int from = window == 0 ? 0 : std::max(0, n_cached + sees.back() - window);
        from_cached.push_back(std::min(from, n_cached + 40));  // may lie behind the last
        from_batch.push_back(std::max(0, from - n_cached));
    }
    const float scale = 1.0F / std::sqrt(static_cast<float>(head_dim));
    std::vector<float> largest(static_cast<std::size_t>(n_queries));
    std::vector<float> totals(largest.size());
    const AttentionSpec spec{.head_dim = head_dim,
                             .value_dim = value_dim,
                             .scale = scale,
                             .soft_cap = soft_cap,
                             .kv = kv};
    table.attention(
        {.spec = spec,
         .q = q_rows.data(),
         .out = out_rows.data(),
         .largest = part ? largest.data() : nullptr,
         .total = part ? totals.data() : nullptr,
         .n_queries = n_queries,
         .n_cached = n_cached,
         .k = in_bytes ? byte_keys.bytes.data() : reinterpret_cast<const std::byte*>(k.data()),
         .v = in_bytes ? byte_values.bytes.data() : reinterpret_cast<const std::byte*>(v.data()),
         .n_batch = sees.data(),
         .k_batch = k_batch.data(),
         .v_batch = v_batch.data(),
         .v_batch_stride = stride,
         .from_cached = window == 0 ? nullptr : from_cached.data(),
         .from_batch = window == 0 ? nullptr : from_batch.data()});
    Errors errors(3e-6);
    for (int i = 0; i < n_queries; ++i) {
        const std::size_t count =
            cached + static_cast<std::size_t>(sees[static_cast<std::size_t>(i)]);
        std::vector<double> score(count);
        for (std::size_t p = 0; p < count; ++p) {
            for (std::size_t c = 0; c < dim; ++c) {
                score[p] += static_cast<double>(keys[p * dim + c]) *
                            static_cast<double>(q_rows[static_cast<std::size_t>(i)][c]);
            }
            score[p] *= static_cast<double>(scale);
            if (soft_cap > 0) {
                const auto cap = static_cast<double>(soft_cap);
                score[p] = cap * std::tanh(score[p] / cap);
            }
            if (window > 0 && p + static_cast<std::size_t>(window) < count) {
                score[p] = -std::numeric_limits<double>::infinity();
            }
        }
        const double most = *std::max_element(score.begin(), score.end());
        double total = 0;
        for (double& s : score) {
            s = std::exp(s - most);
            total += s;
        }
        double divisor = 1;
        if (part) {
            const auto at = static_cast<std::size_t>(i);
            divisor = static_cast<double>(totals[at]);
            errors.add(static_cast<double>(largest[at]) + std::log(divisor), most + std::log(total),
                       1.0);
        }
        for (std::size_t c = 0; c < values_dim; ++c) {
            double sum = 0;
            double size = 0;
            for (std::size_t p = 0; p < count; ++p) {
                const double term =
                    score[p] / total * static_cast<double>(values[p * values_dim + c]);
                sum += term;
                size += std::fabs(term);
            }
            errors.add(static_cast<double>(out_rows[static_cast<std::size_t>(i)][c]) / divisor, sum,
                       size);
        }
    }
    return errors.outcome();
}

std::string shape_name(const Shape& shape) {
    return std::to_string(shape.rows) + "x" + std::to_string(shape.cols) + "x" +
           std::to_string(shape.n_tokens);
}

void add_table_checks(const KernelTable& table, std::vector<KernelCheck>& checks) {
    const std::string prefix = std::string(table.name) + "/";
    for (const Encoding& encoding : encodings()) {
        const DType type = encoding.type;
        const std::string name(dtype_info(type).name);
        const int block = encoding.block_values;
        std::vector<Shape> shapes{{16, 32, 1}, {896, 4864, 1},      {133, 896, 3},
                                  {1, 64, 1},  {50, 3 * block, 23}, {64, 11008, 2}};
        if (encoding.codes == CodeKind::Packed) {
            shapes[1].rows = 80;  // the search for patterns takes long
        }
        for (Shape& shape : shapes) {
            shape.cols = (shape.cols + block - 1) / block * block;
        }
        if (block == 1) {
            shapes.push_back({19, 7, 9});  // no block to be a multiple of
            shapes.push_back({66, 1, 1});
        }
        if (sums_like_bytes(encoding)) {
            for (const Shape& shape : {Shape{50, 96, 1}, {133, 896, 7}}) {
                checks.push_back(
                    {prefix + "like bytes " + name + "/" + shape_name(shape),
                     [&table, type, shape] { return check_like_bytes(table, type, shape); }});
            }
        }
        for (const Shape& shape : shapes) {
            checks.push_back({prefix + "matmul " + name + "/" + shape_name(shape),
                              [&table, type, shape] { return check_matmul(table, type, shape); }});
        }
        checks.push_back(
            {prefix + "batches " + name, [&table, type] { return check_batches(table, type); }});
        if (takes_quantized(type)) {
            checks.push_back({prefix + "extremes " + name,
                              [&table, type] { return check_extremes(table, type); }});
        }
    }
    for (const auto& [width, token] : {std::pair{1, 0}, {4, 0}, {4, 3}}) {
        checks.push_back(
            {prefix + "quantize_blocks/" + std::to_string(width) + "/" + std::to_string(token),
             [&table, width = width, token = token] {
                 return check_quantize(table, width, token);
             }});
    }
    checks.push_back({prefix + "to_half", [&table] { return check_half(table); }});
    for (const int n : {1, 15, 512, 4099}) {
        checks.push_back({prefix + "rms_norm/" + std::to_string(n),
                          [&table, n] { return check_norm(table, n); }});
        for (int which = 0; which < 4 && n > 1; ++which) {
            static constexpr std::array kNames{"silu_mul/", "relu_mul/", "drelu_mul/", "gelu_mul/"};
            checks.push_back({prefix + kNames[static_cast<std::size_t>(which)] + std::to_string(n),
                              [&table, which, n] { return check_activation(table, which, n); }});
        }
    }
    const auto add_attention = [&](AttentionCheck check) {
        for (const bool part : {false, true}) {
            check.part = part;
            checks.push_back({prefix + (part ? "attention part/" : "attention/") + check.name(),
                              [&table, check] { return check_attention(table, check); }});
        }
        if (check.head_dim % 16 == 0 && check.n_cached > 0 && check.kv == KvType::F16) {
            check.kv = KvType::Q8_0;
            check.part = check.n_queries % 2 == 0;
            checks.push_back({prefix + "attention/" + check.name(),
                              [&table, check] { return check_attention(table, check); }});
        }
    };
    for (const int head_dim : {64, 80, 100, 128, 6}) {
        for (const auto& [n_cached, n_batch] :
             {std::pair{1, 0}, {0, 1}, {17, 0}, {128, 5}, {700, 0}, {0, 700}, {333, 150}}) {
            for (const int n_queries : {1, 8}) {
                add_attention({head_dim, n_cached, n_batch, n_queries});
            }
        }
    }
    // Kernels take queries in fours, pairs and alone, and tiles in fours, pairs and alone: every
    // number of queries beside one to five tiles. 24 heads on 8 keys are 3 queries a token.
    for (int n_queries = 2; n_queries < kernels::kAttentionQueries; ++n_queries) {
        for (const int head_dim : {64, 6}) {
            for (const auto& [n_cached, n_batch] :
                 {std::pair{9, 0}, {17, 0}, {40, 0}, {77, 0}, {0, 23}, {50, 30}}) {
                add_attention({head_dim, n_cached, n_batch, n_queries});
            }
        }
    }
    // Windows that begin in the cache, in the batch, with a chunk and with a tile; a query of eight
    // begins up to 21 positions before another.
    for (const auto& [n_cached, n_batch, window] : {std::array{333, 0, 1},
                                                    {333, 0, 77},
                                                    {384, 0, 128},
                                                    {400, 0, 399},
                                                    {300, 150, 100},
                                                    {300, 150, 250},
                                                    {0, 150, 16},
                                                    {40, 30, 1000}}) {
        for (const int n_queries : {1, 3, 8}) {
            add_attention({.head_dim = 64,
                           .n_cached = n_cached,
                           .n_batch = n_batch,
                           .n_queries = n_queries,
                           .window = window});
        }
    }
    // Keys that are wider than values, and narrower.
    for (const auto& [head_dim, value_dim] : {std::pair{576, 512}, {80, 64}, {32, 112}}) {
        for (const auto& [n_cached, n_batch] : {std::pair{300, 0}, {40, 23}, {0, 50}}) {
            for (const int n_queries : {1, 3, 8}) {
                add_attention({.head_dim = head_dim,
                               .n_cached = n_cached,
                               .n_batch = n_batch,
                               .n_queries = n_queries,
                               .value_dim = value_dim});
            }
        }
    }
    for (const float soft_cap : {0.05F, 2.0F, 50.0F}) {
        add_attention({.head_dim = 80,
                       .n_cached = 140,
                       .n_batch = 21,
                       .n_queries = 8,
                       .soft_cap = soft_cap,
                       .window = soft_cap < 1 ? 60 : 0});
    }
}

}  // namespace

std::vector<std::string> missing_tables() {
    std::array<const KernelTable*, kernels::kMostTables> tables{};
    const std::uint32_t here = detect_cpu_features().flags;
    const int count = kernels::available(~std::uint32_t{0}, tables.data());
    std::vector<std::string> missing;
    for (int i = 0; i < count; ++i) {
        const KernelTable& table = *tables[static_cast<std::size_t>(i)];
        if ((table.needs & here) != table.needs) {
            missing.emplace_back(table.name);
        }
    }
    return missing;
}

std::vector<KernelCheck> kernel_checks() {
    std::array<const KernelTable*, kernels::kMostTables> tables{};
    const int count = kernels::available(detect_cpu_features().flags, tables.data());
    std::vector<KernelCheck> checks;
    for (const Encoding& encoding : encodings()) {
        const DType type = encoding.type;
        std::vector<std::size_t> cols{3 * std::max<std::size_t>(encoding.block_values, 32)};
        if (encoding.block_values == 1) {  // neither whole fours nor one run of 32
            cols.insert(cols.end(), {39, 2});
        }
        if (encoding.block_values == 32) {  // more than one piece, the last not whole
            cols.push_back(352);
        }
        for (const std::size_t n : cols) {
            checks.push_back(
                {"packing " + std::string(dtype_info(type).name) + "/" + std::to_string(n),
                 [type, n] { return check_packing(type, n); }});
        }
        if (encoding.codes == CodeKind::Packed || goes_by_four_rows(encoding)) {
            checks.push_back({"packing bits of " + std::string(dtype_info(type).name),
                              [type] { return check_packed_bits(type); }});
        }
    }
    add_neuron_row_layout_checks(checks);
    add_input_column_layout_checks(checks);
    for (int i = 0; i < count; ++i) {
        add_table_checks(*tables[static_cast<std::size_t>(i)], checks);
        add_neuron_row_checks(*tables[static_cast<std::size_t>(i)], checks);
        add_input_column_checks(*tables[static_cast<std::size_t>(i)], checks);
        add_recurrence_checks(*tables[static_cast<std::size_t>(i)], checks);
    }
    return checks;
}

}  // namespace hearth::test
