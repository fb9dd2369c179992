#include "session/sampler_words.h"

#include <cmath>
#include <string>
#include <utility>

namespace hearth {
namespace {

Error wrong(const char* field, std::string message) {
    return {ErrorCode::InvalidArgument, std::move(message), {}, field};
}

struct Bound {
    const char* field;
    double value;
    double least;
    double most;
};

std::string shown(double value) {
    std::string text = std::to_string(value);
    while (text.find('.') != std::string::npos && (text.back() == '0' || text.back() == '.')) {
        const bool ends = text.back() == '.';
        text.pop_back();
        if (ends) {
            break;
        }
    }
    return text;
}

Result<void> check_numbers(const SamplingOptions& options) {
    constexpr double kMost = 2147483647;
    const Bound bounds[] = {
        {"typical_p", static_cast<double>(options.typical_p), 0, 1},
        {"xtc_probability", static_cast<double>(options.xtc_probability), 0, 1},
        {"xtc_threshold", static_cast<double>(options.xtc_threshold), 0, 1},
        {"presence_penalty", static_cast<double>(options.presence_penalty), -100, 100},
        {"frequency_penalty", static_cast<double>(options.frequency_penalty), -100, 100},
        {"repeat_last_n", static_cast<double>(options.repeat_last_n), -1, kMost},
        {"dry_multiplier", static_cast<double>(options.dry_multiplier), 0, 100},
        {"dry_base", static_cast<double>(options.dry_base), 1, 100},
        {"dry_allowed_length", static_cast<double>(options.dry_allowed_length), 1, kMost},
        {"dry_last_n", static_cast<double>(options.dry_last_n), -1, kMost},
    };
    for (const Bound& bound : bounds) {
        // This form of the comparison rejects NaN.
        if (!(bound.value >= bound.least && bound.value <= bound.most)) {
            return wrong(bound.field, std::string(bound.field) + ": is " + shown(bound.value) +
                                          ", from " + shown(bound.least) + " to " +
                                          shown(bound.most) + " is possible");
        }
    }
    return {};
}

Result<std::int32_t> token_of(const LogitBias& bias, const Tokenizer& tokenizer) {
    if (bias.token >= tokenizer.n_vocab()) {
        return wrong("logit_bias", "logit_bias: token " + std::to_string(bias.token) +
                                       ", the vocabulary has " +
                                       std::to_string(tokenizer.n_vocab()));
    }
    if (bias.token >= 0) {
        return bias.token;
    }
    constexpr std::size_t kShown = 40;
    const std::vector<TokenId> tokens = tokenizer.tokenize(bias.text, false, true);
    if (tokens.size() != 1) {
        return wrong("logit_bias", "logit_bias: \"" + bias.text.substr(0, kShown) + "\" is " +
                                       std::to_string(tokens.size()) +
                                       " tokens of this vocabulary, a bias is for one");
    }
    return tokens[0];
}

std::vector<bool> breaking_tokens(const std::vector<std::string>& breakers,
                                  const Tokenizer& tokenizer) {
    std::vector<bool> breaks(static_cast<std::size_t>(tokenizer.n_vocab()));
    std::string piece;
    for (TokenId token = 0; token < tokenizer.n_vocab(); ++token) {
        bool found = tokenizer.is_special(token) || tokenizer.is_end_of_turn(token);
        if (!found) {
            piece.clear();
            tokenizer.append_piece(token, false, piece);
            for (const std::string& breaker : breakers) {
                found = found || (!breaker.empty() && piece.find(breaker) != std::string::npos);
            }
        }
        breaks[static_cast<std::size_t>(token)] = found;
    }
    return breaks;
}

}  // namespace

Result<SamplerWords> sampler_words(const SamplingOptions& options, const Tokenizer& tokenizer) {
    if (auto checked = check_numbers(options); !checked) {
        return std::move(checked).error();
    }
    if (options.logit_bias.size() > kMaxLogitBiases) {
        return wrong("logit_bias", "logit_bias: " + std::to_string(options.logit_bias.size()) +
                                       " entries, at most " + std::to_string(kMaxLogitBiases) +
                                       " are possible");
    }
    if (options.dry_breakers.size() > kMaxDryBreakers) {
        return wrong("dry_breakers",
                     "dry_breakers: " + std::to_string(options.dry_breakers.size()) +
                         " entries, at most " + std::to_string(kMaxDryBreakers) + " are possible");
    }
    for (const std::string& breaker : options.dry_breakers) {
        if (breaker.size() > kMaxDryBreakerBytes) {
            return wrong("dry_breakers", "dry_breakers: one has " + std::to_string(breaker.size()) +
                                             " bytes, at most " +
                                             std::to_string(kMaxDryBreakerBytes) + " are possible");
        }
    }
    SamplerWords words;
    for (const LogitBias& bias : options.logit_bias) {
        const bool bans = std::isinf(bias.bias) && bias.bias < 0;
        if (!bans && !(std::fabs(bias.bias) <= kMostLogitBias)) {
            return wrong("logit_bias",
                         "logit_bias: a bias is a number from -1e9 to 1e9, or -infinity for a ban");
        }
        auto token = token_of(bias, tokenizer);
        if (!token) {
            return std::move(token).error();
        }
        words.biases.push_back({*token, bias.bias});
    }
    if (options.dry_multiplier > 0.0F) {
        words.breaks = breaking_tokens(options.dry_breakers, tokenizer);
    }
    return words;
}

}  // namespace hearth
