#include "support/reference/tensors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "gguf/rows.h"

namespace hearth::test::reference {
namespace {

[[noreturn]] void give_up(const std::string& what) {
    std::fprintf(stderr, "reference model: %s\n", what.c_str());
    std::abort();
}

// The meaning of bytes, written from the formats' description once more.

double half(const std::uint8_t* p) {
    const unsigned bits = p[0] | static_cast<unsigned>(p[1]) << 8;
    const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
    const int exponent = static_cast<int>(bits >> 10 & 31U);
    const double fraction = static_cast<double>(bits & 1023U) / 1024;
    return exponent == 0 ? sign * std::ldexp(fraction, -14)
                         : sign * std::ldexp(1 + fraction, exponent - 15);
}

void values_of_block(DType type, const std::uint8_t* p, double* out) {
    // Of the types that have one: before the codes, behind Q6_K's.
    const double d = type == DType::F32 || type == DType::BF16 ? 0
                     : type == DType::Q6_K                     ? half(p + 208)
                                                               : half(p);
    switch (type) {
        case DType::F32: {
            float value = 0;
            std::memcpy(&value, p, sizeof value);
            *out = static_cast<double>(value);
            return;
        }
        case DType::F16:
            *out = d;
            return;
        case DType::BF16: {
            float value = 0;
            const std::uint8_t bytes[4] = {0, 0, p[0], p[1]};
            std::memcpy(&value, bytes, sizeof value);
            *out = static_cast<double>(value);
            return;
        }
        case DType::Q8_0:
            for (std::size_t i = 0; i < 32; ++i) {
                out[i] = d * static_cast<std::int8_t>(p[2 + i]);
            }
            return;
        case DType::Q4_0:
            for (std::size_t i = 0; i < 16; ++i) {
                out[i] = d * ((p[2 + i] & 15) - 8);
                out[16 + i] = d * ((p[2 + i] >> 4) - 8);
            }
            return;
        case DType::Q5_0:  // half, 32 fifth bits, 32 nibbles
            for (std::size_t i = 0; i < 32; ++i) {
                const int low = i < 16 ? p[6 + i] & 15 : p[6 + i - 16] >> 4;
                const int fifth = p[2 + i / 8] >> (i % 8) & 1;
                out[i] = d * (low + 16 * fifth - 16);
            }
            return;
        case DType::Q6_K:  // 128 bytes of low nibbles, 64 of high pairs, 16 scales, half
            for (std::size_t i = 0; i < 256; ++i) {
                const std::size_t h = i / 128;
                const std::size_t quarter = i % 128 / 32;
                const std::size_t l = i % 32;
                const int nibbles = p[64 * h + 32 * (quarter % 2) + l];
                const int low = quarter < 2 ? nibbles & 15 : nibbles >> 4;
                const int high = p[128 + 32 * h + l] >> (2 * quarter) & 3;
                const int scale = static_cast<std::int8_t>(p[192 + i / 16]);
                out[i] = d * scale * (low + 16 * high - 32);
            }
            return;
        default: {  // as the engine decodes it, which encoding_test compares with the specification
            if (!is_computable(type)) {
                give_up("type " + std::string(dtype_info(type).name));
            }
            std::array<float, 256> values;
            const std::size_t n = dtype_info(type).block_values;
            dequantize_row(type, reinterpret_cast<const std::byte*>(p), std::span(values).first(n));
            std::copy_n(values.begin(), n, out);
        }
    }
}

// A tensor's rows, read and made numbers one at a time. One thread's.
class RowReader {
public:
    // memory: the whole file; empty: read from where it was opened.
    RowReader(const GgufFile& file, const Bytes& memory, const TensorInfo& tensor)
        : file_(file), memory_(memory), tensor_(tensor), values_(tensor.cols()) {
        const DTypeInfo& info = dtype_info(tensor.type);
        bytes_.resize(tensor.cols() / info.block_values * info.block_bytes);
    }
    const std::vector<double>& at(std::size_t row) {
        const std::uint64_t place = tensor_.offset + row * bytes_.size();
        if (!memory_.empty()) {
            std::memcpy(bytes_.data(), memory_.data() + place, bytes_.size());
        } else if (!file_.file().read_at(place, bytes_)) {
            give_up(tensor_.name + ": cannot be read");
        }
        const DTypeInfo& info = dtype_info(tensor_.type);
        const auto* p = reinterpret_cast<const std::uint8_t*>(bytes_.data());
        for (std::size_t i = 0; i < values_.size(); i += info.block_values) {
            values_of_block(tensor_.type, p, &values_[i]);
            p += info.block_bytes;
        }
        return values_;
    }

private:
    const GgufFile& file_;
    const Bytes& memory_;
    const TensorInfo& tensor_;
    std::vector<std::byte> bytes_;
    std::vector<double> values_;
};

double dot(const double* a, const double* b, std::size_t n) {
    double sums[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (std::size_t k = 0; k < 4; ++k) {
            sums[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < n; ++i) {
        sums[0] += a[i] * b[i];
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}

}  // namespace

ReferenceTensors::ReferenceTensors(const GgufFile& file, const Bytes& memory,
                                   const TestFamily& family, int threads)
    : file_(file), memory_(memory), family_(family), threads_(std::max(1, threads)) {}

const TensorInfo* ReferenceTensors::find(const std::string& name) const {
    return file_.tensors().find(family_.name_of(name));
}

const TensorInfo& ReferenceTensors::tensor(const std::string& name) const {
    const TensorInfo* found = find(name);
    if (found == nullptr) {
        give_up(name + ": no such tensor");
    }
    return *found;
}

std::vector<double> ReferenceTensors::row(const std::string& name, std::size_t index) const {
    return RowReader(file_, memory_, tensor(name)).at(index);
}

void ReferenceTensors::add_bias(const std::string& name, Matrix& y) const {
    if (find(name) != nullptr) {
        const std::vector<double> bias = row(name, 0);
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] += bias[i % bias.size()];
        }
    }
}

template <class Body>
void ReferenceTensors::share(std::size_t rows, const Body& body) const {
    const std::size_t parts = size(threads_);
    std::vector<std::thread> threads;
    for (std::size_t part = 1; part < parts; ++part) {
        threads.emplace_back(
            [&, part] { body(rows * part / parts, rows * (part + 1) / parts, part); });
    }
    body(0, rows / parts, 0);
    for (std::thread& thread : threads) {
        thread.join();
    }
}

Matrix ReferenceTensors::multiply(const std::string& name, const Matrix& x) const {
    const TensorInfo& w = tensor(name + ".weight");
    const std::size_t cols = w.cols();
    const std::size_t rows = w.rows();
    const std::size_t n_tokens = x.size() / cols;
    Matrix y(n_tokens * rows);
    share(rows, [&](std::size_t begin, std::size_t end, std::size_t) {
        RowReader reader(file_, memory_, w);
        for (std::size_t r = begin; r < end; ++r) {
            const std::vector<double>& row = reader.at(r);
            for (std::size_t t = 0; t < n_tokens; ++t) {
                y[t * rows + r] = dot(row.data(), &x[t * cols], cols);
            }
        }
    });
    add_bias(name + ".bias", y);
    return y;
}

Matrix ReferenceTensors::multiply_some(const std::string& name, std::size_t first,
                                       std::size_t count, const double* x) const {
    const TensorInfo& w = tensor(name + ".weight");
    Matrix y(count);
    RowReader reader(file_, memory_, w);
    for (std::size_t r = 0; r < count; ++r) {
        y[r] = dot(reader.at(first + r).data(), x, w.cols());
    }
    return y;
}

Matrix ReferenceTensors::multiply_transposed(const std::string& name, const Matrix& x) const {
    const TensorInfo& w = tensor(name + ".weight");
    const std::size_t cols = w.cols();
    const std::size_t rows = w.rows();
    const std::size_t n_tokens = x.size() / rows;
    std::vector<Matrix> parts(size(threads_), Matrix(n_tokens * cols));
    share(rows, [&](std::size_t begin, std::size_t end, std::size_t part) {
        RowReader reader(file_, memory_, w);
        for (std::size_t r = begin; r < end; ++r) {
            const std::vector<double>& row = reader.at(r);
            for (std::size_t t = 0; t < n_tokens; ++t) {
                const double factor = x[t * rows + r];
                for (std::size_t c = 0; factor != 0 && c < cols; ++c) {
                    parts[part][t * cols + c] += factor * row[c];
                }
            }
        }
    });
    for (std::size_t part = 1; part < parts.size(); ++part) {
        add(parts[0], parts[part]);
    }
    add_bias(name + ".bias", parts[0]);
    return std::move(parts[0]);
}

Matrix ReferenceTensors::norm(const std::string& name, const Matrix& x, std::size_t n_embd,
                              double eps, const char* ending) const {
    // Heads are normed without their mean in no family.
    const bool layer_norm = family_.layer_norm && name.find("attn_q_norm") == std::string::npos &&
                            name.find("attn_k_norm") == std::string::npos;
    const std::vector<double> weight = row(name + ending, 0);
    Matrix y(x.size());
    for (std::size_t t = 0; t < x.size(); t += n_embd) {
        double mean = 0;
        for (std::size_t i = 0; layer_norm && i < n_embd; ++i) {
            mean += x[t + i] / static_cast<double>(n_embd);
        }
        double squares = 0;
        for (std::size_t i = 0; i < n_embd; ++i) {
            squares += (x[t + i] - mean) * (x[t + i] - mean);
        }
        const double scale = 1 / std::sqrt(squares / static_cast<double>(n_embd) + eps);
        for (std::size_t i = 0; i < n_embd; ++i) {
            y[t + i] = (x[t + i] - mean) * scale * weight[i];
        }
    }
    add_bias(name + ".bias", y);
    return y;
}

void ReferenceTensors::add(Matrix& y, const Matrix& x) {
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] += x[i];
    }
}

}  // namespace hearth::test::reference
