// Letters where the system has none.
#pragma once

#include <QString>

namespace hearth::ui {

// Adds the fonts in `folder`, for this process alone, where fontconfig knows no font at all: a bare
// display server, a container. Otherwise the window keeps to the user's fonts. Before the
// QGuiApplication. True: they were needed and are there.
bool bringFonts(const QString& folder);

}  // namespace hearth::ui
