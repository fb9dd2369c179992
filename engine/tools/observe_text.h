// Text through a model, watched block by block.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/result.h>

#include "compute/executor.h"
#include "session/loaded_model.h"

namespace hearth::tools {

// The first max_tokens tokens of the text (0: all), without a beginning's. InvalidArgument: none,
// or a window longer than the engine's context.
Result<std::vector<TokenId>> tokens_to_observe(LoadedModel& impl, std::string_view text,
                                               std::uint64_t max_tokens, int n_ctx);

// Shows the observer every block of the tokens, in windows of n_ctx; afterwards nobody observes.
// Cancelled and what Session::score() says.
Result<void> observe_tokens(LoadedModel& impl, FeedForwardObserver& observer,
                            std::span<const TokenId> tokens, int n_ctx,
                            const std::function<void(int done, int windows)>& progress,
                            const Cancellation& cancellation);

}  // namespace hearth::tools
