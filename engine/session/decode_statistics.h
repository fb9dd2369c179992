// The cost of answers' tokens, from the counters of both units.
#pragma once

#include <hearth/engine.h>
#include <hearth/result.h>

namespace hearth {

// As Engine::decode_statistics().
Result<DecodeStatistics> decode_statistics(LoadedModel& impl);
// They begin anew.
void reset_decode_statistics(LoadedModel& impl);

}  // namespace hearth
