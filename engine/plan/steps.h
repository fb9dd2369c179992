// A pass as a list of steps: what is computed, where, and where the two units wait for each other.
// The decoder runs the list, a GPU records it, and the cost model prices it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/model_spec.h"
#include "plan/plan.h"

namespace hearth {

// A step exists only where the unit may change or where the units must wait for each other. Norms,
// rotations, biases and scales belong to the step that needs them, and what a unit fuses inside its
// steps is its own business. What an operation leaves for a step of the other unit:
//   Embed         the residual stream
//   AttentionIn   queries, keys and values, not rotated yet
//   Attend        the heads' output
//   AttentionOut  the stream that the feed-forward block reads, before its norm; the experts that
//                 the router chose, where a GPU has some of a mixture's; for one token also the
//                 predictor's scores, where the unit has the layer's predictor. A sequential
//                 layer has added attention's output to it, a parallel one has not.
//   FeedForward   the unit's part of the block's sum
//   Sum           the residual stream: both units' parts are added to it, and attention's output if
//                 the layer is parallel
//   Head          the logits
enum class Op : std::uint8_t { Embed, AttentionIn, Attend, AttentionOut, FeedForward, Sum, Head };

inline constexpr int kNoLayer = -1;

struct Step {
    Op op = Op::Embed;
    Unit unit = Unit::Cpu;
    int layer = kNoLayer;  // of Embed and Head: kNoLayer
    // FeedForward: the places of the neurons that this unit computes. In both units' steps of a
    // layer each place is there once.
    int first_neuron = 0;
    int n_neurons = 0;
    // Points of a unit are numbered from 1 in the order of its steps. 0: none.
    int wait = 0;    // the other unit's point that must be reached before this step
    int signal = 0;  // the point that is reached after this step

    bool operator==(const Step&) const = default;
};

// How a pass uses the weights.
enum class PassKind : std::uint8_t {
    Resident,  // each unit multiplies with the weights that it holds
    Uploaded,  // the GPU multiplies with all of them; those of the processor are uploaded to it.
               // Attention runs on the unit that holds the layer's KV cache.
};

// The steps of one layer in their order. Their points are not numbered.
struct LayerSteps {
    static constexpr int kMost = 6;
    std::array<Step, kMost> steps;
    std::array<int, kMost> inputs{};  // place of the step whose result each reads; -1: the stream
    int count = 0;
};
// hot: the layer's first neurons, which the GPU has.
LayerSteps layer_steps(int layer, int n_ff, bool attention_in_vram, int hot, PassKind kind);

// The list of one pass. The stream starts with the processor, which holds the embeddings. A layer's
// matrices are multiplied by the unit that has its attention, except for the neurons that the other
// unit has. A Head on the GPU signals too: the logits are waited for at the end of the pass.
std::vector<Step> compile(const ModelSpec& spec, const Placement& placement, PassKind kind);
// The same of layers of n_ff[layer] neurons.
std::vector<Step> compile(std::span<const int> n_ff, const Placement& placement, PassKind kind);

// How often one unit leaves something for the other.
int n_signals(std::span<const Step> steps);

}  // namespace hearth
