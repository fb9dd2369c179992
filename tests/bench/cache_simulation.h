// Replays traces through caches of given sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/cache_policies.h"
#include "bench/trace.h"

namespace hearth::bench {

// [n_layer], `share` of all items: the same in each layer; as many as there are of that layer among
// the most frequent items of a trace; or, as stream_to_fit() has it, as many as are used within the
// same number of tokens, by how often that trace asks for them (plan/firing_window.h). At least one
// a layer; of the last kind at least as many as are pinned at a time.
enum class SlotShares { Equal, ByFrequency, ByWindow };
std::vector<std::size_t> layer_slots(const Trace& profiled, double share, SlotShares shares);

struct Replay {
    std::vector<std::size_t> misses;  // of each judged token, of all layers
    std::size_t asked = 0;            // of all tokens

    double per_token() const;
    double hit_rate() const;
    // The least number of misses that so many of 100 tokens stay at or below.
    std::size_t percentile(int percent) const;
};

// Every layer's cache first takes the tuning trace, then the judged one, which counts.
// Preconditions: both traces have the same layers and items; n_slots: [n_layer].
Replay replay(CachePolicy policy, const Trace& tuning, const Trace& judged,
              std::span<const std::size_t> n_slots);

// The speeds of a machine, probed.
struct BoundInputs {
    double reads_per_second = 0;  // of one neuron or expert; must be given
    double seconds_in_ram = 0;    // a token's, with the whole model in RAM
    double cpu_us_per_read = 0;   // processor time
    double cores = 1;
    double streamed_bytes = 0;    // read anew for each token, besides
    double bytes_per_second = 1;  // at which those stream
};
// Tokens a second that no engine exceeds where a token misses so much: disk and processor work at
// the same time, and what is streamed comes on top.
double bound(double misses_per_token, const BoundInputs& inputs);

}  // namespace hearth::bench
