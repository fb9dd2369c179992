// What the window says of a model, in words.
#pragma once

#include <QString>
#include <QVariantList>

namespace hearth::ui {

struct ModelRow;

QString parameterWords(quint64 count);  // "6.7 billion parameters"
// What the model calls itself, as the header does once it is open; else the file's name.
QString titleOf(const ModelRow& row);
// One line; the file's name first, where the title is another.
QString summaryOf(const ModelRow& row);
QString whyNot(const ModelRow& row);          // why it cannot be used: a sentence, or empty
QVariantList detailsOf(const ModelRow& row);  // {label, value} each

}  // namespace hearth::ui
