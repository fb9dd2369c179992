// An unsent message: the text in the field, and beside it the pieces that are too long for the
// field.
#pragma once

#include <QString>
#include <QStringList>

namespace hearth::ui {

struct Draft {
    QString text;
    QStringList pieces;

    bool isEmpty() const { return text.isEmpty() && pieces.isEmpty(); }
    // Adds a pasted piece. The number of pieces is bounded: beyond it the last one grows.
    void attach(const QString& piece);
    // The message to send: the text, then the pieces, an empty line before each.
    QString message() const;

    // To the form on disk, one string, and back. A text too long for the field becomes a piece.
    QString stored() const;
    static Draft fromStored(const QString& stored);

    friend bool operator==(const Draft&, const Draft&) = default;
};

}  // namespace hearth::ui
