// What Qt's windows do wrong with keys.
#pragma once

#include <QObject>

class QKeyEvent;

namespace hearth::ui {

// While this object lives, in all windows of the application:
// - On X11 a key that is held down comes as released and pressed again at the same moment, and Qt
//   tells that from a new press only where both have arrived when it looks. Every such press is
//   marked as repeated (QKeyEvent::isAutoRepeat): what a key does once is done once.
// - Text that can only be read takes every key before any Shortcut (Qt 6.4). It keeps those that
//   mean something to it: to copy, and to select all.
class KeyMends : public QObject {
    Q_OBJECT

public:
    KeyMends();
    // marksRepeated: the first of the two, where the window system is not X11 too.
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
