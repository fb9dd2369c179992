// Lets VRAM have those experts of a mixture that its tokens choose, between two answers.
#pragma once

#include <hearth/cancellation.h>
#include <hearth/result.h>

#include "session/loaded_model.h"

namespace hearth {

// Adds what was counted since the last call to what is known of the model's experts. DeviceLost.
Result<void> note_choices(LoadedModel& impl);

// As Engine::move_experts().
Result<int> move_experts(LoadedModel& impl, const Cancellation& cancellation);

}  // namespace hearth
