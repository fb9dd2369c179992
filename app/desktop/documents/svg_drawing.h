// Draws SVG, by Qt Svg.
#pragma once

#include <QString>

#include "documents/drawing.h"

namespace hearth::ui {

// Takes the memory and the time that the source makes it take, and may crash: it runs in a process
// of its own (drawing_child.h), which is limited. Needs a QGuiApplication for its letters.
DrawnSvg drawSvg(const QString& source, const DrawingPlace& place);

}  // namespace hearth::ui
