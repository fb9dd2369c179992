// Where the window was and how large, and whether its list was shown: kept in the settings, and
// held against the screens there are now.
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
    // The list of chats, in a window that is wide enough for it.
    Q_PROPERTY(bool listShown READ listShown WRITE setListShown NOTIFY listShownChanged)

public:
    // Both of the window with its frame, in the screens' coordinates.
    struct Fit {
        QSize size;
        std::optional<QPoint> position;  // empty: the system chooses
    };

    explicit WindowPlace(AppSettings& settings, QObject* parent = nullptr);

    bool listShown() const;
    void setListShown(bool shown);

    // Gives the window its place, shows it, and follows it from then on. Once, for one window.
    Q_INVOKABLE void open(QWindow* window);

    // Writes what changed a moment ago.
    void keep();

    // screens: what a window may cover of each, the main one first; not empty. kept: where it was;
    // empty: it never was. A window whose title bar would not be seen is placed anew.
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
