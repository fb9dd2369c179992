// Lets VRAM have those experts of a mixture that tokens choose, or those neurons of a sparse model
// that fire, between two answers.
#pragma once

#include <hearth/cancellation.h>
#include <hearth/engine.h>
#include <hearth/result.h>

#include "session/loaded_model.h"

namespace hearth {

// Adds what was counted since the last call to what is known of the model. DeviceLost.
Result<void> note_uses(LoadedModel& impl);

// As Engine::adapt().
Result<Adapted> adapt(LoadedModel& impl, const Cancellation& cancellation);

}  // namespace hearth
