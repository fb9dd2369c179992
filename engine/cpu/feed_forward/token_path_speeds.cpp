// The up projection of a token alone from rows and from tiles: laying it out so, and how fast each
// is at several shares of open gates.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/assert.h"
#include "cpu/feed_forward/token_path.h"
#include "cpu/up_layout.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

// More than most caches hold, so that every run reads from memory.
constexpr std::uint64_t kMeasuredBytes = std::uint64_t{64} << 20;
constexpr int kRuns = 3;

// The sum over the layers of the best of several runs: short pieces, so that another program's turn
// on a core falls into few of them.
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

// Layers of one size and type that have both layouts, until they are large enough together. Empty:
// there are none, or they cannot be read.
std::vector<WeightLease> layers_alike(const CpuWeights& weights) {
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
    return alike;
}

}  // namespace

void TokenPath::lay_up(CpuLayer& layer, FeedForwardMode path) {
    HEARTH_ASSERT(path == FeedForwardMode::Exact || path == FeedForwardMode::Dense);
    const auto lay = path == FeedForwardMode::Exact ? lay_up_in_rows : lay_up_in_tiles;
    lay(layer, spec_.n_embd, pool_, scratch_.unpacked.data, scratch_.unpacked.bytes);
}

// The weights are the model's own, and their input is zero: a product takes as long whatever its
// values are. Gates lie in the tiles that up would lie in.
PathSpeeds TokenPath::measure_up(const CpuWeights& weights) const {
    PathSpeeds speeds;
    const std::vector<WeightLease> alike = layers_alike(weights);
    auto zeros = AlignedBuffer::create(quantized_bytes(spec_.n_embd, 1), "a measurement's input");
    if (alike.empty() || !zeros) {
        return speeds;
    }
    const CpuLayer& one = *alike.front();
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    std::memset(zeros->data(), 0, zeros->bytes());
    input_.set_zero();

    const ActivationRows input{input_.f32(), n_embd, zeros->data(), spec_.n_embd, 1};
    const double gates = least_seconds(alike, [&](const CpuLayer& layer) {
        const std::array product{Product{&layer.tiles[Role::Gate], names_.values(0),
                                         static_cast<std::size_t>(layer.n_neurons)}};
        multiply(pool_, table_, product, input);
    });
    // Gates of another type than up are another number of bytes of the same stream.
    speeds.dense = gates * static_cast<double>(row_bytes(one.rows[Role::Up].type, n_embd)) /
                   static_cast<double>(row_bytes(one.tiles[Role::Gate].type, n_embd));

    const NeuronChunks chunks = NeuronChunks::of(one.n_neurons);
    std::mt19937 random(1);
    for (std::size_t i = 0; i < PathSpeeds::kOpened.size(); ++i) {
        std::array<int, NeuronChunks::kMost> n_open{};
        for (int neuron = 0; neuron < one.n_neurons; ++neuron) {
            if (static_cast<double>(random()) <= PathSpeeds::kOpened[i] * random.max()) {
                const int c = neuron / chunks.step;
                int& n = n_open[static_cast<std::size_t>(c)];
                names_.index(chunks.first(c))[n++] =
                    static_cast<std::uint16_t>(neuron % chunks.step);
            }
        }
        speeds.exact[i] = least_seconds(alike, [&](const CpuLayer& layer) {
            pool_.run(chunks.count, [&](int c, int) {
                const int first = chunks.first(c);
                input_.multiply(layer.rows[Role::Up], first, names_.index(first),
                                n_open[static_cast<std::size_t>(c)], scratch_.up + first);
            });
        });
    }
    return speeds;
}

}  // namespace hearth
