// One token of a layer whose neurons are cached: what is here is computed while the rest is read.
//
// Each run of neurons goes through its stages by itself, without a barrier between matrices: its
// names are found (predictor or gate), the cache pins what is here and begins to read the rest;
// gate and up of what is here; gate and up of what was read, then down of all of them in their
// order. So the sums are those of a layer that is in RAM whole, whatever came when. (PowerInfer-2,
// section 4.3.)
#include <array>
#include <cstdint>
#include <cstring>

#include "base/first_error.h"
#include "base/sleep_word.h"
#include "cpu/cold_neurons.h"
#include "cpu/cpu_feed_forward.h"

namespace hearth {
namespace {

enum Here : std::uint32_t { kUnknown, kComputed, kLeft };

// Waits for the runs that have slots; the others get theirs when these are done. What fails is told
// again to who computes the run.
void await_pinned(NeuronCache& cache, int n_groups) {
    for (int group = 0; group < n_groups && cache.is_pinned(group); ++group) {
        [[maybe_unused]] const auto status = cache.await(group);
    }
}

}  // namespace

int CpuFeedForward::least_slots(int n_neurons) {
    return std::min(n_neurons, chunk_neurons(n_neurons));
}

Result<void> CpuFeedForward::one_token_cold(const FeedForwardTask& task, const CpuLayer& layer,
                                            const ActivationRows& input) {
    struct Chunk {
        int n_names = 0;
        SleepWord here{kUnknown};
    };
    prepare_row_input(input);
    if (layer.predicted && task.scores == nullptr) {
        predict(task, layer, input);
    }
    const LayerSpec& spec = spec_.layer(task.layer);
    NeuronCache& cache = layer.cold->cache();
    const int index = layer.cold->index_of(task.layer);
    const int step = chunk_neurons(layer.n_neurons);
    const int n_chunks = (layer.n_neurons + step - 1) / step;
    std::array<Chunk, kChunks> chunks;
    std::array<ChunkCounts, kChunks> counts;
    FirstError failure;
    const auto name = [&](int c, int first, int end) {
        const int n =
            name_neurons(task, layer, input, first, end, counts[static_cast<std::size_t>(c)]);
        chunks[static_cast<std::size_t>(c)].n_names = n;
        const auto at = static_cast<std::size_t>(first);
        const auto size = static_cast<std::size_t>(n);
        cache.want(c, {first,
                       {scratch_.index + first, size},
                       std::span(cold_.at).subspan(at, size),
                       std::span(cold_.read).subspan(at, size)});
    };
    // A run for which there are no slots yet is computed when it has them.
    const auto compute_here = [&](int c, int first) {
        Chunk& chunk = chunks[static_cast<std::size_t>(c)];
        const bool pinned = cache.is_pinned(c);
        if (pinned) {
            compute_named(spec, layer, first, chunk.n_names, false,
                          counts[static_cast<std::size_t>(c)]);
        }
        chunk.here.set(pinned ? kComputed : kLeft);
        chunk.here.wake_one();
    };
    const auto finish = [&](int c, int first) {
        Chunk& chunk = chunks[static_cast<std::size_t>(c)];
        ChunkCounts& count = counts[static_cast<std::size_t>(c)];
        chunk.here.sleep_while(kUnknown);
        auto status = cache.await(c);
        if (status) {
            status = arrange_read(layer, index, first, chunk.n_names);
        }
        if (!status) {
            failure.set(std::move(status).error());
            cache.done(c, false);
            return;
        }
        if (chunk.here.get() == kLeft) {
            compute_named(spec, layer, first, chunk.n_names, false, count);
        }
        compute_named(spec, layer, first, chunk.n_names, true, count);
        count.fired = add_named(task.layer, layer, c, chunk.n_names);
        cache.done(c);
    };
    // A predictor is done soon, gates take a while.
    cache.begin(index, n_chunks,
                layer.predicted ? NeuronCache::Reads::WhenAllAreKnown : NeuronCache::Reads::AtOnce);
    const FlashWithout& without = layer.cold->without();
    const auto stages = [&](int part, int) {
        const int c = part % n_chunks;
        const int first = c * step;
        switch (part / n_chunks) {
            case 0:
                return name(c, first, std::min(layer.n_neurons, first + step));
            case 1:
                return compute_here(c, first);
            default:
                return finish(c, first);
        }
    };
    if (without.overlap) {
        pool_.run(n_chunks, stages);
        await_pinned(cache, n_chunks);
        for (Chunk& chunk : chunks) {
            chunk.here.set(kLeft);
        }
        pool_.run(n_chunks, [&](int c, int worker) { stages(2 * n_chunks + c, worker); });
    } else {
        pool_.run(3 * n_chunks, stages);
    }
    cache.end();
    if (without.cache) {
        cache.drop(index);
    }
    if (failure.failed()) {
        return failure.error();
    }
    note_chunks(task, layer, std::span(counts).first(static_cast<std::size_t>(n_chunks)));
    join_chunks(layer, task.y);
    return {};
}

Result<void> CpuFeedForward::arrange_read(const CpuLayer& layer, int index, int first,
                                          int n_names) {
    for (int i = first; i < first + n_names; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (cold_.read[at] != 0) {
            auto arranged = layer.cold->arrange(index, first + scratch_.index[i], cold_.at[at]);
            if (!arranged) {
                return arranged;
            }
        }
    }
    return {};
}

// y[i] = the row in slot at[i] times the input.
void CpuFeedForward::multiply_slots(const CpuRows& part, const std::uint16_t* at, int n, float* y) {
    kernels_for(table_, part.type)
        .row_dot({part.data, part.bytes, kernels::neuron_row_cols(spec_.n_embd), at, n,
                  scratch_.row_f32, scratch_.row_q, scratch_.row_d, scratch_.row_offset, y});
}

// Hidden values of the run's names that were here, or of those that were read, at scratch_.gate in
// the places of their names; 0 where a neuron does not fire.
void CpuFeedForward::compute_named(const LayerSpec& spec, const CpuLayer& layer, int first,
                                   int n_names, bool read, ChunkCounts& counts) {
    const bool gated = is_gated(spec.activation);
    const auto at = static_cast<std::size_t>(first);
    std::uint16_t* rows = cold_.rows.data() + at;
    std::uint16_t* places = cold_.places.data() + at;
    float* values = scratch_.gate + first;
    float* gates = scratch_.hidden + first;
    float* ups = scratch_.up + first;
    int n = 0;
    for (int i = 0; i < n_names; ++i) {
        const std::size_t name = at + static_cast<std::size_t>(i);
        if ((cold_.read[name] != 0) == read) {
            rows[n] = cold_.at[name];
            places[n] = static_cast<std::uint16_t>(i);
            gates[n] = values[i];
            values[i] = 0.0F;
            ++n;
        }
    }
    if (layer.predicted && n > 0) {
        const std::span<const float> bias = layer.vectors[Role::UpBias];
        multiply_slots(gated ? layer.rows[Role::Gate] : layer.rows[Role::Up], rows, n, gates);
        int open = 0;
        for (int i = 0; i < n; ++i) {
            float value = gates[i];
            if (!bias.empty()) {
                value += bias[at + scratch_.index[first + places[i]]];
            }
            value = value > spec.relu_threshold ? value : 0.0F;
            gates[open] = value;
            rows[open] = rows[i];
            places[open] = places[i];
            open += value != 0.0F ? 1 : 0;
        }
        n = open;
    }
    counts.opened += n;
    if (n == 0) {
        return;
    }
    if (gated) {
        multiply_slots(layer.rows[Role::Up], rows, n, ups);
    }
    activate(spec, gates, ups, n);
    for (int i = 0; i < n; ++i) {
        values[places[i]] = gates[i];
    }
}

// The run's own sums of down, in the order of its names; returns how many fire.
int CpuFeedForward::add_named(int layer_index, const CpuLayer& layer, int chunk, int n_names) {
    const int step = chunk_neurons(layer.n_neurons);
    const int first = chunk * step;
    const auto at = static_cast<std::size_t>(first);
    const std::uint16_t* names = scratch_.index + first;  // the cache's until done()
    std::uint16_t* rows = cold_.rows.data() + at;
    std::uint16_t* places = cold_.places.data() + at;
    float* values = scratch_.gate + first;
    int fired = 0;
    for (int i = 0; i < n_names; ++i) {
        const float value = values[i];
        values[fired] = value;
        places[fired] = names[i];
        rows[fired] = cold_.at[at + static_cast<std::size_t>(i)];
        fired += value != 0.0F ? 1 : 0;
    }
    note_fired(layer_index, first, std::min(layer.n_neurons, first + step), places, fired);
    const int cols = kernels::neuron_row_cols(spec_.n_embd);
    float* sums = scratch_.sums + static_cast<std::size_t>(chunk) * static_cast<std::size_t>(cols);
    std::memset(sums, 0, static_cast<std::size_t>(cols) * sizeof(float));
    const CpuRows& down = layer.rows[Role::Down];
    kernels_for(table_, down.type)
        .row_add(
            {down.data, down.bytes, cols, rows, fired, values, 0, cols / kernels::kRowGroup, sums});
    return fired;
}

}  // namespace hearth
