#include "system/key_mends.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QVariant>

namespace hearth::ui {

namespace {

constexpr quint64 kAtOnceMs = 5;  // no finger is so fast

bool isForReading(const QObject* item) {
    return item->inherits("QQuickTextEdit") && item->property("readOnly").toBool();
}

}  // namespace

KeyMends::KeyMends() : KeyMends(QGuiApplication::platformName() == QLatin1String("xcb")) {}

KeyMends::KeyMends(bool marksRepeated) : marksRepeated_(marksRepeated) {
    QCoreApplication::instance()->installEventFilter(this);
}

bool KeyMends::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::ShortcutOverride: {
            const auto* key = static_cast<QKeyEvent*>(event);
            if (key->matches(QKeySequence::Copy) || key->matches(QKeySequence::SelectAll) ||
                !isForReading(watched)) {
                return false;
            }
            event->ignore();
            return true;
        }
        case QEvent::KeyRelease:
            if (watched->isWindowType()) {
                key_ = static_cast<QKeyEvent*>(event)->key();
                releasedMs_ = static_cast<QKeyEvent*>(event)->timestamp();
            }
            return false;
        case QEvent::KeyPress:
            return marksRepeated_ && watched->isWindowType() &&
                   markRepeated(watched, *static_cast<QKeyEvent*>(event));
        default:
            return false;
    }
}

bool KeyMends::markRepeated(QObject* window, QKeyEvent& press) {
    const bool held = !press.isAutoRepeat() && press.key() == key_ && releasedMs_ != 0 &&
                      press.timestamp() - releasedMs_ <= kAtOnceMs;
    key_ = 0;
    if (!held) {
        return false;
    }
    QKeyEvent repeated(QEvent::KeyPress, press.key(), press.modifiers(), press.nativeScanCode(),
                       press.nativeVirtualKey(), press.nativeModifiers(), press.text(), true,
                       static_cast<quint16>(press.count()), press.device());
    repeated.setTimestamp(press.timestamp());
    QCoreApplication::sendEvent(window, &repeated);
    press.setAccepted(repeated.isAccepted());
    return true;
}

}  // namespace hearth::ui
