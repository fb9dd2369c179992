// What is being written: the text in the field, and beside it the pieces that are too long for one.
#pragma once

#include <QString>
#include <QStringList>

namespace hearth::ui {

struct Draft {
    QString text;
    QStringList pieces;

    bool isEmpty() const { return text.isEmpty() && pieces.isEmpty(); }
    // A piece that was pasted. There is a bound on their number: beyond it the last one grows.
    void attach(const QString& piece);
    // What is sent: the text, then the pieces, an empty line before each.
    QString message() const;

    // The form on disk, one string, and back. A text too long for the field is a piece from then
    // on.
    QString stored() const;
    static Draft fromStored(const QString& stored);

    friend bool operator==(const Draft&, const Draft&) = default;
};

}  // namespace hearth::ui
