// Reads documents in a process of their own, with bounds on its time and its answer.
#pragma once

#include <QString>
#include <functional>

#include "documents/child_run.h"
#include "documents/document_text.h"

namespace hearth::ui {

// A document's text in UTF-8, its pages, and room.
constexpr ChildBounds kReadingBounds = {.mostBytes =
                                            3 * qint64{TextGatherer::kMost} + (qint64{1} << 20)};

// Starts `program` (document_child.h) for the file and waits for it. Whatever happens to the child,
// the answer is a reading: TooDemanding where it crashed, took too long, or said nothing that makes
// sense. stopped: asked again and again; true ends the child and the wait. Any thread but the
// window's.
DocumentReading readInChild(const QString& program, const QString& path,
                            const std::function<bool()>& stopped,
                            const ChildBounds& bounds = kReadingBounds);

}  // namespace hearth::ui
