// The window's words about a model.
#pragma once

#include <QString>
#include <QVariantList>

namespace hearth::ui {

struct ExpertShares;
struct ModelRow;

QString parameterWords(quint64 count);  // "6.7 billion parameters"
// The model's own name, once its header was read; else the file's name.
QString titleOf(const ModelRow& row);
// One line; begins with the file's name where the title differs.
QString summaryOf(const ModelRow& row);
QString whyNot(const ModelRow& row);          // why it cannot be used: a sentence, or empty
QVariantList detailsOf(const ModelRow& row);  // {label, value} each
// The words about how a model fits, and behind them the places of the experts that a mixture's
// tokens chose, if there are any.
QString withExperts(const QString& fit, const ExpertShares& chosen);

}  // namespace hearth::ui
