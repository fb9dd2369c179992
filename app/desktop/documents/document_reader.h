// Reads a document of any kind that Hearth knows.
#pragma once

#include "documents/document_text.h"

namespace hearth::ui {

// The text of a file, as far as TextGatherer::kMost. Takes the memory and the time that the file
// makes it take, and may crash where a library that it calls does: it runs in a process of its own
// (document_child.h), which is limited.
DocumentReading readDocument(const QString& path);

// By what the name ends in: Code, Markdown or Text.
DocumentKind kindOfText(const QString& name);

}  // namespace hearth::ui
