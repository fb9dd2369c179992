#include "conversation/draft.h"

#include "markdown/long_text.h"

namespace hearth::ui {

namespace {

constexpr QChar kSeparator(0x1E);  // ASCII's record separator
constexpr qsizetype kMostPieces = 5;
const QString kEmptyLine = QStringLiteral("\n\n");

}  // namespace

void Draft::attach(const QString& piece) {
    QString clean = piece;
    clean.replace(kSeparator, QLatin1Char(' '));
    if (pieces.size() < kMostPieces) {
        pieces.append(clean);
    } else {
        pieces.last() += kEmptyLine + clean;
    }
}

QString Draft::message() const {
    QStringList parts = pieces;
    if (!text.trimmed().isEmpty()) {
        parts.prepend(text);
    }
    return pieces.isEmpty() ? text : parts.join(kEmptyLine);
}

QString Draft::stored() const {
    QString all = text;
    all.replace(kSeparator, QLatin1Char(' '));
    for (const QString& piece : pieces) {
        all += kSeparator + piece;
    }
    return all;
}

Draft Draft::fromStored(const QString& stored) {
    Draft draft;
    draft.pieces = stored.split(kSeparator);
    draft.text = draft.pieces.takeFirst();
    if (isTooLongToEdit(draft.text)) {
        draft.pieces.prepend(draft.text);
        draft.text.clear();
    }
    return draft;
}

}  // namespace hearth::ui
