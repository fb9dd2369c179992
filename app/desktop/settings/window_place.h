// The place and size of the window, and whether its list of chats is shown. They are kept in the
// settings and checked against the present screens.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>
#include <QObject>
#include <QPoint>
#include <QPointer>
#include <QRect>
#include <QSize>
#include <QTimer>
#include <QWindow>
#include <optional>

namespace hearth::ui {

class AppSettings;

class WindowPlace : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    // True: the list of chats is shown, in a window that is wide enough for it.
    Q_PROPERTY(bool listShown READ listShown WRITE setListShown NOTIFY listShownChanged)

public:
    // Size and position include the window's frame, in the screens' coordinates.
    struct Fit {
        QSize size;
        std::optional<QPoint> position;  // empty: the system chooses
    };

    explicit WindowPlace(AppSettings& settings, QObject* parent = nullptr);

    bool listShown() const;
    void setListShown(bool shown);

    // Gives the window its place, shows it, and follows it from then on. Once, for one window.
    Q_INVOKABLE void open(QWindow* window);

    // Writes recent changes.
    void keep();

    // screens: the part of each screen that a window may cover, the main one first; not empty.
    // kept: the earlier place; empty: there is none. A window whose title bar would not be visible
    // is placed anew.
    static Fit fit(const QRect& kept, const QSize& wanted, const QList<QRect>& screens);

signals:
    void listShownChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    AppSettings& settings_;
    QPointer<QWindow> window_;
    QTimer timer_;
};

}  // namespace hearth::ui
