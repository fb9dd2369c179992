// Which matrices of a model larger than RAM are read in each pass.
#pragma once

#include <cstdint>
#include <optional>

#include "model/weights.h"
#include "plan/firing_window.h"
#include "plan/memory_costs.h"
#include "plan/plan.h"

namespace hearth {

// As few bytes as possible, so that the weights take at most `budget` of RAM. Every layer streams
// about the same, so that the disk has work all the time: a role at a time, of as many layers as it
// takes, spread evenly; those of the feed-forward block first, the output head last. Always held
// are embeddings, vectors and predictors. The placement's part in VRAM is neither held nor read,
// and the streams of the processor's part are chosen anew; layers that stream a role already are
// the first to do so again. Empty: always held weights, with the memory that reading takes, are
// more than the budget. caches: neurons may be read one by one.
//
// Layers whose neurons are cached get as many slots as they use neurons within the same number of
// tokens; where nothing is known of that, the same number of slots.
std::optional<FlashChoice> stream_to_fit(const ModelSpec& spec, const ModelTensors& tensors,
                                         FeedForwardMode mode, const Placement& placement,
                                         std::uint64_t budget, bool caches = true,
                                         const FiringWindow& window = {});

}  // namespace hearth
