#include "cpu/feed_forward/routed_path.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "cpu/pack_rows.h"

namespace hearth {
namespace {

// The layer as if it had the neurons of one expert alone.
CpuLayer expert_of(const CpuLayer& layer, int expert, int n_ff) {
    CpuLayer part = layer;
    const int first = expert * n_ff;
    part.first = layer.first + first;
    part.n_neurons = n_ff;
    for (const Role role : {Role::Gate, Role::Up, Role::Down}) {
        if (PackedMatrix& tiles = part.tiles[role]; tiles.present()) {
            tiles.data += packed_bytes(tiles.type, static_cast<std::uint64_t>(first),
                                       static_cast<std::uint64_t>(tiles.cols));
            tiles.rows = n_ff;
        } else if (part.rows[role].present()) {
            part.rows[role].data = layer.rows[role].row(first);
        }
    }
    return part;
}

}  // namespace

RoutedPath::RoutedPath(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
                       int n_batch, BatchPath& batch, const Scratch& scratch)
    : table_(table),
      pool_(pool),
      spec_(spec),
      batch_(batch),
      scratch_(scratch),
      router_(table, pool, spec, scratch.router),
      weights_(static_cast<std::size_t>(
          spec.most([](const LayerSpec& layer) { return layer.experts.n; }))),
      tokens_(static_cast<std::size_t>(n_batch)),
      shares_(tokens_.size()) {
    clusters_.reserve(static_cast<std::size_t>(
        spec.most([](const LayerSpec& layer) { return layer.experts.n_used; })));
}

Result<FeedForwardTask> RoutedPath::of_token(const FeedForwardTask& task, const CpuLayer& layer,
                                             const ActivationRows& input) {
    HEARTH_ASSERT(task.n_tokens == 1 && layer.first == 0 &&
                  layer.n_neurons == spec_.layer(task.layer).n_ff);
    if (auto chosen = router_.choose(task, layer, input); !chosen) {
        return std::move(chosen).error();
    }
    const int n_ff = spec_.layer(task.layer).experts.n_ff;
    clusters_.clear();
    for (const ChosenExpert& one : router_.first(task)) {
        clusters_.push_back({task.layer, one.expert * n_ff, n_ff});
        weights_[static_cast<std::size_t>(one.expert)] = one.weight;
    }
    FeedForwardTask of = task;
    of.clusters = clusters_;
    of.expert_weights = weights_.data();
    return of;
}

Result<LayerActivity> RoutedPath::run(const FeedForwardTask& task, const CpuLayer& layer,
                                      const ActivationRows& input) {
    HEARTH_ASSERT(layer.first == 0 && layer.rows[Role::Down].present() &&
                  layer.n_neurons == spec_.layer(task.layer).n_ff);
    if (auto chosen = router_.choose(task, layer, input); !chosen) {
        return std::move(chosen).error();
    }
    const ExpertsSpec& experts = spec_.layer(task.layer).experts;
    std::fill_n(task.y,
                static_cast<std::size_t>(task.n_tokens) * static_cast<std::size_t>(spec_.n_embd),
                0.0F);
    LayerActivity token{.passed = 1};
    for (int expert = 0; expert < experts.n; ++expert) {
        const int n = gather(task, input, expert);
        if (n == 0) {
            continue;
        }
        const bool of_first = tokens_.front() == 0;
        const Cluster cluster{task.layer, expert * experts.n_ff, experts.n_ff};
        FeedForwardTask of = task;
        of.y = scratch_.outputs;
        of.n_tokens = n;
        of.clusters = {&cluster, 1};
        const LayerActivity part =
            batch_.run(of, expert_of(layer, expert, experts.n_ff),
                       {scratch_.inputs, static_cast<std::size_t>(spec_.n_embd), scratch_.blocks,
                        spec_.n_embd, n},
                       nullptr);
        token.computed += of_first ? part.computed : 0;
        token.down_rows += of_first ? part.down_rows : 0;
        add_outputs(task, n);
    }
    return token;
}

// The inputs of the tokens that have the expert; returns how many they are.
int RoutedPath::gather(const FeedForwardTask& task, const ActivationRows& input, int expert) {
    const auto n_used = static_cast<std::size_t>(spec_.layer(task.layer).experts.n_used);
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    const std::span<const ChosenExpert> chosen = router_.chosen(task);
    int n = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i].expert == expert) {
            tokens_[static_cast<std::size_t>(n)] = static_cast<std::int32_t>(i / n_used);
            shares_[static_cast<std::size_t>(n++)] = chosen[i].weight;
        }
    }
    const ActivationRows rows{scratch_.inputs, n_embd, scratch_.blocks, spec_.n_embd, n};
    const int width = kernels::group_width(n);
    pool_.run((n + width - 1) / width, [&](int group, int) {
        for (int i = group * width; i < std::min(n, (group + 1) * width); ++i) {
            const auto at = static_cast<std::size_t>(i);
            float* to = scratch_.inputs + at * n_embd;
            std::memcpy(to, input.f32 + static_cast<std::size_t>(tokens_[at]) * input.f32_stride,
                        n_embd * sizeof(float));
            quantize_into(table_, rows, i, 0, spec_.n_embd / kBlockValues, to);
        }
    });
    return n;
}

void RoutedPath::add_outputs(const FeedForwardTask& task, int n) {
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    pool_.run(n, [&](int index, int) {
        const auto i = static_cast<std::size_t>(index);
        const float* from = scratch_.outputs + i * n_embd;
        float* y = task.y + static_cast<std::size_t>(tokens_[i]) * n_embd;
        for (std::size_t k = 0; k < n_embd; ++k) {
            y[k] += shares_[i] * from[k];
        }
    });
}

}  // namespace hearth
