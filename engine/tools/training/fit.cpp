#include "tools/training/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "gguf/recipes.h"
#include "gguf/rows.h"
#include "tools/training/random.h"

namespace hearth::tools {
namespace {

constexpr int kBatchTokens = 256;
constexpr int kTaskTokens = 16;
constexpr float kMostWeight = 30.0F;  // of one neuron, in means: a few giants would drown the rest
constexpr int kBins = 1 << 14;        // of scores, between the lowest and the highest seen
constexpr int kShares = 8;            // of a batch, counted apart and added in order

Error cancelled() {
    return Error{ErrorCode::Cancelled, "stopped", {}, {}};
}

std::size_t size_of(int count) {
    return static_cast<std::size_t>(count);
}

// Inputs of some tokens as floats: rows [n_tokens, n_embd].
void unpack_inputs(ThreadPool& pool, std::span<const TokenSample* const> tokens, int n_embd,
                   std::vector<float>& rows) {
    rows.resize(tokens.size() * size_of(n_embd));
    const int tasks = static_cast<int>((tokens.size() + kTaskTokens - 1) / kTaskTokens);
    pool.run(tasks, [&](int task, int) {
        const std::size_t first = size_of(task) * kTaskTokens;
        for (std::size_t t = first; t < std::min(first + kTaskTokens, tokens.size()); ++t) {
            dequantize_row(kSampleType, reinterpret_cast<const std::byte*>(tokens[t]->input),
                           std::span(rows).subspan(t * size_of(n_embd), size_of(n_embd)));
        }
    });
}

double mean_importance(const std::vector<TokenSample>& tokens, std::span<const float> down_norms,
                       std::size_t& count) {
    double sum = 0;
    count = 0;
    for (const TokenSample& token : tokens) {
        for (const Fired fired : token.fired) {
            sum += static_cast<double>(importance(fired, down_norms));
        }
        count += token.fired.size();
    }
    return count == 0 ? 0 : sum / static_cast<double>(count);
}

// Counts of one share of the scores, by score.
struct Histogram {
    std::vector<std::uint64_t> all = std::vector<std::uint64_t>(kBins);
    std::vector<std::uint64_t> fired = std::vector<std::uint64_t>(kBins);
    std::vector<double> importance = std::vector<double>(kBins);
};

struct Range {
    float least = std::numeric_limits<float>::max();
    float most = std::numeric_limits<float>::lowest();

    std::size_t bin(float score) const {
        const float at = (score - least) / (most - least) * static_cast<float>(kBins);
        return static_cast<std::size_t>(std::clamp(at, 0.0F, static_cast<float>(kBins - 1)));
    }
    // The lowest score that falls into the bin, give or take one rounding.
    float edge(int bin) const {
        return least + (most - least) * static_cast<float>(bin) / static_cast<float>(kBins);
    }
};

// body(token, its scores [n_ff], share): every token once, tokens of a share in order.
template <class Body>
Result<void> for_scores(PredictorNet& net, const std::vector<TokenSample>& tokens, ThreadPool& pool,
                        const Cancellation& cancellation, const Body& body) {
    std::vector<float> input;
    std::vector<float> scores(size_of(kBatchTokens) * net.score_stride());
    std::vector<const TokenSample*> batch;
    for (std::size_t first = 0; first < tokens.size(); first += kBatchTokens) {
        if (cancellation.requested()) {
            return cancelled();
        }
        batch.clear();
        for (std::size_t t = first; t < std::min(first + kBatchTokens, tokens.size()); ++t) {
            batch.push_back(&tokens[t]);
        }
        unpack_inputs(pool, batch, net.shape().n_embd, input);
        net.scores(pool, input.data(), static_cast<int>(batch.size()), scores.data());
        pool.run(kShares, [&](int share, int) {
            for (std::size_t t = size_of(share); t < batch.size(); t += kShares) {
                body(*batch[t], scores.data() + t * net.score_stride(), share);
            }
        });
    }
    return {};
}

}  // namespace

Result<void> fit(PredictorNet& net, const std::vector<TokenSample>& tokens,
                 std::span<const float> down_norms, const FitOptions& options, ThreadPool& pool,
                 const std::function<void(double)>& progress, const Cancellation& cancellation) {
    std::size_t n_fired = 0;
    const double mean = mean_importance(tokens, down_norms, n_fired);
    if (n_fired == 0 || !(mean > 0)) {
        return Error{ErrorCode::InvalidArgument, "no neuron fired for the text", {}, "file"};
    }
    const auto n_values = static_cast<double>(tokens.size()) * net.shape().n_ff;
    const auto rest = n_values - static_cast<double>(n_fired);
    const double mean_weight = options.balance * rest / static_cast<double>(n_fired);
    const auto weight_of = [&](Fired fired) {
        const auto in_means = importance(fired, down_norms) / static_cast<float>(mean);
        return static_cast<float>(mean_weight) * std::min(in_means, kMostWeight);
    };

    std::vector<std::uint32_t> order(tokens.size());
    std::iota(order.begin(), order.end(), 0U);
    Random random(options.seed);
    std::vector<const TokenSample*> batch;
    std::vector<float> input;
    std::vector<std::uint32_t> offsets;
    std::vector<std::uint32_t> fired;
    std::vector<float> weights;
    const std::size_t n_batches = (tokens.size() + kBatchTokens - 1) / kBatchTokens;
    const std::size_t n_steps = n_batches * size_of(options.passes);
    std::size_t step = 0;
    for (int pass = 0; pass < options.passes; ++pass) {
        for (std::size_t i = order.size(); i > 1; --i) {  // Fisher and Yates
            std::swap(order[i - 1], order[random.below(i)]);
        }
        for (std::size_t first = 0; first < order.size(); first += kBatchTokens) {
            if (cancellation.requested()) {
                return cancelled();
            }
            batch.clear();
            offsets.assign(1, 0);
            fired.clear();
            weights.clear();
            for (std::size_t t = first; t < std::min(first + kBatchTokens, order.size()); ++t) {
                const TokenSample& token = tokens[order[t]];
                batch.push_back(&token);
                for (const Fired one : token.fired) {
                    fired.push_back(static_cast<std::uint32_t>(neuron_of(one)));
                    weights.push_back(weight_of(one));
                }
                offsets.push_back(static_cast<std::uint32_t>(fired.size()));
            }
            unpack_inputs(pool, batch, net.shape().n_embd, input);
            const double done = static_cast<double>(step) / static_cast<double>(n_steps);
            const double warm = std::min(1.0, static_cast<double>(step + 1) / 50.0);
            const double rate = static_cast<double>(options.rate) * warm * 0.5 *
                                (1 + std::cos(3.141592653589793 * done));
            net.learn(pool,
                      {.n_tokens = static_cast<int>(batch.size()),
                       .input = input.data(),
                       .offsets = offsets,
                       .fired = fired,
                       .weights = weights},
                      static_cast<float>(rate));
            if (++step % 16 == 0 && progress) {
                progress(static_cast<double>(step) / static_cast<double>(n_steps));
            }
        }
    }
    return {};
}

Result<PredictorQuality> calibrate(PredictorNet& net, const std::vector<TokenSample>& tokens,
                                   std::span<const float> down_norms, double target,
                                   ThreadPool& pool, const Cancellation& cancellation) {
    const auto n_ff = size_of(net.shape().n_ff);
    std::array<Range, kShares> ranges;
    auto scored = for_scores(
        net, tokens, pool, cancellation, [&](const TokenSample&, const float* scores, int share) {
            Range& range = ranges[size_of(share)];
            const auto [least, most] = std::minmax_element(scores, scores + n_ff);
            range.least = std::min(range.least, *least);
            range.most = std::max(range.most, *most);
        });
    if (!scored) {
        return std::move(scored).error();
    }
    Range range;
    for (const Range& share : ranges) {
        range.least = std::min(range.least, share.least);
        range.most = std::max(range.most, share.most);
    }
    if (!(range.most > range.least)) {  // all alike
        range.most = range.least + 1;
    }
    std::vector<Histogram> shares(kShares);
    scored = for_scores(net, tokens, pool, cancellation,
                        [&](const TokenSample& token, const float* scores, int share) {
                            Histogram& counts = shares[size_of(share)];
                            for (std::size_t i = 0; i < n_ff; ++i) {
                                ++counts.all[range.bin(scores[i])];
                            }
                            for (const Fired fired : token.fired) {
                                const std::size_t bin = range.bin(scores[neuron_of(fired)]);
                                ++counts.fired[bin];
                                counts.importance[bin] +=
                                    static_cast<double>(importance(fired, down_norms));
                            }
                        });
    if (!scored) {
        return std::move(scored).error();
    }
    Histogram sum;
    for (const Histogram& share : shares) {
        for (std::size_t bin = 0; bin < kBins; ++bin) {
            sum.all[bin] += share.all[bin];
            sum.fired[bin] += share.fired[bin];
            sum.importance[bin] += share.importance[bin];
        }
    }
    const auto n_fired =
        static_cast<double>(std::accumulate(sum.fired.begin(), sum.fired.end(), std::uint64_t{0}));
    const double whole = std::accumulate(sum.importance.begin(), sum.importance.end(), 0.0);
    std::uint64_t all = 0;
    std::uint64_t fired = 0;
    double kept = 0;
    int bin = kBins;
    while (bin > 0 && (bin == kBins || kept < target * whole)) {
        --bin;
        all += sum.all[size_of(bin)];
        fired += sum.fired[size_of(bin)];
        kept += sum.importance[size_of(bin)];
    }
    const auto n_values = static_cast<double>(tokens.size()) * net.shape().n_ff;
    const auto ratio = [](double part, double of) { return of > 0 ? part / of : 1.0; };
    PredictorQuality quality;
    quality.threshold = range.edge(bin);
    quality.recall = ratio(static_cast<double>(fired), n_fired);
    quality.weighted_recall = ratio(kept, whole);
    quality.precision = ratio(static_cast<double>(fired), static_cast<double>(all));
    quality.predicted = ratio(static_cast<double>(all), n_values);
    quality.active = ratio(n_fired, n_values);
    return quality;
}

}  // namespace hearth::tools
