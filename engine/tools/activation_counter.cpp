#include "tools/activation_counter.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hearth::tools {
namespace {

constexpr std::size_t kBatches = kProfileBatches.size();
constexpr std::size_t kTokens = kProfileBatches.back();
// Neurons side by side: the inner loops have this length, so compilers make vector code of them.
constexpr std::size_t kLanes = 16;

// fired[b]: for kLanes neurons.
using Counts = std::array<std::array<std::uint32_t, kLanes>, kBatches>;

// Up to kTokens tokens of `lanes` neurons.
void count_tokens(const float* hidden, std::size_t stride, std::size_t n_tokens, std::size_t lanes,
                  Counts& counts) {
    std::array<std::array<std::uint32_t, kLanes>, kTokens> fires{};
    for (std::size_t t = 0; t < n_tokens; ++t) {
        const float* row = hidden + t * stride;
        if (lanes == kLanes) {
            for (std::size_t i = 0; i < kLanes; ++i) {
                fires[t][i] = row[i] != 0.0F ? 1 : 0;
            }
        } else {
            for (std::size_t i = 0; i < lanes; ++i) {
                fires[t][i] = row[i] != 0.0F ? 1 : 0;
            }
        }
    }
    // Each round adds what is there and joins neighbours to groups of twice the size.
    std::size_t groups = n_tokens;
    for (std::size_t b = 0; b < kBatches; ++b) {
        for (std::size_t g = 0; g < groups; ++g) {
            for (std::size_t i = 0; i < kLanes; ++i) {
                counts[b][i] += fires[g][i];
            }
        }
        groups /= 2;
        for (std::size_t g = 0; g < groups; ++g) {
            for (std::size_t i = 0; i < kLanes; ++i) {
                fires[g][i] = fires[2 * g][i] | fires[2 * g + 1][i];
            }
        }
    }
}

}  // namespace

ActivationCounter::ActivationCounter(const std::vector<int>& neurons, ThreadPool& pool)
    : pool_(pool) {
    for (const int count : neurons) {
        LayerProfile& layer = profile_.layers.emplace_back();
        layer.fired.fill(std::vector<std::uint32_t>(static_cast<std::size_t>(count)));
    }
}

void ActivationCounter::observed(const FeedForwardRecord& record) {
    const auto n_tokens = static_cast<std::size_t>(record.n_tokens);
    LayerProfile& layer = profile_.layers[static_cast<std::size_t>(record.layer)];
    const auto n_ff = static_cast<std::size_t>(record.n_ff);
    // Whole cache lines of every row for each task.
    constexpr std::size_t kTaskNeurons = 16 * kLanes;
    const auto n_tasks = static_cast<int>((n_ff + kTaskNeurons - 1) / kTaskNeurons);
    pool_.run(n_tasks, [&](int task, int) {
        const std::size_t begin = static_cast<std::size_t>(task) * kTaskNeurons;
        const std::size_t end = std::min(begin + kTaskNeurons, n_ff);
        for (std::size_t first = begin; first < end; first += kLanes) {
            const std::size_t lanes = std::min(kLanes, end - first);
            Counts counts{};
            for (std::size_t t = 0; t < n_tokens; t += kTokens) {
                count_tokens(record.hidden + t * n_ff + first, n_ff,
                             std::min(kTokens, n_tokens - t), lanes, counts);
            }
            for (std::size_t b = 0; b < kBatches; ++b) {
                for (std::size_t i = 0; i < lanes; ++i) {
                    layer.fired[b][first + i] += counts[b][i];
                }
            }
        }
    });
    if (record.layer == 0) {
        profile_.tokens += n_tokens;
        for (std::size_t b = 0; b < kBatches; ++b) {
            // As they were cut above: blocks of 32 first.
            const auto batch = static_cast<std::size_t>(kProfileBatches[b]);
            profile_.groups[b] +=
                n_tokens / kTokens * (kTokens / batch) + n_tokens % kTokens / batch;
        }
    }
}

}  // namespace hearth::tools
