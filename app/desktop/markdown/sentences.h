// Sentences within a line of markdown.
#pragma once

#include <QStringView>

namespace hearth::ui {

// The end of the last sentence in `text`, the beginning of a line, that ends outside of code,
// emphasis and links; 0: there is none. A letter follows it, so that the rest begins no other
// block.
qsizetype sentenceEnd(QStringView text);

}  // namespace hearth::ui
