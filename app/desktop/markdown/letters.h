// Names the characters that no installed font can draw; the window shows boxes for them.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QObject>
#include <QString>
#include <functional>

namespace hearth::ui {

class Letters : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_SINGLETON

public:
    explicit Letters(QObject* parent = nullptr);
    // Asks `drawn` instead of the fonts of this computer.
    explicit Letters(std::function<bool(char32_t)> drawn, QObject* parent = nullptr);

    // A sentence for people: the characters of the text that are drawn as boxes, and a font that
    // would show them; empty: there are none. Reads only the beginning of a long text.
    Q_INVOKABLE QString missing(const QString& text);

private:
    bool isDrawn(char32_t letter);

    std::function<bool(char32_t)> drawn_;
    QHash<char32_t, bool> known_;
};

}  // namespace hearth::ui
