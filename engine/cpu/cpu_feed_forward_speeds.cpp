// How fast the up projection comes from tiles and from rows, at several shares of open gates.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "base/aligned_buffer.h"
#include "cpu/cpu_feed_forward.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

// More than most caches hold, so that every run reads from memory.
constexpr std::uint64_t kMeasuredBytes = std::uint64_t{64} << 20;
constexpr int kRuns = 3;

// Of every layer the best of several runs: short pieces, so that another program's turn on a core
// falls into few of them.
template <class Layers, class Run>
double least_seconds(const Layers& layers, Run&& run) {
    std::vector<double> least(layers.size(), std::numeric_limits<double>::max());
    for (int i = 0; i < kRuns; ++i) {
        for (std::size_t l = 0; l < layers.size(); ++l) {
            const auto start = std::chrono::steady_clock::now();
            run(*layers[l]);
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
            least[l] = std::min(least[l], seconds.count());
        }
    }
    return std::accumulate(least.begin(), least.end(), 0.0);
}

}  // namespace

// The weights are the model's own, and their input is zero: a product takes as long whatever its
// values are. Gates lie in the tiles that up would lie in.
PathSpeeds CpuFeedForward::measure_paths(const CpuWeights& weights) {
    std::vector<WeightLease> alike;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < weights.layers().size(); ++i) {
        const CpuLayer& layer = weights.layers()[i];
        const bool usable =
            layer.two_layouts && layer.rows[Role::Up].present() &&
            (alike.empty() ||
             (layer.n_neurons == alike.front()->n_neurons &&
              layer.rows[Role::Up].type == alike.front()->rows[Role::Up].type &&
              layer.tiles[Role::Gate].type == alike.front()->tiles[Role::Gate].type));
        if (usable && bytes < kMeasuredBytes) {
            auto leased = weights.lease(Part::Neurons, static_cast<int>(i));
            if (!leased) {
                return {};
            }
            alike.push_back(*leased);
            bytes += layer.rows[Role::Up].bytes * static_cast<std::uint64_t>(layer.n_neurons);
        }
    }
    PathSpeeds speeds;
    auto zeros = AlignedBuffer::create(quantized_bytes(spec_.n_embd, 1), "a measurement's input");
    if (alike.empty() || !zeros) {
        return speeds;
    }
    const CpuLayer& one = *alike.front();
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    const auto row_cols = static_cast<std::size_t>(kernels::neuron_row_cols(spec_.n_embd));
    std::memset(zeros->data(), 0, zeros->bytes());
    std::fill_n(scratch_.row_q, row_cols, std::int8_t{0});
    std::fill_n(scratch_.row_f32, row_cols, 0.0F);
    std::fill_n(scratch_.row_d, row_cols / kBlockValues, 0.0F);
    std::fill_n(scratch_.row_offset, row_cols / kBlockValues, 0.0F);

    const ActivationRows input{scratch_.row_f32, n_embd, zeros->data(), spec_.n_embd, 1};
    const double gates = least_seconds(alike, [&](const CpuLayer& layer) {
        const std::array product{Product{&layer.tiles[Role::Gate], scratch_.gate,
                                         static_cast<std::size_t>(layer.n_neurons)}};
        multiply(pool_, table_, product, input);
    });
    // Where gates are of another type than up, they are another number of bytes of the same stream.
    speeds.dense = gates * static_cast<double>(row_bytes(one.rows[Role::Up].type, n_embd)) /
                   static_cast<double>(row_bytes(one.tiles[Role::Gate].type, n_embd));

    const int chunk = chunk_neurons(one.n_neurons);
    const int n_chunks = (one.n_neurons + chunk - 1) / chunk;
    std::mt19937 random(1);
    for (std::size_t i = 0; i < PathSpeeds::kOpened.size(); ++i) {
        std::array<int, kChunks> n_open{};
        for (int neuron = 0; neuron < one.n_neurons; ++neuron) {
            if (static_cast<double>(random()) <= PathSpeeds::kOpened[i] * random.max()) {
                const int c = neuron / chunk;
                int& n = n_open[static_cast<std::size_t>(c)];
                scratch_.index[c * chunk + n++] = static_cast<std::uint16_t>(neuron % chunk);
            }
        }
        speeds.exact[i] = least_seconds(alike, [&](const CpuLayer& layer) {
            pool_.run(n_chunks, [&](int c, int) {
                multiply_part(layer.rows[Role::Up], c * chunk, n_open[static_cast<std::size_t>(c)],
                              scratch_.up + c * chunk);
            });
        });
    }
    return speeds;
}

}  // namespace hearth
