// Bytes for people, everywhere in the window: "3.8 GB".
#pragma once

#include <QString>

namespace hearth::ui {

// In multiples of 1000, as pages that offer models and most file managers count, so that a model's
// size there and its memory here can be compared. Settings ("4G") count by 1024, as the command
// line's options do.
QString sizeWords(quint64 bytes, int decimals = 1);

}  // namespace hearth::ui
