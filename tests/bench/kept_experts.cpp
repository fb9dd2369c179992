#include "bench/kept_experts.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "gguf/encoding.h"
#include "gguf/rows.h"

namespace hearth::bench {
namespace {

constexpr float kMark = 4.0F;            // a false code outweighs the true one so often
constexpr std::int64_t kFalsePlace = 0;  // of the first circle
constexpr std::size_t kDirections = 16;  // that a code sums up, at most
// Neighbours' codes correlate by so much at least and at most: weights_of() comes to that.
constexpr double kLeastCorrelation = -0.5;
constexpr double kMostCorrelation = 0.93;

// Calls take(value) with n standard normal numbers. n is even.
template <class Take>
void draw_normal(std::uint64_t seed, std::size_t n, const std::array<double, 256>& normal,
                 Take&& take) {
    Random random(seed);
    for (std::size_t i = 0; i < n; i += 2) {
        std::uint64_t bits = random.next();
        for (int k = 0; k < 2; ++k) {
            double sum = 0;  // of four, so that no two scores are equal
            for (int j = 0; j < 4; ++j, bits >>= 8) {
                sum += normal[bits & 0xFFU];
            }
            take(sum / 2);
        }
    }
}

// The correlation of neighbours where each sums up directions by these weights.
double correlation_of(std::span<const float> weights) {
    double both = 0;
    double own = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        own += static_cast<double>(weights[i]) * static_cast<double>(weights[i]);
        if (i + 1 < weights.size()) {
            both += static_cast<double>(weights[i]) * static_cast<double>(weights[i + 1]);
        }
    }
    return both / own;
}

// Weights that fall by the same factor, so that what a word keeps lives as long as by chance; or,
// where neighbours are to be less alike than by chance, a direction less the one before.
std::vector<float> weights_of(double factor) {
    if (factor <= 0) {
        return {1.0F, static_cast<float>(factor)};
    }
    std::vector<float> weights(kDirections);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = static_cast<float>(std::pow(factor, static_cast<double>(i)));
    }
    return weights;
}

// The number in [low, high] at which `of`, which grows, comes to `wanted`.
double solve(double low, double high, double wanted, const std::function<double(double)>& of) {
    for (int step = 0; step < 16; ++step) {
        const double middle = (low + high) / 2;
        (of(middle) < wanted ? low : high) = middle;
    }
    return (low + high) / 2;
}

Error invalid(std::string message) {
    return {ErrorCode::InvalidArgument, std::move(message), {}, "kept experts"};
}

// The tensor, a layer's, writes the stream.
bool writes_the_stream(std::string_view name) {
    return name.ends_with("attn_output.weight") || name.ends_with("ssm_out.weight") ||
           name.ends_with("ffn_down_exps.weight") || name.ends_with("ffn_down_shexp.weight") ||
           name.ends_with("ffn_down.weight") || name.ends_with("attn_output.bias") ||
           name.ends_with("ffn_down_exps.bias");
}

}  // namespace

double kept_share_of(double correlation, int n, int n_used) {
    constexpr int kTrials = 2000;
    const auto normal = normal_values();
    const double rest = std::sqrt(1 - correlation * correlation);
    const auto count = static_cast<std::size_t>(n);
    std::vector<double> before(count + 1), after(count + 1), sorted;
    const auto least_chosen = [&](const std::vector<double>& scores) {
        sorted.assign(scores.begin(), scores.begin() + n);
        const auto last = sorted.begin() + (n_used - 1);
        std::nth_element(sorted.begin(), last, sorted.end(), std::greater<>());
        return *last;
    };
    std::size_t kept = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
        const auto seed = static_cast<std::uint64_t>(2 * trial);
        const std::size_t even = count + count % 2;
        auto to = before.begin();
        draw_normal(seed_of(1, seed), even, normal, [&](double value) { *to++ = value; });
        auto from = before.begin();
        to = after.begin();
        draw_normal(seed_of(1, seed + 1), even, normal,
                    [&](double value) { *to++ = correlation * *from++ + rest * value; });
        const double chosen = least_chosen(before);
        const double chosen_next = least_chosen(after);
        for (std::size_t i = 0; i < count; ++i) {
            kept += before[i] >= chosen && after[i] >= chosen_next ? 1 : 0;
        }
    }
    return static_cast<double>(kept) / (static_cast<double>(n_used) * kTrials);
}

WordRange circle_of(VocabKind vocab, int n_vocab, std::size_t index, std::size_t count) {
    const WordRange words = words_of(vocab, n_vocab);
    const int each = words.count / static_cast<int>(count);
    return {words.first + static_cast<int>(index) * each, each};
}

Result<KeptExperts> KeptExperts::create(const ModelShape& shape, DType table_type, DType head_type,
                                        std::uint64_t seed) {
    constexpr double kMostShare = 0.6;
    constexpr double kBeside = 0.02;
    const bool dense = shape.experts.n == 0;
    if (shape.foretells &&
        !(dense && shape.arch == "qwen35" && *shape.foretells >= 0 && *shape.foretells <= 1)) {
        return invalid("a layer that foretells a share of 0 to 1 is planted in a dense qwen35");
    }
    if (dense ? shape.arch != "llama" && shape.arch != "qwen35"
              : shape.arch != "qwen3moe" && shape.arch != "gpt-oss" && shape.arch != "qwen35moe") {
        return invalid(
            "kept experts are planted in qwen3moe, gpt-oss and qwen35moe, and text alone in llama "
            "and qwen35, not in " +
            std::string(shape.arch));
    }
    if (shape.tied) {
        return invalid("a model with kept experts has an output matrix of its own");
    }
    KeptExperts kept;
    kept.seed_ = seed;
    kept.n_embd_ = static_cast<std::uint64_t>(shape.n_embd);
    kept.foretells_ = shape.foretells;
    kept.code_size_ = shape.n_embd >= 512 ? 256 : 32;
    for (const DType type : {table_type, head_type}) {
        const std::size_t block = encoding_of(type).block_values;
        if (2 * kept.code_size_ > kept.n_embd_ || kept.code_size_ % block != 0) {
            return invalid("rows of " + std::to_string(shape.n_embd) +
                           " values have no room for a code of whole blocks");
        }
    }
    const auto share_by = [&](double correlation) {
        return kept_share_of(correlation, shape.experts.n, shape.experts.n_used);
    };
    const auto factor_of = [&](double share) {
        const double correlation = solve(kLeastCorrelation, kMostCorrelation, share, share_by);
        return solve(-1, 1, correlation, [](double by) { return correlation_of(weights_of(by)); });
    };
    for (const double share : shape.experts.kept) {
        if (dense && share != 0) {
            return invalid("a dense model keeps no share of its experts");
        }
        if (!(share >= 0 && share <= kMostShare)) {
            return invalid("the share of kept experts is 0 to 0.6");
        }
        const double least = dense ? 0 : share_by(kLeastCorrelation);
        if (least > share + kBeside) {
            return invalid("at least " + std::to_string(least) + " of the experts are kept where " +
                           std::to_string(shape.experts.n_used) + " of " +
                           std::to_string(shape.experts.n) + " are chosen");
        }
        const WordRange words =
            circle_of(shape.vocab, shape.n_vocab, kept.circles_.size(), shape.experts.kept.size());
        if (words.count < 2) {
            return invalid("a circle of kept experts has two words at least");
        }
        kept.circles_.push_back({words, weights_of(dense ? 0 : factor_of(share))});
    }
    return kept;
}

const KeptExperts::Circle* KeptExperts::circle_of_token(std::uint64_t token) const {
    const auto id = static_cast<std::int64_t>(token);
    for (const Circle& circle : circles_) {
        if (id >= circle.words.first && id - circle.words.first < circle.words.count) {
            return &circle;
        }
    }
    return nullptr;
}

bool KeptExperts::misleads(std::uint64_t token) const {
    constexpr std::uint64_t kRun = 20;  // of so many tokens in a row the share is what it should be
    const auto drawn = [&](std::uint64_t of) { return seed_of(seed_ + 1, of); };
    const std::uint64_t first = token / kRun * kRun;
    std::uint64_t before = 0;
    for (std::uint64_t other = first; other < first + kRun; ++other) {
        before += drawn(other) < drawn(token) ? 1 : 0;
    }
    return before >=
           static_cast<std::uint64_t>(std::lround(*foretells_ * static_cast<double>(kRun)));
}

void KeptExperts::make_code(const Circle& circle, std::int64_t place, std::span<float> code) const {
    const std::int64_t n = circle.words.count;
    std::fill(code.begin(), code.end(), 0.0F);
    for (std::size_t k = 0; k < circle.weights.size(); ++k) {
        const std::int64_t before = place - static_cast<std::int64_t>(k);
        const std::int64_t word = circle.words.first + (before % n + n) % n;
        auto to = code.begin();
        draw_normal(seed_of(seed_, static_cast<std::uint64_t>(word)), code_size_, normal_,
                    [&](double value) { *to++ += circle.weights[k] * static_cast<float>(value); });
    }
    double squares = 0;
    for (const float value : code) {
        squares += static_cast<double>(value) * static_cast<double>(value);
    }
    const auto scale = static_cast<float>(std::sqrt(static_cast<double>(code_size_) / squares));
    for (float& value : code) {
        value *= scale;
    }
}

void KeptExperts::plant(const TensorInfo& tensor, std::uint64_t first_row,
                        std::span<std::byte> rows) const {
    const std::string_view name = tensor.name;
    const std::uint64_t one_row = row_bytes(tensor.type, tensor.cols());
    const std::uint64_t n_rows = rows.size() / one_row;
    std::vector<float> values(static_cast<std::size_t>(tensor.cols()));
    if (writes_the_stream(name)) {
        std::vector<std::byte> zeros(static_cast<std::size_t>(one_row));
        quantize_row(tensor.type, values, zeros.data());
        for (std::uint64_t row = 0; row < n_rows; ++row) {
            if ((first_row + row) % n_embd_ < code_size_) {
                std::memcpy(&rows[row * one_row], zeros.data(), one_row);
            }
        }
        return;
    }
    const std::span<float> own(values.data(), std::min(values.size(), code_size_));
    if (name.ends_with("nextn.eh_proj.weight")) {
        std::vector<float> false_code(code_size_);
        make_code(circles_.front(), kFalsePlace, false_code);
        for (std::uint64_t row = 0; row < n_rows; ++row) {
            if (const std::uint64_t of = first_row + row; of < code_size_) {
                std::fill(values.begin(), values.end(), 0.0F);
                values[of] = 1;
                values[code_size_] = false_code[of];
                quantize_row(tensor.type, values, &rows[row * one_row]);
            }
        }
        return;
    }
    if (name == "token_embd.weight") {
        std::vector<float> block(encoding_of(tensor.type).block_values);
        for (std::uint64_t row = 0; row < n_rows; ++row) {
            const std::uint64_t token = first_row + row;
            const Circle* circle = circle_of_token(token);
            // The first word follows whatever is no word, as it follows the last word.
            make_code(
                circle != nullptr ? *circle : circles_.front(),
                circle != nullptr ? static_cast<std::int64_t>(token) - circle->words.first : -1,
                own);
            quantize_row(tensor.type, own, &rows[row * one_row]);
            if (foretells_) {  // the block that begins with the mark
                std::fill(block.begin(), block.end(), 0.0F);
                block.front() = misleads(token) ? kMark : 0.0F;
                quantize_row(tensor.type, block,
                             &rows[row * one_row + row_bytes(tensor.type, code_size_)]);
            }
        }
    } else if (name == "output.weight") {
        // The greatest logit is about 64, the others are far below.
        const float scale = 64.0F / static_cast<float>(code_size_);
        for (std::uint64_t row = 0; row < n_rows; ++row) {
            std::fill(values.begin(), values.end(), 0.0F);
            const std::uint64_t token = first_row + row;
            if (const Circle* circle = circle_of_token(token); circle != nullptr) {
                make_code(*circle, static_cast<std::int64_t>(token) - circle->words.first - 1, own);
                for (float& value : own) {
                    value *= scale;
                }
            }
            quantize_row(tensor.type, values, &rows[row * one_row]);
        }
    } else if (name.ends_with("ffn_gate_inp.weight")) {
        // The scores' deviation stays as without anything planted.
        const float scale = std::sqrt(static_cast<float>(n_embd_) / static_cast<float>(code_size_));
        for (std::uint64_t row = 0; row < n_rows; ++row) {
            std::memcpy(values.data(), &rows[row * one_row], one_row);
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] = i < code_size_ ? scale * values[i] : 0.0F;
            }
            std::memcpy(&rows[row * one_row], values.data(), one_row);
        }
    }
}

void KeptExperts::plant(const TensorInfo& tensor, std::span<float> values) const {
    const std::string_view name = tensor.name;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool in_code = i % n_embd_ < code_size_;
        if (name.ends_with("ffn_gate_inp.bias") || (writes_the_stream(name) && in_code)) {
            values[i] = 0;
        } else if (in_code &&
                   (name == "output_norm.weight" || name.ends_with("nextn.enorm.weight") ||
                    name.ends_with("nextn.shared_head_norm.weight"))) {
            values[i] = 1;
        } else if (i == code_size_ && name.ends_with("nextn.enorm.weight")) {
            values[i] = 1;  // the mark's
        }
    }
}

}  // namespace hearth::bench
