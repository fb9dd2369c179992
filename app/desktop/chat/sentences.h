// Sentences within a line of markdown.
#pragma once

#include <QStringView>

namespace hearth::ui {

// Where the last sentence ends that lies in `text`, the beginning of a line, and outside of code,
// emphasis and links; 0: nowhere. A letter follows, so that what follows begins no other block.
qsizetype sentenceEnd(QStringView text);

}  // namespace hearth::ui
