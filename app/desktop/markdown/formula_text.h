// The formulas within the rich text of a block: their sources and words stand for them where the
// text is copied or read aloud.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QQuickTextDocument>
#include <QString>

namespace hearth::ui {

class FormulaText : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_SINGLETON

public:
    using QObject::QObject;

    // The text from one position to another; a formula whose letters are all within is its source.
    Q_INVOKABLE static QString source(QQuickTextDocument* document, int from, int to);
    // The whole text, each formula as it is read aloud.
    Q_INVOKABLE static QString words(QQuickTextDocument* document);
    // Puts source() on the clipboard.
    Q_INVOKABLE static void copy(QQuickTextDocument* document, int from, int to);
};

}  // namespace hearth::ui
