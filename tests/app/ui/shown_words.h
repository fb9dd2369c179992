// All words that the window shows and says, and what lies over each other: for checks of other
// languages.
#pragma once

#include <QStringList>

namespace hearth::ui::test {

class UiWindow;

// The visible texts, hints of fields and tips, and what a screen reader is told, each once, in the
// order of drawing.
QStringList shownWords(UiWindow& ui);

// The parts of `words` that did not go through a translator of system/pseudo_language.h, have
// letters, and are none of `data`: words of the user, of models and of files, and names that are
// the same in all languages. A text has the parts that lie outside of the translator's brackets,
// between line breaks and "·", without the signs around them.
QStringList rawWords(const QStringList& words, const QStringList& data);

// Pairs of visible texts and controls that lie over each other and neither of which holds the
// other.
QStringList overlaps(UiWindow& ui);

}  // namespace hearth::ui::test
