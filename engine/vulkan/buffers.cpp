#include "vulkan/buffers.h"

#include <algorithm>
#include <utility>

#include "compute/executor.h"
#include "include/params.h"
#include "vulkan/matrix.h"

namespace hearth::vulkan {
namespace {

constexpr std::uint64_t kFloat = sizeof(float);

// A batch's are halves where there are matrix units; one token's are bytes.
std::uint64_t packed_bytes(std::uint64_t rows, std::uint64_t width, bool halves) {
    return rows * width * (halves && rows > 1 ? 2 : 1);
}

// Four words a workgroup of neurons.comp, or of route.comp.
std::uint64_t noted_bytes(const LayerSpec& layer, int n_ff_max) {
    const auto n_neurons = static_cast<std::uint64_t>(layer.is_mixture() ? 1 : n_ff_max);
    return (n_neurons + kBlockColumns - 1) / kBlockColumns * 4 * sizeof(std::uint32_t);
}

std::uint64_t fired_bytes(const LayerSpec& layer, int n_ff_max) {
    return static_cast<std::uint64_t>(layer.is_mixture() ? layer.experts.n : n_ff_max) *
           sizeof(std::uint32_t);
}

// No shader makes smaller tiles.
constexpr std::uint64_t kLeastTile = 32;

bool routes_early(const ModelSpec& spec) {
    return spec.any([](const LayerSpec& layer) { return layer.experts.routed_early; });
}

// Calls visit(view, bytes) for what mixtures need.
template <class Visit>
void for_each_of_experts(Buffers& b, const ModelSpec& spec, std::uint64_t n_batch, bool halves,
                         Visit&& visit) {
    if (!spec.has_experts()) {
        return;
    }
    constexpr std::uint64_t kWord = sizeof(std::uint32_t);
    const auto most = [&](auto size) { return static_cast<std::uint64_t>(spec.most(size)); };
    const std::uint64_t n_experts = most([](const LayerSpec& layer) { return layer.experts.n; });
    const std::uint64_t n_used = most([](const LayerSpec& layer) { return layer.experts.n_used; });
    const std::uint64_t n_tiles = most([&](const LayerSpec& layer) {
        return static_cast<int>(expert_tiles(layer.experts, n_batch, kLeastTile));
    });
    visit(b.router_products, n_batch * n_experts * kFloat);
    const auto each_alone = std::min<std::uint64_t>(n_batch, kEachAloneMost);
    visit(b.router_done, each_alone * kWord);
    visit(b.chosen, n_batch * n_used * 2 * kWord);
    visit(b.shared_chosen, n_batch * 2 * kWord);
    visit(b.shared_place, kWord);
    const std::uint64_t n_pairs = n_batch > 1 ? n_batch * n_used : 0;
    visit(b.pairs, n_pairs * kWord);
    visit(b.rows, n_pairs * kWord);
    visit(b.tiles, n_pairs > 0 ? (1 + n_tiles) * 4 * kWord : 0);
    const auto n_embd = static_cast<std::uint64_t>(spec.n_embd);
    const std::uint64_t n_latent =
        most([](const LayerSpec& layer) { return layer.experts.n_latent; });
    visit(b.expert_out, n_pairs * std::max(n_embd, n_latent) * kFloat);
    const auto rows_of = [&](GpuActivations& a, std::uint64_t n_rows, std::uint64_t width) {
        visit(a.floats, n_batch * width * kFloat);
        visit(a.packed, packed_bytes(n_rows, width, halves));
        visit(a.scales, n_rows * width / kBlockColumns * kFloat);
    };
    const bool apart = spec.any([](const LayerSpec& layer) { return layer.experts.norms_apart; });
    if (apart || n_latent > 0) {
        rows_of(b.experts_in, n_batch, std::max(apart ? n_embd : 0, n_latent));
        visit(b.shared_out, n_batch * n_embd * kFloat);
    }
    if (apart || routes_early(spec)) {
        rows_of(b.router_in, each_alone, n_embd);
    }
    if (n_latent > 0) {
        rows_of(b.latent_sum, n_batch, n_latent);
    }
}

// The first words have pieces of their own, so that angles begin where a binding may.
std::uint64_t angles_at(const ModelSpec& spec) {
    return piece_bytes((STEP_PAST_AT + 2 * spec.layers.size()) * sizeof(std::uint32_t));
}

// One of ModelSpec::ropes().
std::uint64_t angle_bytes(const ModelSpec& spec, int n_batch) {
    return static_cast<std::uint64_t>(n_batch) *
           static_cast<std::uint64_t>(std::max(spec.rope_dim_max(), 2)) * kFloat;
}

// Each begins where a binding may.
std::uint64_t angles_at(const ModelSpec& spec, int n_batch, std::size_t rope) {
    return angles_at(spec) + rope * piece_bytes(angle_bytes(spec, n_batch));
}

std::uint64_t step_bytes(const ModelSpec& spec, int n_batch) {
    const std::size_t last = std::max<std::size_t>(spec.ropes().size(), 1) - 1;
    return angles_at(spec, n_batch, last) + angle_bytes(spec, n_batch);
}

int attention_part_floats(const LayerSpec& layer) {
    const AttentionSpec& spec = layer.attention;
    if (layer.is_latent()) {
        return latent_parts(1) * spec.n_head * (layer.latent.rank + 2);
    }
    return attention_parts(spec.n_head_kv, spec.kv == KvType::Q8_0) * spec.n_head *
           (spec.head_dim + 2);
}

// Calls visit(view, bytes) for every piece of scratch memory.
template <class Visit>
void for_each_scratch(Buffers& b, const ModelSpec& spec, int n_batch, int predictor_width,
                      bool counts, bool halves, Visit&& visit) {
    const auto batch = static_cast<std::uint64_t>(n_batch);
    const auto floats = [&](BufferView& view, std::uint64_t rows, int width) {
        visit(view, rows * static_cast<std::uint64_t>(width) * kFloat);
    };
    const auto activations = [&](GpuActivations& a, std::uint64_t rows, int width) {
        const std::uint64_t values = rows * static_cast<std::uint64_t>(width);
        visit(a.floats, values * kFloat);
        visit(a.packed, packed_bytes(rows, static_cast<std::uint64_t>(width), halves));
        visit(a.scales, values / kBlockColumns * kFloat);
    };
    const int n_ff = spec.n_ff_max();
    const int width = spec.most(block_width);
    floats(b.x, batch, spec.n_embd);
    floats(b.x_of_token, 1, spec.n_embd);
    activations(b.normed, batch, spec.n_embd);
    floats(b.q, batch, spec.n_embd_q_max());
    floats(b.k, batch, spec.n_embd_kv_max());
    floats(b.v, batch, spec.n_embd_kv_max());
    activations(b.attended, batch, std::max(spec.n_embd_q_max(), spec.n_attended_max()));
    if (spec.any(&LayerSpec::is_latent)) {
        activations(b.low_queries, batch,
                    spec.most([](const LayerSpec& layer) { return layer.latent.q_rank; }));
        floats(b.queries.floats, batch, spec.most(&LayerSpec::n_rows_q));
    }
    if (spec.n_gate_max() > 0) {
        floats(b.gates, batch, spec.n_gate_max());
    }
    if (spec.any([](const LayerSpec& layer) { return layer.attention.gated; })) {
        floats(b.queries_gates, batch, spec.most(&LayerSpec::n_rows_q));
    }
    if (spec.any(&LayerSpec::has_state_heads)) {
        floats(b.mixed, batch, spec.most([](const LayerSpec& layer) {
            return layer.has_state_heads() ? layer.conv_width() : 0;
        }));
    }
    b.ahead.resize(spec.layers.size());
    for (std::size_t l = 0; l < spec.layers.size() && n_batch >= kEachAloneMost; ++l) {
        const LayerSpec& layer = spec.layers[l];
        if (!layer.is_recurrent()) {
            continue;
        }
        StateInputs& of = b.ahead[l];
        floats(of.inputs, kEachAloneMost, layer.n_embd_q());
        if (layer.has_state_heads()) {
            floats(of.mixed, kEachAloneMost, layer.conv_width());
            floats(of.beta, kEachAloneMost, layer.n_embd_kv());
            floats(of.decay, kEachAloneMost, layer.n_embd_kv());
        }
    }
    floats(b.attention_out, batch, spec.n_embd);
    if (spec.n_embd_layer > 0) {
        activations(b.layer_gates, batch, spec.n_embd_layer);
    }
    const auto each_alone = std::min<std::uint64_t>(batch, kEachAloneMost);
    floats(b.attention_parts, each_alone, spec.most(attention_part_floats));
    visit(b.attention_done,
          each_alone * static_cast<std::uint64_t>(spec.n_head_max()) * sizeof(std::uint32_t));
    visit(b.step, step_bytes(spec, n_batch));
    floats(b.products, n_batch > 1 ? batch : 0, width * (is_gated(spec.activation()) ? 2 : 1));
    activations(b.hidden, batch, width);
    floats(b.down_out, batch, spec.n_embd);
    const auto chunks = static_cast<std::uint64_t>(down_chunks_max(n_ff));
    floats(b.down_parts, spec.any(&LayerSpec::down_by_neuron) ? each_alone * chunks : 0,
           spec.n_embd);
    if (predictor_width > 0) {
        activations(b.predictor_hidden, 1, predictor_width);
        activations(b.predictor_input, 1, spec.n_embd);
        floats(b.mask, 1, n_ff);
    }
    floats(b.last_logits, each_alone, logits_stride(spec));
    visit(b.candidate_groups,
          each_alone * (CANDIDATE_GROUPS + CANDIDATE_PARTS_MAX) * sizeof(Candidate));
    b.fired.resize(counts ? static_cast<std::size_t>(spec.n_layer()) : 0);
    for (std::size_t l = 0; l < b.fired.size(); ++l) {
        visit(b.fired[l], fired_bytes(spec.layers[l], spec.has_experts() ? 0 : n_ff));
    }
    b.noted.resize(static_cast<std::size_t>(spec.n_layer()));
    for (std::size_t l = 0; l < b.noted.size(); ++l) {
        visit(b.noted[l], noted_bytes(spec.layers[l], n_ff));
    }
    for_each_of_experts(b, spec, batch, halves, visit);
}

template <class Visit>
void for_each_written(Buffers& b, const ModelSpec& spec, int n_batch, Visit&& visit) {
    const std::uint64_t stream =
        static_cast<std::uint64_t>(n_batch) * static_cast<std::uint64_t>(spec.n_embd) * kFloat;
    visit(b.host_step, step_bytes(spec, n_batch));
    visit(b.input, stream);
    visit(b.partial, stream);
    if (spec.n_embd_layer > 0) {
        visit(b.layer_inputs, static_cast<std::uint64_t>(n_batch) *
                                  static_cast<std::uint64_t>(spec.n_layer_inputs()) * kFloat);
    }
}

template <class Visit>
void for_each_read(Buffers& b, const ModelSpec& spec, int n_batch, Visit&& visit) {
    visit(b.published,
          static_cast<std::uint64_t>(n_batch) * static_cast<std::uint64_t>(spec.n_embd) * kFloat);
    std::uint64_t scores = static_cast<std::uint64_t>(spec.n_ff_max()) * kFloat;
    for (const LayerSpec& layer : spec.layers) {
        scores = std::max({scores, fired_bytes(layer, 0), noted_bytes(layer, 0)});
    }
    visit(b.scores, scores);
    if (spec.has_experts()) {
        visit(b.told, static_cast<std::uint64_t>(n_batch) *
                          static_cast<std::uint64_t>(spec.most(
                              [](const LayerSpec& layer) { return layer.experts.n_used; })) *
                          sizeof(ChosenExpert));
    }
    if (routes_early(spec)) {
        visit(b.routed, static_cast<std::uint64_t>(n_batch) *
                            static_cast<std::uint64_t>(spec.n_embd) * kFloat);
    }
    visit(b.logits, static_cast<std::uint64_t>(Executor::kLogitRows) *
                        static_cast<std::uint64_t>(spec.n_vocab) * kFloat);
    visit(b.candidates, static_cast<std::uint64_t>(std::min(n_batch, kEachAloneMost)) *
                            (Executor::kCandidates + 1) * sizeof(Candidate));
}

}  // namespace

int block_width(const LayerSpec& layer) {
    return layer.is_mixture()
               ? std::max(layer.experts.n_used * layer.experts.n_ff, layer.experts.n_ff_shared)
               : layer.n_ff;
}

std::uint64_t expert_tiles(const ExpertsSpec& experts, std::uint64_t n_batch, std::uint64_t tile) {
    const std::uint64_t n_pairs = n_batch * static_cast<std::uint64_t>(experts.n_used);
    return n_pairs / tile + std::min(n_pairs, static_cast<std::uint64_t>(experts.n));
}

int logits_stride(const ModelSpec& spec) {
    return (spec.n_vocab + 3) / 4 * 4;
}

int attention_parts(int n_head_kv, bool past_in_bytes) {
    const int parts = std::clamp(1024 / n_head_kv, 8, 64);
    return past_in_bytes ? parts * 3 / 4 : parts;
}

int latent_parts(int n_tokens) {
    constexpr int kOfOneToken = 64;
    return std::max(kOfOneToken / n_tokens, 1);
}

int down_chunk(int n_neurons) {
    constexpr int kChunks = 64;
    constexpr int kMost = 1024;  // what down_rows.comp lists
    const int even = (n_neurons + kChunks - 1) / kChunks;
    return std::min(kMost, (even + 31) / 32 * 32);
}

int down_chunks_max(int n_ff) {
    int most = 0;
    for (int n = kBlockColumns; n <= n_ff; n += kBlockColumns) {
        most = std::max(most, down_chunks(n, down_chunk(n)));
    }
    return most;
}

std::uint64_t Buffers::scratch_bytes(const ModelSpec& spec, int n_batch, int predictor_width,
                                     bool counts, bool matrix_units) {
    Buffers unused;
    std::uint64_t sum = 0;
    for_each_scratch(unused, spec, n_batch, predictor_width, counts, matrix_units,
                     [&](BufferView&, std::uint64_t bytes) { sum += piece_bytes(bytes); });
    return sum;
}

std::uint64_t Buffers::host_bytes(const ModelSpec& spec, int n_batch) {
    Buffers unused;
    std::uint64_t sum = 0;
    const auto add = [&](BufferView&, std::uint64_t bytes) { sum += piece_bytes(bytes); };
    for_each_written(unused, spec, n_batch, add);
    for_each_read(unused, spec, n_batch, add);
    return sum;
}

Result<Buffers> Buffers::create(const std::shared_ptr<Device>& device, const ModelSpec& spec,
                                int n_batch, int predictor_width, bool counts) {
    Buffers b;
    const auto make = [&](Arena& arena, MemoryKind kind, const char* what,
                          auto&& for_each) -> Result<void> {
        Arena::Pieces pieces;
        for_each([&](BufferView&, std::uint64_t bytes) { pieces.push_back(bytes); });
        auto made = Arena::create(device, kind, pieces, what);
        if (!made) {
            return std::move(made).error();
        }
        arena = std::move(*made);
        for_each([&](BufferView& view, std::uint64_t bytes) { view = arena.take(bytes); });
        return {};
    };
    auto made = make(b.scratch_, MemoryKind::Device, "activations", [&](auto&& visit) {
        for_each_scratch(b, spec, n_batch, predictor_width, counts,
                         device->features().matrix_units(), visit);
    });
    if (made) {
        made = make(b.written_by_host_, MemoryKind::Shared, "what the processor sends",
                    [&](auto&& visit) { for_each_written(b, spec, n_batch, visit); });
    }
    if (made) {
        made = make(b.read_by_host_, MemoryKind::Readback, "what the processor gets",
                    [&](auto&& visit) { for_each_read(b, spec, n_batch, visit); });
    }
    if (!made) {
        return std::move(made).error();
    }
    b.latents.floats = b.q;
    const std::vector<RopeSpec> ropes = spec.ropes();
    const std::uint64_t bytes = angle_bytes(spec, n_batch);
    for (std::size_t i = 0; i < ropes.size(); ++i) {
        b.host_angles.push_back(b.host_step.part(angles_at(spec, n_batch, i), bytes));
    }
    for (const LayerSpec& layer : spec.layers) {
        // A layer that does not rotate reads no angles, and its shader wants a buffer.
        const auto found = std::find(ropes.begin(), ropes.end(), layer.attention.rope);
        const auto i = found == ropes.end() ? 0 : static_cast<std::size_t>(found - ropes.begin());
        b.angles.push_back(b.step.part(angles_at(spec, n_batch, i), bytes));
    }
    return b;
}

}  // namespace hearth::vulkan
