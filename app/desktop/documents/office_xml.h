// The text in the XML of a word processor's file. Nothing outside the file is read: a document type
// declaration, which may name other files and entities that grow, is refused. Elements nested
// deeper than kDeepest are refused too.
#pragma once

#include "documents/document_text.h"

class QIODevice;

namespace hearth::ui {

constexpr int kDeepest = 256;

// word/document.xml and word/footnotes.xml of a docx: paragraphs, headings as "# ", items of lists
// as "- ", cells of a table in a line. Text that was deleted by a tracked change is left out.
// Damaged, or None with what there is. It adds to `out`, and stops where that is full.
DocumentTrouble readDocxXml(QIODevice& xml, TextGatherer& out);
// The same for content.xml of an odt, without comments.
DocumentTrouble readOdtXml(QIODevice& xml, TextGatherer& out);
// META-INF/manifest.xml of an odt says that its files are encrypted.
bool manifestSaysEncrypted(QIODevice& xml);

}  // namespace hearth::ui
