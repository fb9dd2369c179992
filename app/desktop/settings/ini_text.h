// The text of a settings file, changed entry by entry: comments, blank lines, order, and what
// nobody here knows stay as they are. Qt's QSettings reads the same format and would drop them.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

namespace hearth::ui {

class IniText {
public:
    explicit IniText(const QByteArray& text);

    // Keys as QSettings has them: "engine/ram", "for-1/engine/ram". Of an entry that is there more
    // than once the last one holds. A new one comes last in its section. More than one value: a
    // list.
    void set(const QString& key, const QStringList& values);
    void remove(const QString& key);

    QByteArray text() const;

private:
    struct Part {
        enum class Kind { Other, Section, Entry };
        Kind kind = Kind::Other;
        QByteArray text;
        QString key;  // entry: all of it; section: what its keys begin with, "engine/" or ""
    };

    QList<Part> parts_;
};

}  // namespace hearth::ui
