// Moves the caches of Qt, graphics drivers and fontconfig.
#pragma once

#include <QString>

namespace hearth::ui {

// From this call on all of them use `folder`, also in child processes, but not in those of
// openOutside(). Call it before the QGuiApplication: drivers look once. Creates the folder.
void keepCachesIn(const QString& folder);

}  // namespace hearth::ui
