// After a change of the language: QML reads all words of the window's objects anew.
#pragma once

class QObject;

namespace hearth::ui {

// Emits, for `root` and each object of the window that is reached by its properties, the signals of
// those properties that hold words, and the change of all rows of models. Values that an object
// makes when it is asked are then those of the new language; what it has kept is not made anew.
void tellAnew(QObject& root);

}  // namespace hearth::ui
