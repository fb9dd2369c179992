// A window that shows one part of the window's QML at a time, on scripted models.
#pragma once

#include <QQmlApplicationEngine>
#include <QQmlComponent>
#include <QQuickItem>
#include <QQuickWindow>
#include <QSignalSpy>
#include <QString>
#include <QStringList>
#include <map>
#include <memory>
#include <vector>

#include "part_account.h"
#include "scripted_qml.h"

namespace hearth::ui::test {

class PartStage {
public:
    PartStage();
    ~PartStage();
    PartStage(const PartStage&) = delete;
    PartStage& operator=(const PartStage&) = delete;

    // Empty, or why the stage cannot be used.
    QString trouble() const { return trouble_; }

    // Shows items, one of them with `id: part`, in place of what was shown. Returns what is wrong.
    QString show(const QString& qml);
    // JavaScript in the scope of the items. Returns what is wrong.
    QString run(const QString& statement);
    // The value of an expression, as text.
    QString value(const QString& expression);
    // Handles what waits in the event loop, and lays the window out.
    void settle();

    // All that is seen and said, and what has the keyboard.
    QStringList account() const;
    // Calls of models by the part, and its own signals, since the last time.
    QStringList asked();

    QQuickWindow* window() const { return window_; }
    QList<QQuickItem*> buttons() const { return PartAccount::buttons(window_->contentItem()); }
    // The visible item with this objectName or accessible name; "NAME 2": the second of them.
    QQuickItem* item(const QString& name) const;

private:
    struct Heard {
        QString name;
        std::unique_ptr<QSignalSpy> spy;
    };

    QString trouble_;
    ScriptedQml files_;
    Calls calls_;
    QQmlApplicationEngine engine_;
    QQuickWindow* window_ = nullptr;
    std::unique_ptr<QObject> theme_;
    std::unique_ptr<PartAccount> words_;
    std::map<QString, std::unique_ptr<QQmlComponent>> components_;
    std::vector<Heard> heard_;
    std::unique_ptr<QObject> shown_;
};

}  // namespace hearth::ui::test
