// Tells all that a person sees and a screen reader says of the items on the screen, a line each.
#pragma once

#include <QHash>
#include <QList>
#include <QQuickItem>
#include <QString>
#include <QStringList>

namespace hearth::ui::test {

class PartAccount {
public:
    // theme: the colours are called as it calls them.
    explicit PartAccount(const QObject* theme);

    // The lines of the visible items in `whole`, in the order of their drawing. Controls of
    // qml/components are a line, whatever they are made of.
    QStringList of(QQuickItem* whole) const;
    // The same items that can be pressed.
    static QList<QQuickItem*> buttons(QQuickItem* whole);
    // Its accessible name, else its objectName, else its text.
    static QString called(QQuickItem* item);
    // The same, with its objectName: several may be called "Close".
    static QString told(QQuickItem* item);

private:
    void add(QQuickItem* item, QStringList& lines) const;
    QString line(QQuickItem* item) const;
    QString colour(const QVariant& value) const;

    QHash<QString, QString> colours_;
};

}  // namespace hearth::ui::test
