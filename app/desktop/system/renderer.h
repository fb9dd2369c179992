// Which of Qt Quick's renderers draws the window.
#pragma once

#include <QString>

namespace hearth::ui {

// Before the first window: where OpenGL would be drawn by the processor (no driver, a virtual
// machine, remote work), Qt's own software renderer does the same with half the work, and leaves
// the rest to the model. What the user set (QT_QUICK_BACKEND, QSG_RHI_BACKEND, ...) stays. Returns
// a line for the log.
QString chooseRenderer();
// Whether this is the name that OpenGL gives to a processor.
bool isProcessor(const QString& glRenderer);

}  // namespace hearth::ui
