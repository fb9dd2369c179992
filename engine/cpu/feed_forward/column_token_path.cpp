#include "cpu/feed_forward/column_token_path.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "cpu/feed_forward/activate.h"

namespace hearth {
namespace {

// Values of one task where sums meet: whole blocks, a few microseconds.
constexpr int kJoined = 512;

// Sets those of values [first, first + n) to 0 whose neurons are another executor's.
void zero_outside(std::span<const Cluster> clusters, int first, int n, float* values) {
    int done = first;
    const auto zero_until = [&](int end) {
        for (; done < std::min(end, first + n); ++done) {
            values[done - first] = 0.0F;
        }
    };
    for (const Cluster& cluster : clusters) {
        zero_until(cluster.first);
        done = std::max(done, cluster.first + cluster.count);
    }
    zero_until(first + n);
}

}  // namespace

LayerActivity ColumnTokenPath::run(const FeedForwardTask& task, const CpuLayer& layer,
                                   const ActivationRows& input) {
    const std::array gate_and_up{&layer.columns[Role::Gate], &layer.columns[Role::Up]};
    const int inputs = kept_.multiply(gate_and_up, input, layer.input_threshold);

    const LayerSpec& spec = spec_.layer(task.layer);
    const ActivationRows hidden{hidden_.gate, static_cast<std::size_t>(spec.n_ff),
                                hidden_.quantized, spec.n_ff, 1};
    pool_.run((spec.n_ff + kJoined - 1) / kJoined, [&](int part, int) {
        const int first = part * kJoined;
        const int n = std::min(kJoined, spec.n_ff - first);
        float* values = hidden_.gate + first;
        float* up = hidden_.up + first;
        kept_.join(0, first, n, values);
        kept_.join(1, first, n, up);
        activate(table_, spec, values, up, n);
        zero_outside(task.clusters, first, n, values);
        quantize_into(table_, hidden, 0, first / kBlockValues, n / kBlockValues, values);
    });

    const std::array down{&layer.columns[Role::Down]};
    const int fired = kept_.multiply(down, hidden, layer.hidden_threshold);
    pool_.run((spec_.n_embd + kJoined - 1) / kJoined, [&](int part, int) {
        const int first = part * kJoined;
        kept_.join(0, first, std::min(kJoined, spec_.n_embd - first), task.y + first);
    });

    const auto n_ff = static_cast<std::uint64_t>(spec.n_ff);
    return {.passed = 1,
            .computed = n_ff,
            .tokens = 1,
            .neurons = n_ff,
            .examined = n_ff,
            .opened = n_ff,
            .fired = static_cast<std::uint64_t>(fired),
            .inputs = static_cast<std::uint64_t>(spec_.n_embd),
            .inputs_kept = static_cast<std::uint64_t>(inputs)};
}

}  // namespace hearth
