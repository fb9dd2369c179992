// What the scripted engine of hearth-demo answers: one of each thing a message can hold.
#pragma once

#include <QList>

#include "support/fake_inference.h"

namespace hearth::ui::demo {

// Begins again after the last.
QList<FakeInference::Script> scripts();
// An answer with a drawing in SVG.
QString drawing();
// An answer with thirty formulas.
QString formulas();
ModelSummary model();
// The map of a sparse model that is larger than a graphics card and memory together.
MapReport map();

}  // namespace hearth::ui::demo
