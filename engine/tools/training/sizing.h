// How wide a layer's predictor is made. (PowerInfer, section 5.1: a baseline from the layer's
// sparsity, adjusted by its skewness, then by what the predictor achieves.)
#pragma once

#include <cstdint>
#include <vector>

#include "tools/training/samples.h"

namespace hearth::tools {

// How a layer's neurons fire.
struct NeuronActivity {
    double active = 0;  // share of neurons that fire for a token
    double skew = 0;    // share of all firing that the busiest fifth of the neurons does: 0.2 to 1
};
NeuronActivity measure_activity(const std::vector<TokenSample>& tokens, int n_ff);

// Widths are multiples of this: 32, or 256 where a layer is 2048 wide or more.
int width_step(int n_embd);

// Where the search begins. The more neurons fire and the more evenly they do, the wider: a quarter
// of the embedding where a 16th of the neurons fires evenly.
int baseline_width(const NeuronActivity& activity, int n_embd);

// What the block reads for one token to know its neurons' gates: the predictor, and the gate rows
// of those predicted. Without a predictor: gate_bytes. Rows of up are left out of it: a predictor
// saves some of them too, so this is the least it saves.
double predicted_bytes(std::uint64_t predictor_bytes, double predicted_share,
                       std::uint64_t gate_bytes);

// A hill climb over widths: tries the baseline, then its neighbours, and goes on in the direction
// in which the cost falls by more than one part in 50.
class WidthSearch {
public:
    WidthSearch(int baseline, int step, int most);

    // The width to try next; 0: the search is over and best() is the answer.
    int next() const { return next_; }
    void tried(double cost);  // of next()
    int best() const { return best_; }

private:
    int larger(int width) const;
    int smaller(int width) const;

    int step_;
    int most_;
    int next_;
    int best_ = 0;
    double best_cost_ = 0;
    int direction_ = 0;  // 1: up, -1: down, 0: not known yet
    bool tried_up_ = false;
};

}  // namespace hearth::tools
