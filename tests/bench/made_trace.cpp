#include "bench/made_trace.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "bench/random_numbers.h"
#include "bench/sparse_model.h"

namespace hearth::bench {
namespace {

// 0 to below 1.
double uniform(Random& random) {
    return static_cast<double>(random.next() >> 11) * 0x1p-53;
}

void shuffle(std::vector<std::uint32_t>& values, Random& random) {
    for (std::size_t i = values.size(); i > 1; --i) {
        std::swap(values[i - 1], values[random.next() % i]);
    }
}

// Each item's rank by popularity in a layer: the model's, but of a share of the items the text's.
std::vector<std::uint32_t> ranks(const MadeTraceOptions& options, std::uint64_t layer) {
    std::vector<std::uint32_t> rank(options.n_items);
    std::iota(rank.begin(), rank.end(), 0U);
    Random model(seed_of(options.model, layer));
    shuffle(rank, model);
    // The first of shuffled ranks are any ranks.
    const auto n_moved = static_cast<std::ptrdiff_t>(options.of_text * options.n_items);
    std::vector<std::uint32_t> moved(rank.begin(), rank.begin() + n_moved);
    Random text(seed_of(seed_of(options.model, options.text), layer));
    shuffle(moved, text);
    std::copy(moved.begin(), moved.end(), rank.begin());
    return rank;
}

// next(layer, random, items): turns a layer's items of the token before into those of the next,
// ascending; empty before the first token.
template <class Next>
Trace make(const MadeTraceOptions& options, const Next& next) {
    Trace trace{options.n_layer, options.n_items, {}, {}};
    trace.sets.resize(std::size_t{options.n_tokens} * options.n_layer);
    for (std::uint32_t token = 0; token < options.n_tokens; ++token) {
        trace.ids.push_back(static_cast<std::int32_t>(token));
    }
    for (std::uint32_t layer = 0; layer < options.n_layer; ++layer) {
        Random random(seed_of(seed_of(options.text, options.model), layer));
        std::vector<std::uint16_t> items;
        for (std::uint32_t token = 0; token < options.n_tokens; ++token) {
            next(layer, random, token == 0, items);
            trace.sets[std::size_t{token} * options.n_layer + layer] = items;
        }
    }
    return trace;
}

}  // namespace

Trace make_neuron_trace(const MadeTraceOptions& options, double firing, double last_firing) {
    std::vector<std::vector<double>> frequencies;  // [n_layer, n_items]
    for (std::uint32_t layer = 0; layer < options.n_layer; ++layer) {
        auto& of_layer = frequencies.emplace_back();
        const double depth = options.n_layer > 1 ? layer / (options.n_layer - 1.0) : 0.0;
        const double in_mean =
            last_firing > 0 ? firing * std::pow(last_firing / firing, depth) : firing;
        for (const std::uint32_t rank : ranks(options, layer)) {
            of_layer.push_back(planted_frequency((rank + 0.5) / options.n_items, in_mean));
        }
    }
    return make(options, [&](std::uint32_t layer, Random& random, bool is_first,
                             std::vector<std::uint16_t>& items) {
        const std::vector<std::uint16_t> before = items;
        auto fired = before.begin();
        items.clear();
        for (std::uint32_t i = 0; i < options.n_items; ++i) {
            const bool did = fired != before.end() && *fired == i;
            fired += did ? 1 : 0;
            const bool stays = !is_first && uniform(random) < options.stays;
            if (stays ? did : uniform(random) < frequencies[layer][i]) {
                items.push_back(static_cast<std::uint16_t>(i));
            }
        }
    });
}

Trace make_expert_trace(const MadeTraceOptions& options, std::uint32_t n_chosen, double zipf) {
    std::vector<std::vector<double>> weights;  // [n_layer, n_items]
    for (std::uint32_t layer = 0; layer < options.n_layer; ++layer) {
        auto& of_layer = weights.emplace_back();
        for (const std::uint32_t rank : ranks(options, layer)) {
            of_layer.push_back(std::pow(rank + 1.0, -zipf));
        }
    }
    return make(
        options, [&](std::uint32_t layer, Random& random, bool, std::vector<std::uint16_t>& items) {
            std::erase_if(items, [&](std::uint16_t) { return uniform(random) >= options.stays; });
            std::vector<double> left = weights[layer];
            for (const std::uint16_t item : items) {
                left[item] = 0;
            }
            while (items.size() < n_chosen) {
                double at = uniform(random) * std::accumulate(left.begin(), left.end(), 0.0);
                std::size_t drawn = 0;
                for (std::size_t i = 0; i < left.size(); ++i) {  // the last that can be drawn, if
                    if (left[i] > 0) {                           // rounding leaves a rest
                        drawn = i;
                        at -= left[i];
                        if (at < 0) {
                            break;
                        }
                    }
                }
                left[drawn] = 0;
                items.push_back(static_cast<std::uint16_t>(drawn));
            }
            std::sort(items.begin(), items.end());
        });
}

}  // namespace hearth::bench
