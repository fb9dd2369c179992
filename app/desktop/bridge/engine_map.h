// The engine's map of a model, in the window's words.
#pragma once

#include <optional>

#include "bridge/map_report.h"

namespace hearth {
class Engine;
}

namespace hearth::ui {

// On the engine's thread, between answers or in a piece callback. None: the engine has no weights,
// or its graphics card is lost. `answering` is left false.
std::optional<MapReport> mapOf(Engine& engine);

}  // namespace hearth::ui
