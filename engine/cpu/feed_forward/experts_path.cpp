#include "cpu/feed_forward/experts_path.h"

#include <array>
#include <cstring>
#include <numeric>

#include "base/assert.h"
#include "cpu/cold_neurons.h"
#include "cpu/feed_forward/activate.h"
#include "cpu/pack_rows.h"

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
                         int n_batch, FiringNotes& fired, ExpertGuess& guess,
                         const Scratch& scratch)
    : table_(table),
      pool_(pool),
      spec_(spec),
      fired_(fired),
      guess_(guess),
      scratch_(scratch),
      router_(table, pool, spec, scratch.router),
      slots_(pool, static_cast<std::size_t>(most_groups(spec, n_batch))) {
    const int n_used = spec.most([](const LayerSpec& layer) { return layer.experts.n_used; });
    const int n_experts = spec.most([](const LayerSpec& layer) { return layer.experts.n; });
    const auto n_pairs = static_cast<std::size_t>(n_batch) * (static_cast<std::size_t>(n_used) + 1);
    tokens_.resize(n_pairs);
    weights_.resize(n_pairs);
    places_.resize(static_cast<std::size_t>(n_experts));
    counts_.resize(static_cast<std::size_t>(n_experts) + 1);
    const auto n_groups = static_cast<std::size_t>(most_groups(spec, n_batch));
    groups_.reserve(n_groups);
    numbers_.resize(n_groups);
    std::iota(numbers_.begin(), numbers_.end(), 0);
    some_.reserve(n_groups);
    noted_.resize(static_cast<std::size_t>(n_used));
}

Result<LayerActivity> ExpertsPath::run(const FeedForwardTask& task, const CpuLayer& layer,
                                       const ActivationRows& input) {
    const ExpertsSpec& spec = spec_.layer(task.layer).experts;
    HEARTH_ASSERT(layer.first + layer.n_neurons == spec_.layer(task.layer).n_ff &&
                  (layer.first > 0) == (task.chosen != nullptr));
    HEARTH_ASSERT(!spec.routed_early || task.chosen != nullptr || task.routed != nullptr);
    const auto quantized = [&](Role role) {
        return layer.tiles[role].present() && takes_quantized(layer.tiles[role].type);
    };
    const auto own = [&](Role norm, bool quantize) {
        return spec.norms_apart ? normed(task, layer, norm, quantize) : input;
    };
    const auto of_router = [&] {
        return spec.routed_early ? routed(task, quantized(Role::Router))
                                 : own(Role::RouterNorm, quantized(Role::Router));
    };
    auto chosen =
        task.chosen == nullptr ? router_.choose(task, layer, of_router()) : router_.take(task);
    if (!chosen) {
        return std::move(chosen).error();
    }
    const Inputs inputs{own(Role::ExpertsNorm,
                            task.n_tokens == 1 && (quantized(Role::Gate) || quantized(Role::Up))),
                        input};
    sort(task, layer);
    if (task.chosen == nullptr && task.n_tokens == 1) {
        note_choice(task, layer);
    }
    make_latent(task, layer, input);
    gather(inputs);
    if (groups_.empty()) {
        std::fill_n(
            task.y,
            static_cast<std::size_t>(task.n_tokens) * static_cast<std::size_t>(spec_.n_embd), 0.0F);
    } else if (layer.cold != nullptr) {
        if (auto done = run_cached(task, layer, inputs); !done) {
            return std::move(done).error();
        }
    } else {
        compute_hidden(task, inputs, all_groups());
        if (spec.norms_apart || spec.n_latent > 0) {
            add_down(sum_of_experts(task, true), experts());
            end_latent(task, layer);
            if (has_shared()) {
                add_shared(task, layer);
            }
        } else {
            add_down({task.y, task.n_tokens, true}, groups_);
        }
    }
    int here = 0;  // of the first token
    int read = 0;
    for (const ChosenExpert& one : router_.first(task)) {
        if (places_[static_cast<std::size_t>(one.expert)] >= 0) {
            read += layer.cold != nullptr && slots_.was_read(here) ? 1 : 0;
            ++here;
        }
    }
    return LayerActivity{
        .passed = 1,
        .computed = static_cast<std::uint64_t>(here) * static_cast<std::uint64_t>(spec.n_ff),
        .experts = static_cast<std::uint64_t>(here),
        .experts_read = static_cast<std::uint64_t>(read)};
}

// The unit that has the router counts the choices.
void ExpertsPath::note_choice(const FeedForwardTask& task, const CpuLayer& layer) {
    int n = 0;
    for (const ChosenExpert& one : router_.first(task)) {
        const int place = places_[static_cast<std::size_t>(one.expert)];
        if (place >= 0) {
            noted_[static_cast<std::size_t>(n++)] = static_cast<std::uint16_t>(place);
        }
    }
    fired_.note(task.layer, 0, layer.n_neurons / spec_.layer(task.layer).experts.n_ff,
                noted_.data(), n);
}

// Experts come in ascending order, and the tokens of each in theirs.
void ExpertsPath::sort(const FeedForwardTask& task, const CpuLayer& layer) {
    const LayerSpec& spec = spec_.layer(task.layer);
    const auto n = static_cast<std::size_t>(spec.experts.n);
    const auto n_used = static_cast<std::size_t>(spec.experts.n_used);
    const std::span<const ChosenExpert> chosen = router_.chosen(task);
    const std::size_t n_pairs = chosen.size();
    find_places(layer, spec.experts);
    const auto place_of = [&](std::int32_t expert) {
        return places_[static_cast<std::size_t>(expert)];
    };
    std::fill_n(counts_.begin(), n + 1, 0);
    for (const ChosenExpert& one : chosen) {
        counts_[static_cast<std::size_t>(one.expert) + 1] += place_of(one.expert) >= 0 ? 1 : 0;
    }
    groups_.clear();
    const int n_ff = spec.experts.n_ff;
    const bool reads_latent = spec.experts.n_latent > 0;
    const int width = reads_latent ? spec.experts.n_latent : spec_.n_embd;
    const auto of_expert = [&](Role role, std::size_t expert) {
        const PackedMatrix& all = layer.tiles[role];
        const int rows = role == Role::Down ? width : n_ff;
        return !all.present() || layer.cold != nullptr  // it is shown when it has a slot
                   ? all
                   : rows_of(all, places_[expert] * rows, rows);
    };
    for (std::size_t expert = 0; expert < n; ++expert) {
        const int count = counts_[expert + 1];
        const int first = counts_[expert];
        counts_[expert + 1] += first;
        if (count > 0) {
            const auto bias = [&](Role role, int values) {
                const std::span<const float> all = layer.vectors[role];
                return all.empty() ? nullptr
                                   : all.data() + expert * static_cast<std::size_t>(values);
            };
            add_group({.gate = of_expert(Role::Gate, expert),
                       .up = of_expert(Role::Up, expert),
                       .down = of_expert(Role::Down, expert),
                       .gate_bias = bias(Role::ExpertGateBias, n_ff),
                       .up_bias = bias(Role::ExpertUpBias, n_ff),
                       .down_bias = bias(Role::ExpertDownBias, width),
                       .expert = static_cast<int>(expert),
                       .n_ff = n_ff,
                       .width = width,
                       .reads_latent = reads_latent,
                       .first = first,
                       .count = count,
                       .reads_all = task.n_tokens == 1});
        }
    }
    for (std::size_t i = 0; i < n_pairs; ++i) {
        if (place_of(chosen[i].expert) < 0) {
            continue;
        }
        const auto place =
            static_cast<std::size_t>(counts_[static_cast<std::size_t>(chosen[i].expert)]++);
        tokens_[place] = static_cast<std::int32_t>(i / n_used);
        weights_[place] = chosen[i].weight;
    }
    if (spec.experts.n_ff_shared == 0 || layer.first > 0) {
        return;
    }
    for (std::size_t t = 0; t < static_cast<std::size_t>(task.n_tokens); ++t) {
        tokens_[n_pairs + t] = static_cast<std::int32_t>(t);
        weights_[n_pairs + t] = router_.shared_weight(t);
    }
    add_group({.gate = layer.tiles[Role::SharedGate],
               .up = layer.tiles[Role::SharedUp],
               .down = layer.tiles[Role::SharedDown],
               .n_ff = spec.experts.n_ff_shared,
               .width = spec_.n_embd,
               .first = static_cast<int>(n_pairs),
               .count = task.n_tokens,
               .reads_all = true});
}

// Numbers the experts that are here in the order in which they lie.
void ExpertsPath::find_places(const CpuLayer& layer, const ExpertsSpec& spec) {
    std::fill(places_.begin(), places_.end(), -1);
    for (int place = 0; place < layer.n_neurons / spec.n_ff; ++place) {
        const int expert = layer.numbers.empty() ? layer.first / spec.n_ff + place
                                                 : layer.numbers[static_cast<std::size_t>(place)];
        places_[static_cast<std::size_t>(expert)] = place;
    }
}

// Gives it its place behind the group before.
void ExpertsPath::add_group(Group group) {
    if (!groups_.empty()) {
        const Group& before = groups_.back();
        group.input = before.input + quantized_bytes(before.width, before.count);
        group.hidden = before.hidden + static_cast<std::size_t>(before.count) *
                                           static_cast<std::size_t>(before.n_ff);
        group.quantized = before.quantized + quantized_bytes(before.n_ff, before.count);
    }
    groups_.push_back(group);
}

ActivationRows ExpertsPath::normed(const FeedForwardTask& task, const CpuLayer& layer, Role weight,
                                   bool quantize) {
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    const ActivationRows rows{scratch_.normed, n_embd, scratch_.normed_blocks, spec_.n_embd,
                              task.n_tokens};
    const int width = kernels::group_width(task.n_tokens);
    pool_.run((task.n_tokens + width - 1) / width, [&](int group, int) {
        for (int t = group * width; t < std::min(task.n_tokens, (group + 1) * width); ++t) {
            const std::size_t at = static_cast<std::size_t>(t) * n_embd;
            table_.rms_norm(task.x + at, layer.vectors[weight].data(),
                            spec_.layer(task.layer).norm.eps, scratch_.normed + at, spec_.n_embd);
            if (quantize) {
                quantize_into(table_, rows, t, 0, spec_.n_embd / kBlockValues,
                              scratch_.normed + at);
            }
        }
    });
    return rows;
}

ActivationRows ExpertsPath::routed(const FeedForwardTask& task, bool quantize) {
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    const ActivationRows rows{task.routed, n_embd, scratch_.normed_blocks, spec_.n_embd,
                              task.n_tokens};
    pool_.run(quantize ? task.n_tokens : 0, [&](int t, int) {
        quantize_into(table_, rows, t, 0, spec_.n_embd / kBlockValues,
                      task.routed + static_cast<std::size_t>(t) * n_embd);
    });
    return rows;
}

ActivationRows ExpertsPath::input_of(const Group& group, const Inputs& inputs) const {
    if (group.reads_all) {
        return inputs_of(group, inputs);
    }
    return {nullptr, 0, scratch_.inputs + group.input, group.width, group.count};
}

void ExpertsPath::quantize_latent(const ActivationRows& rows) {
    pool_.run(rows.n_tokens, [&](int token, int) {
        quantize_into(table_, rows, token, 0, rows.cols / kBlockValues,
                      rows.f32 + static_cast<std::size_t>(token) * rows.f32_stride);
    });
}

// The inputs of the experts, where a matrix makes them.
void ExpertsPath::make_latent(const FeedForwardTask& task, const CpuLayer& layer,
                              const ActivationRows& input) {
    const int width = spec_.layer(task.layer).experts.n_latent;
    if (width == 0) {
        return;
    }
    const auto stride = static_cast<std::size_t>(width);
    const std::array product{
        Product{&layer.tiles[Role::ExpertLatentDown], scratch_.latent, stride}};
    multiply(pool_, table_, product, input);
    latent_ = {scratch_.latent, stride, scratch_.quantized_latent, width, task.n_tokens};
    const PackedMatrix& gate = layer.tiles[Role::Gate];
    if (takes_quantized(layer.tiles[Role::Up].type) ||
        (gate.present() && takes_quantized(gate.type))) {
        quantize_latent(latent_);
    }
}

void ExpertsPath::end_latent(const FeedForwardTask& task, const CpuLayer& layer) {
    if (!groups_.front().reads_latent) {
        return;
    }
    const PackedMatrix& matrix = layer.tiles[Role::ExpertLatentUp];
    const ActivationRows sum{scratch_.latent_sum, latent_.f32_stride, scratch_.quantized_latent,
                             latent_.cols, task.n_tokens};
    if (takes_quantized(matrix.type)) {
        quantize_latent(sum);
    }
    const std::array product{Product{&matrix, task.y, static_cast<std::size_t>(spec_.n_embd)}};
    multiply(pool_, table_, product, sum);
}

ActivationRows ExpertsPath::hidden_of(const Group& group) const {
    return {scratch_.hidden + group.hidden, static_cast<std::size_t>(group.n_ff),
            scratch_.quantized + group.quantized, group.n_ff, group.count};
}

// Quantises the inputs of each expert's tokens one behind the other.
void ExpertsPath::gather(const Inputs& inputs) {
    pool_.run(static_cast<int>(groups_.size()), [&](int index, int) {
        const Group& group = groups_[static_cast<std::size_t>(index)];
        const bool quantized = takes_quantized(group.up.type) ||
                               (group.gate.present() && takes_quantized(group.gate.type));
        if (group.reads_all || !quantized) {
            return;
        }
        const ActivationRows rows = input_of(group, inputs);
        const ActivationRows& all = inputs_of(group, inputs);
        const std::span<const std::int32_t> tokens = tokens_of(group);
        for (int i = 0; i < group.count; ++i) {
            const auto token = static_cast<std::size_t>(tokens[static_cast<std::size_t>(i)]);
            quantize_into(table_, rows, i, 0, group.width / kBlockValues,
                          all.f32 + token * all.f32_stride);
        }
    });
}

void ExpertsPath::multiply_inputs(const PackedMatrix& matrix, const Group& group,
                                  const Inputs& inputs, int worker, float* y,
                                  std::size_t y_stride) {
    if (group.reads_all || takes_quantized(matrix.type)) {
        multiply_rows(table_, matrix, input_of(group, inputs), 0, matrix.rows, y, y_stride);
        return;
    }
    const auto width = static_cast<std::size_t>(group.width);
    const ActivationRows& all = inputs_of(group, inputs);
    auto* rows = reinterpret_cast<float*>(scratch_.rows.of(worker));
    const std::span<const std::int32_t> tokens = tokens_of(group);
    for (int begin = 0; begin < group.count; begin += kFloatTokens) {
        const int n = std::min(kFloatTokens, group.count - begin);
        for (int i = 0; i < n; ++i) {
            const auto token =
                static_cast<std::size_t>(tokens[static_cast<std::size_t>(begin + i)]);
            std::memcpy(rows + static_cast<std::size_t>(i) * width,
                        all.f32 + token * all.f32_stride, width * sizeof(float));
        }
        multiply_rows(table_, matrix, {rows, width, nullptr, group.width, n}, 0, matrix.rows,
                      y + static_cast<std::size_t>(begin) * y_stride, y_stride);
    }
}

// A task is some neurons of one expert, for all of its tokens.
void ExpertsPath::compute_hidden(const FeedForwardTask& task, const Inputs& inputs,
                                 std::span<const int> some) {
    const LayerSpec& spec = spec_.layer(task.layer);
    const auto group_of = [&](int number) -> const Group& {
        return groups_[static_cast<std::size_t>(number)];
    };
    int n_rows = 0;
    for (const int number : some) {
        n_rows += group_of(number).n_ff;
    }
    const int step = std::min(kStep, rows_per_task(n_rows, pool_.n_threads(), kBlockValues));
    const auto tasks_of = [&](int number) { return (group_of(number).n_ff + step - 1) / step; };
    int n_tasks = 0;
    for (const int number : some) {
        n_tasks += tasks_of(number);
    }
    pool_.run(n_tasks, [&](int index, int worker) {
        const int* number = some.data();
        while (index >= tasks_of(*number)) {
            index -= tasks_of(*number);
            ++number;
        }
        const Group& group = group_of(*number);
        const int first = index * step;
        hidden_rows(spec, group, inputs, first, std::min(group.n_ff, first + step), worker);
    });
}

Result<void> ExpertsPath::run_cached(const FeedForwardTask& task, const CpuLayer& layer,
                                     const Inputs& inputs) {
    const bool shared = has_shared();
    const int n = static_cast<int>(experts().size());
    const std::span<std::uint16_t> names = slots_.names(n);
    for (std::size_t i = 0; i < names.size(); ++i) {
        names[i] = static_cast<std::uint16_t>(places_[static_cast<std::size_t>(groups_[i].expert)]);
    }
    slots_.begin(layer, task.layer, n, task.n_tokens);
    if (task.n_tokens == 1) {  // while what is missing is read
        guess_.chose(task.layer, router_.first(task));
        guess_.guess_next(task.layer, task.x);
    }
    const bool overlap = !layer.cold->without().overlap;
    if (shared && overlap) {
        compute_hidden(task, inputs, all_groups().last(1));
    }
    Result<void> status;
    for (int i = 0; i < slots_.n_steps() && status; ++i) {
        const int first = slots_.first(i);
        const int end = slots_.end(i);
        const bool early = slots_.is_pinned(i);
        if (early) {
            show_experts(layer, first, end);
            compute_hidden(task, inputs, chosen_of(first, end, false));
        }
        status = slots_.read(i);
        if (status) {
            show_experts(layer, first, end);
            if (!early) {
                compute_hidden(task, inputs, chosen_of(first, end, false));
            }
            compute_hidden(task, inputs, chosen_of(first, end, true));
            add_down(sum_of_experts(task, first == 0),
                     experts().subspan(static_cast<std::size_t>(first),
                                       static_cast<std::size_t>(end - first)));
        }
        slots_.done(i, status.has_value());
    }
    slots_.end();
    if (status) {
        end_latent(task, layer);
    }
    if (status && shared) {
        if (!overlap) {
            compute_hidden(task, inputs, all_groups().last(1));
        }
        add_shared(task, layer);
    }
    return status;
}

// The groups of [first, end) that were read, or were here.
std::span<const int> ExpertsPath::chosen_of(int first, int end, bool read) {
    some_.clear();
    for (int i = first; i < end; ++i) {
        if (slots_.was_read(i) == read) {
            some_.push_back(i);
        }
    }
    return some_;
}

// Gives groups [first, end) the matrices in their slots.
void ExpertsPath::show_experts(const CpuLayer& layer, int first, int end) {
    for (int i = first; i < end; ++i) {
        Group& group = groups_[static_cast<std::size_t>(i)];
        group.gate = slots_.in_slot(layer.tiles[Role::Gate], i);
        group.up = slots_.in_slot(layer.tiles[Role::Up], i);
        group.down = slots_.in_slot(layer.tiles[Role::Down], i);
    }
}

void ExpertsPath::hidden_rows(const LayerSpec& spec, const Group& group, const Inputs& inputs,
                              int first, int end, int worker) {
    const int n = end - first;
    const auto n_ff = static_cast<std::size_t>(group.n_ff);
    const ActivationRows hidden = hidden_of(group);
    float* values = scratch_.hidden + group.hidden + first;
    auto* up = reinterpret_cast<float*>(scratch_.sums.of(worker));
    if (group.gate.present()) {
        multiply_inputs(rows_of(group.gate, first, n), group, inputs, worker, values, n_ff);
        multiply_inputs(rows_of(group.up, first, n), group, inputs, worker, up,
                        static_cast<std::size_t>(n));
    } else {
        multiply_inputs(rows_of(group.up, first, n), group, inputs, worker, values, n_ff);
    }
    const bool quantize = takes_quantized(group.down.type);
    for (int i = 0; i < group.count; ++i) {
        float* own = values + static_cast<std::size_t>(i) * n_ff;
        float* own_up = group.gate.present() ? up + static_cast<std::size_t>(i * n) : own;
        if (group.gate_bias != nullptr) {
            table_.add_vector(group.gate_bias + first, own, n);
        }
        if (group.up_bias != nullptr) {
            table_.add_vector(group.up_bias + first, own_up, n);
        }
        const float weight = weights_[static_cast<std::size_t>(group.first + i)];
        const auto weigh = [&](float* products) {
            for (int k = 0; k < n; ++k) {
                products[k] *= weight;
            }
        };
        if (spec.experts.weighs_inputs) {  // gates and ups grow as what they are made of
            weigh(own);
            if (own_up != own) {
                weigh(own_up);
            }
        }
        activate(table_, spec, own, own_up, n);
        if (!spec.experts.weighs_inputs) {
            weigh(own);
        }
        if (quantize) {
            quantize_into(table_, hidden, i, first / kBlockValues, n / kBlockValues, own);
        }
    }
}

// Both sums are normed before they meet, if norms are apart.
void ExpertsPath::add_shared(const FeedForwardTask& task, const CpuLayer& layer) {
    const LayerSpec& spec = spec_.layer(task.layer);
    const std::span<const Group> shared = std::span<const Group>(groups_).last(1);
    if (!spec.experts.norms_apart) {
        add_down({task.y, task.n_tokens, groups_.size() == 1}, shared);
        return;
    }
    add_down({scratch_.shared_sums, task.n_tokens, true}, shared);
    const float* of_experts = layer.vectors[Role::ExpertsPostNorm].data();
    const float* of_shared = layer.vectors[Role::SharedPostNorm].data();
    pool_.run(task.n_tokens, [&](int token, int) {
        const auto at = static_cast<std::size_t>(token) * static_cast<std::size_t>(spec_.n_embd);
        float* y = task.y + at;
        float* beside = scratch_.shared_sums + at;
        table_.rms_norm(y, of_experts, spec.norm.eps, y, spec_.n_embd);
        table_.rms_norm(beside, of_shared, spec.norm.eps, beside, spec_.n_embd);
        table_.add_vector(beside, y, spec_.n_embd);
    });
}

// A task is some outputs of the groups' experts, for all tokens.
void ExpertsPath::add_down(const Sums& sums, std::span<const Group> groups) {
    if (groups.empty()) {
        return;
    }
    const int width = groups.front().width;
    const int step = std::min(kStep, rows_per_task(width, pool_.n_threads(), kernels::kTileRows));
    pool_.run((width + step - 1) / step, [&](int part, int worker) {
        add_outputs(sums, groups, part * step, std::min(width, (part + 1) * step), worker);
    });
}

void ExpertsPath::add_outputs(const Sums& sums, std::span<const Group> groups, int first, int end,
                              int worker) {
    const auto width = static_cast<std::size_t>(groups.front().width);
    const int n = end - first;
    float* y = sums.y + first;
    for (int t = 0; t < sums.n_tokens && sums.from_nothing; ++t) {
        std::fill_n(y + static_cast<std::size_t>(t) * width, n, 0.0F);
    }
    auto* products = reinterpret_cast<float*>(scratch_.sums.of(worker));
    for (const Group& group : groups) {
        multiply_rows(table_, rows_of(group.down, first, n), hidden_of(group), 0, n, products,
                      static_cast<std::size_t>(n));
        const std::span<const std::int32_t> tokens = tokens_of(group);
        for (int i = 0; i < group.count; ++i) {
            const auto token = static_cast<std::size_t>(tokens[static_cast<std::size_t>(i)]);
            float* out = y + token * width;
            table_.add_vector(products + static_cast<std::size_t>(i * n), out, n);
            const float weight = weights_[static_cast<std::size_t>(group.first + i)];
            for (int k = 0; k < n && group.down_bias != nullptr; ++k) {
                out[k] += weight * group.down_bias[first + k];
            }
        }
    }
}

}  // namespace hearth
