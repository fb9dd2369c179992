// Which code blocks of an answer are drawings.
#pragma once

#include <QString>
#include <QStringView>

namespace hearth::ui {

// True for code that begins as SVG does, in a block of that language or of one that may hold it
// (xml, html, none).
bool beginsDrawing(const QString& language, QStringView code);
// True for such code that is a drawing and nothing else: HTML may go on behind one. A block of the
// language svg needs no right end; what is wrong with it is told.
bool isDrawing(const QString& language, QStringView code);

}  // namespace hearth::ui
