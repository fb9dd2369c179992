// QML can ask for pictures and data by address (Image, XMLHttpRequest, an <img> in a text). Through
// here it gets what lies in the program or in a file, and nothing from elsewhere.
#pragma once

class QQmlEngine;

namespace hearth::ui {

// Before the engine loads anything.
void closeToNetwork(QQmlEngine& engine);

}  // namespace hearth::ui
