// Files of models for pictures and tests: they are small, and the engine reads them like any other.
#pragma once

#include <QString>

namespace hearth::ui::demo {

// Writes some into that folder. False: the disk would not have them.
bool writeModels(const QString& folder);

}  // namespace hearth::ui::demo
