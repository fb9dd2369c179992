// Mends two faults of Qt's windows with keys.
#pragma once

#include <QObject>

class QKeyEvent;

namespace hearth::ui {

// Works while this object lives, in all windows of the application:
// - On X11 a key that is held down arrives as released and pressed again at the same moment, and Qt
//   tells that from a new press only where both have arrived when it looks. Every such press is
//   marked as repeated (QKeyEvent::isAutoRepeat), so that a key acts once.
// - Read-only text takes every key before any Shortcut (Qt 6.4). It keeps only the keys that it
//   uses itself: copy, and select all.
class KeyMends : public QObject {
    Q_OBJECT

public:
    KeyMends();
    // marksRepeated: does the first of the two also where the window system is not X11.
    explicit KeyMends(bool marksRepeated);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool markRepeated(QObject* window, QKeyEvent& press);

    const bool marksRepeated_;
    int key_ = 0;  // released last
    quint64 releasedMs_ = 0;
};

}  // namespace hearth::ui
