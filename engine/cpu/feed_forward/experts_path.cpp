#include "cpu/feed_forward/experts_path.h"

#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "base/assert.h"
#include "cpu/feed_forward/activate.h"
#include "cpu/pack_rows.h"
#include "gguf/finite.h"

namespace hearth {
namespace {

// Rows [first, first + count) of a matrix. first: a multiple of kTileRows.
PackedMatrix rows_of(const PackedMatrix& matrix, int first, int count) {
    HEARTH_DCHECK(first % kernels::kTileRows == 0);
    return {matrix.type, count, matrix.cols,
            matrix.data + packed_bytes(matrix.type, static_cast<std::uint64_t>(first),
                                       static_cast<std::uint64_t>(matrix.cols))};
}

}  // namespace

int ExpertsPath::most_groups(const ModelSpec& spec, int n_batch) {
    return 1 + spec.most([&](const LayerSpec& layer) {
        return std::min(layer.experts.n, n_batch * layer.experts.n_used);
    });
}

// Each expert's tokens fill whole groups of kTokenGroup.
std::uint64_t ExpertsPath::most_quantized(const ModelSpec& spec, int n_batch, int cols) {
    const int n_pairs =
        n_batch * spec.most([](const LayerSpec& layer) { return layer.experts.n_used; });
    const int n_groups = n_pairs / kernels::kTokenGroup + most_groups(spec, n_batch);
    return static_cast<std::uint64_t>(n_groups) * quantized_bytes(cols, kernels::kTokenGroup);
}

ExpertsPath::ExpertsPath(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
                         int n_batch, const Scratch& scratch)
    : table_(table), pool_(pool), spec_(spec), scratch_(scratch) {
    const int n_used = spec.most([](const LayerSpec& layer) { return layer.experts.n_used; });
    const int n_experts = spec.most([](const LayerSpec& layer) { return layer.experts.n; });
    const auto n_pairs = static_cast<std::size_t>(n_batch) * (static_cast<std::size_t>(n_used) + 1);
    tokens_.resize(n_pairs);
    weights_.resize(n_pairs);
    counts_.resize(static_cast<std::size_t>(n_experts) + 1);
    groups_.reserve(static_cast<std::size_t>(most_groups(spec, n_batch)));
}

Result<LayerActivity> ExpertsPath::run(const FeedForwardTask& task, const CpuLayer& layer,
                                       const ActivationRows& input) {
    const ExpertsSpec& spec = spec_.layer(task.layer).experts;
    HEARTH_ASSERT(layer.first == 0 && layer.n_neurons == spec_.layer(task.layer).n_ff);
    if (auto chosen = choose(task, layer, input); !chosen) {
        return std::move(chosen).error();
    }
    sort(task, layer);
    gather(input);
    compute_hidden(task, input);
    add_down(task);
    return LayerActivity{.passed = 1,
                         .computed = static_cast<std::uint64_t>(spec.n_used) *
                                     static_cast<std::uint64_t>(spec.n_ff)};
}

Result<void> ExpertsPath::choose(const FeedForwardTask& task, const CpuLayer& layer,
                                 const ActivationRows& input) {
    const ExpertsSpec& spec = spec_.layer(task.layer).experts;
    const auto n = static_cast<std::size_t>(spec.n);
    const auto n_used = static_cast<std::size_t>(spec.n_used);
    const auto n_tokens = static_cast<std::size_t>(task.n_tokens);
    const std::span products(scratch_.products, n_tokens * n);
    const std::array product{Product{&layer.tiles[Role::Router], scratch_.products, n}};
    multiply(pool_, table_, product, input);
    if (!all_finite(products)) {
        return not_finite(
            "blk." + std::to_string(spec_.layer(task.layer).feed_forward_block) + ".ffn_gate_inp",
            "product", products);
    }
    const std::span<const float> shared = layer.vectors[Role::SharedRouter];
    pool_.run(task.n_tokens, [&](int token, int) {
        const auto t = static_cast<std::size_t>(token);
        choose_experts(spec, products.subspan(t * n, n), layer.vectors[Role::RouterBias],
                       {scratch_.chosen + t * n_used, n_used});
        double sum = 0;
        const float* x = input.f32 + t * input.f32_stride;
        for (std::size_t i = 0; i < shared.size(); ++i) {
            sum += static_cast<double>(shared[i]) * static_cast<double>(x[i]);
        }
        scratch_.shared_weights[t] =
            shared.empty() ? 1.0F : static_cast<float>(1.0 / (1.0 + std::exp(-sum)));
    });
    return {};
}

// Experts come in ascending order, and the tokens of each in theirs.
void ExpertsPath::sort(const FeedForwardTask& task, const CpuLayer& layer) {
    const LayerSpec& spec = spec_.layer(task.layer);
    const auto n = static_cast<std::size_t>(spec.experts.n);
    const auto n_used = static_cast<std::size_t>(spec.experts.n_used);
    const std::size_t n_pairs = static_cast<std::size_t>(task.n_tokens) * n_used;
    const std::span<const ChosenExpert> chosen(scratch_.chosen, n_pairs);
    std::fill_n(counts_.begin(), n + 1, 0);
    for (const ChosenExpert& one : chosen) {
        ++counts_[static_cast<std::size_t>(one.expert) + 1];
    }
    groups_.clear();
    const int n_ff = spec.experts.n_ff;
    const auto of_expert = [&](Role role, std::size_t expert) {
        const PackedMatrix& all = layer.tiles[role];
        const int rows = role == Role::Down ? spec_.n_embd : n_ff;
        return all.present() ? rows_of(all, static_cast<int>(expert) * rows, rows) : PackedMatrix{};
    };
    for (std::size_t expert = 0; expert < n; ++expert) {
        const int count = counts_[expert + 1];
        const int first = counts_[expert];
        counts_[expert + 1] += first;
        if (count > 0) {
            add_group({.gate = of_expert(Role::Gate, expert),
                       .up = of_expert(Role::Up, expert),
                       .down = of_expert(Role::Down, expert),
                       .n_ff = n_ff,
                       .first = first,
                       .count = count,
                       .reads_all = task.n_tokens == 1});
        }
    }
    for (std::size_t i = 0; i < n_pairs; ++i) {
        const auto place =
            static_cast<std::size_t>(counts_[static_cast<std::size_t>(chosen[i].expert)]++);
        tokens_[place] = static_cast<std::int32_t>(i / n_used);
        weights_[place] = chosen[i].weight;
    }
    if (spec.experts.n_ff_shared == 0) {
        return;
    }
    for (std::size_t t = 0; t < static_cast<std::size_t>(task.n_tokens); ++t) {
        tokens_[n_pairs + t] = static_cast<std::int32_t>(t);
        weights_[n_pairs + t] = scratch_.shared_weights[t];
    }
    add_group({.gate = layer.tiles[Role::SharedGate],
               .up = layer.tiles[Role::SharedUp],
               .down = layer.tiles[Role::SharedDown],
               .n_ff = spec.experts.n_ff_shared,
               .first = static_cast<int>(n_pairs),
               .count = task.n_tokens,
               .reads_all = true});
}

// Gives it its place behind the group before.
void ExpertsPath::add_group(Group group) {
    if (!groups_.empty()) {
        const Group& before = groups_.back();
        group.input = before.input + quantized_bytes(spec_.n_embd, before.count);
        group.hidden = before.hidden + static_cast<std::size_t>(before.count) *
                                           static_cast<std::size_t>(before.n_ff);
        group.quantized = before.quantized + quantized_bytes(before.n_ff, before.count);
    }
    groups_.push_back(group);
}

ActivationRows ExpertsPath::input_of(const Group& group, const ActivationRows& input) const {
    if (group.reads_all) {
        return input;
    }
    return {nullptr, 0, scratch_.inputs + group.input, spec_.n_embd, group.count};
}

ActivationRows ExpertsPath::hidden_of(const Group& group) const {
    return {scratch_.hidden + group.hidden, static_cast<std::size_t>(group.n_ff),
            scratch_.quantized + group.quantized, group.n_ff, group.count};
}

// Quantises the inputs of each expert's tokens one behind the other.
void ExpertsPath::gather(const ActivationRows& input) {
    pool_.run(static_cast<int>(groups_.size()), [&](int index, int) {
        const Group& group = groups_[static_cast<std::size_t>(index)];
        const bool quantized = takes_quantized(group.up.type) ||
                               (group.gate.present() && takes_quantized(group.gate.type));
        if (group.reads_all || !quantized) {
            return;
        }
        const ActivationRows rows = input_of(group, input);
        const std::span<const std::int32_t> tokens = tokens_of(group);
        for (int i = 0; i < group.count; ++i) {
            const auto token = static_cast<std::size_t>(tokens[static_cast<std::size_t>(i)]);
            quantize_into(table_, rows, i, 0, spec_.n_embd / kBlockValues,
                          input.f32 + token * input.f32_stride);
        }
    });
}

void ExpertsPath::multiply_inputs(const PackedMatrix& matrix, const Group& group,
                                  const ActivationRows& input, int worker, float* y,
                                  std::size_t y_stride) {
    if (group.reads_all || takes_quantized(matrix.type)) {
        multiply_rows(table_, matrix, input_of(group, input), 0, matrix.rows, y, y_stride);
        return;
    }
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    auto* rows = reinterpret_cast<float*>(scratch_.rows.of(worker));
    const std::span<const std::int32_t> tokens = tokens_of(group);
    for (int begin = 0; begin < group.count; begin += kFloatTokens) {
        const int n = std::min(kFloatTokens, group.count - begin);
        for (int i = 0; i < n; ++i) {
            const auto token =
                static_cast<std::size_t>(tokens[static_cast<std::size_t>(begin + i)]);
            std::memcpy(rows + static_cast<std::size_t>(i) * n_embd,
                        input.f32 + token * input.f32_stride, n_embd * sizeof(float));
        }
        multiply_rows(table_, matrix, {rows, n_embd, nullptr, spec_.n_embd, n}, 0, matrix.rows,
                      y + static_cast<std::size_t>(begin) * y_stride, y_stride);
    }
}

// A task is some neurons of one expert, for all of its tokens.
void ExpertsPath::compute_hidden(const FeedForwardTask& task, const ActivationRows& input) {
    const LayerSpec& spec = spec_.layer(task.layer);
    int n_rows = 0;
    for (const Group& group : groups_) {
        n_rows += group.n_ff;
    }
    const int step = std::min(kStep, rows_per_task(n_rows, pool_.n_threads(), kBlockValues));
    int n_tasks = 0;
    for (const Group& group : groups_) {
        n_tasks += (group.n_ff + step - 1) / step;
    }
    pool_.run(n_tasks, [&](int index, int worker) {
        const Group* group = groups_.data();
        while (index >= (group->n_ff + step - 1) / step) {
            index -= (group->n_ff + step - 1) / step;
            ++group;
        }
        const int first = index * step;
        hidden_rows(spec, *group, input, first, std::min(group->n_ff, first + step), worker);
    });
}

void ExpertsPath::hidden_rows(const LayerSpec& spec, const Group& group,
                              const ActivationRows& input, int first, int end, int worker) {
    const int n = end - first;
    const auto n_ff = static_cast<std::size_t>(group.n_ff);
    const ActivationRows hidden = hidden_of(group);
    float* values = scratch_.hidden + group.hidden + first;
    auto* up = reinterpret_cast<float*>(scratch_.sums.of(worker));
    if (group.gate.present()) {
        multiply_inputs(rows_of(group.gate, first, n), group, input, worker, values, n_ff);
        multiply_inputs(rows_of(group.up, first, n), group, input, worker, up,
                        static_cast<std::size_t>(n));
    } else {
        multiply_inputs(rows_of(group.up, first, n), group, input, worker, values, n_ff);
    }
    const bool quantize = takes_quantized(group.down.type);
    for (int i = 0; i < group.count; ++i) {
        float* own = values + static_cast<std::size_t>(i) * n_ff;
        activate(table_, spec, own, up + static_cast<std::size_t>(i * n), n);
        const float weight = weights_[static_cast<std::size_t>(group.first + i)];
        for (int k = 0; k < n; ++k) {
            own[k] *= weight;
        }
        if (quantize) {
            quantize_into(table_, hidden, i, first / kBlockValues, n / kBlockValues, own);
        }
    }
}

// A task is some outputs of all experts, for all tokens.
void ExpertsPath::add_down(const FeedForwardTask& task) {
    const int step =
        std::min(kStep, rows_per_task(spec_.n_embd, pool_.n_threads(), kernels::kTileRows));
    pool_.run((spec_.n_embd + step - 1) / step, [&](int part, int worker) {
        add_outputs(task, part * step, std::min(spec_.n_embd, (part + 1) * step), worker);
    });
}

void ExpertsPath::add_outputs(const FeedForwardTask& task, int first, int end, int worker) {
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    const int n = end - first;
    float* y = task.y + first;
    for (int t = 0; t < task.n_tokens; ++t) {
        std::fill_n(y + static_cast<std::size_t>(t) * n_embd, n, 0.0F);
    }
    auto* sums = reinterpret_cast<float*>(scratch_.sums.of(worker));
    for (const Group& group : groups_) {
        multiply_rows(table_, rows_of(group.down, first, n), hidden_of(group), 0, n, sums,
                      static_cast<std::size_t>(n));
        const std::span<const std::int32_t> tokens = tokens_of(group);
        for (int i = 0; i < group.count; ++i) {
            const auto token = static_cast<std::size_t>(tokens[static_cast<std::size_t>(i)]);
            table_.add_vector(sums + static_cast<std::size_t>(i * n), y + token * n_embd, n);
        }
    }
}

}  // namespace hearth
