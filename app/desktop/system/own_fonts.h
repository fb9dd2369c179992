// Brings fonts to a system that has none.
#pragma once

#include <QString>

namespace hearth::ui {

// Adds the fonts in `folder`, for this process alone, where fontconfig knows no font at all: a bare
// display server, a container. Otherwise the window uses the user's fonts. Call it before the
// QGuiApplication. True: the fonts were needed and were added.
bool bringFonts(const QString& folder);

}  // namespace hearth::ui
