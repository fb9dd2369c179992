// Characters that no font of this computer has: a box stands in their place.
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
    // With `drawn` in place of the fonts of this computer.
    explicit Letters(std::function<bool(char32_t)> drawn, QObject* parent = nullptr);

    // A sentence for people: what of the text is drawn as boxes and which font would show it;
    // empty: nothing is. Looks at the beginning of a long text only.
    Q_INVOKABLE QString missing(const QString& text);

private:
    bool isDrawn(char32_t letter);

    std::function<bool(char32_t)> drawn_;
    QHash<char32_t, bool> known_;
};

}  // namespace hearth::ui
