// Hearth starts itself to draw what a model wrote: a hostile drawing takes only that process along.
#pragma once

#include <QStringList>
#include <optional>

#include "documents/drawing.h"

namespace hearth::ui {

// The arguments that make a drawing of this program's standard input, in UTF-8.
QStringList drawingArguments(const DrawingPlace& place);

// Handles such arguments alone: limits this process, draws, writes a DrawnSvg to standard output,
// and returns the exit status. Empty: this is an ordinary start. Needs no display; call it before
// anything else.
std::optional<int> drawingChild(int argc, char** argv);

}  // namespace hearth::ui
