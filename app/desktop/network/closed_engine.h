// QML can load pictures and data by address (Image, XMLHttpRequest, an <img> in a text). This
// limits it to files and to what the program contains; nothing comes from elsewhere.
#pragma once

class QQmlEngine;

namespace hearth::ui {

// Call it before the engine loads anything.
void closeToNetwork(QQmlEngine& engine);

}  // namespace hearth::ui
