// What the window says of a model, in words.
#pragma once

#include <QString>
#include <QVariantList>

namespace hearth::ui {

struct ModelRow;

QString parameterWords(quint64 count);        // "6.7 billion parameters"
QString summaryOf(const ModelRow& row);       // one line
QString whyNot(const ModelRow& row);          // why it cannot be used: a sentence, or empty
QVariantList detailsOf(const ModelRow& row);  // {label, value} each

}  // namespace hearth::ui
