#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <hearth/tools.h>

#include "base/guarded.h"
#include "session/loaded_model.h"

namespace hearth::tools {
namespace {

// -log softmax(logits)[target], in double: the sum runs over the whole vocabulary.
double negative_log_likelihood(std::span<const float> logits, std::int32_t target) {
    const auto largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
    double sum = 0;
    for (const float logit : logits) {
        sum += std::exp(static_cast<double>(logit) - largest);
    }
    return std::log(sum) + largest - static_cast<double>(logits[static_cast<std::size_t>(target)]);
}

Result<void> score_single_tokens(Session& session, std::span<const TokenId> tokens,
                                 const Decoder::LogitsSink& sink,
                                 const Cancellation& cancellation) {
    session.clear();
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (auto done = session.decode_one(tokens[i], cancellation); !done) {
            return done;
        }
        const auto logits = session.last_logits(cancellation);
        if (!logits) {
            return logits.error();
        }
        sink(i, *logits);
    }
    return {};
}

Result<PerplexityReport> score_text(Engine& engine, std::string_view text, int n_ctx,
                                    const std::function<void(int done, int windows)>& progress,
                                    const Cancellation& cancellation, bool token_by_token) {
    LoadedModel& impl = engine.impl();
    if (n_ctx < 2 || n_ctx > impl.plan.n_ctx) {
        return Error{ErrorCode::InvalidArgument,
                     "windows of " + std::to_string(n_ctx) +
                         " tokens were asked for; this model was loaded with a context of " +
                         std::to_string(impl.plan.n_ctx),
                     {},
                     "ctx"};
    }
    const std::vector<TokenId> tokens = impl.tokenizer->tokenize(text, false, false);
    if (tokens.size() < 2) {
        return Error{
            ErrorCode::InvalidArgument,
            "the text has " + std::to_string(tokens.size()) + " tokens; at least 2 are needed",
            {},
            "file"};
    }
    impl.fix_paths();
    const auto window = static_cast<std::size_t>(n_ctx);
    const std::size_t n_targets = tokens.size() - 1;
    PerplexityReport report;
    report.windows = static_cast<int>((n_targets + window - 1) / window);
    double sum = 0;
    double squares = 0;
    int done_windows = 0;
    for (std::size_t first = 0; first < n_targets; first += window) {
        const std::size_t count = std::min(window, n_targets - first);
        const auto add = [&](std::size_t index, std::span<const float> logits) {
            const double loss = negative_log_likelihood(logits, tokens[first + index + 1]);
            sum += loss;
            squares += loss * loss;
        };
        const auto part = std::span(tokens).subspan(first, count);
        auto done = token_by_token || impl.plan.mode == FeedForwardMode::Predicted ||
                            impl.plan.mode == FeedForwardMode::Thresholded
                        ? score_single_tokens(*impl.session, part, add, cancellation)
                        : impl.session->score(part, Decoder::Want::All, add, cancellation);
        if (!done) {
            return std::move(done).error();
        }
        if (progress) {
            progress(++done_windows, report.windows);
        }
    }
    const auto n = static_cast<double>(n_targets);
    report.tokens = n_targets;
    report.loss = sum / n;
    report.perplexity = std::exp(report.loss);
    // First order: the error of exp(mean) is exp(mean) times the error of the mean.
    const double variance = n > 1 ? std::max(0.0, (squares - sum * sum / n) / (n - 1)) : 0.0;
    report.standard_error = report.perplexity * std::sqrt(variance / n);
    return report;
}

}  // namespace

Result<PerplexityReport> perplexity(Engine& engine, std::string_view text, int n_ctx,
                                    const std::function<void(int done, int windows)>& progress,
                                    const Cancellation& cancellation, bool token_by_token) {
    return guarded_naming(engine.impl().info.path, [&] {
        return score_text(engine, text, n_ctx, progress, cancellation, token_by_token);
    });
}

}  // namespace hearth::tools
