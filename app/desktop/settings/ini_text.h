// The text of a settings file, changed entry by entry. Comments, blank lines, order and unknown
// entries stay as they are. Qt's QSettings reads the same format and would drop them.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

namespace hearth::ui {

class IniText {
public:
    explicit IniText(const QByteArray& text);

    // Keys as QSettings has them: "engine/ram", "for-1/engine/ram". If an entry is there more than
    // once, the last one holds. A new entry comes last in its section. Several values make a list.
    void set(const QString& key, const QStringList& values);
    void remove(const QString& key);

    QByteArray text() const;

private:
    struct Part {
        enum class Kind { Other, Section, Entry };
        Kind kind = Kind::Other;
        QByteArray text;
        QString key;  // entry: the whole key; section: the start of its keys, "engine/" or ""
    };

    QList<Part> parts_;
};

}  // namespace hearth::ui
