// Text too long for one text item, whose layout would block the window: what counts as such, how it
// is described, and the parts it is shown in.
#pragma once

#include <QString>
#include <QStringList>

namespace hearth::ui {

// Not for a text field: pasted, it is kept beside it.
bool isTooLongToEdit(const QString& text);
// How much of a message is shown in its place; -1: all of it.
qsizetype foldedLength(const QString& text);
// "1,048,576 characters, 20,000 lines"
QString describeSize(const QString& text);
// All of it in order, each short enough to be laid out at once. Cut at line ends, which are dropped
// there, and within lines where they are long.
QStringList partsToShow(const QString& text);

}  // namespace hearth::ui
