// Traces that are made up, where running a model would take too long or there is none yet.
#pragma once

#include <cstdint>

#include "bench/trace.h"

namespace hearth::bench {

struct MadeTraceOptions {
    std::uint32_t n_layer = 4;
    std::uint32_t n_items = 8192;
    std::uint32_t n_tokens = 1000;
    // Share of the neurons, or of the chosen experts, that stay from one token to the next as they
    // were; the others are drawn anew. 0: tokens are independent.
    double stays = 0;
    // Share of the items that are as popular as the text would have it, not as the model would: two
    // traces of one model differ in these.
    double of_text = 0;
    std::uint64_t model = 1;  // seeds
    std::uint64_t text = 1;
};

// Neurons: each fires on a share of the tokens that is sparse_model.h's planted_frequency(),
// whatever stays. firing: of a layer's neurons, in the mean. last_firing: that of the last layer,
// and between them it changes by the same factor from each layer to the next; 0: all are alike.
Trace make_neuron_trace(const MadeTraceOptions& options, double firing = 0.1,
                        double last_firing = 0);

// Experts: n_chosen of n_items a token, drawn one after the other by a popularity of 1 / rank^zipf.
// n_chosen <= n_items.
Trace make_expert_trace(const MadeTraceOptions& options, std::uint32_t n_chosen = 8,
                        double zipf = 0.8);

}  // namespace hearth::bench
