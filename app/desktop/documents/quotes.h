// Documents in the text of a message, as the model gets it.
#pragma once

#include <QList>
#include <QString>

namespace hearth::ui {

struct QuotedText {
    QString name;        // of the file
    int page = 0;        // from 1; 0: it has none
    QString text;        // empty: it is gone
    bool whole = false;  // else a passage
};

// The message with the quoted texts before it. The same arguments give the same text, so that what
// the model remembers of a conversation still fits.
QString withQuotes(const QString& message, const QList<QuotedText>& quotes);

}  // namespace hearth::ui
