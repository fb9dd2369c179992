// What tokens of answers cost, from what both units counted.
#pragma once

#include <hearth/engine.h>
#include <hearth/result.h>

namespace hearth {

// As Engine::decode_statistics().
Result<DecodeStatistics> decode_statistics(LoadedModel& impl);
// They begin anew.
void reset_decode_statistics(LoadedModel& impl);

}  // namespace hearth
