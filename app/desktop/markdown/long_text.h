// Text too long for one text item, whose layout would block the window: its bounds, its
// description, and the parts in which it is shown.
#pragma once

#include <QString>
#include <QStringList>

namespace hearth::ui {

// True: the text is too long for a text field. If pasted, it is kept beside the field.
bool isTooLongToEdit(const QString& text);
// The length of the beginning that stands for a long message; -1: the message is shown whole.
qsizetype foldedLength(const QString& text);
// "1,048,576 characters, 20,000 lines"
QString describeSize(const QString& text);
// The whole text in order, in parts short enough to be laid out at once. Cut at line ends, which
// are dropped there, and within long lines.
QStringList partsToShow(const QString& text);

}  // namespace hearth::ui
