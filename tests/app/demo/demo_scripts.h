// What the scripted engine of hearth-demo answers: one of each thing a message can hold.
#pragma once

#include <QList>

#include "support/fake_inference.h"

namespace hearth::ui::demo {

// Begins again after the last.
QList<FakeInference::Script> scripts();
ModelSummary model();
// Of a sparse model with a graphics card, larger than both memories.
MapReport map();

}  // namespace hearth::ui::demo
