// A loaded model layer by layer: where its weights lie, and what answers did with them.
#pragma once

#include <hearth/engine.h>
#include <hearth/result.h>

namespace hearth {

// As Engine::map().
Result<ModelMap> model_map(LoadedModel& impl);

}  // namespace hearth
