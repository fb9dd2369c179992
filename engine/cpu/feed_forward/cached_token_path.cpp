#include "cpu/feed_forward/cached_token_path.h"

#include <array>

#include "base/first_error.h"
#include "base/sleep_word.h"
#include "cpu/cold_neurons.h"
#include "cpu/feed_forward/activate.h"

namespace hearth {
namespace {

enum Here : std::uint32_t { kUnknown, kComputed, kLeft };

// Waits for the chunks that have slots; the others get theirs when these are done. A failure is
// told again to who computes the chunk.
void await_pinned(NeuronCache& cache, int n_groups) {
    for (int group = 0; group < n_groups && cache.is_pinned(group); ++group) {
        [[maybe_unused]] const auto status = cache.await(group);
    }
}

}  // namespace

struct CachedTokenPath::Running {
    struct Chunk {
        int n_names = 0;
        SleepWord here{kUnknown};  // whether neurons that are here are computed
    };
    Chunk& chunk(int i) { return of[static_cast<std::size_t>(i)]; }
    ChunkCounts& counts_of(int i) { return counts[static_cast<std::size_t>(i)]; }

    const FeedForwardTask& task;
    const CpuLayer& layer;
    const ActivationRows& input;
    const LayerSpec& spec;
    NeuronCache& cache;
    int layer_index;  // in the cache
    NeuronChunks chunks;
    std::array<Chunk, NeuronChunks::kMost> of{};
    std::array<ChunkCounts, NeuronChunks::kMost> counts{};
    FirstError failure{};
};

CachedTokenPath::CachedTokenPath(const kernels::KernelTable& table, ThreadPool& pool,
                                 const ModelSpec& spec, const NeuronPredictor::Form& predictors,
                                 FiringNotes& fired, const Scratch& scratch)
    : table_(table),
      pool_(pool),
      spec_(spec),
      fired_(fired),
      scratch_(scratch),
      names_(table, pool, spec, predictors, scratch.names),
      input_(table, spec.n_embd, scratch.input),
      sums_(table, pool, spec.n_embd, scratch.sums),
      slots_(static_cast<std::size_t>(spec.n_ff_max())),
      read_(slots_.size()),
      rows_(slots_.size()),
      places_(slots_.size()) {}

Result<LayerActivity> CachedTokenPath::run(const FeedForwardTask& task, const CpuLayer& layer,
                                           const ActivationRows& input) {
    input_.set(input);
    names_.begin(task, layer, input);
    NeuronCache& cache = layer.cold->cache();
    const int layer_index = layer.cold->index_of(task.layer);
    const NeuronChunks chunks = NeuronChunks::of(layer.n_neurons);
    Running running{task, layer, input, spec_.layer(task.layer), cache, layer_index, chunks};
    const int n_chunks = chunks.count;
    // A predictor is done soon, gates take a while.
    cache.begin(layer_index, n_chunks,
                layer.predicted ? NeuronCache::Reads::WhenAllAreKnown : NeuronCache::Reads::AtOnce);
    const FlashWithout& without = layer.cold->without();
    const auto stages = [&](int part, int) {
        const int chunk = part % n_chunks;
        switch (part / n_chunks) {
            case 0:
                return name(running, chunk);
            case 1:
                return compute_here(running, chunk);
            default:
                return finish(running, chunk);
        }
    };
    if (without.overlap) {
        pool_.run(n_chunks, stages);
        await_pinned(cache, n_chunks);
        for (Running::Chunk& chunk : running.of) {
            chunk.here.set(kLeft);
        }
        pool_.run(n_chunks, [&](int chunk, int worker) { stages(2 * n_chunks + chunk, worker); });
    } else {
        pool_.run(3 * n_chunks, stages);
    }
    cache.end();
    if (without.cache) {
        cache.drop(layer_index);
    }
    if (running.failure.failed()) {
        return running.failure.error();
    }
    sums_.join(layer.rows[Role::Down], n_chunks, task.y);
    return activity_of(layer, std::span(running.counts).first(static_cast<std::size_t>(n_chunks)));
}

void CachedTokenPath::name(Running& running, int chunk) {
    const int first = running.chunks.first(chunk);
    const int n = names_.find(running.task, running.layer, running.input, first,
                              running.chunks.end(chunk), running.counts_of(chunk));
    running.chunk(chunk).n_names = n;
    const auto at = static_cast<std::size_t>(first);
    const auto size = static_cast<std::size_t>(n);
    running.cache.want(chunk, {first,
                               {names_.index(first), size},
                               std::span(slots_).subspan(at, size),
                               std::span(read_).subspan(at, size)});
}

// A chunk for which there are no slots yet is computed when it has them.
void CachedTokenPath::compute_here(Running& running, int chunk) {
    Running::Chunk& of = running.chunk(chunk);
    const bool pinned = running.cache.is_pinned(chunk);
    if (pinned) {
        compute(running, running.chunks.first(chunk), of.n_names, Neurons::Here,
                running.counts_of(chunk));
    }
    of.here.set(pinned ? kComputed : kLeft);
    of.here.wake_one();
}

void CachedTokenPath::finish(Running& running, int chunk) {
    Running::Chunk& of = running.chunk(chunk);
    ChunkCounts& counts = running.counts_of(chunk);
    const int first = running.chunks.first(chunk);
    of.here.sleep_while(kUnknown);
    auto status = running.cache.await(chunk);
    if (status) {
        status = arrange_read(running, first, of.n_names);
    }
    if (!status) {
        running.failure.set(std::move(status).error());
        running.cache.done(chunk, false);
        return;
    }
    if (of.here.get() == kLeft) {
        compute(running, first, of.n_names, Neurons::Here, counts);
    }
    compute(running, first, of.n_names, Neurons::Read, counts);
    counts.fired = add_down(running, chunk, of.n_names);
    running.cache.done(chunk);
}

Result<void> CachedTokenPath::arrange_read(const Running& running, int first, int n_names) const {
    const std::uint16_t* names = names_.index(first);
    const std::uint16_t* slots = slots_.data() + first;
    const std::uint8_t* read = read_.data() + first;
    for (int i = 0; i < n_names; ++i) {
        if (read[i] != 0) {
            auto arranged =
                running.layer.cold->arrange(running.layer_index, first + names[i], slots[i]);
            if (!arranged) {
                return arranged;
            }
        }
    }
    return {};
}

// Hidden values of the chunk's names that were here, or of those that were read, take the places of
// their names among the values; 0 where a neuron does not fire.
void CachedTokenPath::compute(const Running& running, int first, int n_names, Neurons which,
                              ChunkCounts& counts) {
    const CpuLayer& layer = running.layer;
    const std::uint16_t* slots = slots_.data() + first;
    const std::uint8_t* read = read_.data() + first;
    std::uint16_t* rows = rows_.data() + first;
    std::uint16_t* places = places_.data() + first;
    float* values = names_.values(first);
    float* gates = scratch_.gate + first;
    float* ups = scratch_.up + first;
    int n = 0;
    for (int i = 0; i < n_names; ++i) {
        if ((read[i] != 0) == (which == Neurons::Read)) {
            rows[n] = slots[i];
            places[n] = static_cast<std::uint16_t>(i);
            gates[n] = values[i];
            values[i] = 0.0F;
            ++n;
        }
    }
    if (layer.predicted && n > 0) {
        n = open_gates(running.spec, layer, first, n);
    }
    counts.opened += n;
    if (n == 0) {
        return;
    }
    if (is_gated(running.spec.activation)) {
        input_.multiply(layer.rows[Role::Up], 0, rows, n, ups);
    }
    activate(table_, running.spec, gates, ups, n);
    const std::uint16_t* names = names_.index(first);
    weigh_by_expert(
        running.task, running.spec, first, n, [&](int i) { return names[places[i]]; }, gates);
    for (int i = 0; i < n; ++i) {
        values[places[i]] = gates[i];
    }
}

// Gates of n predicted neurons, those that are open in front; returns how many are.
int CachedTokenPath::open_gates(const LayerSpec& spec, const CpuLayer& layer, int first, int n) {
    const std::span<const float> bias = layer.vectors[Role::UpBias];
    const std::uint16_t* names = names_.index(first);
    std::uint16_t* rows = rows_.data() + first;
    std::uint16_t* places = places_.data() + first;
    float* gates = scratch_.gate + first;
    input_.multiply(layer.rows[is_gated(spec.activation) ? Role::Gate : Role::Up], 0, rows, n,
                    gates);
    int open = 0;
    for (int i = 0; i < n; ++i) {
        float value = gates[i];
        if (!bias.empty()) {
            value += bias[static_cast<std::size_t>(first + names[places[i]])];
        }
        value = value > spec.relu_threshold ? value : 0.0F;
        gates[open] = value;
        rows[open] = rows[i];
        places[open] = places[i];
        open += value != 0.0F ? 1 : 0;
    }
    return open;
}

// The chunk's own sums of down, in the order of its names; returns how many fire.
int CachedTokenPath::add_down(const Running& running, int chunk, int n_names) {
    const int first = running.chunks.first(chunk);
    const std::uint16_t* names = names_.index(first);  // the cache's until done()
    const std::uint16_t* slots = slots_.data() + first;
    std::uint16_t* rows = rows_.data() + first;
    std::uint16_t* places = places_.data() + first;
    float* values = names_.values(first);
    int fired = 0;
    for (int i = 0; i < n_names; ++i) {
        const float value = values[i];
        values[fired] = value;
        places[fired] = names[i];
        rows[fired] = slots[i];
        fired += value != 0.0F ? 1 : 0;
    }
    fired_.note(running.task.layer, first, running.chunks.end(chunk), places, fired);
    sums_.set(chunk, running.layer.rows[Role::Down], 0, rows, fired, values);
    return fired;
}

}  // namespace hearth
