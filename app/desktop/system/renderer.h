// Chooses among Qt Quick's renderers.
#pragma once

#include <QString>

namespace hearth::ui {

enum class DrawnBy {
    Card,               // or unknown
    Qt,                 // Qt's own renderer, on the processor
    DriverOnProcessor,  // OpenGL computed on the processor, because the user wants it so
};

struct Drawing {
    DrawnBy by = DrawnBy::Card;
    QString line;  // for the log
};

// Call it before the first window. Where the processor would compute OpenGL (no driver, a virtual
// machine, remote work), this chooses Qt's own software renderer, which draws the same with half
// the work and leaves the rest to the model. A choice of the user (QT_QUICK_BACKEND,
// QSG_RHI_BACKEND, ...) stays.
Drawing chooseRenderer();
// True if this is a name that OpenGL gives to a processor.
bool isProcessor(const QString& glRenderer);

}  // namespace hearth::ui
