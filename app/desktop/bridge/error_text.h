// Turns an engine's error into a sentence for people: what happened and what to do. The engine's
// own words, with the field and the numbers, go to the log.
#pragma once

#include <QString>

#include <hearth/engine.h>

namespace hearth::ui {

QString sentenceFor(const hearth::Error& error);
// The sentence for a refused budget.
QString sentenceForBudget(const hearth::Error& error);

// The sentence for a failed packing of a model to `target`.
QString sentenceForPacking(const hearth::Error& error, const QString& target);

// "not-found: blk.3.ffn_up.weight: ... [path] [field]", for the log.
QString logLineFor(const hearth::Error& error);

}  // namespace hearth::ui
