// Reads and searches in one folder, for a model. Paths come from the model: none leads out of the
// folder, also not through a link. Any thread; every call is bounded in bytes and files.
#pragma once

#include <QString>
#include <atomic>

#include "toolset/tool_outcome.h"

namespace hearth::ui {

// The file's or folder's own path, if it exists and lies within the folder; else empty.
QString pathWithin(const QString& folder, const QString& path);

// lines: at most so many from firstLine on, which counts from 1.
ToolOutcome readFile(const QString& folder, const QString& path, int firstLine, int lines);
ToolOutcome listFolder(const QString& folder, const QString& path);
// Lines that contain the text, in either case of letters. names: a pattern as "*.txt"; empty: all.
// Hidden files, links and files that are no text are passed over.
ToolOutcome searchFiles(const QString& folder, const QString& text, const QString& names,
                        const std::atomic<bool>& stopped);

}  // namespace hearth::ui
