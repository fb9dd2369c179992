// Bytes for people, everywhere in the window: "3.8 GB".
#pragma once

#include <QString>

namespace hearth::ui {

// In multiples of 1000, as pages that offer models and most file managers count; what a model
// weighs there and what it takes of memory here can then be compared. What a setting takes ("4G")
// counts by 1024, as the command line's options do.
QString sizeWords(quint64 bytes, int decimals = 1);

}  // namespace hearth::ui
