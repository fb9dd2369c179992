// Which of Qt Quick's renderers draws the window.
#pragma once

#include <QString>

namespace hearth::ui {

enum class DrawnBy {
    Card,               // or unknown
    Qt,                 // Qt's own renderer, on the processor
    DriverOnProcessor,  // OpenGL that the processor computes, since the user wants it so
};

struct Drawing {
    DrawnBy by = DrawnBy::Card;
    QString line;  // for the log
};

// Before the first window: where OpenGL would be drawn by the processor (no driver, a virtual
// machine, remote work), Qt's own software renderer does the same with half the work, and leaves
// the rest to the model. What the user set (QT_QUICK_BACKEND, QSG_RHI_BACKEND, ...) stays.
Drawing chooseRenderer();
// Whether this is the name that OpenGL gives to a processor.
bool isProcessor(const QString& glRenderer);

}  // namespace hearth::ui
