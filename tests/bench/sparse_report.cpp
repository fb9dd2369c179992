#include "bench/sparse_report.h"

#include <algorithm>
#include <numeric>

#include "bench/random_numbers.h"
#include "support/reference_model.h"

namespace hearth::bench {
namespace {

SparseLayerReport report_block(const test::ReferenceBlock& block, std::size_t n_ff,
                               std::vector<bool>& hot) {
    const std::size_t n_tokens = block.hidden.size() / n_ff;
    std::vector<std::size_t> fired(n_ff);
    std::size_t total = 0;
    std::size_t open = 0;
    std::size_t predicted = 0;
    std::size_t right = 0;
    SparseLayerReport report;
    for (std::size_t t = 0; t < n_tokens; ++t) {
        std::size_t both = 0;
        std::size_t either = 0;
        for (std::size_t i = 0; i < n_ff; ++i) {
            const std::size_t at = t * n_ff + i;
            const bool fires = block.hidden[at] != 0;
            const bool fired_before = t > 0 && block.hidden[at - n_ff] != 0;
            fired[i] += fires ? 1 : 0;
            total += fires ? 1 : 0;
            open += block.gate[at] > 0 ? 1 : 0;
            both += fires && fired_before ? 1 : 0;
            either += fires || fired_before ? 1 : 0;
            if (!block.score.empty() && block.score[at] >= 0) {
                ++predicted;
                right += fires ? 1 : 0;
            }
        }
        if (t > 0 && either > 0) {
            report.jaccard += static_cast<double>(both) / static_cast<double>(either) /
                              static_cast<double>(n_tokens - 1);
        }
    }
    const auto ratio = [](std::size_t part, std::size_t whole) {
        return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    std::vector<std::size_t> order(n_ff);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return fired[a] > fired[b]; });
    const std::size_t n_hot = n_ff * 26 / 100;
    std::size_t hot_fired = 0;
    std::size_t shared = 0;
    std::vector<bool> hot_here(n_ff);
    for (std::size_t i = 0; i < n_hot; ++i) {
        hot_fired += fired[order[i]];
        hot_here[order[i]] = true;
        shared += order[i] < hot.size() && hot[order[i]] ? 1 : 0;
    }
    hot = std::move(hot_here);
    report.density = ratio(total, n_tokens * n_ff);
    report.gate_open = ratio(open, n_tokens * n_ff);
    report.busy_share = ratio(hot_fired, total);
    report.recall = ratio(right, total);
    report.precision = ratio(right, predicted);
    report.hot_overlap = ratio(shared, n_hot);
    return report;
}

}  // namespace

std::optional<std::vector<SparseLayerReport>> report_sparse_model(const std::string& path,
                                                                  int n_tokens, std::uint64_t seed,
                                                                  int threads) {
    const auto model = test::ReferenceModel::open(path);
    if (!model) {
        return {};
    }
    Random random(seed);
    std::vector<std::int32_t> tokens;
    while (tokens.size() < static_cast<std::size_t>(n_tokens)) {
        const auto token =
            static_cast<std::int32_t>(random.next() % static_cast<std::uint64_t>(model->n_vocab()));
        if (tokens.empty() || tokens.back() != token) {
            tokens.push_back(token);
        }
    }
    std::vector<SparseLayerReport> layers;
    std::vector<bool> hot;
    test::ReferenceOptions options;
    options.threads = threads;
    model->logits(tokens, options, [&](const test::ReferenceBlock& block) {
        layers.push_back(report_block(block, block.hidden.size() / tokens.size(), hot));
    });
    return layers;
}

}  // namespace hearth::bench
