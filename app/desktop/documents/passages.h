// The parts in which a long document is searched, quoted and shown.
#pragma once

#include <QList>

#include "documents/document_text.h"

namespace hearth::ui {

struct Passage {
    qsizetype begin = 0;
    qsizetype length = 0;

    friend bool operator==(const Passage&, const Passage&) = default;
};

// Characters of a passage at most.
constexpr qsizetype kPassageMost = 900;

// Cuts the whole text, in order and without gaps: at the end of a page, else between paragraphs,
// lines, sentences or words, else anywhere but within a character.
QList<Passage> cutPassages(const DocumentText& document);

}  // namespace hearth::ui
