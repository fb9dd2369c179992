// What the engine is asked for a forecast.
#pragma once

#include <hearth/tools.h>

#include "bridge/machine_service.h"

namespace hearth::ui {

// All that the question says; folders of the program's own and shared measurements stay as they are
// by default. Any thread; looks at the disk for question.folder.
tools::PlanOptions planOptions(const PlanQuestion& question);

}  // namespace hearth::ui
