#include "support/reference/streams.h"

#include <algorithm>
#include <cmath>

#include "support/reference/blocks.h"

namespace hearth::test::reference {
namespace {

// The RMS norm of each run of `width` values, by the weights of as many runs as there are.
Matrix norm_runs(const ReferenceTensors& tensors, const std::string& name, const Matrix& x,
                 std::size_t width, double eps) {
    const TensorInfo& tensor = tensors.tensor(name + ".weight");
    std::vector<double> weights;
    for (std::size_t r = 0; r < tensor.rows(); ++r) {
        const std::vector<double> row = tensors.row(name + ".weight", r);
        weights.insert(weights.end(), row.begin(), row.end());
    }
    Matrix y(x.size());
    for (std::size_t at = 0; at < x.size(); at += width) {
        double squares = 0;
        for (std::size_t i = 0; i < width; ++i) {
            squares += x[at + i] * x[at + i];
        }
        const double root = std::sqrt(squares / static_cast<double>(width) + eps);
        for (std::size_t i = 0; i < width; ++i) {
            y[at + i] = x[at + i] / root * weights[(at + i) % weights.size()];
        }
    }
    return y;
}

}  // namespace

Matrix mix_streams(const ReferenceTensors& tensors, const std::string& name, const Matrix& x,
                   std::size_t width, double eps, Matrix* shares) {
    const Matrix normed = norm_runs(tensors, name + "_norm", x, width, eps);
    const std::size_t n_streams = tensors.tensor(name + "_up.weight").rows() / width;
    const double n = static_cast<double>(n_streams);
    Matrix low = tensors.multiply(name + "_down", normed);
    for (double& value : low) {
        value = value / n * sigmoid(value / n);
    }
    const Matrix gate = tensors.multiply(name + "_up", low);
    Matrix mixed(x.size() / n_streams);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t token = i / (n_streams * width);
        mixed[token * width + i % width] += sigmoid(gate[i]) * normed[i] / n;
    }
    if (shares != nullptr) {
        *shares = tensors.multiply(name + "_inject", normed);
        for (double& share : *shares) {
            share = 2 * sigmoid(share / n);
        }
    }
    return mixed;
}

NgramKeys ngram_keys(const GgufFile& file, const std::string& arch) {
    const auto number = [&](const char* key) {
        return *file.metadata().integer(arch + "." + key, 0, 1 << 30);
    };
    const auto numbers = [&](const char* key) {
        return (*file.metadata().array(arch + "." + key, MetadataType::U64))->unsigned_values;
    };
    return {static_cast<std::size_t>(number("ple.ngram_size")),
            static_cast<std::size_t>(number("ple.heads_per_ngram")),
            static_cast<std::uint64_t>(number("ple.eos_token_id")),
            numbers("ple.layer_multipliers"),
            numbers("ple.head_offsets"),
            numbers("ple.head_vocab_sizes")};
}

Matrix ngrams(const ReferenceTensors& tensors, const NgramKeys& keys, const std::string& p,
              const Matrix& x, const std::vector<std::int32_t>& tokens, std::size_t n_embd,
              double eps) {
    Matrix rows;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        for (std::size_t head = 0; head < keys.counts.size(); ++head) {
            std::uint64_t hash = 0;
            bool before_text = false;  // or behind the end of another one
            for (std::size_t back = 0; back < 2 + head / keys.heads; ++back) {
                before_text =
                    before_text || back > t ||
                    (back > 0 && static_cast<std::uint64_t>(tokens[t - back]) == keys.end);
                const std::uint64_t token =
                    before_text ? keys.end : static_cast<std::uint64_t>(tokens[t - back]);
                hash ^= token * keys.multipliers[back];
            }
            const std::uint64_t place = keys.offsets[head] + hash % keys.counts[head];
            const std::vector<double> row = tensors.row("per_layer_token_embd.weight", place);
            rows.insert(rows.end(), row.begin(), row.end());
        }
    }
    const Matrix value = tensors.multiply(p + "ple_value", rows);
    const Matrix key =
        norm_runs(tensors, p + "ple_norm_key", tensors.multiply(p + "ple_key", rows), n_embd, eps);
    const Matrix query = norm_runs(tensors, p + "ple_norm_query", x, n_embd, eps);
    const std::size_t width = x.size() / tokens.size();
    Matrix added(x.size());
    for (std::size_t at = 0; at < x.size(); at += n_embd) {
        double product = 0;
        for (std::size_t i = 0; i < n_embd; ++i) {
            product += key[at + i] * query[at + i] / std::sqrt(static_cast<double>(n_embd));
        }
        const double root = std::sqrt(std::max(std::abs(product), 1e-6));
        const double gate = sigmoid(product < 0 ? -root : root);
        for (std::size_t i = 0; i < n_embd; ++i) {
            added[at + i] = gate * value[at / width * n_embd + i];
        }
    }
    const Matrix inputs = norm_runs(tensors, p + "ple_norm_conv", added, n_embd, eps);
    const std::size_t taps = tensors.tensor(p + "ple_conv1d.weight").cols();
    for (std::size_t c = 0; c < width; ++c) {
        const std::vector<double> kernel = tensors.row(p + "ple_conv1d.weight", c);
        for (std::size_t t = 0; t < tokens.size(); ++t) {
            double sum = 0;
            for (std::size_t back = 0; back < taps && back * keys.size <= t; ++back) {
                sum += kernel[taps - 1 - back] * inputs[(t - back * keys.size) * width + c];
            }
            added[t * width + c] += sum * sigmoid(sum);
        }
    }
    return added;
}

}  // namespace hearth::test::reference
