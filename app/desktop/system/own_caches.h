// Where Qt, graphics drivers and fontconfig keep what they can make again.
#pragma once

#include <QString>

namespace hearth::ui {

// All of them keep it in `folder` from here on, and so do child processes of ours, but for those of
// openOutside(). Call it before the QGuiApplication: drivers look once. Makes the folder.
void keepCachesIn(const QString& folder);

}  // namespace hearth::ui
