#include "bench/sparse_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <new>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/half.h"
#include "base/thread_pool.h"
#include "bench/random_numbers.h"
#include "bench/random_vocab.h"
#include "gguf/blocks.h"
#include "gguf/rows.h"
#include "gguf/writer.h"

namespace hearth::bench {
namespace {

constexpr std::size_t kConstant = kBlockValues;  // columns, and fc1's rows, of the constant
constexpr double kNoise = 0.5;          // of a gate weight, in codes; its own spread is 3.2
constexpr double kUpCorrelation = 0.5;  // bamboo: of a neuron's gate and up
constexpr double kSlack = 0.1;  // scores lean towards firing: a miss costs more than a false alarm

// Codes of Q4_0 are -8 to 7 here, 8 less than the file's.
constexpr double kLargest = 2.5;  // deviations that the greatest code means
constexpr std::size_t kCodes = 256;
struct Tables {
    std::array<std::int8_t, kCodes> codes{};    // spread like a normal distribution
    std::array<std::int8_t, kCodes> factors{};  // the same, -7 to 7: fc2 needs both signs
    std::array<std::int8_t, kCodes> noise{};
    std::array<std::uint8_t, kCodes> six_bits{};  // Q6_K: 0 to 63, the middle is 32
    std::array<double, kCodes> normal = normal_values();
    double code_deviation = 0;
    double six_bits_deviation = 0;
    double noise_squares = 0;  // mean of noise²
    double factor_squares = 0;

    Tables() {
        const auto rounded = [](double value, double low, double high) {
            return std::round(std::clamp(value, low, high));
        };
        for (std::size_t i = 0; i < kCodes; ++i) {
            const double share = normal[i] / kLargest;
            codes[i] = static_cast<std::int8_t>(rounded(8 * share, -8, 7));
            factors[i] = static_cast<std::int8_t>(rounded(8 * share, -7, 7));
            noise[i] = static_cast<std::int8_t>(std::round(kNoise * normal[i]));
            const double six = rounded(32 * share, -32, 31);
            six_bits[i] = static_cast<std::uint8_t>(six + 32);
            code_deviation += codes[i] * codes[i];
            six_bits_deviation += six * six;
            noise_squares += noise[i] * noise[i];
            factor_squares += factors[i] * factors[i];
        }
        code_deviation = std::sqrt(code_deviation / kCodes);
        six_bits_deviation = std::sqrt(six_bits_deviation / kCodes);
        noise_squares /= kCodes;
        factor_squares /= kCodes;
    }

    // Chance that an up row takes over a factor of its gate row, so that both correlate as wished
    // with their own noise on top.
    double shared_factors() const {
        return kUpCorrelation * (factor_squares + noise_squares) / factor_squares;
    }
};

// Random bytes, one at a time.
class RandomBytes {
public:
    explicit RandomBytes(std::uint64_t seed) : random_(seed) {}
    std::size_t next() {
        if (left_ == 0) {
            bits_ = random_.next();
            left_ = 8;
        }
        const std::size_t byte = bits_ & 0xFFU;
        bits_ >>= 8;
        --left_;
        return byte;
    }

private:
    Random random_;
    std::uint64_t bits_ = 0;
    int left_ = 0;
};

void put_block(const std::int8_t* codes, double d, std::byte* out) {
    BlockQ4_0 block{float_to_half(static_cast<float>(d)), {}};
    constexpr std::size_t kHalf = kBlockValues / 2;
    for (std::size_t i = 0; i < kHalf; ++i) {
        block.qs[i] = static_cast<std::uint8_t>((codes[i] + 8) | (codes[i + kHalf] + 8) << 4);
    }
    std::memcpy(out, &block, sizeof block);
}

// A row whose first block stands alone.
void put_row(std::span<const std::int8_t> codes, double d_first, double d, std::byte* out) {
    for (std::size_t i = 0; i < codes.size(); i += kBlockValues) {
        put_block(&codes[i], i == 0 ? d_first : d, out);
        out += sizeof(BlockQ4_0);
    }
}

// codes[0 .. 31] all equal, so that they add `bias` to the product with a vector whose first 32
// values are `constant`. Returns their scale.
double plant_bias(double bias, double constant, std::span<std::int8_t> codes) {
    const std::int8_t code = bias < 0 ? -7 : 7;
    std::fill_n(codes.begin(), kConstant, code);
    return bias / (static_cast<double>(kConstant) * constant * code);
}

// Two topics: the first half of codes[0 .. 31] adds `first` to the product with a vector whose
// values there are `constant`, the second one `second`, both rounded to a seventh of the greater.
double plant_halves(double first, double second, double constant, std::span<std::int8_t> codes) {
    constexpr std::size_t kHalf = kConstant / 2;
    const double each = static_cast<double>(kHalf) * constant;
    const double d = std::max(std::abs(first), std::abs(second)) / each / 7;
    const auto code = [&](double part) {
        return static_cast<std::int8_t>(d > 0 ? std::lround(part / each / d) : 0);
    };
    std::fill_n(codes.begin(), kHalf, code(first));
    std::fill_n(codes.begin() + kHalf, kHalf, code(second));
    return d;
}

double squares(std::span<const std::int8_t> codes) {
    int sum = 0;
    for (const std::int8_t code : codes) {
        sum += code * code;
    }
    return sum;
}

// Sums over t of what two numbers with a bias and correlation kUpCorrelation have in common:
// gate = bias + sqrt(r) * t + sqrt(1 - r) * own, up likewise.
struct Pair {
    double both = 0;     // chance that both are positive
    double squares = 0;  // mean of relu(gate)² * relu(up)²
};
Pair pair_of(double bias) {
    constexpr double kStep = 1.0 / 16;
    const double common = std::sqrt(kUpCorrelation);
    const double own = std::sqrt(1 - kUpCorrelation);
    Pair pair;
    for (double t = -7; t <= 7; t += kStep) {
        const double mean = (bias + common * t) / own;
        const double positive = normal_below(mean);
        const double square =
            own * own * ((1 + mean * mean) * positive + mean * normal_density(mean));
        pair.both += kStep * normal_density(t) * positive * positive;
        pair.squares += kStep * normal_density(t) * square * square;
    }
    return pair;
}

constexpr double kBusy = 0.95;  // of tokens, the most that a neuron fires on
constexpr double kUsual = 0.1;  // of neurons that fire
constexpr double kMostFiring = 0.9;

double usual_frequency(double rank) {
    constexpr double kBusyShare = 0.047;
    constexpr double kFall = 0.21;
    // So that the mean is kUsual.
    const double top =
        (kUsual - kBusy * kBusyShare) / (kFall * (1 - std::exp(-(1 - kBusyShare) / kFall)));
    return rank < kBusyShare ? kBusy : top * std::exp(-(rank - kBusyShare) / kFall);
}

// The usual frequencies to this power, as shares of kBusy, have the mean `firing`; 1 where fewer
// than usual fire.
double frequency_power(double firing) {
    constexpr int kSteps = 1000;
    double low = 0;
    double high = 1;
    for (int step = 0; step < 40 && firing > kUsual; ++step) {
        const double power = (low + high) / 2;
        double mean = 0;
        for (int i = 0; i < kSteps; ++i) {
            mean += kBusy * std::pow(usual_frequency((i + 0.5) / kSteps) / kBusy, power) / kSteps;
        }
        (mean > firing ? low : high) = power;
    }
    return high;
}

double frequency(double rank, double firing, double power) {
    return std::min(1.0, firing / kUsual) *
           (power == 1 ? usual_frequency(rank)
                       : kBusy * std::pow(usual_frequency(rank) / kBusy, power));
}

// What neurons of each rank get; the same for all layers.
struct Neurons {
    std::vector<double> bias;        // of gate, for bamboo of up too
    std::vector<double> score_bias;  // of the predictor, in deviations of its score
    double hidden_squares = 0;       // sum over neurons of the mean of hidden²

    Neurons(SparseKind kind, int n_ff, double firing) {
        const double power = frequency_power(firing);
        for (int rank = 0; rank < n_ff; ++rank) {
            const double share = frequency((rank + 0.5) / n_ff, firing, power);
            const double quantile = normal_quantile(share);
            score_bias.push_back(quantile + kSlack);
            if (kind == SparseKind::ReluGated) {
                bias.push_back(quantile);
                hidden_squares +=
                    (1 + quantile * quantile) * share + quantile * normal_density(quantile);
                continue;
            }
            double low = -6;
            double high = 6;
            for (int step = 0; step < 40; ++step) {
                const double middle = (low + high) / 2;
                (pair_of(middle).both < share ? low : high) = middle;
            }
            bias.push_back(low);
            hidden_squares += pair_of(low).squares;
        }
    }
};

int neurons_of(const ModelShape& shape) {
    return shape.experts.n > 0 ? shape.experts.n * shape.experts.n_ff : shape.n_ff;
}

// What one layer's gate, up and predictor rows have in common.
struct LayerPlan {
    std::vector<int> rank;             // [n_ff] of each neuron
    std::vector<int> other_rank;       // likewise, in the other of two topics
    std::vector<std::uint32_t> group;  // [n_embd]; of the constant's columns without meaning
    std::vector<std::int8_t> sign;     // [n_embd], 1 or -1
    std::vector<int> group_size;       // [k]
    std::uint64_t factor_seed = 0;

    LayerPlan(std::size_t n_ff, std::size_t n_embd, std::size_t n_groups, std::uint64_t seed)
        : rank(n_ff), group(n_embd), sign(n_embd, 1), group_size(n_groups) {
        Random random(seed);
        const auto shuffle = [&](auto& items) {
            for (std::size_t i = items.size(); i > 1; --i) {
                std::swap(items[i - 1], items[random.next() % i]);
            }
        };
        std::iota(rank.begin(), rank.end(), 0);
        shuffle(rank);
        std::vector<std::size_t> columns(n_embd - kConstant);
        std::iota(columns.begin(), columns.end(), kConstant);
        shuffle(columns);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            group[columns[i]] = static_cast<std::uint32_t>(i % n_groups);
            sign[columns[i]] = random.next() % 2 == 0 ? 1 : -1;
            ++group_size[i % n_groups];
        }
        factor_seed = random.next();
        other_rank = rank;
        shuffle(other_rank);
    }
};

// One worker's.
struct Scratch {
    std::vector<std::int8_t> codes;     // [the longest row]
    std::vector<std::int8_t> gate, up;  // [k] factors
    std::vector<std::byte> row;         // of the type it is made in
    std::vector<float> values;          // of that row
};

class Maker {
public:
    Maker(const ModelShape& shape, const SparseOptions& options, int rank)
        : shape_(shape),
          options_(options),
          n_embd_(static_cast<std::size_t>(shape.n_embd)),
          n_ff_(static_cast<std::size_t>(neurons_of(shape))),
          rank_(static_cast<std::size_t>(rank)),
          n_groups_((rank_ - kConstant) / 2),
          neurons_(options.kind, neurons_of(shape), options.firing),
          pool_(std::max(1, options.threads)) {
        constant_ = std::sqrt(static_cast<double>(n_embd_) / 256);
        const double constant_squares = static_cast<double>(kConstant) * constant_ * constant_;
        rms_ = std::sqrt((constant_squares + static_cast<double>(n_embd_ - kConstant)) /
                         static_cast<double>(n_embd_));
        for (int i = 0; i < pool_.n_threads(); ++i) {
            const std::size_t longest =
                std::max({n_embd_, rank_, static_cast<std::size_t>(shape.n_head * shape.head_dim),
                          static_cast<std::size_t>(shape.experts.n_ff)});
            scratch_.push_back({std::vector<std::int8_t>(longest),
                                std::vector<std::int8_t>(n_groups_),
                                std::vector<std::int8_t>(n_groups_),
                                {},
                                {}});
        }
    }

    Result<std::uint64_t> write(const std::string& path) {
        const auto size = [](int n) { return static_cast<std::uint64_t>(n); };
        const bool bamboo = options_.kind == SparseKind::DRelu;
        const std::uint64_t n_q = size(shape_.n_head) * size(shape_.head_dim);
        const std::uint64_t n_kv = size(shape_.n_head_kv) * size(shape_.head_dim);
        // A row of this deviation makes a product of deviation 1 with a normed vector.
        const double unit = 1 / std::sqrt(static_cast<double>(n_embd_));
        matrix("token_embd.weight", size(shape_.n_vocab), n_embd_,
               [this](std::size_t token, std::uint64_t seed, Scratch& s, std::byte* out) {
                   embedding_row(is_other_topic(token), seed, s, out);
               });
        for (int i = 0; i < shape_.n_layer; ++i) {
            const std::string prefix = "blk." + std::to_string(i) + ".";
            norm(prefix + "attn_norm.weight", 0.1);
            matrix(prefix + "attn_q.weight", n_q, n_embd_, random_rows(n_embd_, unit));
            matrix(prefix + "attn_k.weight", n_kv, n_embd_, random_rows(n_embd_, unit));
            matrix(prefix + "attn_v.weight", n_kv, n_embd_, random_rows(n_embd_, unit));
            matrix(prefix + "attn_output.weight", n_embd_, n_q,
                   outward_rows(n_q, options_.layer_output / std::sqrt(static_cast<double>(n_q))));
            norm(prefix + "ffn_norm.weight", 0);
            if (shape_.experts.n > 0) {
                add_experts(i, unit);
                continue;
            }
            matrix(prefix + "ffn_gate.weight", n_ff_, n_embd_, neuron_rows(i, false));
            matrix(prefix + "ffn_up.weight", n_ff_, n_embd_,
                   bamboo ? neuron_rows(i, true) : random_rows(n_embd_, unit));
            matrix(prefix + "ffn_down_t.weight", n_ff_, n_embd_,
                   blind_rows(options_.layer_output / std::sqrt(neurons_.hidden_squares)));
        }
        norm("output_norm.weight", 0.1);
        matrix("output.weight", size(shape_.n_vocab), n_embd_, output_rows());
        tensors_.back().info.type = options_.output_type;
        for (int i = 0; i < shape_.n_layer; ++i) {
            const std::string prefix = "blk." + std::to_string(i) + ".";
            matrix(prefix + "fc1.weight", rank_, n_embd_, fc1_rows(i));
            matrix(prefix + "fc2.weight", n_ff_, rank_, fc2_rows(i));
        }
        std::vector<TensorInfo> infos;
        for (Tensor& tensor : tensors_) {
            if (tensor.row) {
                tensor.made = tensor.info.type;
                tensor.info.type = options_.type == DType::F16 ? DType::F16 : tensor.made;
            }
            infos.push_back(tensor.info);
        }
        // llama_ftype 2: mostly Q4_0, 1: mostly F16.
        const bool mixture = shape_.experts.n > 0;
        Metadata metadata = model_metadata(shape_, bamboo && !mixture ? "bamboo" : "llama",
                                           options_.type == DType::F16 ? 1 : 2);
        if (mixture) {  // nothing else says it of a plain file
            metadata.add("hearth.activation",
                         {MetadataType::String, std::string(bamboo ? "drelu" : "reglu")});
            metadata.add("hearth.predictor.input", {MetadataType::String, std::string("residual")});
        }
        metadata.add(mixture ? "hearth.predictor.threshold" : "powerinfer.sparse_threshold",
                     {MetadataType::F32, static_cast<double>(options_.threshold)});
        if (options_.chat_template && options_.two_topics) {
            metadata.add("tokenizer.chat_template",
                         {MetadataType::String, std::string("{% for message in messages %}"
                                                            "{{ message['content'] }}"
                                                            "{% endfor %}")});
        } else if (options_.chat_template) {
            add_chat_template(metadata);
        }
        auto writer = GgufWriter::create(path, metadata, std::move(infos),
                                         mixture ? Container::Gguf : Container::Pwri);
        if (!writer) {
            return std::move(writer).error();
        }
        for (std::size_t i = 0; i < tensors_.size(); ++i) {
            if (auto written = write_tensor(*writer, tensors_[i], seed_of(options_.seed, i));
                !written) {
                return std::move(written).error();
            }
        }
        if (auto finished = writer->finish(); !finished) {
            return std::move(finished).error();
        }
        return writer->file_bytes();
    }

private:
    using RowMaker =
        std::function<void(std::size_t row, std::uint64_t seed, Scratch&, std::byte* out)>;
    struct Tensor {
        TensorInfo info;
        RowMaker row;              // of a matrix
        double spread = 0;         // of a norm, about 1
        DType made = DType::Q4_0;  // what row() writes
    };

    void matrix(std::string name, std::uint64_t rows, std::uint64_t cols, RowMaker row) {
        tensors_.push_back({{std::move(name), {rows, cols}, DType::Q4_0}, std::move(row), 0});
    }
    void norm(std::string name, double spread) {
        tensors_.push_back({{std::move(name), {n_embd_}, DType::F32}, {}, spread});
    }

    // 3/4 to 5/4 of `scale`; mean of its square: 1.0208 * scale².
    static double varied(double scale, RandomBytes& random) {
        return scale * (0.75 + static_cast<double>(random.next()) / 510);
    }
    static constexpr double kVaried = 1.0104;  // root of that

    void random_blocks(std::size_t first_column, std::size_t cols, double deviation,
                       RandomBytes& random, Scratch& s, std::byte* out) const {
        const double scale = deviation / tables_.code_deviation / kVaried;
        for (std::size_t i = first_column; i < cols; i += kBlockValues) {
            for (std::size_t k = 0; k < kBlockValues; ++k) {
                s.codes[k] = tables_.codes[random.next()];
            }
            put_block(s.codes.data(), varied(scale, random),
                      out + i / kBlockValues * sizeof(BlockQ4_0));
        }
    }

    bool is_other_topic(std::size_t token) const { return options_.two_topics && token % 2 == 1; }

    void embedding_row(bool other_topic, std::uint64_t seed, Scratch& s, std::byte* out) const {
        RandomBytes random(seed);
        std::fill_n(s.codes.begin(), kConstant, std::int8_t{7});
        if (other_topic) {
            std::fill_n(s.codes.begin() + kConstant / 2, kConstant / 2, std::int8_t{-7});
        }
        put_block(s.codes.data(), constant_ / 7, out);
        random_blocks(kConstant, n_embd_, 1, random, s, out);
    }

    RowMaker random_rows(std::size_t cols, double deviation) const {
        return [=, this](std::size_t, std::uint64_t seed, Scratch& s, std::byte* out) {
            RandomBytes random(seed);
            random_blocks(0, cols, deviation, random, s, out);
        };
    }

    // Zero in the constant's columns: they neither read it nor add to it.
    RowMaker blind_rows(double deviation) const {
        return [=, this](std::size_t, std::uint64_t seed, Scratch& s, std::byte* out) {
            RandomBytes random(seed);
            std::fill_n(s.codes.begin(), kConstant, std::int8_t{0});
            put_block(s.codes.data(), 0, out);
            random_blocks(kConstant, n_embd_, deviation, random, s, out);
        };
    }

    void add_experts(int layer, double unit) {
        const auto size = [](int n) { return static_cast<std::uint64_t>(n); };
        const ModelShape::Experts& experts = shape_.experts;
        const std::string prefix = "blk." + std::to_string(layer) + ".";
        const auto of_experts = [&](const char* name, std::uint64_t rows, std::uint64_t cols,
                                    RowMaker row) {
            matrix(prefix + name, rows, cols, std::move(row));
            tensors_.back().info.shape = {size(experts.n), rows / size(experts.n), cols};
        };
        // Its products have this deviation. It does not read the constant, which would choose the
        // same experts for every token.
        constexpr double kRouter = 2;
        matrix(prefix + "ffn_gate_inp.weight", size(experts.n), n_embd_,
               blind_rows(kRouter * unit));
        of_experts("ffn_gate_exps.weight", n_ff_, n_embd_, neuron_rows(layer, false));
        of_experts("ffn_up_exps.weight", n_ff_, n_embd_,
                   options_.kind == SparseKind::DRelu ? neuron_rows(layer, true)
                                                      : random_rows(n_embd_, unit));
        const double squares_of_one = neurons_.hidden_squares / experts.n;
        of_experts(
            "ffn_down_exps.weight", size(experts.n) * n_embd_, size(experts.n_ff),
            outward_rows(size(experts.n_ff), options_.layer_output / std::sqrt(squares_of_one)));
    }

    // Rows of outputs. The ones that would add to the constant are zero.
    RowMaker outward_rows(std::size_t cols, double deviation) const {
        return [=, this](std::size_t row, std::uint64_t seed, Scratch& s, std::byte* out) {
            if (row % n_embd_ < kConstant) {
                std::fill_n(s.codes.begin(), cols, std::int8_t{0});
                put_row(std::span(s.codes).first(cols), 0, 0, out);
                return;
            }
            RandomBytes random(seed);
            random_blocks(0, cols, deviation, random, s, out);
        };
    }

    RowMaker output_rows() const {
        const double deviation = 1 / std::sqrt(static_cast<double>(n_embd_));
        if (options_.output_type == DType::Q4_0) {
            return [=, this, blind = blind_rows(deviation)](std::size_t token, std::uint64_t seed,
                                                            Scratch& s, std::byte* out) {
                blind(token, seed, s, out);
                if (options_.two_topics) {
                    std::fill_n(s.codes.begin(), kConstant / 2, std::int8_t{0});
                    std::fill_n(s.codes.begin() + kConstant / 2, kConstant / 2,
                                static_cast<std::int8_t>(is_other_topic(token) ? -7 : 7));
                    put_block(s.codes.data(), deviation / tables_.code_deviation, out);
                }
            };
        }
        return [=, this](std::size_t token, std::uint64_t seed, Scratch&, std::byte* out) {
            RandomBytes random(seed);
            const unsigned topic = !options_.two_topics ? 32U : is_other_topic(token) ? 1U : 63U;
            constexpr int kScale = 64;  // of each 16 values, about
            const double scale = deviation / tables_.six_bits_deviation / kVaried / kScale;
            for (std::size_t i = 0; i < n_embd_; i += kSuperBlockValues) {
                BlockQ6_K block{};
                block.d = float_to_half(static_cast<float>(scale));
                for (std::int8_t& s : block.scales) {
                    s = static_cast<std::int8_t>(std::lround(varied(kScale, random)));
                }
                for (std::size_t half = 0; half < 2; ++half) {
                    for (std::size_t j = 0; j < 128; ++j) {
                        const std::size_t column = i + 128 * half + j;
                        const unsigned code = column < kConstant / 2 ? 32U
                                              : column < kConstant
                                                  ? topic
                                                  : tables_.six_bits[random.next()];
                        block.ql[64 * half + j % 64] = static_cast<std::uint8_t>(
                            block.ql[64 * half + j % 64] | (code & 15U) << (j < 64 ? 0 : 4));
                        block.qh[32 * half + j % 32] = static_cast<std::uint8_t>(
                            block.qh[32 * half + j % 32] | code >> 4 << 2 * (j / 32));
                    }
                }
                std::memcpy(out, &block, sizeof block);
                out += sizeof block;
            }
        };
    }

    void make_factors(const LayerPlan& plan, std::size_t neuron, Scratch& s) const {
        RandomBytes random(seed_of(plan.factor_seed, neuron));
        const double shared = tables_.shared_factors() * kCodes;
        for (std::size_t k = 0; k < n_groups_; ++k) {
            s.gate[k] = tables_.factors[random.next()];
            s.up[k] = static_cast<double>(random.next()) < shared ? s.gate[k]
                                                                  : tables_.factors[random.next()];
        }
    }

    // Plants the biases of a gate or up row, and returns their scale.
    double plant_biases(const LayerPlan& plan, std::size_t neuron,
                        std::span<std::int8_t> codes) const {
        const double bias = neurons_.bias[static_cast<std::size_t>(plan.rank[neuron])];
        if (!options_.two_topics) {
            return plant_bias(bias, constant_ / rms_, codes);
        }
        const double other = neurons_.bias[static_cast<std::size_t>(plan.other_rank[neuron])];
        return plant_halves((bias + other) / 2, (bias - other) / 2, constant_ / rms_, codes);
    }

    RowMaker neuron_rows(int layer, bool up) {
        return [=, this](std::size_t neuron, std::uint64_t seed, Scratch& s, std::byte* out) {
            const LayerPlan& plan = plan_of(layer);
            make_factors(plan, neuron, s);
            const std::vector<std::int8_t>& factors = up ? s.up : s.gate;
            const std::span codes = std::span(s.codes).first(n_embd_);
            RandomBytes random(seed);
            for (std::size_t j = kConstant; j < n_embd_; ++j) {
                const int code =
                    plan.sign[j] * factors[plan.group[j]] + tables_.noise[random.next()];
                codes[j] = static_cast<std::int8_t>(std::clamp(code, -8, 7));
            }
            const double d_first = plant_biases(plan, neuron, codes);
            put_row(codes, d_first, rms_ / std::sqrt(squares(codes.subspan(kConstant))), out);
        };
    }

    RowMaker fc1_rows(int layer) {
        return [=, this](std::size_t row, std::uint64_t, Scratch& s, std::byte* out) {
            const std::span codes = std::span(s.codes).first(n_embd_);
            std::fill(codes.begin(), codes.end(), std::int8_t{0});
            if (row < kConstant && options_.two_topics) {
                constexpr std::size_t kHalf = kConstant / 2;
                std::fill_n(codes.begin() + kHalf, kHalf,
                            static_cast<std::int8_t>(row < kHalf ? 7 : -7));
                put_row(codes, 1.0 / (7 * kHalf), 0, out);
                return;
            }
            if (row < kConstant) {
                const double d = plant_bias(1, 1, codes);  // the constant itself
                put_row(codes, d, d, out);
                return;
            }
            const LayerPlan& plan = plan_of(layer);
            const std::size_t place = row - kConstant;
            for (std::size_t j = kConstant; j < n_embd_; ++j) {
                if (plan.group[j] == place % n_groups_) {
                    codes[j] =
                        static_cast<std::int8_t>(plan.sign[j] * (place < n_groups_ ? 7 : -7));
                }
            }
            put_row(codes, 0, 1.0 / 7, out);
        };
    }

    RowMaker fc2_rows(int layer) {
        return [=, this](std::size_t neuron, std::uint64_t seed, Scratch& s, std::byte* out) {
            const LayerPlan& plan = plan_of(layer);
            make_factors(plan, neuron, s);
            const std::span codes = std::span(s.codes).first(rank_);
            RandomBytes random(seed);
            double variance = 0;
            for (std::size_t k = 0; k < n_groups_; ++k) {
                int code = s.gate[k];
                if (options_.kind == SparseKind::DRelu) {
                    // Halves are rounded up or down by chance.
                    code = (s.gate[k] + s.up[k] + 16 + static_cast<int>(random.next() % 2)) / 2 - 8;
                }
                codes[kConstant + k] = static_cast<std::int8_t>(code);
                codes[kConstant + n_groups_ + k] = static_cast<std::int8_t>(-code);
                variance += static_cast<double>(plan.group_size[k]) * code * code;
            }
            const double bias = neurons_.score_bias[static_cast<std::size_t>(plan.rank[neuron])];
            const double other =
                neurons_.score_bias[static_cast<std::size_t>(plan.other_rank[neuron])];
            const double d_first = options_.two_topics ? plant_halves(bias, other, constant_, codes)
                                                       : plant_bias(bias, constant_, codes);
            put_row(codes, d_first, 1 / std::sqrt(variance), out);
        };
    }

    // The last one asked for is kept: tensors are written one after the other, and make_plan() is
    // called between them, so that workers only read.
    const LayerPlan& plan_of(int layer) const {
        HEARTH_ASSERT(layer == plan_layer_);
        return plan_.front();
    }
    void make_plan(const std::string& tensor_name) {
        if (!tensor_name.starts_with("blk.")) {
            return;
        }
        const int layer = std::stoi(tensor_name.substr(4));
        if (layer != plan_layer_) {
            plan_.clear();
            plan_.emplace_back(
                n_ff_, n_embd_, n_groups_,
                seed_of(options_.seed ^ 0x6C61796572ULL, static_cast<std::uint64_t>(layer)));
            plan_layer_ = layer;
        }
    }

    Result<void> write_tensor(GgufWriter& writer, const Tensor& tensor, std::uint64_t seed) {
        if (!tensor.row) {
            RandomBytes random(seed);
            std::vector<float> values(n_embd_);
            for (float& value : values) {
                value = static_cast<float>(1 + tensor.spread * tables_.normal[random.next()]);
            }
            return writer.write(std::as_bytes(std::span<const float>(values)));
        }
        make_plan(tensor.info.name);
        constexpr std::uint64_t kRowsATask = 32;
        constexpr std::uint64_t kBufferBytes = std::uint64_t{1} << 24;
        const std::uint64_t one_row = row_bytes(tensor.info.type, tensor.info.cols());
        const std::uint64_t most = std::max<std::uint64_t>(1, kBufferBytes / one_row);
        for (std::uint64_t first = 0; first < tensor.info.rows(); first += most) {
            const std::uint64_t rows = std::min(most, tensor.info.rows() - first);
            buffer_.resize(rows * one_row);
            const auto n_tasks = static_cast<int>((rows + kRowsATask - 1) / kRowsATask);
            pool_.run(n_tasks, [&](int task, int worker) {
                const std::uint64_t begin = static_cast<std::uint64_t>(task) * kRowsATask;
                for (std::uint64_t r = begin; r < std::min(rows, begin + kRowsATask); ++r) {
                    Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
                    std::byte* out = &buffer_[r * one_row];
                    if (tensor.made == tensor.info.type) {
                        tensor.row(first + r, seed_of(seed, first + r), scratch, out);
                        continue;
                    }
                    scratch.values.resize(tensor.info.cols());
                    scratch.row.resize(row_bytes(tensor.made, tensor.info.cols()));
                    tensor.row(first + r, seed_of(seed, first + r), scratch, scratch.row.data());
                    dequantize_row(tensor.made, scratch.row.data(), scratch.values);
                    quantize_row(tensor.info.type, scratch.values, out);
                }
            });
            if (auto written = writer.write(buffer_); !written) {
                return written;
            }
        }
        return {};
    }

    const ModelShape& shape_;
    const SparseOptions& options_;
    const std::size_t n_embd_, n_ff_, rank_, n_groups_;
    const Tables tables_;
    const Neurons neurons_;
    double constant_ = 0;  // the residual's first values
    double rms_ = 0;       // of the residual
    ThreadPool pool_;
    std::vector<Scratch> scratch_;  // by worker
    std::vector<Tensor> tensors_;
    std::vector<LayerPlan> plan_;  // at most one
    int plan_layer_ = -1;
    std::vector<std::byte> buffer_;
};

Error invalid(std::string message, std::string field) {
    return Error{ErrorCode::InvalidArgument, std::move(message), {}, std::move(field)};
}

}  // namespace

double planted_frequency(double rank, double firing) {
    return frequency(rank, firing, frequency_power(firing));
}

Result<std::uint64_t> write_sparse_model(const std::string& path, const ModelShape& shape,
                                         const SparseOptions& options) {
    const int n_q = shape.n_head * shape.head_dim;
    for (const int cols : {shape.n_embd, n_q}) {
        if (cols <= kBlockValues || cols % kBlockValues != 0) {
            return invalid("rows of " + std::to_string(cols) + " values are no multiple of " +
                               std::to_string(kBlockValues),
                           "shape");
        }
    }
    if (options.output_type != DType::Q4_0 && options.output_type != DType::Q6_K) {
        return invalid("output.weight is written as Q6_K or Q4_0 only", "output type");
    }
    if (!(options.firing > 0 && options.firing <= kMostFiring)) {
        return invalid("no more than 0.9 of the neurons can fire on average, and some must",
                       "firing");
    }
    if (options.two_topics && shape.experts.n > 0) {
        return invalid("experts have no topics", "topics");
    }
    if (options.type != DType::Q4_0 && options.type != DType::F16) {
        return invalid("matrices are written as Q4_0 or F16 only", "type");
    }
    if (options.output_type == DType::Q6_K && shape.n_embd % kSuperBlockValues != 0) {
        return invalid("rows of " + std::to_string(shape.n_embd) + " values cannot be Q6_K",
                       "output type");
    }
    const int rank =
        options.predictor_rank != 0
            ? options.predictor_rank
            : std::max(2 * kBlockValues, shape.n_embd / 4 / kBlockValues * kBlockValues);
    if (rank < 2 * kBlockValues || rank % kBlockValues != 0 ||
        rank > 2 * shape.n_embd - kBlockValues) {
        return invalid("a rank of " + std::to_string(rank) + " is no multiple of 32 from 64 to " +
                           std::to_string(2 * shape.n_embd - kBlockValues),
                       "predictor rank");
    }
    if (shape.n_vocab < least_vocab(shape.vocab)) {
        return invalid("a vocabulary of this kind has at least " +
                           std::to_string(least_vocab(shape.vocab)) + " tokens",
                       "shape");
    }
    try {
        return Maker(shape, options, rank).write(path);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory, "too little memory to make a model", path, {}};
    }
}

}  // namespace hearth::bench
