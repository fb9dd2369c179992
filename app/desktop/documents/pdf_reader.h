// The text of a PDF, by Qt PDF.
#pragma once

#include "documents/document_text.h"

namespace hearth::ui {

// Pages of a document at most: of more, the first are read.
constexpr int kMostPages = 10'000;

// Adds the pages to `text`. NotThere, Damaged, Encrypted, or None. A page that cannot be read is
// empty.
DocumentTrouble readPdf(const QString& path, TextGatherer& text);

}  // namespace hearth::ui
